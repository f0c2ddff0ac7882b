#include "isochor/lattice/fas.h"

#include <gtest/gtest.h>

#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

/// A bar between two ends.
Model bar_model(Solver solver) {
  BodySpec spec = box_spec(24, 6, 6, 1.0 / 24, 1e4, 2e4);
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; }),
                hold_where(spec, "right", [](const Vec3d& p) { return p[0] > 1 - 1e-9; })};
  return build_model({std::move(spec)},
                     {.preconditioner = Preconditioner::Multigrid, .solver = solver});
}

struct End {
  StepReport report;
  State state;
};
End solve(Solver solver, int threads) {
  const Model model = bar_model(solver);
  End end{.report = {}, .state = {model.rest_positions}};
  Scratch scratch(model);
  scratch.poison();
  Context context(threads);
  const auto held = twisted(model, 2.0, 0.2);
  end.report = advance(model, end.state, {.gravity = {0, -9.81, 0}, .held_positions = held},
                       scratch, context);
  EXPECT_TRUE(end.report.converged());
  return end;
}

TEST(LatticeFas, EndsWhereNewtonDoesForAnyNumberOfThreads) {
  const End newton = solve(Solver::Newton, 1), cycles = solve(Solver::Fas, 1),
            threads = solve(Solver::Fas, 3);
  EXPECT_LE(cycles.report.iterations, 30);
  for (std::size_t n = 0; n < newton.state.positions.size(); ++n) {
    EXPECT_LT(norm(newton.state.positions[n] - cycles.state.positions[n]), 1e-5);
    EXPECT_EQ(norm(threads.state.positions[n] - cycles.state.positions[n]), 0);
  }
}

/// At an equilibrium coarse levels ask for nothing: that is what their loads are for.
TEST(LatticeFas, AnEquilibriumIsAFixedPoint) {
  const Model model = bar_model(Solver::Fas);
  Context context(1);
  Scratch scratch(model);
  scratch.poison();
  const std::vector<Vec3d> x = shaken(model, 0.003, 1);
  linearise(model, Configuration(x), materials::Definiteness::Clamp, scratch.tangents,
            context.arena);
  stiffness_diagonal(model, scratch.tangents, std::span(scratch.diagonal), context.arena);
  Fas fas(model, scratch.slides, scratch, context.arena);
  std::vector<Vec3d> force(model.node_count()), step(model.node_count());
  elastic_force(model, Configuration(x), force, scratch.block_energy, context.arena);
  keep_free(model, std::span<const SlideFrame>(scratch.slides), std::span(force), context.arena);
  fas.smooth(scratch.diagonal, force, step);
  // A force that balances the body where it is.
  const std::vector<Vec3d> none(model.node_count(), Vec3d{0, 0, 0});
  fas.correct(Configuration(x), none, step);
  for (const Vec3d& s : step) EXPECT_EQ(norm(s), 0);
  // And one that does not is answered by a descent.
  fas.correct(Configuration(x), force, step);
  double descent = 0;
  for (std::size_t n = 0; n < step.size(); ++n) descent += dot(step[n], force[n]);
  EXPECT_GT(descent, 0);
}

/// With F of the rest shape as the offset, forces are those of the displaced positions.
TEST(LatticeFas, OffsetsAreAddedToTheDeformationGradient) {
  const Model model = bar_model(Solver::Newton);
  ThreadArena arena(1);
  const std::vector<Vec3d> x = shaken(model, 0.01, 2);
  std::vector<Vec3d> u(x.size()), whole(x.size()), by_offset(x.size());
  for (std::size_t n = 0; n < x.size(); ++n) u[n] = x[n] - model.rest_positions[n];
  const std::vector<Mat3d> offsets(8 * model.blocks.size(), Mat3d::identity());
  std::vector<double> energies(model.blocks.size());
  const double energy = elastic_force(model, Configuration(x), whole, energies, arena);
  Configuration at(u);
  at.offsets = offsets;
  EXPECT_NEAR(elastic_force(model, at, by_offset, energies, arena), energy, 1e-12 * energy);
  for (std::size_t n = 0; n < x.size(); ++n) EXPECT_LT(norm(whole[n] - by_offset[n]), 1e-9);
}

}  // namespace
}  // namespace isochor::lattice
