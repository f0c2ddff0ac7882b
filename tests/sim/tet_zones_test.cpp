#include "isochor/sim/tet_zones.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/sim/inputs.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A block that is pressed; settings of the method and zones are to be added.
std::string pressed_block(const std::string& method, const std::string& zones,
                          const std::string& time = "frames = 2") {
  return "format = 1\n[time]\n" + time + "\n[method]\nname = \"tets\"\n" + method + R"(
[[body]]
name = "block"
cell_size = 0.05
shape = { kind = "box", size = [0.2, 0.2, 0.2] }
material = { law = "neo_hookean_isochoric", young = 20e3, poisson = 0.3 }
hold = [
  { name = "low", where = "y-" },
  { name = "high", where = "y+", key = [{ frame = 0 }, { frame = 2, translate = [0, -0.04, 0] }] },
]
)" + zones;
}

const std::string kHalves = R"([[body.zone]]
name = "all"
[[body.zone]]
name = "left"
where = "box"
low = [-1, -1, -1]
high = [0, 1, 1]
)";

std::string problem_of(const std::string& scene) {
  Context context(1);
  return files::error_of([&] { Simulation(parse_scene(scene, "s.toml"), context); }).what();
}

TEST(TetZones, EveryMethodKeepsWhatTheSceneNames) {
  for (const std::string method : {"exact", "multiplier", "linear"}) {
    Context context(1);
    Simulation simulation(
        parse_scene(pressed_block("volume = \"zones\"\nzones = \"" + method + "\"", kHalves),
                    "s.toml"),
        context);
    while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance()) << method;
    const Measures m = simulation.snapshot().second;
    ASSERT_EQ(m.zones.size(), 2u);
    EXPECT_EQ(m.zones[0].name, "block.all");
    EXPECT_EQ(m.zones[1].name, "block.left");
    EXPECT_NE(m.zones[0].pressure, 0);
    ASSERT_TRUE(m.worst_zone_volume_error);
    EXPECT_LE(std::abs(*m.worst_zone_volume_error), method == "linear" ? 0.05 : 1e-9) << method;
    EXPECT_LE(std::abs(m.zones[1].volume - 1), method == "linear" ? 0.05 : 1e-9) << method;
  }
}

TEST(TetZones, ABodyWithoutZonesIsOne) {
  Context context(1);
  Simulation simulation(parse_scene(pressed_block("volume = \"zones\"", ""), "s.toml"), context);
  while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance());
  const Measures m = simulation.snapshot().second;
  ASSERT_EQ(m.zones.size(), 1u);
  EXPECT_EQ(m.zones[0].name, "block.whole");
  EXPECT_NEAR(m.zones[0].volume, 1, 1e-9);
  // The floor carries what presses the lid, pressure included, and the weight.
  ASSERT_EQ(m.reactions.size(), 2u);
  const double weight = 9.81 * simulation.summary().mass;
  EXPECT_GT(std::abs(m.reactions[1].force[1]), 0.1 * weight);
  EXPECT_NEAR(m.reactions[0].force[1] + m.reactions[1].force[1], weight, 1e-3 * weight);
}

TEST(TetZones, AZoneSwellsByItsKeysAndRingsAreOneGroup) {
  Context context(1);
  const std::string zones = R"([[body.zone]]
name = "all"
[[body.zone.key]]
frame = 0
volume = 1
[[body.zone.key]]
frame = 2
volume = 1.2
)";
  const SceneSpec scene = parse_scene(pressed_block("volume = \"zones\"", zones), "s.toml");
  EXPECT_NE(frame_inputs(scene, 1),
            frame_inputs(parse_scene(pressed_block("volume = \"zones\"", kHalves), "s.toml"), 1));
  Simulation simulation(scene, context);
  while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance());
  Measures m = simulation.snapshot().second;
  EXPECT_NEAR(m.zones[0].volume, 1.2, 1e-9);
  EXPECT_LE(std::abs(*m.worst_zone_volume_error), 1e-9);

  Simulation rings(parse_scene(pressed_block("volume = \"zones\"", R"([[body.zone]]
name = "around"
where = "rings"
rings = 2
)"),
                               "s.toml"),
                   context);
  ASSERT_TRUE(rings.advance());
  m = rings.snapshot().second;
  ASSERT_EQ(m.zones.size(), 1u);
  EXPECT_NEAR(m.zones[0].volume, 1, 1e-9);
}

