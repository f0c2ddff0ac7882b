#include "isochor/math/quaternion.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace isochor {
namespace {

double largest_difference(const Mat3d& a, const Mat3d& b) {
  double largest = 0;
  for (int e = 0; e < 9; ++e) {
    largest = std::max(largest, std::abs(a(e % 3, e / 3) - b(e % 3, e / 3)));
  }
  return largest;
}

TEST(Quaternion, GivesItsRotationBack) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    const Vec3d turn{normal(random), normal(random), normal(random)};
    const Mat3d R = rotation_from_vector(3 * turn);
    EXPECT_LT(largest_difference(rotation_of_long(long_quaternion(R)), R), 2e-15) << k;
  }
}

// Where three of the four numbers vanish, and where they change places.
TEST(Quaternion, HalfTurnsAboutAnyAxisKeepTheirDigits) {
  const Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, -1}, {1, 1, 1}};
  for (const Vec3d& axis : axes) {
    for (const double angle : {0.0, 1e-9, M_PI / 2, M_PI - 1e-9, M_PI}) {
      const Mat3d R = rotation_from_vector((angle / norm(axis)) * axis);
      const Quaternion<double> q = long_quaternion(R);
      EXPECT_NEAR(dot(q.v, q.v) + q.w * q.w, 2, 1e-15);
      EXPECT_LT(largest_difference(rotation_of_long(q), R), 1e-15) << angle;
    }
  }
}

TEST(Quaternion, RoundingItToSinglePrecisionCostsNoMoreThanRoundingTheMatrix) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  double worst = 0;
  for (int k = 0; k < 1000; ++k) {
    const Mat3d R = rotation_from_vector({normal(random), normal(random), normal(random)});
    Quaternion<double> q = long_quaternion(R);
    for (double* e : {&q.v[0], &q.v[1], &q.v[2], &q.w}) *e = static_cast<float>(*e);
    worst = std::max(worst, largest_difference(rotation_of_long(q), R));
  }
  EXPECT_LT(worst, 4 * 6e-8);
}

}  // namespace
}  // namespace isochor
