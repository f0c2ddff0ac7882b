#include "isochor/lattice/solver.h"

#include <cstring>
#include <gtest/gtest.h>

#include "isochor/lattice/fields.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

bool same_bits(const State& a, const State& b) {
  return a.positions.size() == b.positions.size() &&
         std::memcmp(a.positions.data(), b.positions.data(), a.positions.size() * sizeof(Vec3d)) ==
             0;
}

TEST(LatticeSolver, AffineMotionOfTheBoundaryIsAffineInside) {
  // Uniaxial stretch of a corotated cube: t = 1 - nu (lambda - 1), P11 = E (lambda - 1).
  const double mu = 1, lambda = 10, stretch = 1.5;
  const double E = mu * (3 * lambda + 2 * mu) / (lambda + mu), nu = lambda / (2 * (lambda + mu));
  const double t = 1 - nu * (stretch - 1);
  BodySpec spec = box_spec(4, 4, 4, 0.25);
  make_uniform(spec, mu, lambda);
  const auto on = [](double x) { return x < 1e-9 || x > 1 - 1e-9; };
  spec.holds = {hold_where(spec, "right", [](const Vec3d& p) { return p[0] > 1 - 1e-9; }),
                hold_where(spec, "rest", [&](const Vec3d& p) {
                  return p[0] < 1 - 1e-9 && (on(p[0]) || on(p[1]) || on(p[2]));
                })};
  const Model model = build_model({spec}, {.newton = {.tolerance = 1e-10}});
  const auto affine = [&](const Vec3d& p) { return Vec3d{stretch * p[0], t * p[1], t * p[2]}; };
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context(1);
  const auto held = targets(model, [&](const std::string&, const Vec3d& p) { return affine(p); });
  ASSERT_TRUE(advance(model, state, {.held_positions = held}, scratch, context).converged());
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    EXPECT_LT(norm(state.positions[n] - affine(model.rest_positions[n])), 1e-9);
  }
  const auto reaction = reactions(model, state.positions, {0, 0, 0}, context.arena);
  EXPECT_NEAR(reaction[0].force[0], E * (stretch - 1), 1e-8) << "nominal stress times unit area";
  const CellFields fields = cell_fields(model, state.positions, context.arena);
  EXPECT_NEAR(fields.J[0], stretch * t * t, 1e-9);
  EXPECT_NEAR(fields.von_mises[0], E * (stretch - 1) / (t * t), 1e-8);
  EXPECT_NEAR(fields.pressure[0], -E * (stretch - 1) / (t * t) / 3, 1e-8);
}

