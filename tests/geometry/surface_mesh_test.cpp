#include "isochor/geometry/surface_mesh.h"

#include <gtest/gtest.h>
#include <numbers>

#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

TEST(GeometryMesh, FacesKeepTheirCornersInOrder) {
  SurfaceMesh mesh;
  EXPECT_EQ(mesh.face_count(), 0u);
  mesh.add_face(std::vector<std::int32_t>{3, 1, 2});
  mesh.add_face(std::vector<std::int32_t>{0, 4, 5, 6, 2});
  ASSERT_EQ(mesh.face_count(), 2u);
  EXPECT_EQ(std::vector<std::int32_t>(mesh.face(0).begin(), mesh.face(0).end()),
            (std::vector<std::int32_t>{3, 1, 2}));
  EXPECT_EQ(std::vector<std::int32_t>(mesh.face(1).begin(), mesh.face(1).end()),
            (std::vector<std::int32_t>{0, 4, 5, 6, 2}));
}

TEST(GeometryMesh, PolygonsBecomeFansThatKeepAreaAndOrientation) {
  for (int n = 3; n <= 12; ++n) {
    SurfaceMesh mesh;
    std::vector<std::int32_t> face;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      mesh.positions.push_back({std::cos(angle), std::sin(angle), 0});
      face.push_back(i);
    }
    mesh.add_face(face);
    const std::vector<Triangle> triangles = triangulate(mesh);
    ASSERT_EQ(triangles.size(), std::size_t(n - 2));
    double area = 0;
    for (const Triangle& t : triangles) {
      const Vec3d a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
      const Vec3d normal = 0.5 * cross(b - a, c - a);
      EXPECT_GT(normal[2], 0);
      area += normal[2];
    }
    EXPECT_NEAR(area, 0.5 * n * std::sin(2 * std::numbers::pi / n), 1e-14) << n;
  }
}

TEST(GeometryMesh, FacesWithoutAreaGiveNoTriangle) {
  SurfaceMesh mesh{.positions = std::vector<Vec3d>(3, Vec3d{0, 0, 0})};
  mesh.add_face(std::vector<std::int32_t>{0, 1});
  mesh.add_face(std::vector<std::int32_t>{2});
  EXPECT_TRUE(triangulate(mesh).empty());
  EXPECT_TRUE(triangulate(SurfaceMesh{}).empty());
}

TEST(GeometryBounds, AreTheExtremesOfEachAxis) {
  Random random(1);
  std::vector<Vec3d> points(100);
  for (Vec3d& p : points) p = random.vector(-5, 3);
  const Bounds bounds = bounds_of(points);
  for (int a = 0; a < 3; ++a) {
    double low = points[0][a], high = points[0][a];
    for (const Vec3d& p : points) {
      low = std::min(low, p[a]);
      high = std::max(high, p[a]);
    }
    EXPECT_EQ(bounds.low[a], low);
    EXPECT_EQ(bounds.high[a], high);
    EXPECT_EQ(bounds.size()[a], high - low);
  }
  const Bounds single = bounds_of(std::vector<Vec3d>{{1, 2, 3}});
  EXPECT_EQ(norm(single.size()), 0);
}

TEST(GeometryVolume, IsExactForBoxesAndTheirTurns) {
  SurfaceMesh box = make_box({0, 0, 0}, {3, 2, 1}, 0.5);
  const Mat3d R = rotation_from_vector({0.3, -1, 0.5});
  for (Vec3d& p : box.positions) p = R * p;
  EXPECT_NEAR(enclosed_volume(box), 6, 1e-13);
}

TEST(GeometryVolume, KeepsItsDigitsFarFromTheOrigin) {
  // Coordinates of 1e6 are rounded to 1e-10, so that a volume of 5 is good to about 1e-9.
  const SurfaceMesh box = make_box({1e6 / 3, -1e6 / 7, 1e6}, {3.1, 2.3, 0.7}, 0.45);
  EXPECT_NEAR(enclosed_volume(box), 3.1 * 2.3 * 0.7, 1e-8);
}

TEST(GeometryVolume, IsNegativeInsideOutAndNothingWithoutFaces) {
  const SurfaceMesh box = make_box({0, 0, 0}, {3, 2, 1}, 0.5);
  EXPECT_NEAR(enclosed_volume(turned_inside_out(box)), -6, 1e-13);
  EXPECT_EQ(enclosed_volume(SurfaceMesh{}), 0);
}

}  // namespace
}  // namespace isochor::geometry
