#include "isochor/staggered/pressure_search.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace isochor::staggered {
namespace {

TEST(StaggeredPressureSearch, PushesWhereSomethingIsInsideAndNeverPulls) {
  // A row of points on springs that are coupled, as those of a surface are.
  constexpr std::size_t n = 9;
  const std::vector<double> areas{1, 2, 1, 1, 1, 3, 1, 0, 1};
  const auto depths = [&](const std::vector<double>& pressures) {
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = i < 5 ? 0.1 - 0.01 * double(i) : -0.05;
      for (std::size_t j = 0; j < n; ++j) {
        const double away = std::abs(double(i) - double(j));
        out[i] -= areas[j] * pressures[j] * std::exp(-0.5 * away) / 100;
      }
    }
    return out;
  };
  std::vector<double> pressures(n);
  PressureSearch search(areas, 1);
  int updates = 0;
  while (search.off(depths(pressures), pressures) > 1e-8 && updates < 200) {
    search.update(depths(pressures), pressures);
    ++updates;
  }
  EXPECT_LT(updates, 60);
  const std::vector<double> left = depths(pressures);
  int pushed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_GE(pressures[i], 0);
    if (areas[i] == 0) continue;
    EXPECT_LE(left[i], 1e-8);
    EXPECT_NEAR(std::min(pressures[i], -left[i]), 0, 1e-8) << "pushed while outside";
    pushed += pressures[i] > 0;
  }
  EXPECT_GT(pushed, 1);
  EXPECT_EQ(pressures[7], 0) << "what has no area is left out";
}

}  // namespace
}  // namespace isochor::staggered
