#include "isochor/anatomy/fibre_field.h"

#include <cmath>
#include <gtest/gtest.h>

namespace isochor::anatomy {
namespace {

TEST(FibreField, ConstantFibresAreOfLengthOne) {
  const FibreField fibres = constant_fibres({0, 3, 4});
  EXPECT_LT(norm(fibres({7, 8, 9}) - Vec3d{0, 0.6, 0.8}), 1e-15);
}

TEST(FibreField, OnALineFibresFollowIt) {
  // Two lines across each other, 1 apart.
  const FibreField fibres = fibres_along({{{-1, 0, 0}, {1, 0, 0}}, {{0.5, -1, 1}, {0.6, 1, 1}}});
  EXPECT_LT(norm(fibres({0.2, 0, 0}) - Vec3d{1, 0, 0}), 1e-9);
  const Vec3d second = (1 / std::sqrt(4.01)) * Vec3d{0.1, 2, 0};
  EXPECT_LT(norm(fibres({0.55, 0, 1}) - second), 1e-9);
}

TEST(FibreField, WhichEndOfALineComesFirstDoesNotMatter) {
  const Polyline a{{0, 0, 0}, {1, 0.1, 0}, {2, 0.3, 0}}, b{{0, 1, 0}, {1, 1.2, 0}, {2, 1.5, 0}};
  const Polyline turned(b.rbegin(), b.rend());
  const FibreField fibres = fibres_along({a, b}), same = fibres_along({a, turned});
  for (double x = 0; x < 2.1; x += 0.3) {
    EXPECT_LT(norm(fibres({x, 0.5, 0.2}) - same({x, 0.5, 0.2})), 1e-12);
    EXPECT_GT(fibres({x, 0.5, 0.2})[0], 0.9);
  }
}

TEST(FibreField, DirectionsTurnSmoothlyAlongACurveAndBetweenLines) {
  std::vector<Polyline> circles;
  for (const double r : {1.0, 1.5, 2.0}) {
    Polyline& line = circles.emplace_back();
    for (int i = 0; i <= 24; ++i) {
      const double a = i * 1.5 / 24;
      line.push_back({r * std::cos(a), r * std::sin(a), 0});
    }
  }
  const FibreField fibres = fibres_along(circles);
  double worst = 0;
  for (double r = 1; r < 2.01; r += 0.1) {
    Vec3d last = fibres({r * std::cos(0.1), r * std::sin(0.1), 0});
    for (double a = 0.1; a < 1.4; a += 0.002) {
      const Vec3d now = fibres({r * std::cos(a), r * std::sin(a), 0});
      // A line bends by 0.0625 at each of its points: a field that jumped there would show it.
      EXPECT_LT(norm(now - last), 0.0625 / 4);
      last = now;
      worst = std::max(worst, norm(now - Vec3d{-std::sin(a), std::cos(a), 0}));
    }
  }
  EXPECT_LT(worst, 0.01);
}

TEST(FibreField, PointsThatRepeatDoNotMatter) {
  const FibreField fibres = fibres_along({{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}}});
  EXPECT_LT(norm(fibres({0.5, 0.5, 0}) - Vec3d{1, 0, 0}), 1e-12);
  EXPECT_EQ(length_of({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 2, 0}}), 3);
}

}  // namespace
}  // namespace isochor::anatomy
