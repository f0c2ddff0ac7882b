#include "isochor/contact/sliding_bones.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "isochor/geometry/triangle_bvh.h"

namespace isochor::contact {
namespace {

constexpr double kStiffness = 100;

/// A box about the origin with a point that slides on its top.
SlidingBones point_on_box(ThreadArena& arena) {
  const geometry::SurfaceMesh box = geometry::make_box({0, 0, 0}, {1, 0.2, 1}, 0.1);
  const SlidingPoint middle{
      .points = {0, 1}, .weights = {0.25, 0.75}, .count = 2, .stiffness = kStiffness};
  std::vector<SlidingBone> bones;
  bones.push_back({.name = "bone",
                   .surface = {box.positions, geometry::triangulate(box), arena},
                   .points = {middle}});
  return {std::move(bones), 0.1};
}

/// Of these a quarter and three make {x, y, 0}.
std::vector<Vec3d> two_points(double x, double y) {
  return {{x - 0.3, y, 0.3}, {x + 0.1, y, -0.1}};
}

TEST(SlidingBones, PullAcrossTheirSurfaceAlone) {
  ThreadArena arena(1);
  SlidingBones bones = point_on_box(arena);
  bones.begin(two_points(0, 0.1), arena);
  ASSERT_EQ(bones.springs().size(), 1u);
  EXPECT_NEAR(bones.energy(two_points(0, 0.1)), 0, 1e-20);
  EXPECT_NEAR(bones.energy(two_points(0.2, 0.1)), 0, 1e-20);
  for (const double off : {-0.02, 0.03}) {
    EXPECT_NEAR(bones.energy(two_points(0.2, 0.1 + off)), 0.5 * kStiffness * off * off, 1e-12);
    const std::vector<BoneMotion> still(1);
    EXPECT_NEAR(bones.energy(two_points(0.2, 0.1 + off), still), 0.5 * kStiffness * off * off,
                1e-12);
  }
}

TEST(SlidingBones, AreFoundAnewUntilTheyStay) {
  ThreadArena arena(1);
  SlidingBones bones = point_on_box(arena);
  bones.begin(two_points(0, 0.1), arena);
  EXPECT_FALSE(bones.settled());
  // What did not move is looked at once more, as an equilibrium.
  EXPECT_TRUE(bones.slides_on(two_points(0.1, 0.1), arena));
  EXPECT_TRUE(bones.settled());
  EXPECT_FALSE(bones.slides_on(two_points(0.2, 0.1), arena));
  // Around the edge there is another side.
  EXPECT_TRUE(bones.slides_on(two_points(0.52, -0.05), arena));
  EXPECT_FALSE(bones.settled());
  EXPECT_NEAR(bones.energy(two_points(0.52, 0)), 0.5 * kStiffness * 0.02 * 0.02, 1e-12);
  // What never stays is given up.
  int rounds = 0;
  const auto there_and_back = [&](bool there) {
    return bones.slides_on(there ? two_points(0.52, -0.05) : two_points(0, 0.13), arena);
  };
  for (bool there = false; there_and_back(there);) {
    there = !there;
    ASSERT_LT(++rounds, 20);
  }
  EXPECT_GT(rounds, 10);
}

TEST(SlidingBones, GoInAStraightLineWhereAStepIsCut) {
  ThreadArena arena(1);
  SlidingBones bones = point_on_box(arena);
  const BoneMotion from{.translation = {0, 1, 0}};
  const Mat3d turned = rotation_from_vector({0, 0, 0.4});
  const BoneMotion to{.rotation = turned, .translation = {2, 3, 0}};
  const BoneMotion half = between(from, to, 0.5, {0, 0, 0});
  EXPECT_NEAR(norm(half({0, 0, 0}) - Vec3d{1, 2, 0}), 0, 1e-14);
  const Mat3d by_half = rotation_from_vector({0, 0, 0.2});
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(norm(half.rotation.column[a] - by_half.column[a]), 0, 1e-14);
  }
  const BoneMotion end = between(from, to, 1, {0, 0, 0});
  for (int a = 0; a < 3; ++a) EXPECT_EQ(end.translation[a], to.translation[a]);

  // A point on top of it at the begin of the second half is pulled to where that is at its end.
  bones.set_motions(std::vector{from}, std::vector{to});
  bones.set_part(0.5, 1);
  const Vec3d before = half({0.1, 0.1, 0}), after = to({0.1, 0.1, 0});
  const auto at = [](const Vec3d& x) { return std::vector<Vec3d>{x, x}; };
  bones.begin(at(before), arena);
  EXPECT_NEAR(bones.energy(at(after)), 0, 1e-20);
  const Vec3d across = turned * Vec3d{0, 1, 0};
  EXPECT_NEAR(bones.energy(at(after + 0.01 * across)), 0.5 * kStiffness * 1e-4, 1e-12);
}

}  // namespace
}  // namespace isochor::contact
