#include "isochor/sim/staggered_contact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A cube that stands, between a floor that holds it and a lid that comes down, in equilibrium.
const std::string kPressed = R"(format = 1
[time]
frames = 2
[world]
gravity = [0, 0, 0]
[method]
name = "staggered"
[[body]]
name = "cube"
cell_size = "5 cm"
[body.shape]
kind = "box"
size = ["20 cm", "20 cm", "20 cm"]
[body.material]
law = "corotated"
young = "20 kPa"
poisson = 0.3
[[body.hold]]
name = "floor"
where = "y-"
[[collider]]
name = "lid"
kind = "box"
size = ["1 m", "10 cm", "1 m"]
center = [0, "16 cm", 0]
[[collider.key]]
frame = 0
[[collider.key]]
frame = 2
translate = [0, "-3 cm", 0]
)";

/// A ball that falls on the ground; linear, as it does not turn.
const std::string kFalling = R"(format = 1
[time]
frames = 24
frame_rate = 24
integrator = "backward-euler"
start = "rest"
[method]
name = "staggered"
[[body]]
name = "ball"
cell_size = "5 cm"
[body.shape]
kind = "sphere"
radius = "10 cm"
center = [0, "11 cm", 0]
[body.material]
law = "linear"
young = "30 kPa"
poisson = 0.45
[body.damping]
stiffness = "20 ms"
[[collider]]
name = "ground"
kind = "plane"
)";

Measures last_measures(const SceneSpec& scene, Context& context) {
  Simulation simulation(scene, context);
  while (simulation.frame() < scene.time.frames) {
    if (!simulation.advance()) break;
    EXPECT_LT(simulation.snapshot().second.contact->deepest, 0.011 * 0.05);
  }
  EXPECT_EQ(simulation.frame(), scene.time.frames);
  return simulation.snapshot().second;
}

TEST(StaggeredContact, WhatALidPressesTheFloorCarries) {
  Context context(1);
  const std::vector<std::string> all[] = {
      {}, {"body[0].material.law=linear"}, {"body[0].material.law=linear", "method.variant=paper"}};
  for (const std::vector<std::string>& settings : all) {
    const SceneSpec scene = parse_scene(kPressed, "scene.toml", settings);
    Simulation simulation(scene, context);
    while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance());
    const auto [frame, m] = simulation.snapshot();
    ASSERT_EQ(m.reactions.size(), 2u);
    EXPECT_EQ(m.reactions[1].name, "lid");
    const double force = -m.reactions[1].force[1];
    EXPECT_NEAR(m.reactions[0].force[1], force, 1e-3 * force);
    ASSERT_TRUE(m.contact);
    EXPECT_GT(m.contact->collider_contacts, 10u);
    EXPECT_LT(m.contact->deepest, 0.011 * 0.05);
    // A tenth of the modulus on 4 dm^2, and a little more where the floor holds. As published the
    // layer of cells around is as stiff as the cube.
    if (scene.method.variant == "paper") continue;
    EXPECT_GT(force, 80);
    EXPECT_LT(force, 85);
  }
}

TEST(StaggeredContact, ABallComesToRestOnTheGroundWhichCarriesItsWeight) {
  Context context(1);
  const SceneSpec scene = parse_scene(kFalling, "scene.toml", {});
  const double weight = Simulation(scene, context).summary().mass * 9.81;
  const Measures m = last_measures(scene, context);
  EXPECT_EQ(m.reactions.back().name, "ground");
  EXPECT_NEAR(m.reactions.back().force[1], weight, 0.1 * weight);
  EXPECT_LT(m.motion->kinetic_energy, 1e-3 * weight * 0.1);
}

TEST(StaggeredContact, ResumingGivesTheSameBits) {
  Context context(1);
  const SceneSpec scene =
      parse_scene(kPressed, "scene.toml", std::vector<std::string>{"body[0].material.law=linear"});
  Simulation whole(scene, context), resumed(scene, context);
  while (whole.frame() < 1) ASSERT_TRUE(whole.advance());
  resumed.poison_scratch();
  resumed.restore("half", whole.checkpoint());
  ASSERT_TRUE(whole.advance());
  ASSERT_TRUE(resumed.advance());
  EXPECT_EQ(whole.checkpoint(), resumed.checkpoint());
}

TEST(StaggeredContact, FrictionAndContactAmongBodiesAreRefused) {
  const auto error = [](const std::string& setting) {
    return error_of([&] { parse_scene(kPressed, "scene.toml", std::vector{setting}); });
  };
  EXPECT_THAT(error("collider[0].friction=0.3").what(),
              AllOf(HasSubstr("friction"), HasSubstr("method.name = \"lattice\"")));
  EXPECT_THAT(error("method.self_contact=true").what(),
              AllOf(HasSubstr("no contact among bodies"), HasSubstr("use one of")));
}

}  // namespace
}  // namespace isochor::sim
