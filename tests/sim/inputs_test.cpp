#include "isochor/sim/inputs.h"

#include <gtest/gtest.h>

#include "isochor/sim/motion.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

constexpr int kFrames = 12;

SceneSpec scene_with(std::vector<KeySpec> keys, const std::string& ease = "smooth") {
  SceneSpec scene = parse_scene(kBarScene, "scene.toml");
  scene.bodies[0].holds[1].keys = std::move(keys);
  scene.bodies[0].holds[1].ease = ease;
  return scene;
}

KeySpec at(double frame, double x) { return {.frame = frame, .translate = {x, 0, 0}}; }

/// The first frame whose inputs differ; kFrames if none does.
int first_difference(const SceneSpec& a, const SceneSpec& b) {
  int f = 0;
  while (f < kFrames && frame_inputs(a, f) == frame_inputs(b, f)) ++f;
  return f;
}

/// The same from the poses themselves, at many times.
int first_moved_frame(const SceneSpec& a, const SceneSpec& b) {
  constexpr int kTimes = 40;
  for (int f = 0; f < kFrames; ++f) {
    for (int i = 1; i <= kTimes; ++i) {
      const double time = f - 1 + double(i) / kTimes;
      const Vec3d way = pose_at(a.bodies[0].holds[1], time).translation -
                        pose_at(b.bodies[0].holds[1], time).translation;
      if (norm(way) != 0) return f;
    }
  }
  return kFrames;
}

TEST(FrameInputs, DifferExactlyFromTheFirstFrameThatMovesOtherwise) {
  const std::vector<SceneSpec> scenes{
      scene_with({}),
      scene_with({at(0, 0), at(4, 1)}),
      scene_with({at(0, 0), at(4, 1), at(8, 2)}),
      scene_with({at(0, 0), at(4, 1), at(8, 3)}),
      scene_with({at(0, 0), at(4, 1), at(9, 3)}),
      scene_with({at(0, 0), at(4, 1), at(8, 2)}, "linear"),
      scene_with({at(0, 0), at(4, 1), at(7.5, 0.9), at(8, 2)}),
      scene_with({at(2, 0), at(4, 1)}),
      scene_with({at(0, 0.5), at(4, 1)}),
      scene_with({at(5, 0.5), at(6, 1)}),
      scene_with({at(3.3, 0), at(3.6, 1), at(20, 2)}),
  };
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    for (std::size_t j = 0; j < scenes.size(); ++j) {
      EXPECT_EQ(first_difference(scenes[i], scenes[j]), first_moved_frame(scenes[i], scenes[j]))
          << i << ", " << j;
    }
  }
}

TEST(FrameInputs, KeyThatChangesNoPoseMayCostFramesButNeverHidesOne) {
  // A key in the middle of a straight line: the same motion, told otherwise.
  const SceneSpec a = scene_with({at(0, 0), at(8, 1)}, "linear");
  const SceneSpec b = scene_with({at(0, 0), at(4, 0.5), at(8, 1)}, "linear");
  EXPECT_LE(first_difference(a, b), first_moved_frame(a, b));
}

TEST(FrameInputs, ActivationsCount) {
  SceneSpec a = parse_scene(kBarScene, "scene.toml"), b = a;
  a.bodies[0].activations = {{2, 0}, {6, 1}};
  b.bodies[0].activations = {{2, 0}, {6, 1}, {9, 0.5}};
  EXPECT_EQ(first_difference(a, b), 7);
  EXPECT_EQ(first_difference(a, parse_scene(kBarScene, "scene.toml")), 3);
}

TEST(ChangedKeys, MotionsTitleAndLengthAreNotAmongThem) {
  const SceneSpec before = parse_scene(kBarScene, "scene.toml");
  SceneSpec after = before;
  after.title = "Another";
  after.time.frames = 99;
  after.bodies[0].holds[1].keys.clear();
  after.bodies[0].holds[1].ease = "linear";
  EXPECT_TRUE(changed_keys(resolved_scene(before), "run.json", after).empty());
  after.bodies[0].cell_size = 0.05;
  after.bodies[0].holds.pop_back();
  const auto changes = changed_keys(resolved_scene(before), "run.json", after);
  ASSERT_GE(changes.size(), 2u);
  EXPECT_EQ(changes[0].key, "body[0].cell_size");
  EXPECT_EQ(changes[0].before, "0.1");
  EXPECT_EQ(changes[0].after, "0.05");
  EXPECT_EQ(changes[1].key, "body[0].hold[1].name");
  EXPECT_EQ(changes[1].after, "");
}

}  // namespace
}  // namespace isochor::sim
