/// Scenes whose bodies keep their volume by a pressure per cell.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The bar, incompressible.
SceneSpec bar(std::vector<std::string> settings = {}) {
  const std::string text =
      replaced(kBarScene, "poisson = 0.3", "law = \"stable_neo_hookean\"\npoisson = 0.5");
  settings.insert(settings.begin(), "method.volume=mixed");
  return parse_scene(text, "bar.toml", settings);
}

void run_to(Simulation& simulation, int frame, bool poison = false) {
  while (simulation.frame() < frame) {
    if (poison) simulation.poison_scratch();
    ASSERT_TRUE(simulation.advance());
  }
}

TEST(MixedScene, ATwistedBarKeepsItsVolume) {
  Context context(1);
  Simulation simulation(bar({"body[0].cell_size=2.5 cm"}), context);
  run_to(simulation, 4);
  const auto [frame, measures] = simulation.snapshot();
  // That of the surface, which follows hourglass modes too: 1.5e-3 with cells of twice the size.
  EXPECT_LT(std::abs(measures.volume_error), 1e-3);
  // Cells are all whole, so that the mean of J is what volumes at centres add up to.
  const auto J = std::ranges::find_if(frame.bodies[0].fields, [](const files::Field& field) {
    return field.name == "J" && field.support == files::Support::Cell;
  });
  const double sum = std::accumulate(J->values.begin(), J->values.end(), 0.0);
  EXPECT_NEAR(sum / double(J->values.size()), 1, 1e-6);
  EXPECT_GT(measures.elastic_energy, 0);
}

TEST(MixedScene, ThePublishedVariantKeepsEveryCell) {
  Context context(1);
  Simulation simulation(bar({"method.variant=paper"}), context);
  run_to(simulation, 4);
  EXPECT_LT(simulation.snapshot().second.worst_cell_volume_error, 1e-4);
}

TEST(MixedScene, ReactionsBalanceWeightAndPushes) {
  Context context(1);
  Simulation simulation(bar(), context);
  const double weight = simulation.summary().mass * 9.81;
  const auto total = [&] {
    Vec3d sum{0, 0, 0};
    for (const NamedReaction& r : simulation.snapshot().second.reactions) sum += r.force;
    return sum;
  };
  run_to(simulation, 0);
  EXPECT_LT(norm(total() - Vec3d{0, weight, 0}), 1e-5 * weight);
  simulation.push_mass(0, {0, 0, 50});
  run_to(simulation, 1);
  EXPECT_LT(norm(total() - Vec3d{0, weight, -50}), 1e-5 * weight);
}

TEST(MixedScene, BodiesSlideAndHangOnSprings) {
  const std::string text =
      replaced(replaced(kBarScene, "poisson = 0.3", "law = \"mooney_rivlin\"\npoisson = 0.5"),
               "where = \"x-\"\n", "where = \"x-\"\nslide = \"plane\"\ndirection = [1, 0, 0]\n");
  const SceneSpec scene =
      parse_scene(replaced(text, "where = \"x+\"\n",
                           "where = \"x+\"\nselect = \"surface\"\nstiffness = \"500 kPa/m\"\n"),
                  "bar.toml", std::vector<std::string>{"method.volume=mixed"});
  Context context(1);
  Simulation simulation(scene, context);
  const double weight = simulation.summary().mass * 9.81;
  run_to(simulation, 1);
  const auto reactions = simulation.snapshot().second.reactions;
  ASSERT_EQ(reactions.size(), 2u);
  EXPECT_NEAR(reactions[0].force[0], -reactions[1].force[0], 1e-5 * weight);
  EXPECT_NEAR(reactions[0].force[1], 0, 1e-5 * weight) << "it slides";
  EXPECT_NEAR(reactions[1].force[1], weight, 1e-5 * weight);
}

TEST(MixedScene, SameBitsForAnyThreadCountAndAfterARestore) {
  const SceneSpec scene = bar();
  Context one(1), two(2);
  Simulation whole(scene, one), first(scene, two), second(scene, one);
  run_to(whole, 4);
  run_to(first, 2, true);
  second.restore("checkpoint", first.checkpoint());
  run_to(second, 4, true);
  EXPECT_EQ(second.checkpoint(), whole.checkpoint());
}

TEST(MixedScene, ACheckpointWithoutPressuresIsRefused) {
  Context context(1);
  const Simulation plain(parse_scene(kBarScene, "bar.toml"), context);
  Simulation mixed(bar(), context);
  const auto checkpoint = plain.checkpoint();
  EXPECT_THAT(error_of([&] { mixed.restore("other", checkpoint); }).what(),
              HasSubstr("another number of pressures"));
}

