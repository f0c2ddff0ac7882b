#include "isochor/anatomy/bone_attachments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"

namespace isochor::anatomy {
namespace {

struct Part {
  explicit Part(geometry::SurfaceMesh surface)
      : mesh(std::move(surface)), triangles(geometry::triangulate(mesh)) {}
  Solid solid() const { return {mesh.positions, triangles}; }

  geometry::SurfaceMesh mesh;
  std::vector<geometry::Triangle> triangles;
};

/// A muscle from x = 0 to x = 1.
Part make_muscle() { return Part(geometry::make_box({0.5, 0, 0}, {1, 0.2, 0.2}, 0.05)); }
Part make_bone(const Vec3d& center) {
  return Part(geometry::make_box(center, {0.3, 0.3, 0.3}, 0.1));
}

/// The range of x over the middles of triangles.
std::pair<double, double> range(const Part& part, std::span<const std::int32_t> triangles) {
  double low = 1e9, high = -1e9;
  for (const std::int32_t t : triangles) {
    double x = 0;
    for (const std::int32_t v : part.triangles[t]) x += part.mesh.positions[v][0] / 3;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  return {low, high};
}

TEST(BoneAttachments, AMuscleGoesFromBoneToBone) {
  ThreadArena arena(2);
  const Part muscle = make_muscle(), left = make_bone({-0.05, 0, 0}), right = make_bone({1, 0, 0});
  std::vector<BoneSurface> bones;
  // Their order does not matter.
  bones.emplace_back(right.solid(), arena);
  bones.emplace_back(left.solid(), arena);
  const AttachedEnds found = ends_at_bones(muscle.solid(), bones, 0.01);
  EXPECT_EQ(found.origin_bone, 1);
  EXPECT_EQ(found.insertion_bone, 0);
  const auto [origin_low, origin_high] = range(muscle, found.ends.origin);
  EXPECT_LT(origin_low, 1e-9);
  EXPECT_LT(origin_high, 0.12);
  const auto [insertion_low, insertion_high] = range(muscle, found.ends.insertion);
  EXPECT_GT(insertion_low, 0.83);
  EXPECT_GT(insertion_high, 1 - 1e-9);
}

TEST(BoneAttachments, WhereNoBoneIsTheAxisDecides) {
  ThreadArena arena(2);
  const Part muscle = make_muscle(), left = make_bone({-0.05, 0, 0});
  std::vector<BoneSurface> bones;
  bones.emplace_back(left.solid(), arena);
  const AttachedEnds found = ends_at_bones(muscle.solid(), bones, 0.01, 0.1);
  EXPECT_EQ(found.origin_bone, 0);
  EXPECT_EQ(found.insertion_bone, -1);
  EXPECT_EQ(found.ends.insertion, ends_along_axis(muscle.solid(), 0.1).insertion);

  const AttachedEnds none = ends_at_bones(muscle.solid(), {}, 0.01, 0.1);
  EXPECT_EQ(none.origin_bone, -1);
  EXPECT_EQ(none.ends.origin, ends_along_axis(muscle.solid(), 0.1).origin);
}

TEST(BoneAttachments, ABoneAlongTheWholeMuscleIsOneEndOnly) {
  ThreadArena arena(2);
  const Part muscle = make_muscle(), right = make_bone({1.1, 0, 0});
  const Part below(geometry::make_box({0.4, -0.2, 0}, {0.9, 0.2, 0.3}, 0.1));
  std::vector<BoneSurface> bones;
  bones.emplace_back(below.solid(), arena);
  bones.emplace_back(right.solid(), arena);
  const AttachedEnds found = ends_at_bones(muscle.solid(), bones, 0.01);
  EXPECT_EQ(found.origin_bone, 0);
  EXPECT_EQ(found.insertion_bone, 1);
  EXPECT_LT(range(muscle, found.ends.origin).second, 0.5);
}

TEST(BoneAttachments, WhatIsDeepInsideABoneTouchesIt) {
  ThreadArena arena(2);
  const Part bone(geometry::make_box({0, 0, 0}, {2, 2, 2}, 0.5));
  const BoneSurface surface(bone.solid(), arena);
  EXPECT_EQ(surface.distance({0, 0, 0}, 0.1), 0);
  EXPECT_NEAR(surface.distance({1.05, 0, 0}, 0.1), 0.05, 1e-12);
  EXPECT_EQ(surface.distance({1.5, 0, 0}, 0.1), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace isochor::anatomy
