#include "isochor/solve/stationary.h"

#include <gtest/gtest.h>

namespace isochor::solve {
namespace {

/// A = diag(1, 2), corrected by `factor` of the exact solution: residuals shrink by |1 - factor|.
StationaryReport run(double factor, double tolerance = 2e-6, int most = 50) {
  ThreadArena arena(1);
  KrylovScratch scratch(2);
  const std::vector<double> b{3, 4};
  std::vector<double> x(2);
  const auto apply = [](std::span<const double> p, std::span<double> q) {
    q[0] = p[0];
    q[1] = 2 * p[1];
  };
  const auto correct = [&](std::span<const double> r, std::span<double> z) {
    z[0] = factor * r[0];
    z[1] = factor * r[1] / 2;
  };
  return stationary_iteration(
      arena, apply, correct, [] { return false; }, b, x, tolerance, most, scratch);
}

TEST(Stationary, ConvergesAndKeepsItsHistory) {
  const StationaryReport report = run(0.9);
  EXPECT_EQ(report.end, StationaryEnd::Converged);
  EXPECT_EQ(report.cycles, 6);
  ASSERT_EQ(report.history().size(), 7u);
  for (int k = 0; k <= 6; ++k) EXPECT_NEAR(report.residuals[k], std::pow(0.1, k), 1e-12);
}

TEST(Stationary, SaysThatItDivergesOrDoesNotPay) {
  const StationaryReport diverges = run(4);
  EXPECT_EQ(diverges.end, StationaryEnd::Diverged);
  EXPECT_LT(diverges.cycles, 6);
  const StationaryReport slow = run(0.05);
  EXPECT_EQ(slow.end, StationaryEnd::Slow);
  EXPECT_EQ(slow.cycles, 10);
  EXPECT_EQ(run(0.5, 1e-6, 5).end, StationaryEnd::TooManyCycles);
  EXPECT_EQ(text(StationaryEnd::Diverged), "cycles diverged");
}

TEST(Stationary, WithoutALoadThereIsNothingToDo) {
  ThreadArena arena(1);
  KrylovScratch scratch(1);
  const std::vector<double> b{0};
  std::vector<double> x{5};
  const auto never = [](auto&&...) { ADD_FAILURE(); };
  const auto report = stationary_iteration(
      arena, never, never, [] { return false; }, b, x, 1e-6, 9, scratch);
  EXPECT_EQ(report.end, StationaryEnd::Converged);
  EXPECT_EQ(x[0], 0);
}

}  // namespace
}  // namespace isochor::solve