TEST(TetZones, AResumedRunHasTheSameBits) {
  const std::string scene =
      pressed_block("volume = \"zones\"", kHalves,
                    "frames = 4\nintegrator = \"backward-euler\"\nstart = \"equilibrium\"");
  Context context(1);
  Simulation whole(parse_scene(scene, "s.toml"), context);
  while (whole.frame() < 2) ASSERT_TRUE(whole.advance());
  const std::vector<std::byte> half = whole.checkpoint();
  while (whole.frame() < 4) {
    whole.poison_scratch();
    ASSERT_TRUE(whole.advance());
  }
  Simulation resumed(parse_scene(scene, "s.toml"), context);
  resumed.restore("checkpoint", half);
  while (resumed.frame() < 4) ASSERT_TRUE(resumed.advance());
  EXPECT_EQ(whole.checkpoint(), resumed.checkpoint());
}

/// A soft ball of one zone above a plane, and one that hits it from above.
std::string falling_balls(const std::string& time) {
  std::string scene = "format = 1\n[time]\n" + time + R"(
[method]
name = "tets"
volume = "zones"
self_contact = true
friction = 0.3
[[collider]]
name = "ground"
kind = "plane"
friction = 0.5
)";
  for (const std::string height : {"0.06", "0.17"}) {
    scene += R"([[body]]
name = "at )" +
             height + R"("
cell_size = 0.04
shape = { kind = "sphere", radius = 0.05, center = [0, )" +
             height + R"(, 0] }
material = { law = "neo_hookean_isochoric", young = 5e3, poisson = 0.4, density = 1000 }
velocity = [0, -1, 0]
)";
  }
  return scene;
}

TEST(TetZones, VolumesAreExactWhereBodiesTouch) {
  const SceneSpec scene = parse_scene(
      falling_balls("frames = 5\nframe_rate = 100\nintegrator = \"backward-euler\""), "s.toml");
  Context context(2);
  Simulation simulation(scene, context);
  bool touched = false, pressed = false;
  double height = 1;
  while (simulation.frame() < 5) {
    ASSERT_TRUE(simulation.advance());
    const auto [frame, m] = simulation.snapshot();
    EXPECT_LE(std::abs(*m.worst_zone_volume_error), 1e-9);
    ASSERT_TRUE(m.contact);
    EXPECT_EQ(m.contact->deepest, 0);
    EXPECT_EQ(*m.contact->crossings, 0);
    touched = touched || m.contact->collider_contacts > 0;
    double low = 1;
    for (const Vec3d& x : frame.bodies[1].vertices) low = std::min(low, x[1]);
    height = std::min(height, low);
    for (const files::Field& field : frame.bodies[1].fields) {
      if (field.name != "contact_pressure") continue;
      for (const float p : field.values) pressed = pressed || p > 0;
    }
  }
  EXPECT_TRUE(touched);
  EXPECT_TRUE(pressed);
  EXPECT_GT(height, 0.03);  // the other one is below it
}

TEST(TetZones, AResumedRunWithContactHasTheSameBits) {
  const SceneSpec scene =
      parse_scene(falling_balls("frames = 5\nframe_rate = 100\nintegrator = \"bdf2\""), "s.toml");
  Context one(1), two(2);
  Simulation whole(scene, one);
  while (whole.frame() < 3) ASSERT_TRUE(whole.advance());
  const std::vector<std::byte> half = whole.checkpoint();
  while (whole.frame() < 5) {
    whole.poison_scratch();
    ASSERT_TRUE(whole.advance());
  }
  Simulation resumed(scene, two);
  resumed.restore("checkpoint", half);
  while (resumed.frame() < 5) ASSERT_TRUE(resumed.advance());
  EXPECT_EQ(whole.checkpoint(), resumed.checkpoint());
}

/// Its speed, m/s, in each of 45 frames of 1/100 s, on a slope of 1/2: gravity is turned instead.
std::vector<double> slide_block(const std::string& integrator, const std::string& friction) {
  Context context(1);
  Simulation simulation(parse_scene(
                            "format = 1\n[time]\nframes = 45\nframe_rate = 100\nintegrator = \"" +
                                integrator +
                                R"("
[world]
gravity = [4.387, -8.774, 0]
[method]
name = "tets"
volume = "zones"
[[collider]]
name = "slope"
kind = "plane"
friction = )" + friction + R"(
[[body]]
name = "block"
cell_size = 0.1
shape = { kind = "box", size = [0.1, 0.1, 0.1], center = [0, 0.051, 0] }
material = { law = "neo_hookean_isochoric", young = 1e6, poisson = 0.3 }
)",
                            "s.toml"),
                        context);
  std::vector<double> speeds;
  while (simulation.frame() < 45) {
    if (!simulation.advance()) return {};
    const Measures m = simulation.snapshot().second;
    EXPECT_LE(std::abs(*m.worst_zone_volume_error), 1e-9);
    EXPECT_EQ(m.contact->deepest, 0);
    speeds.push_back(m.motion->momentum[0] / simulation.summary().mass);
  }
  return speeds;
}

