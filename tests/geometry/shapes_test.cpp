#include "isochor/geometry/shapes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "tests/geometry/surface_checks.h"

namespace isochor::geometry {
namespace {

TEST(GeometryBox, IsClosedAndTurnedOutward) {
  for (const double edge : {10.0, 1.0, 0.5, 0.3}) {
    const SurfaceMesh box = make_box({1, 2, 3}, {3, 2, 1}, edge);
    EXPECT_TRUE(is_closed(box)) << edge;
    EXPECT_GT(enclosed_volume(box), 0) << edge;
  }
}

TEST(GeometryBox, VolumeAndBoundsAreExact) {
  for (const double edge : {10.0, 0.7, 0.11}) {
    const SurfaceMesh box = make_box({1, 2, 3}, {3, 2, 1}, edge);
    EXPECT_NEAR(enclosed_volume(box), 6, 1e-13) << edge;  // a sum of some hundred terms
    const Bounds bounds = bounds_of(box.positions);
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(bounds.low[a], Vec3d({-0.5, 1, 2.5})[a]);
      EXPECT_EQ(bounds.high[a], Vec3d({2.5, 3, 3.5})[a]);
    }
  }
}

TEST(GeometryBox, FacesAreDividedToTheEdgeAskedFor) {
  // 6 x 4 x 2 squares; the vertices of a surface of n x m x l squares by Euler's formula.
  const SurfaceMesh box = make_box({0, 0, 0}, {3, 2, 1}, 0.5);
  const std::size_t faces = 2 * (6 * 4 + 4 * 2 + 6 * 2);
  EXPECT_EQ(box.face_count(), faces);
  EXPECT_EQ(box.positions.size(), faces + 2);
  for (std::size_t f = 0; f < box.face_count(); ++f) {
    ASSERT_EQ(box.face(f).size(), 4u);
    for (int c = 0; c < 4; ++c) {
      const Vec3d side = box.positions[box.face(f)[c]] - box.positions[box.face(f)[(c + 1) % 4]];
      EXPECT_NEAR(norm(side), 0.5, 1e-15);
    }
  }
  EXPECT_EQ(make_box({0, 0, 0}, {3, 2, 1}, 100).face_count(), 6u);
}

TEST(GeometrySphere, IsClosedTurnedOutwardAndRound) {
  const Vec3d center{-1, 5, 2};
  for (const double edge : {10.0, 0.4, 0.13}) {
    const SurfaceMesh sphere = make_sphere(center, 2, edge);
    EXPECT_TRUE(is_closed(sphere)) << edge;
    EXPECT_GT(enclosed_volume(sphere), 0) << edge;
    for (const Vec3d& p : sphere.positions) EXPECT_NEAR(norm(p - center), 2, 1e-14);
  }
}

TEST(GeometrySphere, VolumeConvergesWithTheSquareOfTheEdge) {
  const double radius = 1.5, exact = 4 * std::numbers::pi / 3 * radius * radius * radius;
  double last = 0;
  for (const int n : {8, 16, 32}) {
    const double volume =
        enclosed_volume(make_sphere({0, 0, 0}, radius, radius * std::numbers::pi / 2 / n));
    EXPECT_LT(volume, exact);  // a polyhedron with its corners on the sphere
    const double error = exact - volume;
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / error), 2, 0.05) << n;
    }
    last = error;
  }
  EXPECT_LT(last, 2e-3 * exact);
}

TEST(GeometrySphere, QuadsHaveNearlyTheEdgeAskedFor) {
  const double edge = 0.1;
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, edge);
  double shortest = 1, longest = 0;
  for (std::size_t f = 0; f < sphere.face_count(); ++f) {
    const auto face = sphere.face(f);
    for (int c = 0; c < 4; ++c) {
      const double side = norm(sphere.positions[face[c]] - sphere.positions[face[(c + 1) % 4]]);
      shortest = std::min(shortest, side);
      longest = std::max(longest, side);
    }
  }
  // An equiangular cube: sides differ by less than a factor of sqrt(2), the longest as asked for.
  EXPECT_LT(longest, 1.1 * edge);
  EXPECT_LT(longest / shortest, 1.45);
}

}  // namespace
}  // namespace isochor::geometry
