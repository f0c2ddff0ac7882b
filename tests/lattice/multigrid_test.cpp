#include "isochor/lattice/multigrid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/geometry/organic_shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using materials::Definiteness;

Params with_multigrid() { return {.preconditioner = Preconditioner::Multigrid}; }

/// A body of one material, its low end along an axis held.
BodySpec body_of(const geometry::SurfaceMesh& mesh, double h, int axis, double nu = 0.3) {
  ThreadArena arena(1);
  BodySpec spec{.name = "body", .law = materials::law_index("corotated")};
  spec.lattice = grid::build_lattice(mesh, h, "body", arena);
  const std::size_t cells = spec.lattice.cell_count();
  spec.mu.assign(cells, 1e5 / (2 * (1 + nu)));
  spec.lambda.assign(cells, 1e5 * nu / ((1 + nu) * (1 - 2 * nu)));
  for (const float fraction : spec.lattice.fractions)
    spec.fill.push_back(std::max(0.05f, fraction));
  const double low = geometry::bounds_of_faces(mesh).low[axis];
  spec.holds = {hold_where(spec, "end", [&](const Vec3d& p) { return p[axis] < low + 0.51 * h; })};
  return spec;
}

BodySpec cube(int cells, double nu = 0.3) {
  return body_of(geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.25), 1.0 / cells, 0, nu);
}

/// What it takes to bring the residual of K u = weight down to a millionth.
struct Solve {
  int iterations = 0;
  double residual = 1;  ///< recomputed
};
Solve solve_weight(const Model& model, std::span<const Vec3d> x) {
  Context context(1);
  Scratch scratch(model);
  scratch.poison();
  const std::span<const SlideFrame> slides = scratch.slides;
  linearise(model, Configuration(x), Definiteness::Clamp, scratch.tangents, context.arena);
  stiffness_diagonal(model, scratch.tangents, std::span(scratch.diagonal), context.arena);
  Multigrid multigrid(model, slides, scratch.multigrid, context.arena);
  multigrid.linearise(Configuration(x));
  multigrid.prepare(scratch.tangents, scratch.diagonal);
  const auto vectors = [](auto v) {
    using V =
        std::conditional_t<std::is_const_v<typename decltype(v)::element_type>, const Vec3d, Vec3d>;
    return std::span<V>(reinterpret_cast<V*>(v.data()), v.size() / 3);
  };
  const auto apply = [&](std::span<const double> p, std::span<double> q) {
    apply_stiffness(model, scratch.tangents, vectors(p), vectors(q), context.arena);
    keep_free(model, slides, vectors(q), context.arena);
  };
  const auto precondition = [&](std::span<const double> r, std::span<double> z) {
    multigrid.apply(vectors(r), vectors(z));
    keep_free(model, slides, vectors(z), context.arena);
  };
  std::vector<double> b(3 * model.node_count()), u(b.size()), Ku(b.size());
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    vectors(std::span(b))[n] = model.mass[n] * Vec3d{0, -1, 0.3};
  }
  keep_free(model, slides, vectors(std::span(b)), context.arena);
  const solve::KrylovReport report = solve::conjugate_gradient(
      context.arena, apply, precondition, [] { return false; }, b, u, 1e-6, 100, scratch.krylov);
  EXPECT_FALSE(report.indefinite);
  apply(u, Ku);
  double rest = 0, whole = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    rest += (b[i] - Ku[i]) * (b[i] - Ku[i]);
    whole += b[i] * b[i];
  }
  return {report.iterations, std::sqrt(rest / whole)};
}

TEST(LatticeMultigrid, IterationsDoNotGrowWithTheResolution) {
  for (const int cells : {8, 16, 24}) {
    const Model model = build_model({cube(cells)}, with_multigrid());
    const Solve s = solve_weight(model, model.rest_positions);
    EXPECT_LE(s.iterations, 8) << cells;
    EXPECT_LT(s.residual, 2e-6);
  }
}

TEST(LatticeMultigrid, ThinAndForkedBodiesAreSolvedToo) {
  const Model arm =
      build_model({body_of(geometry::make_arm(0.02).skin, 0.012, 1)}, with_multigrid());
  EXPECT_LE(solve_weight(arm, arm.rest_positions).iterations, 25);
  const Model hand = build_model({body_of(geometry::make_hand(0.01), 0.004, 1)}, with_multigrid());
  EXPECT_LE(solve_weight(hand, hand.rest_positions).iterations, 25);
}

TEST(LatticeMultigrid, LargeDeformationAndJumpsOfStiffnessCostLittle) {
  BodySpec spec = cube(16);
  for (std::size_t c = 0; c < spec.mu.size(); ++c) {
    const double factor = c / 256 % 2 ? 1000 : 1;
    spec.mu[c] *= factor;
    spec.lambda[c] *= factor;
  }
  const Model jumps = build_model({spec}, with_multigrid());
  EXPECT_LE(solve_weight(jumps, jumps.rest_positions).iterations, 40);
  const Model model = build_model({cube(16)}, with_multigrid());
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) p = rotation_from_vector({2 * p[0], 0, 0}) * Vec3d{1.5 * p[0], p[1], p[2]};
  EXPECT_LE(solve_weight(model, x).iterations, 12);
}

