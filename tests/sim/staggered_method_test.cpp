#include "isochor/sim/staggered_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/sim/capabilities.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kOnStaggeredGrid =
    replaced(kBarScene, "young =", "law = \"corotated\"\nyoung =") +
    "\n[method]\nname = \"staggered\"\n";

SceneSpec staggered_bar(const std::vector<std::string>& settings = {}) {
  return parse_scene(kOnStaggeredGrid, "scene.toml", settings);
}

Snapshot staggered_frame(const SceneSpec& scene, int frame, Context& context) {
  Simulation simulation(scene, context);
  while (simulation.frame() < frame) EXPECT_TRUE(simulation.advance());
  auto [shown, measures] = simulation.snapshot();
  return {std::move(shown.bodies), std::move(measures)};
}

TEST(StaggeredMethod, HoldsCarryTheWeightOfABarThatSags) {
  for (const char* law : {"linear", "corotated"}) {
    Context context(1);
    Simulation simulation(staggered_bar({std::string("body[0].material.law=") + law}), context);
    ASSERT_TRUE(simulation.advance());
    const auto [frame, m] = simulation.snapshot();
    EXPECT_GT(m.elastic_energy, 0);
    EXPECT_LT(m.gravity_energy, 0);
    const double weight = simulation.summary().mass * 9.81;
    ASSERT_EQ(m.reactions.size(), 2u);
    EXPECT_EQ(m.reactions[0].name, "bar.left");
    // Half of the padding beside held cells, a 64th as heavy, is theirs.
    EXPECT_NEAR(m.reactions[0].force[1] + m.reactions[1].force[1], weight, 0.02 * weight) << law;
    EXPECT_NEAR(m.reactions[0].force[1], m.reactions[1].force[1], 1e-3 * weight) << law;
    EXPECT_NEAR(simulation.summary().mass, 24, 1e-6);
  }
}

TEST(StaggeredMethod, HeldEndsMoveRigidlyAndSurfacesRideAlong) {
  Context context(1);
  for (const char* embedding : {"trilinear", "tricubic"}) {
    const SceneSpec scene = staggered_bar({std::string("body[0].embedding=") + embedding});
    Simulation simulation(scene, context);
    while (simulation.frame() < 4) ASSERT_TRUE(simulation.advance());
    const auto [frame, m] = simulation.snapshot();
    const auto& rest = simulation.topology().bodies[0].surface.positions;
    // A quarter turn about x, and 10 cm along it.
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (rest[v][0] < 0.3 - 1e-9) continue;
      const Vec3d turned{rest[v][0] + 0.1, -rest[v][2], rest[v][1]};
      EXPECT_LT(norm(frame.bodies[0].vertices[v] - turned), 0.02) << embedding;
    }
    EXPECT_EQ(m.inverted_cells, 0);
  }
}

TEST(StaggeredMethod, ABentBarAgreesWithTheMixedLatticeUnderRefinement) {
  Context context(1);
  double difference[2];
  for (const int level : {0, 1}) {
    const std::string cell = level == 0 ? "10 cm" : "5 cm";
    const std::vector<std::string> settings{
        "body[0].cell_size=" + cell, "body[0].shape.edge=5 cm", "body[0].material.poisson=0.45",
        "body[0].hold[1].key[1].rotate=[0, 0, \"90 deg\"]",
        "body[0].hold[1].key[1].translate=[\"-20 cm\", \"30 cm\", 0]"};
    const SceneSpec ours = staggered_bar(settings);
    SceneSpec mixed = ours;
    mixed.method.name = "lattice";
    mixed.method.volume = "mixed";
    const Snapshot a = staggered_frame(ours, 4, context), b = staggered_frame(mixed, 4, context);
    double squares = 0;
    for (std::size_t v = 0; v < a.bodies[0].vertices.size(); ++v) {
      const Vec3d apart = a.bodies[0].vertices[v] - b.bodies[0].vertices[v];
      squares += dot(apart, apart);
    }
    difference[level] = std::sqrt(squares / double(a.bodies[0].vertices.size()));
  }
  EXPECT_LT(difference[0], 0.01);
  EXPECT_LT(difference[1], 0.6 * difference[0]);
}

