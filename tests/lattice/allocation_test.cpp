#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

#include "isochor/lattice/mixed_solver.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace {

/// What this thread has allocated so far.
thread_local std::size_t allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace isochor::lattice {
namespace {

TEST(LatticeSolver, StepAllocatesNothing) {
  const Params multigrid{.preconditioner = Preconditioner::Multigrid};
  Params published = multigrid, fas = multigrid;
  published.cycle = Cycle::Published;
  fas.solver = Solver::Fas;
  for (const Params& params : {Params{}, multigrid, published, fas}) {
    BodySpec spec = box_spec(16, 8, 8, kL / 16, 1e4, 2e4);
    spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; }),
                  hold_where(spec, "right", [](const Vec3d& p) { return p[0] > kL - 1e-9; })};
    const Model model = build_model({std::move(spec)}, params);
    State state{model.rest_positions};
    Scratch scratch(model);
    Context context(1);
    const auto held = twisted(model, 0.5, 0.1);
    const std::size_t before = allocations;
    const StepReport report = advance(model, state, {{0, -9.81, 0}, held}, scratch, context);
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(report.converged());
  }
}

TEST(LatticeDynamics, StepAllocatesNothing) {
  BodySpec spec = box_spec(8, 6, 6, 0.1, 1e4, 2e4);
  spec.stiffness_damping = 1e-3;
  spec.holds = {hold_where(spec, "end", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const Model model = build_model(
      {spec}, {.preconditioner = Preconditioner::Multigrid, .integrator = solve::Integrator::Bdf2});
  State state = make_state(model);
  Scratch scratch(model);
  Context context(1);
  for (const double shift : {0.0, 0.01, 0.02}) {
    const auto held = targets(model, [&](const std::string&, const Vec3d& p) {
      return p + Vec3d{shift, 0, 0};
    });
    const std::size_t before = allocations;
    const StepReport report =
        advance(model, state, {.gravity = {0, -9.81, 0}, .held_positions = held, .dt = 0.02},
                scratch, context);
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(report.converged());
  }
}

TEST(MixedDynamics, StepAllocatesNothing) {
  for (const auto integrator : {solve::Integrator::Bdf2, solve::Integrator::Midpoint}) {
    BodySpec spec = box_spec(8, 6, 6, 0.1, 1e4, 2e4);
    spec.stiffness_damping = 1e-3;
    spec.holds = {hold_where(spec, "end", [](const Vec3d& p) { return p[0] < 1e-9; })};
    const mixed::Model model = mixed::build_model({spec}, {.integrator = integrator}, {});
    mixed::State state = mixed::make_state(model);
    mixed::Scratch scratch(model);
    Context context(1);
    for (const double shift : {0.0, 0.01, 0.02}) {
      const auto held = targets(model.base, [&](const std::string&, const Vec3d& p) {
        return p + Vec3d{shift, 0, 0};
      });
      const StepInput input{.gravity = {0, -9.81, 0}, .held_positions = held, .dt = 0.02};
      const std::size_t before = allocations;
      const mixed::StepReport report = mixed::advance(model, state, input, scratch, context);
      EXPECT_EQ(allocations, before);
      EXPECT_TRUE(report.converged());
    }
  }
}

}  // namespace
}  // namespace isochor::lattice
