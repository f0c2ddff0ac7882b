#include "isochor/lattice/published_cycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/lattice/solver.h"
#include "reproduce/weighed_body.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using materials::Definiteness;

Params published(int sweeps) {
  return {.preconditioner = Preconditioner::Multigrid, .cycle = Cycle::Published, .sweeps = sweeps};
}

/// The paper's own benchmark: a cube of 16 cells, held at two opposite faces.
Model cube_between_faces(const Params& params) {
  Context context(1);
  const auto surface = reproduce::named_surface("cube", {});
  BodySpec body = reproduce::make_body(*surface, 16, 0.3, context);
  body.holds = {reproduce::hold_end(body, 0, false, 0), reproduce::hold_end(body, 0, true, 0)};
  return build_model({body}, params);
}

double factor(int sweeps) {
  Context context(1);
  const Model model = cube_between_faces(published(sweeps));
  reproduce::WeighedBody body(model, model.rest_positions, Definiteness::Clamp, context);
  const solve::StationaryReport report = body.cycles(1e-14, 15);
  return std::pow(report.residuals[15] / report.residuals[5], 0.1);
}

TEST(LatticePublishedCycle, ReducesTheResidualAsThePaperSays) {
  EXPECT_LT(factor(2), 0.9);
  EXPECT_LT(factor(5), 0.75);
  EXPECT_LT(factor(10), 0.6);
}

TEST(LatticePublishedCycle, AConstrainedChildConstrainsItsParent) {
  BodySpec spec = box_spec(8, 8, 8, 0.125);
  // Cell (3, 3, 3): nodes 3 and 4 along each axis. Its parent is (1, 1, 1), with nodes 1 and 2.
  spec.holds = {hold_where(spec, "cell", [](const Vec3d& p) {
    for (int a = 0; a < 3; ++a) {
      if (p[a] < 0.3125 || p[a] > 0.5625) return false;
    }
    return true;
  })};
  ASSERT_EQ(spec.holds[0].nodes.size(), 8u);
  Params params = published(5);
  const Model model = build_model({spec}, params);
  Hierarchy hierarchy;
  hierarchy.levels = model.hierarchy->levels;
  ASSERT_FALSE(hierarchy.levels.empty());
  const auto plan = plan_published(model, hierarchy);
  const Model& coarse = hierarchy.levels[0].model;
  for (std::size_t n = 0; n < coarse.node_count(); ++n) {
    bool corner = true;
    for (int a = 0; a < 3; ++a) {
      const double at = coarse.rest_positions[n][a] / 0.25;
      corner = corner && at > 0.5 && at < 2.5;
    }
    EXPECT_EQ(bool(plan[1].held[n]), corner);
  }
}

TEST(LatticePublishedCycle, IsDampedMoreNearTheBoundaryAndForHighPoissonRatios) {
  const Model model = cube_between_faces(published(5));
  const PublishedLevel& finest = model.hierarchy->published[0];
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    double depth = 1;
    for (int a = 0; a < 3; ++a) {
      depth = std::min({depth, model.rest_positions[n][a], 1 - model.rest_positions[n][a]});
    }
    EXPECT_EQ(finest.damping[n], depth > 1.5 / 16 ? kDampingInside : kDampingNear);
  }
  BodySpec spec = box_spec(6, 6, 6, 1, 1, 9);  // Poisson's ratio 0.45
  const Model soft = build_model({spec}, published(5));
  EXPECT_THAT(soft.hierarchy->published[0].damping, testing::Each(kDampingNear));
}

/// A wall between coarse nodes moves inwards when cells are constrained, and cycles get slow.
TEST(LatticePublishedCycle, EndsWhereNewtonDoesAndSaysWhereItFellBack) {
  for (const bool between : {false, true}) {
    State ends[2];
    for (const Cycle cycle : {Cycle::Best, Cycle::Published}) {
      BodySpec spec = box_spec(16, 16, 16, 1.0 / 16);
      make_uniform(spec, 1e5, 2e5);
      const double wall = (between ? 1.5 : 0.5) / 16;
      spec.holds = {hold_where(spec, "left", [&](const Vec3d& p) { return p[0] < wall; })};
      Params params = published(5);
      params.cycle = cycle;
      const Model model = build_model({std::move(spec)}, params);
      State& state = ends[cycle == Cycle::Published];
      state.positions = model.rest_positions;
      Scratch scratch(model);
      scratch.poison();
      Context context(1);
      const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
      const StepReport report =
          advance(model, state, {.gravity = {0, -1, 0}, .held_positions = held}, scratch, context);
      ASSERT_TRUE(report.converged());
      EXPECT_EQ(report.fallbacks > 0, between && cycle == Cycle::Published);
      EXPECT_EQ(report.fallback.empty(), report.fallbacks == 0);
    }
    for (std::size_t n = 0; n < ends[0].positions.size(); ++n) {
      EXPECT_LT(norm(ends[0].positions[n] - ends[1].positions[n]), 1e-5);
    }
  }
}

}  // namespace
}  // namespace isochor::lattice
