#include "isochor/staggered/dynamics.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

constexpr double kGravity = 9.81;

template <int D>
std::vector<double> weight(const Model<D>& model, double density) {
  std::vector<double> b(model.unknowns());
  add_body_force<D>(
      model, [&](const Point<D>&, int k) { return k == 1 ? -kGravity * density : 0.0; }, b);
  return b;
}

Material moving(double poisson, const TimeStep& step) {
  Material material = Material::from_poisson(1e5, poisson);
  material.inertia = step.inertia();
  return material;
}

TEST(StaggeredDynamics, AFreeBodyFallsWithoutStrain) {
  const TimeStep step{.dt = 0.02, .density = 1000, .damping = 0.01};
  Domain<3> block({10, 8, 9}, {0.1, 0.1, 0.1}, Cell::Interior);
  // Filled to any degree.
  for (std::size_t n = 0; n < block.cells.size(); ++n) {
    block.fraction.push_back(float(1 + n * 7 % 16) / 16);
  }
  const Model<3> model =
      build_model<3>(block, moving(0.49, step), {.direct_entries = 10000}, "block");
  Motion<3> motion(model);
  MotionMemory<3> memory(model, 10);
  Context context(1);
  const std::vector<double> load = weight(model, step.density);
  double place = 0, velocity = 0;
  for (int n = 1; n <= 4; ++n) {
    const SolveReport report =
        advance<3>(model, step, load, {}, 1e-10, 30, motion, memory, context);
    ASSERT_TRUE(report.converged);
    velocity -= kGravity * step.dt;
    place += step.dt * velocity;
  }
  for_each_unknown<3>(model, [&](const Index<3>&, int k, std::size_t i) {
    EXPECT_NEAR(motion.u[i], k == 1 ? place : 0, 1e-7);
    if (k == 3) return;
    EXPECT_NEAR(motion.v[i], k == 1 ? velocity : 0, 1e-6);
  });
}

TEST(StaggeredDynamics, MotionComesToRestInTheStaticShape) {
  const TimeStep step{.dt = 0.2, .density = 1000, .damping = 0.05};
  const Domain<2> domain = naive::box<2>(16, false);
  const Model<2> model = build_model<2>(domain, moving(0.45, step), {}, "box");
  const Model<2> still = build_model<2>(domain, Material::from_poisson(1e5, 0.45), {}, "box");
  const std::vector<double> load = weight(model, step.density);
  Context context(1);
  std::vector<double> rest(load.size());
  SolverMemory<2> solver(still, 10);
  ASSERT_TRUE((solve<2>(still, load, rest, 1e-10, 30, solver, context).converged));
  Motion<2> motion(model);
  MotionMemory<2> memory(model, 10);
  double largest = 0, away = 0;
  std::vector<double> first;
  for (int n = 0; n < 60; ++n) {
    ASSERT_TRUE((advance<2>(model, step, load, {}, 1e-9, 30, motion, memory, context).converged));
    if (n == 0) first = motion.u;
  }
  for (const double x : rest) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < rest.size(); ++i) {
    EXPECT_NEAR(motion.u[i], rest[i], 1e-5 * largest);
    away = std::max(away, std::abs(first[i] - rest[i]));
  }
  // It did not get there in one step.
  EXPECT_GT(away, 0.01 * largest);
}

TEST(StaggeredDynamics, StepsOfAnotherLengthAreRefused) {
  const TimeStep step{.dt = 0.1, .density = 1};
  const Model<2> model = build_model<2>(naive::box<2>(4, false), moving(0.3, step), {}, "box");
  Motion<2> motion(model);
  MotionMemory<2> memory(model, 5);
  Context context(1);
  const std::vector<double> load(model.unknowns());
  EXPECT_THROW(
      (advance<2>(model, {.dt = 0.2, .density = 1}, load, {}, 1e-6, 5, motion, memory, context)),
      Error);
}

}  // namespace
}  // namespace isochor::staggered
