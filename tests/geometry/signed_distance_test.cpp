#include "isochor/geometry/signed_distance.h"

#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

SignedDistance distance_to(const SurfaceMesh& mesh) {
  ThreadArena arena(2);
  return SignedDistance(mesh.positions, triangulate(mesh), arena);
}

/// Of a box about the origin, in closed form.
double box_distance(const Vec3d& p, const Vec3d& half) {
  Vec3d beyond{0, 0, 0};
  double deepest = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < 3; ++a) {
    const double d = std::abs(p[a]) - half[a];
    beyond[a] = std::max(d, 0.0);
    deepest = std::max(deepest, d);
  }
  return deepest > 0 ? norm(beyond) : deepest;
}

TEST(SignedDistance, OfABoxIsTheClosedForm) {
  const Vec3d half{1, 0.6, 0.3};
  const SignedDistance box = distance_to(make_box({0, 0, 0}, 2.0 * half, 0.21));
  Random random(1);
  for (int sample = 0; sample < 2000; ++sample) {
    const Vec3d p = random.vector(-1.5, 1.5);
    const SurfaceSample s = box(p);
    EXPECT_NEAR(s.distance, box_distance(p, half), 1e-13);
    EXPECT_NEAR(norm(s.closest.point - p), std::abs(s.distance), 1e-13);
    EXPECT_NEAR(norm(s.normal), 1, 1e-14);
  }
}

TEST(SignedDistance, PseudoNormalsTellTheSideAtVerticesAndEdgesToo) {
  const SignedDistance box = distance_to(make_box({0, 0, 0}, {2, 2, 2}, 2));
  Random random(2);
  std::array<int, 3> seen{};
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3d p = random.vector(-2, 2);
    const SurfaceSample s = box(p);
    EXPECT_GT(s.distance * dot(s.normal, p - s.closest.point), 0);
    ++seen[static_cast<int>(s.closest.feature)];
  }
  EXPECT_GT(std::min({seen[0], seen[1], seen[2]}), 20);
  // Angles weigh the three faces of a corner equally, however they are cut into triangles.
  const double third = std::sqrt(1.0 / 3);
  EXPECT_LT(norm(box({2, 2, 2}).normal - Vec3d{third, third, third}), 1e-14);
  EXPECT_LT(norm(box({2, -2, 2}).normal - Vec3d{third, -third, third}), 1e-14);
  const double half = std::sqrt(0.5);
  EXPECT_LT(norm(box({2, 2, 0.1}).normal - Vec3d{half, half, 0}), 1e-14);
  // Inside a face lies the diagonal of its two triangles.
  EXPECT_LT(norm(box({0, 0, 1.5}).normal - Vec3d{0, 0, 1}), 1e-14);
}

TEST(SignedDistance, SeamsAndTurnedFacesChangeNothing) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.2);
  SurfaceMesh bad;
  int count = 0;
  for (Triangle t : triangulate(sphere)) {
    const auto first = static_cast<std::int32_t>(bad.positions.size());
    if (++count % 3 == 0) std::swap(t[1], t[2]);
    for (const std::int32_t v : t) bad.positions.push_back(sphere.positions[v]);
    bad.add_face(Triangle{first, first + 1, first + 2});
  }
  const SignedDistance good_distance = distance_to(sphere), bad_distance = distance_to(bad);
  Random random(3);
  for (int sample = 0; sample < 500; ++sample) {
    const Vec3d p = random.vector(-1.5, 1.5);
    const SurfaceSample good = good_distance(p), other = bad_distance(p);
    EXPECT_NEAR(good.distance, other.distance, 1e-14);
    EXPECT_LT(norm(good.normal - other.normal), 1e-12);
  }
}

TEST(SignedDistance, AHoleDoesNotTurnTheInsideOut) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  std::vector<Triangle> open;
  for (const Triangle& t : triangulate(sphere)) {
    if (sphere.positions[t[0]][2] < 0.8) open.push_back(t);
  }
  ThreadArena arena(1);
  const SignedDistance distance(sphere.positions, open, arena);
  EXPECT_NEAR(distance({0, 0, 0}).distance, -1, 0.01);
  EXPECT_NEAR(distance({-1.5, 0, 0}).distance, 0.5, 0.01);
  EXPECT_TRUE(distance.is_inside({0, 0, -0.5}));
  EXPECT_FALSE(distance.is_inside({0, 0, 1.2}));
}

TEST(SignedDistance, ASheetWithTwoEqualSidesStillHasANormal) {
  // Two coincident triangles that face away from each other: their normals cancel on the rim.
  const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<Triangle> sheet{{0, 1, 2}, {0, 2, 1}};
  ThreadArena arena(1);
  const SignedDistance distance(points, sheet, arena);
  const SurfaceSample beside = distance({0.5, -1, 0});
  EXPECT_EQ(beside.distance, 1);
  EXPECT_LT(norm(beside.normal - Vec3d{0, -1, 0}), 1e-14);
  EXPECT_NEAR(norm(distance({0.5, 0, 0}).normal), 1, 1e-14) << "on the rim itself";
}

TEST(SignedDistance, TakesLessThan140BytesPerTriangle) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.03);
  EXPECT_LT(distance_to(sphere).memory(), 140 * triangulate(sphere).size());
}

}  // namespace
}  // namespace isochor::geometry
