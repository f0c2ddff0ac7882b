#include "isochor/tets/solver.h"

#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

materials::Material flesh(double poisson) {
  materials::Material m;
  m.law = materials::law_index("stable_neo_hookean");
  m.mu = 1e4;
  m.lambda = 2 * m.mu * poisson / (1 - 2 * poisson);
  m.density = 1000;
  return m;
}

HoldSpec hold_where(const geometry::TetMesh& mesh, auto&& chosen) {
  HoldSpec hold{.name = "hold", .nodes = {}};
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    if (chosen(mesh.positions[i])) hold.nodes.push_back(std::int32_t(i));
  }
  return hold;
}

BodySpec cantilever(int n, double poisson) {
  BodySpec body{.name = "bar", .mesh = box_of_tets(n, 2 * n, 0.1 / n, 0.2)};
  body.materials = {flesh(poisson)};
  body.holds = {hold_where(body.mesh, [](const Vec3d& x) { return x[2] == 0; })};
  return body;
}

std::vector<Vec3d> held_at_rest(const Model& model) {
  std::vector<Vec3d> positions;
  for (const Hold& hold : model.holds) {
    for (const std::int32_t n : hold.nodes) positions.push_back(model.rest_positions[n]);
  }
  return positions;
}

TEST(TetSolver, BoundaryMovedByAnAffineMapTakesTheInsideWithIt) {
  Context context(2);
  BodySpec body{.name = "box", .mesh = box_of_tets(4, 4, 0.05, 0.25)};
  body.materials = {flesh(0.4)};
  const auto outside = [](double c) { return c == 0 || c == 0.2; };
  body.holds = {hold_where(
      body.mesh, [&](const Vec3d& x) { return outside(x[0]) || outside(x[1]) || outside(x[2]); })};
  const Model model = build_model({body}, {}, context.arena);
  const Mat3d A{{{1.3, 0.1, 0}, {-0.2, 0.8, 0.3}, {0, 0.2, 1.1}}};
  std::vector<Vec3d> held = held_at_rest(model);
  for (Vec3d& x : held) x = A * x + Vec3d{1, 2, 3};
  State state = make_state(model);
  Scratch scratch(model);
  const StepReport report = advance(model, state, {.held_positions = held}, scratch, context);
  ASSERT_TRUE(report.converged());
  EXPECT_LE(report.iterations, 4) << "the first guess has held nodes and others move together";
  for (std::size_t i = 0; i < state.positions.size(); ++i) {
    const Vec3d d = state.positions[i] - (A * model.rest_positions[i] + Vec3d{1, 2, 3});
    EXPECT_LT(std::sqrt(dot(d, d)), 1e-7);
  }
}

TEST(TetSolver, LinearIterationsDoNotGrowWithTheResolution) {
  Context context(2);
  int fewest = 1000, most = 0;
  for (const int n : {4, 8, 16}) {
    const Model model = build_model({cantilever(n, 0.3)}, {}, context.arena);
    Scratch scratch(model);
    std::vector<Vec3d> b(model.node_count()), u(model.node_count());
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = model.mass[i] * Vec3d{1, 0, -9.8};
    const solve::KrylovReport report =
        solve_linear(model, {model.rest_positions}, b, u, 1e-6, scratch.linear, context);
    EXPECT_TRUE(report.converged);
    fewest = std::min(fewest, report.iterations);
    most = std::max(most, report.iterations);
  }
  EXPECT_LE(most, 14);
  EXPECT_LE(most, fewest + 3);
}

TEST(TetSolver, AWeakenedLatticePreconditionsTheSameSystem) {
  Context context(2);
  const Model model = build_model({cantilever(6, 0.499)}, {}, context.arena);
  LinearMemory memory(model);
  const Restraint restraint{model, {}};
  LinearSystem linear(model, restraint, memory, context);
  linear.linearise({model.rest_positions}, materials::Definiteness::Clamp, std::nullopt);
  std::vector<std::vector<Vec3d>> solutions;
  int times = 0;
  do {
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      linear.right_side()[i] = model.mass[i] * Vec3d{1, 0, -9.8};
    }
    std::vector<Vec3d> u(model.node_count());
    if (linear.solve(u, 1e-9).converged) solutions.push_back(u);
    ++times;
  } while (linear.weaken());
  EXPECT_GE(times, 3);
  ASSERT_GE(solutions.size(), 2u);
  double largest = 0;
  for (const Vec3d& v : solutions[0]) largest = std::max(largest, std::sqrt(dot(v, v)));
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    const Vec3d d = solutions.front()[i] - solutions.back()[i];
    EXPECT_LT(std::sqrt(dot(d, d)), 1e-5 * largest);
  }
}

