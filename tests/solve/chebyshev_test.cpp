#include "isochor/solve/chebyshev.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace isochor::solve {
namespace {

/// What is left of an error in the direction of an eigenvalue, the largest being two.
double left_over(double eigenvalue, int degree) {
  double error = 1;
  chebyshev_smooth(2.0, degree, [&](double length, bool) { error -= length * eigenvalue * error; });
  return error;
}

/// What the bound of a V-cycle grows with (Lottes 2023), for a part of the largest eigenvalue.
double share(double part, int degree) {
  const double p = left_over(2 * part, degree);
  return part * p * p / ((1 - p) * (1 + p));
}

// The largest share is smallest where it is reached once more than there are lengths to choose.
TEST(Chebyshev, NoOtherLengthsHaveASmallerBound) {
  for (int degree = 1; degree <= 4; ++degree) {
    constexpr int kSteps = 20000;
    std::vector<double> peaks{share(1e-7, degree)};
    for (int i = 1; i < kSteps; ++i) {
      const double before = share((i - 1.0) / kSteps, degree),
                   at = share(double(i) / kSteps, degree);
      const double after = share((i + 1.0) / kSteps, degree);
      if (at > before && at >= after) peaks.push_back(at);
    }
    peaks.push_back(share(1, degree));
    ASSERT_EQ(peaks.size(), std::size_t(degree) + 1);
    for (const double peak : peaks) EXPECT_NEAR(peak, peaks[0], 1e-5 * peaks[0]) << degree;
  }
}

TEST(Chebyshev, LeavesACosineOfTheLargestEigenvalue) {
  for (int degree = 1; degree <= 4; ++degree) {
    const double turn = std::numbers::pi * degree / (2.0 * degree + 1);
    EXPECT_NEAR(left_over(2, degree), (degree % 2 ? -1 : 1) * std::cos(turn), 1e-12) << degree;
  }
}

}  // namespace
}  // namespace isochor::solve