TEST(TetZones, ABlockOfOneZoneSlidesOrSticksOnASlopeAsCoulombSays) {
  // It falls 1 mm first: after 30 frames it is at rest on the slope.
  for (const std::string integrator : {"backward-euler", "bdf2"}) {
    const std::vector<double> slides = slide_block(integrator, "0.3");
    ASSERT_EQ(slides.size(), 46u);
    EXPECT_NEAR((slides[45] - slides[30]) / 0.15, 4.387 - 0.3 * 8.774, 2e-3) << integrator;
  }
  const std::vector<double> sticks = slide_block("backward-euler", "0.6");
  ASSERT_EQ(sticks.size(), 46u);
  EXPECT_LT(std::abs(sticks[45]), 1e-3 * std::hypot(0.1, 0.1, 0.1)) << "what sticks may creep";
}

TEST(TetZones, AColliderPressesWhatIsAtRest) {
  const std::string press = R"(
[[body.zone]]
name = "all"
[[body.zone.key]]
frame = 0
volume = 1
[[body.zone.key]]
frame = 2
volume = 1.1
[[collider]]
name = "ball"
kind = "sphere"
radius = 0.1
center = [0, 0, 0.21]
key = [{ frame = 0 }, { frame = 2, translate = [0, 0, -0.04] }]
)";
  Context context(2);
  Simulation simulation(parse_scene(pressed_block("volume = \"zones\"", press), "s.toml"), context);
  while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance());
  const Measures m = simulation.snapshot().second;
  EXPECT_NEAR(m.zones[0].volume, 1.1, 1e-9);
  EXPECT_GT(m.contact->collider_contacts, 0u);
  EXPECT_EQ(m.contact->deepest, 0);
}

TEST(TetZones, WhatIsPublishedFindsTheSameInMoreWork) {
  const auto run = [](const std::string& variant) {
    Context context(2);
    Simulation simulation(
        parse_scene(pressed_block("volume = \"zones\"\nvariant = \"" + variant + "\"", kHalves),
                    "s.toml"),
        context);
    std::pair<Measures, int> out;
    while (simulation.frame() < 2) {
      const auto report = simulation.advance();
      if (report) out.second += report->krylov_iterations;
    }
    out.first = simulation.snapshot().second;
    return out;
  };
  const auto [ours, work] = run("best");
  const auto [published, more] = run("paper");
  EXPECT_LE(std::abs(*published.worst_zone_volume_error), 1e-9);
  EXPECT_NEAR(published.elastic_energy, ours.elastic_energy, 1e-6 * ours.elastic_energy);
  EXPECT_GT(more, work);
}

TEST(TetZones, WhatCannotBeIsTold) {
  EXPECT_THAT(
      problem_of(pressed_block("", kHalves)),
      AllOf(HasSubstr("no zones (zone 'all' of 'block')"), HasSubstr("method.volume = \"zones\"")));
  const auto with_zone = [](const std::string& keys) {
    return pressed_block("volume = \"zones\"", "[[body.zone]]\nname = \"z\"\n" + keys);
  };
  EXPECT_THAT(problem_of(with_zone("where = \"region\"\nregion = \"a\"")),
              HasSubstr("a region is part of a file of tets"));
  EXPECT_THAT(problem_of(with_zone("where = \"painted\"")),
              HasSubstr("nothing is painted as a zone"));
  EXPECT_THAT(problem_of(with_zone("where = \"box\"\nlow = [2, 2, 2]\nhigh = [3, 3, 3]")),
              AllOf(HasSubstr("no tet of 'block' is in the zone"), HasSubstr("body[0].zone[0]")));
  EXPECT_THAT(problem_of(with_zone("[[body.zone.key]]\nframe = 2\nvolume = 1\n[[body.zone.key]]\n"
                                   "frame = 1\nvolume = 1")),
              HasSubstr("1 does not follow 2"));
  EXPECT_THAT(problem_of(with_zone("[[body.zone]]\nname = \"z\"")),
              HasSubstr("there is a zone 'z' already"));
  EXPECT_THAT(
      problem_of(pressed_block("volume = \"zones\"", "", "frames = 2\nintegrator = \"midpoint\"")),
      HasSubstr("no time.integrator = \"midpoint\""));
}

}  // namespace
}  // namespace isochor::sim
