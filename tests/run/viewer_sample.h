#pragma once

#include "isochor/geometry/shapes.h"
#include "isochor/run/viewer_data.h"

namespace isochor::run {

/// Two bodies for tests of pages: a block of 4 x 4 x 4 cells that is sheared from frame to frame,
/// and a ring without cells or fields. On the block, `signed` is the x of the rest shape, from -1
/// to 1, and J is 1.2 in the cells where that is negative and 0.9 elsewhere.
struct ViewerSample {
  files::Topology topology;
  sim::Setup setup;
  std::vector<files::Frame> frames;

  explicit ViewerSample(int count) {
    topology.bodies = {block(), ring()};
    setup.attachments = {{.name = "block.left",
                          .points = {{-1, -0.5, 0}, {-1, 0.5, 0}},
                          .keys = {{.frame = 2, .translate = {0, 0.5, 0}}}}};
    setup.bodies.resize(2);
    for (int f = 0; f < count; ++f) frames.push_back(frame(f));
  }

  ViewerSource source() const {
    return {.topology = topology,
            .setup = setup,
            .frame_count = static_cast<int>(frames.size()),
            .frame = [this](int f) { return frames[f]; }};
  }

 private:
  static constexpr int kCells = 4;

  static files::BodyTopology block() {
    files::BodyTopology body{.name = "block"};
    body.surface = geometry::make_box({0, 0, 0}, {2, 1.2, 1}, 0.1);
    constexpr int n = kCells + 1;
    for (int i = 0; i < n * n * n; ++i) {
      body.rest_nodes.push_back({2.0 * (i % n) / kCells - 1, 1.2 * (i / n % n) / kCells - 0.6,
                                 1.0 * (i / n / n) / kCells - 0.5});
    }
    for (int c = 0; c < kCells * kCells * kCells; ++c) {
      const int first = c % kCells + n * (c / kCells % kCells + n * (c / kCells / kCells));
      std::array<std::int32_t, 8>& cell = body.cells.emplace_back();
      for (int k = 0; k < 8; ++k) cell[k] = first + k % 2 + n * (k / 2 % 2) + n * n * (k / 4);
    }
    return body;
  }

  static files::BodyTopology ring() {
    files::BodyTopology body{.name = "ring"};
    body.surface = geometry::make_torus({1.9, 0, 0}, {0.3, 0.2, 1}, 0.4, 0.15, 0.05);
    return body;
  }

  static std::vector<Vec3d> sheared(std::vector<Vec3d> points, double amount) {
    for (Vec3d& p : points) p[0] += amount * p[1] * p[1];
    return points;
  }

  files::Frame frame(int f) const {
    files::Frame made{.index = f, .time = f / 24.0, .bodies = {}};
    for (const files::BodyTopology& body : topology.bodies) {
      made.bodies.push_back({.nodes = sheared(body.rest_nodes, 0.2 * f),
                             .vertices = sheared(body.surface.positions, 0.2 * f),
                             .fields = {}});
    }
    files::Field side{.name = "signed", .unit = "Pa", .support = files::Support::Vertex};
    for (const Vec3d& p : topology.bodies[0].surface.positions) {
      side.values.push_back(static_cast<float>(p[0]));
    }
    files::Field ratio{.name = "J", .support = files::Support::Cell};
    for (int c = 0; c < kCells * kCells * kCells; ++c) {
      ratio.values.push_back(c % kCells < kCells / 2 ? 1.2f : 0.9f);
    }
    files::Field on_surface{.name = "J", .support = files::Support::Vertex};
    for (const float x : side.values) on_surface.values.push_back(x < 0 ? 1.2f : 0.9f);
    made.bodies[0].fields = {side, ratio, on_surface};
    return made;
  }
};

}  // namespace isochor::run
