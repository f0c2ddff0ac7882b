/// Colliders whose meshes change their shape.
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "isochor/files/pc2.h"
#include "isochor/sim/inputs.h"
#include "isochor/sim/scenery.h"
#include "isochor/sim/simulation.h"
#include "tests/run/run_fixture.h"

namespace isochor::run {
namespace {

using files::error_of;
using sim::replaced;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kAcross = 6, kFrames = 4;
constexpr double kHeight = 0.11, kDent = 0.04;

/// A thick plate, 40 cm wide; a dome grows out of the middle of its lower side.
std::vector<Vec3d> plate(double bulge) {
  std::vector<Vec3d> out;
  for (const double top : {0.0, 0.09}) {
    for (int i = 0; i <= kAcross; ++i) {
      for (int k = 0; k <= kAcross; ++k) {
        const double x = 0.4 * i / kAcross - 0.2, z = 0.4 * k / kAcross - 0.2;
        const double dome = std::max(0.0, 1 - (x * x + z * z) / (0.15 * 0.15));
        out.push_back({x, kHeight + (top > 0 ? top : -bulge * dome), z});
      }
    }
  }
  return out;
}

std::string as_obj(const std::vector<Vec3d>& vertices) {
  std::string text;
  for (const Vec3d& v : vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  const auto face = [&](std::array<std::array<int, 3>, 4> corners) {
    text += "f";
    for (const auto& [y, i, k] : corners) {
      text += fmt::format(" {}", (y * (kAcross + 1) + i) * (kAcross + 1) + k + 1);
    }
    text += "\n";
  };
  const int n = kAcross;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      face({{{1, i, k}, {1, i, k + 1}, {1, i + 1, k + 1}, {1, i + 1, k}}});
      face({{{0, i, k}, {0, i + 1, k}, {0, i + 1, k + 1}, {0, i, k + 1}}});
    }
    face({{{0, i, 0}, {1, i, 0}, {1, i + 1, 0}, {0, i + 1, 0}}});
    face({{{0, i, n}, {0, i + 1, n}, {1, i + 1, n}, {1, i, n}}});
    face({{{0, 0, i}, {0, 0, i + 1}, {1, 0, i + 1}, {1, 0, i}}});
    face({{{0, n, i}, {1, n, i}, {1, n, i + 1}, {0, n, i + 1}}});
  }
  return text;
}

const std::string kPlateScene = R"(format = 1
[time]
frames = 4
[world]
gravity = [0, 0, 0]
[method]
self_contact = true
[[body]]
name = "cube"
cell_size = "5 cm"
[body.shape]
kind = "box"
size = ["20 cm", "20 cm", "20 cm"]
edge = "5 cm"
[body.material]
young = "20 kPa"
poisson = 0.4
[[body.hold]]
name = "floor"
where = "y-"
[[collider]]
name = "plate"
kind = "mesh"
file = "plate.obj"
animation = { file = "plate.pc2" }
deforms = true
)";

class DeformingCollider : public RunFixture {
 protected:
  DeformingCollider() {
    sim::write_scene(folder_, kPlateScene);
    files::write_quickly(folder_ / "plate.obj", as_obj(plate(0)));
    write_cache(kDent);
  }

  /// From frame 1 of the file on, evenly but for the last.
  void write_cache(double last) {
    files::Pc2Writer writer(folder_ / "plate.pc2", plate(0).size(), 1, kFrames + 1);
    for (int f = 0; f <= kFrames; ++f) {
      writer.add(plate(f == kFrames ? last : kDent * f / kFrames));
    }
    writer.finish();
  }

  sim::SceneSpec scene(const std::string& text, std::vector<std::string> settings = {}) const {
    return sim::parse_scene(text, scene_, settings);
  }
};

TEST_F(DeformingCollider, PressesADentAndNothingCrosses) {
  const std::vector<std::vector<std::string>> methods{
      {},
      {"method.volume=\"mixed\""},
      {"method.name=\"tets\"", "method.volume=\"zones\""},
      {"method.name=\"tets\"", "method.volume=\"one-ring\"", "time.integrator=\"backward-euler\""}};
  for (const std::vector<std::string>& settings : methods) {
    sim::Simulation simulation(scene(kPlateScene, settings), context_);
    const std::vector<Vec3d>& rest = simulation.topology().bodies[0].surface.positions;
    const std::string method = settings.empty() ? "lattice" : settings.back();
    for (int f = 0; f <= kFrames; ++f) {
      ASSERT_TRUE(simulation.advance()) << method;
      const auto [frame, m] = simulation.snapshot();
      ASSERT_TRUE(m.contact) << method;
      EXPECT_LT(m.contact->deepest, 1e-12) << method;  // one-rings lie on it, but for rounding
      EXPECT_EQ(m.contact->crossings, 0) << method;
      double highest = -1;
      for (std::size_t v = 0; v < rest.size(); ++v) {
        if (std::hypot(rest[v][0], rest[v][2]) > 0.021) continue;
        highest = std::max(highest, frame.bodies[0].vertices[v][1]);
      }
      // Below the dome, within what barriers reach and facets leave out of it.
      const double dome = kHeight - kDent * f / kFrames;
      EXPECT_LT(highest, dome + 1e-3) << method << ", frame " << f;
      EXPECT_GT(highest, std::min(0.1, dome) - 0.012) << method << ", frame " << f;
    }
  }
}

