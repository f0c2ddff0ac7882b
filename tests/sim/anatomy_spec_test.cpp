#include "isochor/sim/anatomy_spec.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes.h"
#include "isochor/sim/body_builder.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

TEST(AnatomySpec, PatternsFitNames) {
  EXPECT_TRUE(matches("bone_*", "bone_ulna"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a b_*_c", "b_x_y_c"));
  EXPECT_TRUE(matches("a", "a"));
  EXPECT_FALSE(matches("bone_*", "muscle_bone_"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("a*b", "ab_"));
}

/// A limb of 10 x 4 x 4 cm in millimetres: two bones, and a muscle that reaches into both.
class AnatomyFolder : public testing::Test {
 protected:
  AnatomyFolder() {
    std::filesystem::create_directories(folder_ / "parts");
    write("bone_left", {-40, 0, 0}, {16, 20, 20});
    write("bone_right", {40, 0, 0}, {16, 20, 20});
    write("muscle_core", {0, 0, 0}, {74, 10, 10});
    write("skin", {0, 0, 0}, {100, 40, 40});
  }
  /// As OBJ text.
  void write(const std::string& name, const Vec3d& center, const Vec3d& size) {
    const geometry::SurfaceMesh mesh = geometry::make_box(center, size, 5);
    std::string text;
    for (const Vec3d& p : mesh.positions) text += fmt::format("v {} {} {}\n", p[0], p[1], p[2]);
    for (std::size_t f = 0; f < mesh.face_count(); ++f) {
      text += "f";
      for (const std::int32_t v : mesh.face(f)) text += fmt::format(" {}", v + 1);
      text += "\n";
    }
    files::write_quickly(folder_ / ("parts/" + name + ".obj"), text);
  }
  SceneSpec load(const std::string& anatomy) {
    return load_scene(write_scene(folder_, R"(format = 1
[time]
frames = 2
[[body]]
name = "limb"
cell_size = "4 mm"
shape = { kind = "mesh", file = "parts/skin.obj", scale = 0.001 }
material = { preset = "flesh_lee_2009" }
[[body.anatomy]]
folder = "parts"
scale = 0.001
)" + anatomy));
  }
  std::string refusal(const std::string& anatomy) {
    try {
      load(anatomy);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  files::TemporaryFolder folder_;
};

TEST_F(AnatomyFolder, EachSurfaceBecomesAHoldOrAMuscle) {
  const SceneSpec scene = load(R"([[body.anatomy.active]]
muscles = "muscle_*"
activation = [{ frame = 0, value = 0 }, { frame = 2, value = 0.5 }]
[[body.anatomy.move]]
bones = "*_right"
turns_about = "point"
pivot = ["2 cm", 0, 0]
key = [{ frame = 0 }, { frame = 2, rotate = [0, 0, "10 deg"] }]
)");
  const BodySpec& body = scene.bodies[0];
  EXPECT_TRUE(body.anatomies.empty());
  ASSERT_EQ(body.holds.size(), 2u);
  EXPECT_EQ(body.holds[0].name, "bone_left");
  EXPECT_TRUE(body.holds[0].keys.empty());
  EXPECT_EQ(body.holds[1].keys.size(), 2u);
  EXPECT_DOUBLE_EQ(body.holds[1].pivot[0], 0.02);
  ASSERT_EQ(body.muscles.size(), 1u);
  EXPECT_EQ(body.muscles[0].activations.back().value, 0.5);
  // What is resolved says the same without the folder's help.
  const std::string resolved = resolved_scene(scene);
  EXPECT_EQ(resolved_scene(parse_scene(resolved, scene.file)), resolved);
}

TEST_F(AnatomyFolder, BoneGoesBeforeMuscleAndVolumesAreKnown) {
  const SceneSpec scene = load("");
  Context context(2);
  std::vector<std::string> log;
  context.log = [&](LogLevel, std::string_view line) { log.emplace_back(line); };
  const Body body = build_body(scene.bodies[0], scene.file, context);
  ASSERT_EQ(body.parts.size(), 3u);
  EXPECT_EQ(body.parts[0].tissue, "bone");
  for (int b : {0, 1}) {
    EXPECT_NEAR(body.parts[b].enclosed, 6.4e-6, 1e-12);
    EXPECT_NEAR(body.parts[b].in_cells, 6.4e-6, 1e-9);
  }
  EXPECT_EQ(body.parts[2].name, "muscle_core");
  EXPECT_NEAR(body.parts[2].enclosed, 7.4e-6, 1e-12);
  // Between the bones, from -32 to 32 mm.
  EXPECT_NEAR(body.parts[2].in_cells, 6.4e-6, 1e-9);
  EXPECT_THAT(log, testing::Contains(testing::HasSubstr("from 'bone_left' to 'bone_right'")));
}

TEST_F(AnatomyFolder, WhatIsNotThereIsNamed) {
  EXPECT_THAT(refusal("bones = \"bein_*\"\n"), testing::HasSubstr("no surface in 'parts'"));
  EXPECT_THAT(refusal("[[body.anatomy.move]]\nbones = \"bone_ulna\"\n"),
              testing::HasSubstr("bone_left, bone_right"));
  EXPECT_THAT(refusal("[[body.anatomy.active]]\nmuscles = \"biceps\"\n"),
              testing::HasSubstr("muscle_core"));
  std::filesystem::remove_all(folder_ / "parts");
  EXPECT_THAT(refusal(""), testing::HasSubstr("there is no folder"));
}

}  // namespace
}  // namespace isochor::sim
