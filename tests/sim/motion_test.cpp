#include "isochor/sim/motion.h"

#include <gtest/gtest.h>

namespace isochor::sim {
namespace {

HoldSpec pulled(const std::string& ease) {
  return {.ease = ease,
          .keys = {{.frame = 2, .translate = {1, 0, 0}},
                   {.frame = 6, .translate = {3, 0, 0}, .rotate = {0, 0, 2}}}};
}

TEST(Motion, KeysAreHitExactlyAndEndsHold) {
  for (const char* ease : {"linear", "smooth"}) {
    const HoldSpec hold = pulled(ease);
    EXPECT_EQ(pose_at(hold, 0).translation[0], 1) << "before the first key";
    EXPECT_EQ(pose_at(hold, 2).translation[0], 1);
    EXPECT_EQ(pose_at(hold, 6).translation[0], 3);
    EXPECT_EQ(pose_at(hold, 6).rotation[2], 2);
    EXPECT_EQ(pose_at(hold, 60).translation[0], 3) << "after the last key";
    EXPECT_DOUBLE_EQ(pose_at(hold, 4).translation[0], 2) << "half way in both";
  }
}

TEST(Motion, SmoothStartsAndEndsWithoutSpeed) {
  EXPECT_NEAR(pose_at(pulled("linear"), 2.04).translation[0] - 1, 0.02, 1e-12);
  EXPECT_LT(pose_at(pulled("smooth"), 2.04).translation[0] - 1, 0.001);
}

TEST(Motion, FirstPoseComesUpFromRestBeforeFrameZero) {
  EXPECT_EQ(pose_at(pulled("smooth"), -1).translation[0], 0);
  EXPECT_EQ(pose_at(pulled("smooth"), -0.25).translation[0], 0.75);
}

TEST(Motion, RotationTurnsAboutTheCentre) {
  const Pose quarter{.rotation = {0, 0, 1.5707963267948966}};
  const Vec3d p = quarter({2, 1, 0}, {1, 1, 0});
  EXPECT_NEAR(p[0], 1, 1e-15);
  EXPECT_NEAR(p[1], 2, 1e-15);
}

}  // namespace
}  // namespace isochor::sim
