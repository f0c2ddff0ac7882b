#pragma once

#include <algorithm>
#include <vector>

#include "isochor/contact/proximity.h"
#include "isochor/geometry/shapes.h"
#include "tests/math/random_matrix.h"

/// Bodies to touch each other, and the slow versions of searches.
namespace isochor::contact {

struct TestBodies {
  std::vector<Vec3d> positions;
  Surface surface;
};

/// Puts a mesh beside what is there, as a body of its own.
inline void add_body(TestBodies& bodies, const geometry::SurfaceMesh& mesh) {
  const auto first = static_cast<std::int32_t>(bodies.positions.size());
  const std::int32_t body = bodies.surface.bodies.empty() ? 0 : bodies.surface.bodies.back() + 1;
  std::vector<Triangle> triangles = bodies.surface.triangles;
  std::vector<std::int32_t> numbers = bodies.surface.bodies;
  for (Triangle t : geometry::triangulate(mesh)) {
    for (std::int32_t& v : t) v += first;
    triangles.push_back(t);
  }
  bodies.positions.insert(bodies.positions.end(), mesh.positions.begin(), mesh.positions.end());
  numbers.resize(bodies.positions.size(), body);
  bodies.surface = make_surface(std::move(triangles), std::move(numbers));
}

/// Small spheres of radius 0.3 about the corners of a tight grid, apart by less than 0.05, in
/// random order of directions.
inline TestBodies random_spheres(int count, double edge, std::uint64_t seed) {
  TestBodies bodies;
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const Vec3d corner{0.65 * (i & 1), 0.65 * (i >> 1 & 1), 0.65 * (i >> 2)};
    add_body(bodies, geometry::make_sphere(corner + random.vector(-0.01, 0.01), 0.3, 0.3 * edge));
  }
  return bodies;
}

/// Calls f(kind, first, second, points) for all pairs without a common point, in their order.
template <class F>
void for_each_pair_slowly(const Surface& surface, F&& f) {
  for (const std::int32_t p : surface.points) {
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      const Triangle& c = surface.triangles[t];
      if (std::ranges::count(c, p) > 0) continue;
      f(PairKind::PointTriangle, p, static_cast<std::int32_t>(t), std::array{p, c[0], c[1], c[2]});
    }
  }
  for (std::size_t i = 0; i < surface.edges.size(); ++i) {
    for (std::size_t j = i + 1; j < surface.edges.size(); ++j) {
      const Edge &a = surface.edges[i], &b = surface.edges[j];
      if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
      f(PairKind::EdgeEdge, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
        std::array{a[0], a[1], b[0], b[1]});
    }
  }
}

}  // namespace isochor::contact