TEST(MixedScene, IncompressibleBodiesAskForPressures) {
  EXPECT_THAT(error_of([] { bar({"method.volume=penalty"}); }).what(),
              AllOf(HasSubstr("lattice has no incompressible bodies (poisson = 0.5 of 'bar')"),
                    HasSubstr("use one of: lattice-mixed (method.volume = \"mixed\")")));
  EXPECT_THAT(error_of([] { bar({"body[0].material.poisson=0.51"}); }).what(), HasSubstr("0.51"));
}

TEST(MixedScene, WhatDoesNotGoWithPressuresIsRefused) {
  for (const std::string setting :
       {"method.quadrature=gauss", "method.solver=fas", "method.preconditioner=jacobi"}) {
    EXPECT_THAT(error_of([&] { bar({setting}); }).what(),
                HasSubstr("does not go with lattice-mixed (method.volume = \"mixed\")"))
        << setting;
  }
}

/// A rod that its lattice does not follow, twisted a little.
double energy_of_rod(std::vector<std::string> settings, double poisson = 0.5) {
  settings.insert(
      settings.end(),
      {"body[0].shape.kind=cylinder", "body[0].shape.radius=14 cm", "body[0].shape.length=50 cm",
       fmt::format("body[0].material.poisson={}", poisson), "body[0].material.law=neo_hookean"});
  const std::string text = replaced(kBarScene, "size = [\"60 cm\", \"20 cm\", \"20 cm\"]\n", "");
  settings.insert(settings.begin(), "method.volume=mixed");
  Context context(1);
  Simulation simulation(parse_scene(text, "rod.toml", settings), context);
  run_to(simulation, 1);
  EXPECT_EQ(simulation.frame(), 1);
  return simulation.snapshot().second.elastic_energy;
}

TEST(MixedScene, MatricesThatKnowLessOfFourPointsEndAtTheSameEquilibrium) {
  const std::string points = "method.quadrature=four-points";
  const double exact = energy_of_rod({points});
  for (const std::string tangent : {"surface", "weighted", "whole"}) {
    const double energy =
        energy_of_rod({points, "method.tangent=" + tangent, "method.newton.tolerance=1e-3"});
    EXPECT_NEAR(energy, exact, 1e-3 * exact) << tangent;
  }
  const double one = energy_of_rod({});
  EXPECT_GT(std::abs(one / exact - 1), 1e-5) << "one point inside";
}

TEST(MixedScene, MeansOfVolumeAndTheirPointsAreChosenByKeys) {
  constexpr double kPoisson = 0.4;  // closer to incompressible J - 1 takes the place of ln J
  const std::string points = "method.quadrature=four-points";
  const double measure = energy_of_rod({points}, kPoisson),
               volume = energy_of_rod({points, "method.mean=volume"}, kPoisson),
               eight = energy_of_rod({points, "method.mean_points=eight"}, kPoisson);
  for (const double other : {volume, eight}) {
    EXPECT_NEAR(other, measure, 1e-2 * measure);
    EXPECT_GT(std::abs(other - measure), 1e-6 * measure);
  }
}

TEST(MixedScene, FourPointsGoWithoutPressuresToo) {
  for (const std::string variant : {"best", "paper"}) {
    const std::vector<std::string> plain{"method.volume=penalty", "method.variant=" + variant};
    std::vector<std::string> points = plain;
    points.push_back("method.quadrature=four-points");
    const double one = energy_of_rod(plain, 0.3), four = energy_of_rod(points, 0.3);
    EXPECT_NEAR(four, one, 0.02 * one) << variant;
    EXPECT_GT(std::abs(four - one), 1e-4 * one) << variant;
  }
}

TEST(MixedScene, KeysOfFourPointsAndMeansBelongToThem) {
  EXPECT_THAT(error_of([] { bar({"method.tangent=whole"}); }).what(), HasSubstr("tangent"));
  EXPECT_THAT(error_of([] {
                parse_scene(kBarScene, "bar.toml", std::vector<std::string>{"method.mean=volume"});
              }).what(),
              HasSubstr("mean"));
  EXPECT_THAT(error_of([] {
                parse_scene(
                    kBarScene, "bar.toml",
                    std::vector<std::string>{"method.quadrature=four-points", "method.solver=fas"});
              }).what(),
              HasSubstr("method.quadrature = \"four-points\" does not go with lattice-fas"));
}

/// The bar in time: its far end is carried, and swings.
SceneSpec moving_bar(const std::string& integrator, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"time.integrator=" + integrator, "time.substeps=2",
                                   "body[0].damping.stiffness=2 ms"});
  return bar(settings);
}