TEST(LatticeMultigrid, TheCycleIsSymmetricPositiveAndTheSameForAnyThreads) {
  BodySpec spec = cube(9);
  spec.holds.push_back(hold_where(spec, "floor", [](const Vec3d& p) { return p[1] < 1e-9; }));
  spec.holds.back().slide = Slide::InPlane;
  const Model model = build_model({spec}, with_multigrid());
  std::vector<Vec3d> results[2];
  double products[2][2] = {};
  for (const int threads : {1, 3}) {
    Context context(threads);
    Scratch scratch(model);
    scratch.poison();
    for (SlideFrame& frame : scratch.slides) frame = {1, {Vec3d{0, 1, 0}}, {0}};
    const std::vector<Vec3d> x = shaken(model, 0.01, 5);
    linearise(model, Configuration(x), Definiteness::Clamp, scratch.tangents, context.arena);
    stiffness_diagonal(model, scratch.tangents, std::span(scratch.diagonal), context.arena);
    Multigrid multigrid(model, scratch.slides, scratch.multigrid, context.arena);
    multigrid.linearise(Configuration(x));
    multigrid.prepare(scratch.tangents, scratch.diagonal);
    std::vector<Vec3d> r[2], z[2];
    for (int k = 0; k < 2; ++k) {
      r[k] = shaken(model, 1, 7 + unsigned(k));
      keep_free(model, std::span<const SlideFrame>(scratch.slides), std::span(r[k]), context.arena);
      z[k].resize(r[k].size());
      multigrid.apply(r[k], z[k]);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        products[i][j] = 0;
        for (std::size_t n = 0; n < z[i].size(); ++n) products[i][j] += dot(r[i][n], z[j][n]);
      }
    }
    results[threads == 3] = z[0];
  }
  EXPECT_GT(products[0][0], 0);
  EXPECT_NEAR(products[0][1], products[1][0], 1e-4 * products[0][0]);
  for (std::size_t n = 0; n < results[0].size(); ++n) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(results[0][n][a], results[1][n][a]);
  }
}

/// On one level, which is solved directly, and on several.
TEST(LatticeMultigrid, NodesThatSlideObliquelyEndWhereTheyDoWithTheDiagonal) {
  for (const int cells : {3, 8}) {
    State ends[2];
    for (const Preconditioner with : {Preconditioner::Jacobi, Preconditioner::Multigrid}) {
      BodySpec spec = cube(cells);
      spec.holds.push_back(hold_where(spec, "top", [](const Vec3d& p) { return p[0] > 1 - 1e-9; }));
      spec.holds.back().slide = Slide::InPlane;
      const Model model = build_model({spec}, {.preconditioner = with});
      State& state = ends[with == Preconditioner::Multigrid];
      state.positions = model.rest_positions;
      Scratch scratch(model);
      Context context(1);
      const auto held = targets(model, [](const std::string& name, const Vec3d& p) {
        return name == "body.top" ? p + Vec3d{0.1, 0, 0} : p;
      });
      const std::vector<Vec3d> directions{{1, 0, 0}, Vec3d{1, 1, 0.5} * (1 / 1.5)};
      const StepInput input{
          .gravity = {0, -1, 0}, .held_positions = held, .slide_directions = directions};
      const StepReport report = advance(model, state, input, scratch, context);
      ASSERT_TRUE(report.converged()) << cells << " " << text(report.end);
      if (with == Preconditioner::Multigrid) {
        EXPECT_LT(report.krylov_iterations, 60);
      }
    }
    for (std::size_t n = 0; n < ends[0].positions.size(); ++n) {
      EXPECT_LT(norm(ends[0].positions[n] - ends[1].positions[n]), 1e-5);
    }
  }
}

TEST(LatticeMultigrid, AStepEndsWhereItDoesWithTheDiagonal) {
  const auto solve = [](Preconditioner preconditioner, State& state) {
    BodySpec spec = box_spec(16, 6, 6, 1.0 / 16, 1e4, 2e4);
    spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; }),
                  hold_where(spec, "right", [](const Vec3d& p) { return p[0] > 1 - 1e-9; })};
    const Model model = build_model({std::move(spec)}, {.preconditioner = preconditioner});
    state.positions = model.rest_positions;
    Scratch scratch(model);
    Context context(1);
    const auto held = twisted(model, 1.5, 0.2);
    const StepReport report =
        advance(model, state, {.gravity = {0, -9.81, 0}, .held_positions = held}, scratch, context);
    EXPECT_TRUE(report.converged());
    return report;
  };
  State by_diagonal, by_multigrid;
  const StepReport slow = solve(Preconditioner::Jacobi, by_diagonal);
  const StepReport fast = solve(Preconditioner::Multigrid, by_multigrid);
  EXPECT_LT(4 * fast.krylov_iterations, slow.krylov_iterations);
  for (std::size_t n = 0; n < by_diagonal.positions.size(); ++n) {
    EXPECT_LT(norm(by_diagonal.positions[n] - by_multigrid.positions[n]), 1e-5);
  }
}

}  // namespace
}  // namespace isochor::lattice
