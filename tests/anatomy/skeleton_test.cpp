#include "isochor/anatomy/skeleton.h"

#include <gtest/gtest.h>
#include <numbers>

namespace isochor::anatomy {
namespace {

constexpr double kPi = std::numbers::pi;

void expect_near(const Vec3d& found, const Vec3d& wanted, double tolerance = 1e-12) {
  EXPECT_LE(norm(found - wanted), tolerance)
      << found[0] << " " << found[1] << " " << found[2] << " instead of " << wanted[0] << " "
      << wanted[1] << " " << wanted[2];
}

Quaternion turn(const Vec3d& vector) { return quaternion_of(rotation_from_vector(vector)); }

/// A shoulder at the origin and an elbow at x = 2, in a space of poses that is turned against that
/// of the body. The elbow's axes are turned at rest, as exported ones are.
Skeleton make_chain() {
  Skeleton chain;
  const Transform turned{rotation_from_vector({0, 0, 0.3}), {2, 0, 0}};
  chain.base = {rotation_from_vector({kPi / 2, 0, 0}), {0, 0, 1}};
  chain.joints = {{.name = "shoulder", .local = {}, .rest = {}},
                  {.name = "elbow", .parent = 0, .local = {}, .rest = turned}};
  chain.joints[0].local = local_of(inverse(chain.base));
  chain.joints[1].local = local_of(turned);
  return chain;
}

TEST(RigidMotion, InverseUndoesAnAffineMap) {
  const Transform t{{{{1, 2, 0}, {0, 3, 1}, {2, 0, 1}}}, {4, 5, 6}};
  expect_near(inverse(t)(t({0.3, -0.7, 2})), {0.3, -0.7, 2});
}

TEST(RigidMotion, VectorsOfRotationsGoOnBeyondWholeTurns) {
  Vec3d vector{0, 0, 0};
  const Vec3d axis{0.6, 0, 0.8};
  for (int k = 0; k <= 100; ++k) {
    const double angle = 0.1 * k;
    vector = rotation_vector(rotation_from_vector(angle * axis), vector);
    expect_near(vector, angle * axis, 1e-9);
  }
}

TEST(RigidMotion, SlerpTakesTheShorterWayAtAnEvenPace) {
  const Quaternion a = turn({0, 0, 0.2}), b = turn({0, 0, 1.2});
  const Quaternion opposite{-b.v, -b.w};
  for (const double way : {0.0, 0.25, 0.5, 1.0}) {
    expect_near(rotation_vector(rotation(slerp(a, opposite, way))), {0, 0, 0.2 + way});
  }
}

TEST(RigidMotion, ScaleTurnAndWayAreFoundAgain) {
  const LocalTransform local{
      .translation = {1, 2, 3}, .rotation = turn({0.1, 0.7, -0.4}), .scale = {2, 0.5, 3}};
  const LocalTransform found = local_of(transform_of(local));
  expect_near(found.translation, local.translation);
  expect_near(found.scale, local.scale);
  expect_near(found.rotation.v, local.rotation.v);
}

TEST(Skeleton, RestPoseMovesNothing) {
  const Skeleton chain = make_chain();
  for (const Transform& motion : motions_from_rest(chain, rest_pose(chain))) {
    expect_near(motion({0.3, 0.4, 0.5}), {0.3, 0.4, 0.5});
  }
}

TEST(Skeleton, AJointCarriesWhatIsBeyondIt) {
  const Skeleton chain = make_chain();
  Pose pose = rest_pose(chain);
  // A quarter turn of the elbow about its own z, then of the shoulder about the body's z.
  pose[1].rotation =
      quaternion_of(rotation(pose[1].rotation) * rotation_from_vector({0, 0, kPi / 2}));
  auto motions = motions_from_rest(chain, pose);
  expect_near(motions[0]({3, 0, 0}), {3, 0, 0});
  expect_near(motions[1]({3, 0, 0}), {2, 1, 0});
  const Mat3d to_body = chain.base.linear;
  pose[0].rotation = quaternion_of(transpose(to_body) * rotation_from_vector({0, 0, kPi / 2}));
  motions = motions_from_rest(chain, pose);
  expect_near(motions[0]({3, 0, 0}), {0, 3, 0});
  expect_near(motions[1]({3, 0, 0}), {-1, 2, 0});
  EXPECT_NEAR(bend(chain, pose, 1), kPi / 2, 1e-12);
  EXPECT_NEAR(bend(chain, pose, 1, {0, 0, 2}), kPi / 2, 1e-12);
  EXPECT_NEAR(bend(chain, pose, 1, {0, 0, -1}), -kPi / 2, 1e-12);
  EXPECT_NEAR(bend(chain, pose, 0), kPi / 2, 1e-12);
}

TEST(Skeleton, ClipsKeepTheirFirstAndLastPose) {
  Skeleton chain = make_chain();
  Clip clip{.name = "wave", .joints = std::vector<JointTracks>(2)};
  clip.joints[1].translation = {.times = {1, 3}, .values = {{1, 0, 0}, {3, 0, 0}}};
  EXPECT_EQ(clip.duration(), 3);
  for (const auto& [time, x] : {std::pair(0.0, 1.0), {1.5, 1.5}, {3.0, 3.0}, {9.0, 3.0}}) {
    expect_near(sample(chain, clip, time)[1].translation, {x, 0, 0});
  }
  clip.joints[1].translation.between = Between::Step;
  expect_near(sample(chain, clip, 2.9)[1].translation, {1, 0, 0});
}

TEST(Skeleton, CubicKeysFollowACubic) {
  Skeleton chain = make_chain();
  Clip clip{.name = "wave", .joints = std::vector<JointTracks>(2)};
  // x(t) = t^3 - t between 1 and 2.5.
  const auto value = [](double t) { return Vec3d{t * t * t - t, 0, 0}; };
  const auto slope = [](double t) { return Vec3d{3 * t * t - 1, 0, 0}; };
  clip.joints[0].translation = {
      .times = {1, 2.5},
      .values = {{9, 9, 9}, value(1), slope(1), slope(2.5), value(2.5), {9, 9, 9}},
      .between = Between::Cubic};
  for (const double t : {1.0, 1.7, 2.2, 2.5}) {
    expect_near(sample(chain, clip, t)[0].translation, value(t));
  }
}

TEST(Skeleton, ScaledLengthsScaleMotions) {
  const Skeleton chain = make_chain();
  Pose pose = rest_pose(chain);
  pose[1].rotation = turn({0.2, 0.3, 0.4});
  const Skeleton large = scaled(chain, 100);
  Pose same = rest_pose(large);
  same[1].rotation = pose[1].rotation;
  const Vec3d p{2.5, 0.5, 0.1};
  expect_near(motions_from_rest(large, same)[1](100 * p),
              100 * motions_from_rest(chain, pose)[1](p), 1e-9);
}

TEST(Skinning, KeepsPointsAtRestAndFollowsRigidMotions) {
  const Skeleton chain = make_chain();
  const std::vector<Vec3d> rest{{0.5, 0.1, 0}, {1.9, 0, 0.3}, {2, 0, 0}, {5, 1, 1}};
  const auto bones = bone_segments(chain);
  ASSERT_EQ(bones.size(), 1u);
  std::vector<BoneSegment> both = bones;
  both.push_back({1, {2, 0, 0}, {4, 0, 0}});
  const SkinWeights weights = weights_by_distance(rest, both);
  ASSERT_EQ(weights.count(), rest.size());
  const auto still = blend_skinning(weights, motions_from_rest(chain, rest_pose(chain)), rest);
  Pose pose = rest_pose(chain);
  pose[0].rotation = turn({0.3, -0.2, 0.9});
  const auto motions = motions_from_rest(chain, pose);
  const auto moved = blend_skinning(weights, motions, rest);
  for (std::size_t k = 0; k < rest.size(); ++k) {
    expect_near(still[k], rest[k]);
    expect_near(moved[k], motions[0](rest[k]));
  }
}

TEST(Skinning, PointsOnABoneFollowItAlone) {
  const std::vector<BoneSegment> bones{{0, {0, 0, 0}, {1, 0, 0}}, {1, {1, 0, 0}, {2, 0, 0}}};
  const SkinWeights weights =
      weights_by_distance(std::vector<Vec3d>{{0.5, 0, 0}, {1, 1, 0}}, bones);
  EXPECT_NEAR(weights.of(0)[0].weight, 1, 1e-12);
  EXPECT_EQ(weights.of(0)[0].joint, 0);
  EXPECT_NEAR(weights.of(1)[0].weight, 0.5, 1e-12);
}

TEST(Skeleton, EqualNamesGetNumbers) {
  Skeleton skeleton;
  for (const char* name : {"a", "b", "a", "a"})
    skeleton.joints.push_back({.name = name, .local = {}, .rest = {}});
  make_names_differ(skeleton);
  EXPECT_EQ(skeleton.find("a"), 0u);
  EXPECT_EQ(skeleton.find("a 2"), 2u);
  EXPECT_EQ(skeleton.find("a 3"), 3u);
  EXPECT_FALSE(skeleton.find("c"));
}

}  // namespace
}  // namespace isochor::anatomy