TEST(MixedScene, SameBitsInTimeForAnyThreadCountAndAfterARestore) {
  for (const char* integrator : {"backward-euler", "bdf2", "midpoint"}) {
    const SceneSpec scene = moving_bar(integrator);
    Context one(1), two(2);
    Simulation whole(scene, one), first(scene, two), second(scene, one);
    run_to(whole, 4);
    run_to(first, 2, true);
    second.restore("checkpoint", first.checkpoint());
    run_to(second, 4, true);
    EXPECT_EQ(second.checkpoint(), whole.checkpoint()) << integrator;
    const auto resumed = second.snapshot().second, straight = whole.snapshot().second;
    EXPECT_EQ(resumed.motion->integrator_loss, straight.motion->integrator_loss) << integrator;
  }
}

TEST(MixedScene, AMovingBarKeepsItsVolumeAndItsBalanceOfEnergies) {
  for (const char* integrator : {"bdf2", "midpoint"}) {
    double missing[2];
    for (const bool fine : {false, true}) {
      Context context(1);
      SceneSpec scene = moving_bar(integrator, {"time.start=equilibrium"});
      scene.time.substeps = fine ? 16 : 8;
      Simulation simulation(scene, context);
      run_to(simulation, 4);
      const auto [frame, m] = simulation.snapshot();
      ASSERT_TRUE(m.motion);
      EXPECT_GT(m.motion->damping_loss, 0);
      missing[fine] = std::abs(m.motion->integrator_loss) / m.motion->hold_work;
      const auto J = std::ranges::find_if(frame.bodies[0].fields, [](const files::Field& field) {
        return field.name == "J" && field.support == files::Support::Cell;
      });
      const double sum = std::accumulate(J->values.begin(), J->values.end(), 0.0);
      EXPECT_NEAR(sum / double(J->values.size()), 1, 1e-6);
    }
    EXPECT_LT(missing[1], 0.5 * missing[0]) << integrator;
    EXPECT_LT(missing[1], 1e-2) << integrator;
  }
}

TEST(MixedScene, ThePublishedVariantMovesAndKeepsEveryCell) {
  Context context(1);
  Simulation simulation(moving_bar("backward-euler", {"method.variant=paper"}), context);
  run_to(simulation, 2);
  EXPECT_LT(simulation.snapshot().second.worst_cell_volume_error, 1e-4);
}

TEST(MixedScene, AHeavyRingHangsFromItsSide) {
  // 376 kg that hang from 41 nodes: at equilibrium a point of a cell next to these is folded.
  constexpr const char* kRing = R"(format = 1
[time]
frames = 0
[method]
volume = "mixed"
[[body]]
name = "ring"
cell_size = "10 cm"
shape = { kind = "torus", axis = [0, 0, 1], radius = 0.5, inner_radius = 0.2 }
material = { law = "stable_neo_hookean", young = "30 kPa", poisson = 0.5, density = 1000 }
[[body.hold]]
name = "side"
where = "x-"
)";
  Context context(1);
  Simulation simulation(parse_scene(kRing, "ring.toml"), context);
  const auto report = simulation.advance();
  EXPECT_EQ(report->cut_steps, 0);
  EXPECT_LT(report->newton_iterations, 25);
  const auto measures = simulation.snapshot().second;
  const double weight = simulation.summary().mass * 9.81;
  EXPECT_LT(norm(measures.reactions.at(0).force - Vec3d{0, weight, 0}), 1e-5 * weight);
  EXPECT_LT(std::abs(measures.volume_error), 2e-3);
}

TEST(MixedScene, ABodyThatNothingHoldsFalls) {
  std::string text = replaced(kBarScene, "poisson = 0.3", "law = \"neo_hookean\"\npoisson = 0.5");
  text.resize(text.find("[[body.hold]]"));
  const std::vector<std::string> settings{"method.volume=mixed", "time.integrator=midpoint",
                                          "body[0].velocity=[\"1 m/s\", \"2 m/s\", 0]",
                                          "body[0].angular_velocity=[\"5 rad/s\", 0, 0]"};
  Context context(1);
  Simulation simulation(parse_scene(text, "bar.toml", settings), context);
  run_to(simulation, 0);
  const auto start = simulation.snapshot().second;
  run_to(simulation, 4);
  const auto end = simulation.snapshot().second;
  const double time = 4 / 24.0, mass = simulation.summary().mass;
  EXPECT_LT(norm(end.motion->momentum - start.motion->momentum - mass * time * Vec3d{0, -9.81, 0}),
            1e-9 * norm(start.motion->momentum));
  EXPECT_LT(norm(end.motion->angular_momentum - start.motion->angular_momentum),
            1e-6 * norm(start.motion->angular_momentum));
}

}  // namespace
}  // namespace isochor::sim
