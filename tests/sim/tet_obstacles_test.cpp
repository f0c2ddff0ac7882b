#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sim/inputs.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

/// Colliders that tets meet with all of their surface.
namespace isochor::sim {
namespace {

using ::testing::HasSubstr;

/// A bar falls on a rod between its nodes, an eighth as thick as its tets, or the rod comes to it.
const std::string kBar = R"(format = 1
world = { gravity = [0, -9.8, 0] }
[time]
frames = 8
integrator = "backward-euler"
substeps = 4
[method]
name = "tets"
volume = "one-ring"
[[body]]
name = "bar"
cell_size = "4 cm"
[body.shape]
kind = "box"
size = ["32 cm", "8 cm", "8 cm"]
center = [0, "7 cm", 0]
[body.material]
young = "30 kPa"
poisson = 0.3
[[collider]]
name = "rod"
kind = "capsule"
radius = "5 mm"
length = "40 cm"
axis = [0, 0, 1]
center = ["1 cm", 0, 0]
friction = 0.4
)";

struct Fall {
  double lowest_middle = 1;  ///< m, of the centre of mass
  std::int64_t crossings = 0;
  double force = 0;  ///< N, upwards on the rod and back, mean over all frames
};

Fall fall(const std::string& scene, std::vector<std::string> settings) {
  Context context(1);
  Simulation simulation(parse_scene(scene, "s.toml", settings), context);
  Fall out;
  while (simulation.frame() < 8) {
    EXPECT_TRUE(simulation.advance()) << settings[0];
    const Measures m = simulation.snapshot().second;
    if (m.contact->crossings) out.crossings = std::max(out.crossings, *m.contact->crossings);
    out.lowest_middle = std::min(out.lowest_middle, m.motion->center_of_mass[1]);
    for (const NamedReaction& r : m.reactions) out.force += r.force[1] / 8;
  }
  return out;
}

const std::vector<std::string> kSettings{"method.volume=\"one-ring\"", "method.variant=\"paper\"",
                                         "method.volume=\"penalty\"", "method.volume=\"zones\""};

TEST(TetObstacles, ABarStaysOnARodThatIsThinnerThanItsTets) {
  const std::string nodes =
      replaced(kBar, "radius = \"5 mm\"", "radius = \"5 mm\"\nmeets = \"nodes\"");
  for (const std::string& setting : kSettings) {
    const Fall held = fall(kBar, {setting});
    EXPECT_EQ(held.crossings, 0) << setting;
    EXPECT_GT(held.lowest_middle, -0.04) << setting << ": it bends over the rod";
    EXPECT_GT(held.force, 5) << setting << ": it weighs 20 N";
    EXPECT_LT(fall(nodes, {setting}).lowest_middle, -0.2) << setting << ", met by nodes alone";
  }
}

TEST(TetObstacles, AThinRodThatMovesTakesABarAlong) {
  const std::string moving =
      kBar + "[[collider.key]]\nframe = 0\n[[collider.key]]\nframe = 8\ntranslate = [0, 0.3, 0]\n";
  for (const std::string& setting : kSettings) {
    const Fall taken = fall(moving, {setting, "world.gravity=[0,0,0]"});
    EXPECT_EQ(taken.crossings, 0) << setting;
    EXPECT_GT(taken.force, 1) << setting;
  }
}

TEST(TetObstacles, ARunGoesOnWithTheSameBitsForAnyNumberOfThreads) {
  for (const std::string& setting : kSettings) {
    const SceneSpec scene = parse_scene(kBar, "s.toml", std::vector{setting});
    Context one(1), two(2);
    Simulation whole(scene, one), resumed(scene, two);
    const auto run_to = [](Simulation& simulation, int frame) {
      while (simulation.frame() < frame) EXPECT_TRUE(simulation.advance());
      return simulation.checkpoint();
    };
    const auto half = run_to(whole, 2);
    const auto end = run_to(whole, 4);
    resumed.restore("checkpoint", half);
    EXPECT_EQ(run_to(resumed, 4), end) << setting;
  }
}

TEST(TetObstacles, OtherMethodsSayThatTheyMeetCollidersByVertices) {
  const std::string lattice =
      replaced(replaced(kBar, "name = \"tets\"\nvolume = \"one-ring\"", "name = \"lattice\""),
               "radius = \"5 mm\"", "radius = \"5 mm\"\nmeets = \"surface\"");
  Context context(1);
  try {
    Simulation simulation(parse_scene(lattice, "s.toml", {}), context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("meets"));
    EXPECT_THAT(error.what(), HasSubstr("tets"));
  }
}

}  // namespace
}  // namespace isochor::sim