TEST(LatticeSolver, HangingColumnStretchesByItsOwnWeight) {
  // Without lateral contraction the law is linear in the stretch: u(L) = rho g L^2 / (2 E), and
  // linear elements are exact at the nodes.
  const double E = 2e4, rho = 1000, g = 9.81;
  BodySpec spec = box_spec(8, 2, 2, kL / 8);
  make_uniform(spec, E / 2, 0);
  spec.density = rho;
  spec.holds = {hold_where(spec, "top", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const Model model = build_model({spec}, {.newton = {.tolerance = 1e-10}});
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context(1);
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  ASSERT_TRUE(advance(model, state, {{g, 0, 0}, held}, scratch, context).converged());
  const double expected = rho * g * kL * kL / (2 * E);
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    if (model.rest_positions[n][0] > kL - 1e-9) {
      EXPECT_NEAR(state.positions[n][0] - kL, expected, 1e-8 * expected);
    }
  }
  const auto reaction = reactions(model, state.positions, {g, 0, 0}, context.arena);
  EXPECT_NEAR(reaction[0].force[0], -rho * g * kL / 16, 1e-6) << "carries the weight";
}

TEST(LatticeSolver, NewtonConvergesQuadraticallyAndFasterThanThePublishedVariant) {
  int iterations[2];
  std::vector<Vec3d> shapes[2];
  for (const bool paper : {false, true}) {
    const Model model = bar(1e4, 2e4, {.always_definite = paper, .newton = {.tolerance = 1e-9}});
    State state{model.rest_positions};
    Scratch scratch(model);
    Context context(1);
    const auto held = twisted(model, 0.8, 0.2);
    const StepReport report = advance(model, state, {{0, -9.81, 0}, held}, scratch, context);
    ASSERT_TRUE(report.converged());
    iterations[paper] = report.iterations;
    shapes[paper] = state.positions;
  }
  EXPECT_LE(iterations[false], 8);
  EXPECT_LT(iterations[false], iterations[true]);
  // Both find the same equilibrium: they differ in the way, not in the end.
  for (std::size_t n = 0; n < shapes[0].size(); ++n) {
    EXPECT_LT(norm(shapes[0][n] - shapes[1][n]), 1e-6 * kL);
  }
}

TEST(LatticeSolver, EveryDefinitenessFixFindsTheSameEquilibrium) {
  using materials::Definiteness;
  std::vector<std::vector<Vec3d>> shapes;
  for (const Definiteness fix : {Definiteness::Clamp, Definiteness::Absolute, Definiteness::None}) {
    const Model model = bar(1e4, 2e4, {.definiteness = fix, .newton = {.tolerance = 1e-9}});
    State state{model.rest_positions};
    Scratch scratch(model);
    Context context(1);
    // Pushed together, so that the exact tangent is indefinite on the way.
    for (const double push : {-0.1, -0.2}) {
      const auto held = twisted(model, -8 * push, push);
      ASSERT_TRUE(advance(model, state, {{0, -9.81, 0}, held}, scratch, context).converged());
    }
    shapes.push_back(state.positions);
  }
  for (std::size_t n = 0; n < shapes[0].size(); ++n) {
    EXPECT_LT(norm(shapes[0][n] - shapes[1][n]), 1e-6 * kL);
    EXPECT_LT(norm(shapes[0][n] - shapes[2][n]), 1e-6 * kL);
  }
}

TEST(LatticeSolver, ActiveMuscleShortensAndKeepsItsVolume) {
  BodySpec spec = box_spec(8, 3, 3, kL / 8);
  make_uniform(spec, 1e4, 1e6);
  spec.law = materials::law_index("muscle");
  spec.shape = {0.5, 1, 10, 1, 0.65};
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const Model model = build_model({std::move(spec)}, {});
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context(1);
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  double length = kL;
  for (const double activation : {0.25, 0.5, 1.0}) {
    const std::vector<double> activations{activation};
    const StepInput input{.gravity = {0, 0, 0}, .held_positions = held, .activations = activations};
    ASSERT_TRUE(advance(model, state, input, scratch, context).converged()) << activation;
    double end = 0;
    for (const Vec3d& p : state.positions) end = std::max(end, p[0]);
    EXPECT_LT(end, 0.97 * length) << activation;
    length = end;
  }
  const std::vector<double> full{1.0};
  const CellFields fields = cell_fields(model, {state.positions, full}, context.arena);
  for (const double J : fields.J) EXPECT_NEAR(J, 1, 0.15);
  // Relaxed again, it is as long as before.
  const StepInput relaxed{.gravity = {0, 0, 0}, .held_positions = held};
  ASSERT_TRUE(advance(model, state, relaxed, scratch, context).converged());
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    EXPECT_LT(norm(state.positions[n] - model.rest_positions[n]), 1e-3 * kL);
  }
}

TEST(LatticeSolver, FailedStepLeavesTheStateUntouched) {
  const Model model = bar(1e4, 2e4, {.newton = {.max_iterations = 1}});
  State state{model.rest_positions};
  const State before = state;
  Scratch scratch(model);
  Context context(1);
  const auto held = twisted(model, 2, 1);
  const StepReport report = advance(model, state, {{0, -9.81, 0}, held}, scratch, context);
  EXPECT_EQ(report.end, solve::NewtonEnd::TooManyIterations);
  EXPECT_TRUE(same_bits(state, before));
}