TEST(StaggeredMethod, ResumingGivesTheSameBits) {
  for (const std::string integrator : {"static", "backward-euler"}) {
    for (const std::string law : {"linear", "corotated"}) {
      Context context(1);
      const SceneSpec scene =
          staggered_bar({"time.integrator=" + integrator, "body[0].material.law=" + law});
      Simulation straight(scene, context), other(scene, context);
      std::vector<std::byte> half;
      for (int n = 0; n < 4; ++n) {
        ASSERT_TRUE(straight.advance());
        if (n == 1) half = straight.checkpoint();
      }
      other.poison_scratch();
      other.restore("half", half);
      while (other.frame() < 3) ASSERT_TRUE(other.advance());
      EXPECT_EQ(straight.checkpoint(), other.checkpoint()) << integrator << " " << law;
    }
  }
}

TEST(StaggeredMethod, ABodyThatFallsFreelyGainsWhatGravityGives) {
  Context context(1);
  SceneSpec scene = staggered_bar({"time.integrator=backward-euler", "time.frame_rate=100 fps"});
  scene.bodies[0].holds.clear();
  Simulation simulation(scene, context);
  while (simulation.frame() < 4) ASSERT_TRUE(simulation.advance());
  const auto [frame, m] = simulation.snapshot();
  ASSERT_TRUE(m.motion);
  EXPECT_NEAR(m.motion->momentum[1], -24 * 9.81 * 0.04, 1e-4);
  EXPECT_LT(m.elastic_energy, 1e-8);
}

TEST(StaggeredMethod, ATractionIsCarriedByTheHolds) {
  Context context(1);
  for (const char* variant : {"best", "paper"}) {
    SceneSpec scene = staggered_bar({std::string("method.variant=") + variant,
                                     "body[0].material.law=linear", "world.gravity=[0, 0, 0]"});
    scene.bodies[0].holds.resize(1);
    scene.bodies[0].loads.push_back(
        {.name = "pull", .where = "x+", .kind = "traction", .traction = {100, 0, 0}});
    const Snapshot shown = staggered_frame(scene, 1, context);
    // 100 Pa on a face of 20 cm by 20 cm.
    EXPECT_NEAR(shown.measures.reactions[0].force[0], -4, 0.05) << variant;
  }
}

TEST(StaggeredMethod, WhatItHasNotIsRefusedWithARemedy) {
  EXPECT_THAT(error_of([] { staggered_bar({"body[0].material.law=neo_hookean"}); }).what(),
              AllOf(HasSubstr("no law 'neo_hookean'"), HasSubstr("use one of: lattice")));
  EXPECT_THAT(error_of([] { staggered_bar({"method.solver=fas"}); }).what(),
              HasSubstr("does not go with staggered"));
  EXPECT_THAT(error_of([] { staggered_bar({"time.integrator=bdf2"}); }).what(),
              HasSubstr("no time.integrator = \"bdf2\""));
  EXPECT_THAT(error_of([] {
                staggered_bar({"method.variant=paper", "body[0].material.poisson=0.5"});
              }).what(),
              HasSubstr("no incompressible bodies"));
  Context context(1);
  const auto build = [&](const std::vector<std::string>& settings) {
    return error_of([&] { Simulation simulation(staggered_bar(settings), context); });
  };
  EXPECT_THAT(build({"time.integrator=backward-euler", "body[0].damping.mass=1 1/s"}).what(),
              AllOf(HasSubstr("no damping by mass"), HasSubstr("damping.mass")));
  EXPECT_THAT(
      build({"body[0].hold[0].where=box", "body[0].hold[0].low=[\"-31 cm\", \"-1 cm\", \"-1 cm\"]",
             "body[0].hold[0].high=[\"-29 cm\", \"1 cm\", \"1 cm\"]"})
          .what(),
      AllOf(HasSubstr("no whole cell"), HasSubstr("select = \"cells\"")));
}

}  // namespace
}  // namespace isochor::sim