TEST_F(DeformingCollider, ChangedEndOfItsMotionIsSolvedAgainWithTheSameBits) {
  run(options("a"));
  write_cache(0.8 * kDent);
  int computed = 0;
  RunOptions again = options("a");
  again.resume = true;
  const RunResult resumed = run(again, [&](const auto&, const auto&) { ++computed; });
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(hashes(resumed), hashes(run(options("whole"))));
  // Another mesh is another scene.
  files::write_quickly(folder_ / "plate.obj", as_obj(plate(0.001)));
  EXPECT_THAT(error_of([&] { run(again); }).what(),
              AllOf(HasSubstr("collider 'plate' (plate.obj)"), HasSubstr("--resume")));
}

TEST_F(DeformingCollider, IsWhereItsSamplesAreAndInStraightLinesBetween) {
  const auto at = [&](const std::vector<std::string>& settings, double frame) {
    const sim::SceneSpec spec = scene(kPlateScene, settings);
    const auto parts = sim::scenery_of(spec, {{0, 0, 0}, {0.1, 0.1, 0.1}}, context_);
    return parts[0].at(frame / spec.time.frame_rate);
  };
  const auto expect_bulge = [&](const std::vector<Vec3d>& now, double bulge) {
    const std::vector<Vec3d> expected = plate(bulge);
    double farthest = 0;
    for (std::size_t v = 0; v < now.size(); ++v) {
      farthest = std::max(farthest, norm(now[v] - expected[v]));
    }
    EXPECT_LT(farthest, 2e-8) << bulge;  // caches are in single precision
  };
  for (const double frame : {0.0, 1.0, 2.25, 4.0, 6.0}) {
    expect_bulge(at({}, frame), kDent * std::min(frame, 4.0) / 4);
    expect_bulge(at({"time.substeps=3"}, frame), kDent * std::min(frame, 4.0) / 4);
  }
  // From rest to the third sample in two frames, smoothly, and on from there.
  const std::vector<std::string> rolls{"collider[0].animation.start=3", "time.frame_rate=1",
                                       "collider[0].animation.pre_roll=2.0"};
  expect_bulge(at(rolls, 0), 0);
  expect_bulge(at(rolls, 1), 0.25 * kDent);
  expect_bulge(at(rolls, 2), 0.5 * kDent);
  expect_bulge(at(rolls, 3), 0.75 * kDent);
  // Steps between samples need no keys of their own.
  EXPECT_EQ(scene(kPlateScene, {"time.substeps=3"}).colliders[0].shapes->size(), kFrames + 1u);
}

TEST_F(DeformingCollider, WhatDoesNotFitIsNamedWithTheRemedy) {
  const auto problem = [&](const std::string& from, const std::string& to) -> std::string {
    return error_of([&] { scene(replaced(kPlateScene, from, to)); }).what();
  };
  EXPECT_THAT(problem("deforms = true", ""),
              AllOf(HasSubstr("collider[0].animation.file"), HasSubstr("changes its shape"),
                    HasSubstr("deforms = true")));
  EXPECT_THAT(problem("animation = { file = \"plate.pc2\" }", ""), HasSubstr("deforms"));
  files::write_quickly(folder_ / "plate_1.obj", as_obj(plate(0)));
  files::write_quickly(folder_ / "plate_3.obj", as_obj(plate(kDent)));
  EXPECT_THAT(problem("plate.pc2", "plate_#.obj"), HasSubstr("frame 2 is missing"));
  std::vector<Vec3d> more = plate(0);
  more.push_back({0, 1, 0});
  files::write_quickly(folder_ / "plate_2.obj", as_obj(more));
  EXPECT_THAT(problem("plate.pc2", "plate_#.obj"),
              AllOf(HasSubstr("plate_2.obj"), HasSubstr("has 99 vertices"),
                    HasSubstr("its mesh at rest has 98")));
}

}  // namespace
}  // namespace isochor::run
