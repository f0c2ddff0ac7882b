#include "reproduce/least_squares.h"

#include <cmath>
#include <gtest/gtest.h>

namespace isochor::reproduce {
namespace {

TEST(LeastSquares, FindsTheNumbersThatMadeTheData) {
  const auto decay = [](double a, double b, double t) { return a * std::exp(-b * t); };
  const auto residuals = [&](std::span<const double> v, std::span<double> r) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double t = 0.1 * static_cast<double>(i);
      r[i] = decay(v[0], v[1], t) - decay(7, 1.3, t);
    }
  };
  const Unknown unknowns[] = {{1e3, 1e-2, 1e5}, {0.1, -10, 10}};
  const Fit fit = least_squares(residuals, 30, unknowns);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.values[0], 7, 1e-5);
  EXPECT_NEAR(fit.values[1], 1.3, 1e-5);
  EXPECT_LT(fit.rms, 1e-5);
}

TEST(LeastSquares, FollowsACurvedValley) {
  // Rosenbrock's.
  const auto residuals = [](std::span<const double> v, std::span<double> r) {
    r[0] = 10 * (v[1] - v[0] * v[0]);
    r[1] = 1 - v[0];
  };
  const Unknown unknowns[] = {{-1.2, -5, 5}, {1, -5, 5}};
  const Fit fit = least_squares(residuals, 2, unknowns);
  EXPECT_NEAR(fit.values[0], 1, 1e-5);
  EXPECT_NEAR(fit.values[1], 1, 1e-5);
}

TEST(LeastSquares, StopsAtABoundAndStillFitsTheRest) {
  // The best slope is 2, no more than 1 is allowed; then the best offset is 1.5, the mean of x.
  const auto residuals = [](std::span<const double> v, std::span<double> r) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      const auto x = static_cast<double>(i);
      r[i] = v[0] * x + v[1] - 2 * x;
    }
  };
  const Unknown unknowns[] = {{0.5, 0, 1}, {0, -10, 10}};
  const Fit fit = least_squares(residuals, 4, unknowns);
  EXPECT_EQ(fit.values[0], 1);
  EXPECT_NEAR(fit.values[1], 1.5, 1e-6);
  EXPECT_NEAR(fit.rms, std::sqrt(1.25), 1e-9);
}

TEST(LeastSquares, MovesOffABoundWhereThatHelps) {
  const auto residuals = [](std::span<const double> v, std::span<double> r) { r[0] = v[0] - 3; };
  const Unknown unknowns[] = {{10, 1, 10}};
  EXPECT_NEAR(least_squares(residuals, 1, unknowns).values[0], 3, 1e-6);
}

}  // namespace
}  // namespace isochor::reproduce
