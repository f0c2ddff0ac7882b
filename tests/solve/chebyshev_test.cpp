#include "isochor/solve/chebyshev.h"

#include <cmath>
#include <gtest/gtest.h>

namespace isochor::solve {
namespace {

constexpr double kLargest = 2;

/// What is left of an error in the direction of an eigenvalue.
double left_over(double eigenvalue, int degree) {
  double error = 1;
  chebyshev_smooth(kLargest, degree,
                   [&](double length, bool) { error -= length * eigenvalue * error; });
  return error;
}

/// The same by the three-term recurrence with the weights of Lottes 2023, table 1.
double left_over_by_recurrence(double eigenvalue, int degree) {
  constexpr double kWeights[4][4] = {
      {1.12500000000000},
      {1.02387287570313, 1.26408905371085},
      {1.00842544782028, 1.08867839208730, 1.33753125909618},
      {1.00391310427285, 1.04035811188593, 1.14863498546254, 1.38268869241000}};
  double error = 1, direction = 0;
  for (int k = 1; k <= degree; ++k) {
    direction = (2.0 * k - 3) / (2.0 * k + 1) * direction +
                (8.0 * k - 4) / ((2.0 * k + 1) * kLargest) * error;
    error -= eigenvalue * kWeights[degree - 1][k - 1] * direction;
  }
  return error;
}

TEST(Chebyshev, StepsByRootsAreThoseOfTheRecurrence) {
  for (int degree = 1; degree <= 4; ++degree) {
    for (double part = 0; part <= 1; part += 1.0 / 64) {
      const double eigenvalue = part * kLargest;
      EXPECT_NEAR(left_over(eigenvalue, degree), left_over_by_recurrence(eigenvalue, degree), 1e-11)
          << degree << " " << part;
    }
  }
}

TEST(Chebyshev, MoreStepsLeaveLessOfWhatIsSmooth) {
  for (int degree = 2; degree <= 4; ++degree) {
    const double part = 1.0 / (degree * degree);
    EXPECT_LT(std::abs(left_over(part * kLargest, degree)), left_over(part * kLargest, degree - 1));
    EXPECT_LT(std::abs(left_over(kLargest, degree)), 0.52) << degree;
  }
}

}  // namespace
}  // namespace isochor::solve
