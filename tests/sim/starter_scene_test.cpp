#include "isochor/sim/starter_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// A box from the origin, as quads that face outward.
std::string box_obj(double x, double y, double z) {
  std::string text;
  for (int c = 0; c < 8; ++c) {
    text += "v " + std::to_string(c & 1 ? x : 0) + " " + std::to_string(c & 2 ? y : 0) + " " +
            std::to_string(c & 4 ? z : 0) + "\n";
  }
  return text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

TEST(StarterScene, OfAMeshAloneIsASceneThatRuns) {
  const files::TemporaryFolder folder;
  files::write_quickly(folder / "box.obj", box_obj(400, 900, 300));
  Context context(1);
  const StarterScene starter =
      make_starter_scene(folder / "box.obj", {}, folder / "scene.toml", context);
  EXPECT_THAT(starter.guesses, Contains(HasSubstr("0.001 m per unit")));
  const SceneSpec scene = parse_scene(starter.text, folder / "scene.toml");
  EXPECT_EQ(scene.bodies[0].shape.file, "box.obj");
  EXPECT_EQ(scene.bodies[0].holds[0].where, "y-");
  EXPECT_NEAR(0.108 / std::pow(scene.bodies[0].cell_size, 3), 15000, 3000);
  const std::vector<std::string> coarse{"body[0].cell_size=0.1"};
  Simulation simulation(parse_scene(starter.text, folder / "scene.toml", coarse), context);
  EXPECT_TRUE(simulation.advance());
}

TEST(StarterScene, OfASkeletonHasBonesOnIt) {
  const files::TemporaryFolder folder;
  files::write_quickly(folder / "limb.obj", box_obj(0.6, 0.1, 0.1));
  files::write_quickly(folder / "limb.bvh", std::string_view(R"(HIERARCHY
ROOT shoulder
{
  OFFSET 5 5 5
  CHANNELS 1 Zrotation
  JOINT elbow
  {
    OFFSET 25 0 0
    CHANNELS 1 Zrotation
    End Site
    {
      OFFSET 25 0 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 1
0 0
0 30
)"));
  Context context(1);
  const StarterScene starter =
      make_starter_scene(folder / "limb.obj", folder / "limb.bvh", folder / "scene.toml", context);
  const SceneSpec scene = parse_scene(starter.text, folder / "scene.toml");
  EXPECT_EQ(scene.skeleton.scale, 0.01);
  ASSERT_EQ(scene.bodies[0].holds.size(), 2u);
  EXPECT_EQ(scene.bodies[0].holds[1].name, "elbow");
  EXPECT_NEAR(scene.bodies[0].bones.radius, 0.0165, 0.0006);
  EXPECT_EQ(scene.time.frames, 36);
}

TEST(StarterScene, HasSkinThatActs) {
  const files::TemporaryFolder folder;
  files::write_quickly(folder / "box.obj", box_obj(0.1, 0.2, 0.1));
  Context context(1);
  const StarterScene starter =
      make_starter_scene(folder / "box.obj", {}, folder / "scene.toml", context);
  const auto sag_with = [&](const char* modulus) {
    const std::vector<std::string> settings{"body[0].cell_size=0.025",
                                            std::string("body[0].skin.modulus=") + modulus};
    Simulation simulation(parse_scene(starter.text, folder / "scene.toml", settings), context);
    EXPECT_TRUE(simulation.advance());
    double sum = 0;
    const files::Frame frame = simulation.snapshot().first;
    for (const Vec3d& p : frame.bodies[0].nodes) sum -= p[1];
    for (const Vec3d& p : simulation.topology().bodies[0].rest_nodes) sum += p[1];
    return sum;
  };
  EXPECT_EQ(parse_scene(starter.text, "s.toml").bodies[0].skin.law, "area");
  EXPECT_LT(sag_with("1e6"), 0.99 * sag_with("1e5"));
  // A small thing has thin skin.
  files::write_quickly(folder / "small.obj", box_obj(0.02, 0.03, 0.02));
  const StarterScene small =
      make_starter_scene(folder / "small.obj", {}, folder / "scene.toml", context);
  const SkinSpec skin = parse_scene(small.text, "s.toml").bodies[0].skin;
  EXPECT_LT(skin.thickness, 0.001);
}

TEST(StarterScene, RefusesWhatHasNoInsideAndBonesElsewhere) {
  const files::TemporaryFolder folder;
  Context context(1);
  files::write_quickly(folder / "flat.obj",
                       std::string_view("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
  EXPECT_THAT(files::error_of([&] {
                make_starter_scene(folder / "flat.obj", {}, "s.toml", context);
              }).problem(),
              HasSubstr("no volume"));
  // A chain of bones along x, the first of which alone is inside a cube.
  files::write_quickly(folder / "bar.obj", box_obj(1, 1, 1));
  files::write_quickly(folder / "chain.bvh", std::string_view(R"(HIERARCHY
ROOT a {
  OFFSET 0.1 0.5 0.5
  CHANNELS 1 Zrotation
  JOINT b {
    OFFSET 0.8 0 0
    CHANNELS 0
    JOINT c {
      OFFSET 0.4 0 0
      CHANNELS 0
      JOINT d {
        OFFSET 0.3 0 0
        CHANNELS 0
        End Site {
          OFFSET 0.3 0 0
        }
      }
    }
  }
}
MOTION
Frames: 1
Frame Time: 1
0
)"));
  EXPECT_THAT(files::error_of([&] {
                make_starter_scene(folder / "bar.obj", folder / "chain.bvh", "s.toml", context);
              }).problem(),
              HasSubstr("only 1 of 4 bones"));
}

TEST(StarterScene, CharactersRun) {
  const std::filesystem::path file =
      ISOCHOR_SOURCE_DIR "/../shared/data/characters/RiggedFigure.glb";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no character at " << file;
  Context context(2);
  const StarterScene starter = make_starter_scene(file, {}, "scene.toml", context);
  const std::vector<std::string> coarse{"body[0].cell_size=0.05", "time.frames=1"};
  Simulation simulation(parse_scene(starter.text, "scene.toml", coarse), context);
  EXPECT_EQ(simulation.scene().world.gravity[2], -9.81);  // the mesh stands along z
  EXPECT_TRUE(simulation.advance());
}

}  // namespace
}  // namespace isochor::sim