TEST(LatticeSolver, CancelledStepLeavesTheStateUntouched) {
  const Model model = bar();
  State state{model.rest_positions};
  const State before = state;
  Scratch scratch(model);
  Context context(1);
  context.cancelled = true;
  const auto held = twisted(model, 1, 0.1);
  const StepReport report = advance(model, state, {{0, -9.81, 0}, held}, scratch, context);
  EXPECT_EQ(report.end, solve::NewtonEnd::Cancelled);
  EXPECT_TRUE(same_bits(state, before));
}

TEST(LatticeSolver, NotANumberIsReportedAndChangesNothing) {
  const Model model = bar();
  State state{model.rest_positions};
  const State before = state;
  Scratch scratch(model);
  Context context(1);
  auto held = twisted(model, 0, 0);
  held.back()[1] = std::numeric_limits<double>::quiet_NaN();
  const StepReport report = advance(model, state, {{0, 0, 0}, held}, scratch, context);
  EXPECT_EQ(report.end, solve::NewtonEnd::NotFinite);
  EXPECT_TRUE(same_bits(state, before));
}

TEST(LatticeSolver, PoisonedScratchAndThreadsChangeNoBit) {
  const Model model = bar();
  State reference{model.rest_positions};
  for (const int threads : {1, 2, 5}) {
    for (const bool poison : {false, true}) {
      State state{model.rest_positions};
      Scratch scratch(model);
      Context context(threads);
      for (int step = 1; step <= 3; ++step) {
        if (poison) scratch.poison();
        const auto held = twisted(model, 0.3 * step, 0.05 * step);
        ASSERT_TRUE(advance(model, state, {{0, -9.81, 0}, held}, scratch, context).converged());
      }
      if (threads == 1 && !poison) reference = state;
      EXPECT_TRUE(same_bits(state, reference)) << threads << " threads, poison " << poison;
    }
  }
}

TEST(LatticeSolver, RandomInvertedStartReturnsToRest) {
  BodySpec spec = box_spec(4, 4, 4, 0.25, 1e4, 1e4);
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const Model model = build_model({spec}, {.newton = {.tolerance = 1e-8}});
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  Context context(1);
  for (unsigned seed = 0; seed < 3; ++seed) {
    State state{shaken(model, 0.3, seed)};
    for (const std::int32_t n : model.holds[0].nodes) state.positions[n] = model.rest_positions[n];
    Scratch scratch(model);
    const StepReport report = advance(model, state, {.held_positions = held}, scratch, context);
    ASSERT_TRUE(report.converged()) << text(report.end) << ", residual " << report.residual;
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      EXPECT_LT(norm(state.positions[n] - model.rest_positions[n]), 1e-5);
    }
  }
}

TEST(LatticeSolver, CollapsedToAPointItReturnsEvenWhereEveryDirectionIsClamped) {
  // All curvatures of a collapsed exponential cell are negative: clamped, nothing is left of them.
  BodySpec spec = box_spec(4, 4, 4, 0.25);
  make_uniform(spec, 38461.5, 57692.3);
  spec.law = materials::law_index("fung");
  spec.shape = {1, 1, 1, 0, 0, 0, 1, 1, 1};
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const Model model = build_model({spec}, {});
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  const StepInput input{.gravity = {0, -2.09, 0}, .held_positions = held};
  Context context(1);
  Scratch scratch(model);
  State solution{model.rest_positions};
  ASSERT_TRUE(advance(model, solution, input, scratch, context).converged());
  for (const Vec3d& point : {Vec3d{0.3049, 0.6448, 0.5442}, Vec3d{0.2707, 0.4509, 0.6228}}) {
    State state{std::vector<Vec3d>(model.node_count(), point)};
    for (const std::int32_t n : model.holds[0].nodes) state.positions[n] = model.rest_positions[n];
    const StepReport report = advance(model, state, input, scratch, context);
    ASSERT_TRUE(report.converged()) << text(report.end) << ", residual " << report.residual;
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      EXPECT_LT(norm(state.positions[n] - solution.positions[n]), 1e-4);
    }
  }
}

}  // namespace
}  // namespace isochor::lattice
