#include "isochor/materials/smooth.h"

#include <cmath>
#include <gtest/gtest.h>

namespace isochor::materials {
namespace {

/// Slope and curvature must be those of the value, by central differences.
template <class F>
void expect_derivatives(F&& f, double x) {
  constexpr double kStep = 1e-5;
  const Smooth<double> low = f(x - kStep), at = f(x), high = f(x + kStep);
  const double size = std::abs(at.value) + std::abs(at.slope) + std::abs(at.curvature) + 1;
  EXPECT_NEAR((high.value - low.value) / (2 * kStep), at.slope, 1e-7 * size) << x;
  EXPECT_NEAR((high.slope - low.slope) / (2 * kStep), at.curvature, 1e-7 * size) << x;
}

/// Nothing jumps where a function is continued.
template <class F>
void expect_joined(F&& f, double x) {
  const Smooth<double> low = f(x * (1 - 1e-12)), high = f(x * (1 + 1e-12));
  EXPECT_NEAR(low.value, high.value, 1e-9 * std::abs(high.value));
  EXPECT_NEAR(low.slope, high.slope, 1e-9 * std::abs(high.slope));
  EXPECT_NEAR(low.curvature, high.curvature, 1e-9 * std::abs(high.curvature));
}

TEST(MaterialSmooth, ValuesAreThoseOfTheFunctionsWhereTheyAreDefined) {
  for (const double x : {0.11, 0.5, 1.0, 1.7, 20.0}) {
    EXPECT_NEAR(smooth_log(x - 1).value, std::log(x), 1e-14);
    for (const double n : {-3.0, -1.0 / 3, 0.5, 2.0, 7.0}) {
      EXPECT_NEAR(smooth_power(x - 1, n).value, std::pow(x, n) - 1, 1e-13 * (1 + std::pow(x, n)));
    }
    EXPECT_NEAR(deviatoric_factor(x - 1).value, std::pow(x, -1.0 / 3) - 1, 1e-14);
  }
  for (const double x : {-5.0, 0.0, 3.0, 29.9}) {
    EXPECT_NEAR(smooth_exp(x).value, std::expm1(x), 1e-15 * std::exp(x));
  }
}

TEST(MaterialSmooth, DerivativesAreThoseOfTheValuesOnBothSidesOfTheJoin) {
  for (const double x : {-2.0, -0.3, 0.0, 0.05, 0.3, 1.0, 4.0}) {
    expect_derivatives([](double c) { return smooth_log(c); }, x - 1);
    expect_derivatives([](double c) { return smooth_power(c, 2.5); }, x - 1);
    expect_derivatives([](double c) { return deviatoric_factor(c); }, x - 1);
    expect_derivatives([](double c) { return compression_penalty(c, 6.0); }, x - 1);
  }
  for (const double x : {-3.0, 0.0, 5.0}) {
    expect_derivatives([](double c) { return smooth_exp(c); }, x);
  }
}

TEST(MaterialSmooth, JoinsHaveValueSlopeAndCurvature) {
  expect_joined([](double c) { return smooth_log(c); }, kContinuedBelow - 1);
  expect_joined([](double c) { return smooth_power(c, -3.0); }, kContinuedBelow - 1);
  expect_joined([](double c) { return smooth_exp(c); }, kLargestExponent);
}

TEST(MaterialSmooth, PenaltyMeetsTheConditionsOfThePaper) {
  for (const double beta : {0.0, 1.0, 6.0}) {
    // a) to c): nothing at rest, and the curvature of linear elasticity there.
    const Smooth<double> rest = compression_penalty(0.0, beta);
    EXPECT_EQ(rest.value, 0);
    EXPECT_EQ(rest.slope, 0);
    EXPECT_EQ(rest.curvature, 1);
    // d), e): defined and convex for every J.
    for (double J = -3; J <= 3; J += 0.25) {
      EXPECT_GE(compression_penalty(J - 1, beta).curvature, 1);
      EXPECT_NEAR(compression_penalty(J - 1, 0.0).value, 0.5 * (J - 1) * (J - 1), 1e-15);
    }
  }
  // U(0; 1) = 7 / 12, U'(0; 6) = -3.
  EXPECT_NEAR(compression_penalty(-1.0, 1.0).value, 7.0 / 12, 1e-15);
  EXPECT_NEAR(compression_penalty(-1.0, 6.0).slope, -3, 1e-15);
}

}  // namespace
}  // namespace isochor::materials
