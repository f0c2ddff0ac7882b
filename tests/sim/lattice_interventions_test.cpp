#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

/// A bar that floats, without gravity.
SceneSpec floating_bar(const std::string& integrator) {
  const std::string bar = kBarScene.substr(0, kBarScene.find("[[body.hold]]"));
  return parse_scene(
      bar, "bar.toml",
      std::vector<std::string>{"time.integrator=" + integrator, "time.substeps=4",
                               "world.gravity=[0,0,0]", "method.newton.tolerance=1e-9"});
}

TEST(Interventions, ConstantForceGivesMomentum) {
  for (const std::string integrator : {"backward-euler", "bdf2", "midpoint"}) {
    Context context(1);
    Simulation simulation(floating_bar(integrator), context);
    simulation.advance();
    simulation.push_mass(0, {2, 0, 1});
    for (int frame = 1; frame <= 3; ++frame) simulation.advance();
    const auto momentum = [&] { return simulation.snapshot().second.motion->momentum; };
    EXPECT_NEAR(momentum()[0], 2 * 3 / 24.0, 1e-7) << integrator;
    EXPECT_NEAR(momentum()[2], 3 / 24.0, 1e-7) << integrator;
    // Half a step of a force that changes is lost where the integrator looks back.
    if (integrator == "bdf2") continue;
    // A force at a vertex in place of the first.
    std::vector<Vec3d> forces(simulation.topology().bodies[0].surface.positions.size(), {0, 0, 0});
    forces[5] = {0, 3, 0};
    simulation.push_surface(0, forces);
    for (int frame = 4; frame <= 5; ++frame) simulation.advance();
    EXPECT_NEAR(momentum()[0], 2 * 3 / 24.0, 1e-7) << integrator;
    EXPECT_NEAR(momentum()[1], 3 * 2 / 24.0, 1e-7) << integrator;
  }
}

TEST(Interventions, WorkOfForcesIsInTheBalanceOfEnergies) {
  Context context(1);
  Simulation simulation(floating_bar("midpoint"), context);
  simulation.advance();
  simulation.push_mass(0, {2, 0, 1});
  for (int frame = 1; frame <= 4; ++frame) simulation.advance();
  const Measures measures = simulation.snapshot().second;
  // p^2 / 2m, as nothing bends the bar.
  const double kinetic = 5 * (4 / 24.0) * (4 / 24.0) / (2 * 24);
  EXPECT_NEAR(measures.motion->kinetic_energy, kinetic, 1e-6 * kinetic);
  EXPECT_NEAR(measures.motion->hold_work, kinetic, 1e-6 * kinetic);
  EXPECT_NEAR(measures.motion->integrator_loss, 0, 1e-6 * kinetic);
}

TEST(Interventions, HoldsDoNotMoveBeforeAMotionFromRestBegins) {
  Context context(1);
  SceneSpec scene =
      parse_scene(kBarScene, "bar.toml", std::vector<std::string>{"time.integrator=bdf2"});
  Simulation simulation(scene, context);
  EXPECT_THROW(simulation.move_hold("bar.left", {{0.1, 0, 0}, {0, 0, 0}}), Error);
  simulation.advance();
  EXPECT_NO_THROW(simulation.move_hold("bar.left", {{0.1, 0, 0}, {0, 0, 0}}));
}

TEST(Interventions, HoldsMoveBeforeTheFirstStateOfRest) {
  Context context(1);
  const std::string still = kBarScene.substr(0, kBarScene.find("[[body.hold.key]]"));
  Simulation moved(parse_scene(still, "bar.toml"), context);
  Simulation scripted(
      parse_scene(still + "key = [{frame = 0, translate = [0.1, 0, 0]}]\n", "bar.toml"), context);
  moved.move_hold("bar.right", {{0.1, 0, 0}, {0, 0, 0}});
  const auto bits_of = [](Simulation& simulation) {
    simulation.advance();
    files::ByteWriter writer;
    writer.put(simulation.snapshot().first.bodies[0].nodes);
    return writer.take();
  };
  EXPECT_EQ(bits_of(moved), bits_of(scripted));
}

TEST(Interventions, SoftHoldPullsWhenItIsMoved) {
  Context context(1);
  const std::string scene = replaced(kBarScene, "where = \"x-\"",
                                     "where = \"x-\"\nselect = \"surface\"\nstiffness = 1e6");
  Simulation simulation(parse_scene(scene, "bar.toml"), context);
  simulation.advance();
  const double before = simulation.snapshot().second.reactions[1].force[0];
  simulation.move_hold("bar.left", {{-0.05, 0, 0}, {0, 0, 0}});
  simulation.advance();
  const Measures after = simulation.snapshot().second;
  ASSERT_EQ(after.reactions[1].name, "bar.left");
  EXPECT_LT(after.reactions[1].force[0], before - 1) << "it pulls";
}

TEST(Interventions, FailedStepKeepsWhatWasAskedFor) {
  Context context(1);
  Simulation simulation(parse_scene(kBarScene, "bar.toml"), context);
  simulation.advance();
  simulation.push_mass(0, {0, 5, 0});
  const std::vector<std::byte> before = simulation.checkpoint();
  context.cancelled = true;
  EXPECT_FALSE(simulation.advance());
  EXPECT_EQ(simulation.checkpoint(), before);
  context.cancelled = false;
  Simulation other(parse_scene(kBarScene, "bar.toml"), context);
  other.restore("checkpoint", before);
  EXPECT_TRUE(simulation.advance());
  other.advance();
  EXPECT_EQ(simulation.checkpoint(), other.checkpoint());
}

}  // namespace
}  // namespace isochor::sim