TEST(TetSolver, AuxiliaryLatticeAndDiagonalFindTheSameEquilibrium) {
  Context context(2);
  std::vector<std::vector<Vec3d>> shapes;
  for (const Preconditioner p : {Preconditioner::Jacobi, Preconditioner::Lattice}) {
    const Model model = build_model(
        {cantilever(4, 0.45)}, {.preconditioner = p, .newton = {.tolerance = 1e-9}}, context.arena);
    const std::vector<Vec3d> held = held_at_rest(model);
    State state = make_state(model);
    Scratch scratch(model);
    const StepReport report =
        advance(model, state, {.gravity = {9.8, 0, 0}, .held_positions = held}, scratch, context);
    ASSERT_TRUE(report.converged());
    shapes.push_back(state.positions);
  }
  double bend = 0;
  for (std::size_t i = 0; i < shapes[0].size(); ++i) {
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(shapes[0][i][a], shapes[1][i][a], 1e-9);
    bend = std::max(bend, shapes[0][i][0] - 0.1);
  }
  EXPECT_GT(bend, 0.01);
}

TEST(TetSolver, SameBitsForAnyNumberOfThreadsAndWhateverScratchHolds) {
  std::vector<std::vector<Vec3d>> ends;
  for (const int threads : {1, 2, 4}) {
    Context context(threads);
    const Model model =
        build_model({cantilever(5, 0.4)}, {.integrator = solve::Integrator::Bdf2}, context.arena);
    const std::vector<Vec3d> held = held_at_rest(model);
    State state = make_state(model);
    Scratch scratch(model);
    for (int k = 0; k < 3; ++k) {
      if (threads > 1) scratch.poison();
      const StepReport report =
          advance(model, state, {.gravity = {9.8, 0, 0}, .held_positions = held, .dt = 0.02},
                  scratch, context);
      ASSERT_TRUE(report.converged());
    }
    ends.push_back(state.positions);
  }
  for (std::size_t i = 0; i < ends[0].size(); ++i) {
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(ends[0][i][a], ends[1][i][a]);
      EXPECT_EQ(ends[0][i][a], ends[2][i][a]);
    }
  }
}

TEST(TetSolver, MidpointKeepsMomenta) {
  Context context(2);
  BodySpec body{.name = "box", .mesh = box_of_tets(3, 3, 0.1, 0.2)};
  body.materials = {flesh(0.3)};
  const Model model = build_model(
      {body}, {.integrator = solve::Integrator::Midpoint, .newton = {.tolerance = 1e-10}},
      context.arena);
  State state = make_state(model);
  const auto momenta = [&] {
    Vec3d p{0, 0, 0}, L{0, 0, 0};
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      p += model.mass[i] * state.velocities[i];
      L += model.mass[i] * cross(state.positions[i], state.velocities[i]);
    }
    return std::pair(p, L);
  };
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    state.velocities[i] = cross(Vec3d{1, 2, 3}, model.rest_positions[i]) + Vec3d{0.5, 0, 0};
  }
  const auto [p0, L0] = momenta();
  Scratch scratch(model);
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(advance(model, state, {.dt = 0.01}, scratch, context).converged());
  }
  const auto [p1, L1] = momenta();
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(p1[a], p0[a], 1e-9 * std::sqrt(dot(p0, p0)));
    EXPECT_NEAR(L1[a], L0[a], 1e-8 * std::sqrt(dot(L0, L0)));
  }
}

TEST(TetSolver, ComesBackFromInvertedAndFromFlat) {
  Context context(2);
  BodySpec body = cantilever(3, 0.3);
  const Model model = build_model({body}, {}, context.arena);
  const std::vector<Vec3d> held = held_at_rest(model);
  for (const double stretch : {-1.0, 0.0}) {
    State state = make_state(model);
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      if (!model.held[i]) state.positions[i][2] *= stretch;
    }
    Scratch scratch(model);
    const StepReport report = advance(model, state, {.held_positions = held}, scratch, context);
    ASSERT_TRUE(report.converged()) << stretch << " " << text(report.end);
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      const Vec3d d = state.positions[i] - model.rest_positions[i];
      EXPECT_LT(std::sqrt(dot(d, d)), 1e-5) << stretch;
    }
  }
}

TEST(TetSolver, NodesInContactSlideAndAreNotPulled) {
  Context context(2);
  BodySpec body{.name = "box", .mesh = box_of_tets(4, 4, 0.05, 0.2)};
  body.materials = {flesh(0.4)};
  const Model model =
      build_model({body}, {.integrator = solve::Integrator::BackwardEuler}, context.arena);
  for (const double place : {0.01, -0.01}) {
    std::vector<Slide> slides;
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      if (model.rest_positions[i][2] == 0) slides.push_back({std::int32_t(i), {0, 0, 1}, place});
    }
    State state = make_state(model);
    Scratch scratch(model);
    ASSERT_TRUE(
        advance(model, state, {.slides = slides, .dt = 0.02}, scratch, context).converged());
    double widest = 0;
    for (const Slide& slide : slides) {
      const Vec3d way = state.positions[slide.node] - model.rest_positions[slide.node];
      widest = std::max(widest, std::abs(way[0]));
      if (place > 0) {
        EXPECT_NEAR(way[2], place, 1e-15);
      } else {
        EXPECT_NEAR(way[2], 0, 1e-3) << "would have to be pulled";
      }
    }
    if (place > 0) {
      EXPECT_GT(widest, 1e-5);
    }
  }
}

}  // namespace
}  // namespace isochor::tets
