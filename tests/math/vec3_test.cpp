#include "isochor/math/vec3.h"

#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor {
namespace {

constexpr double kRounding = 4 * 0x1p-52;  // a sum of three products of numbers below 1

TEST(MathVec3, ArithmeticIsComponentByComponent) {
  Random random(1);
  for (int sample = 0; sample < 100; ++sample) {
    const Vec3d a = random.vector(), b = random.vector();
    const double s = random.uniform(-2, 2);
    Vec3d sum = a, difference = a, scaled = a;
    sum += b;
    difference -= b;
    scaled *= s;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ((a + b)[i], a[i] + b[i]);
      EXPECT_EQ((a - b)[i], a[i] - b[i]);
      EXPECT_EQ((-a)[i], -a[i]);
      EXPECT_EQ((a * s)[i], a[i] * s);
      EXPECT_EQ((s * a)[i], a[i] * s);
      EXPECT_EQ(sum[i], a[i] + b[i]);
      EXPECT_EQ(difference[i], a[i] - b[i]);
      EXPECT_EQ(scaled[i], a[i] * s);
      EXPECT_EQ(min(a, b)[i], std::min(a[i], b[i]));
      EXPECT_EQ(max(a, b)[i], std::max(a[i], b[i]));
    }
  }
}

TEST(MathVec3, DotAndNormAgreeWithLoops) {
  Random random(2);
  for (int sample = 0; sample < 100; ++sample) {
    const Vec3d a = random.vector(), b = random.vector();
    double sum = 0, square = 0;
    for (int i = 0; i < 3; ++i) {
      sum += a[i] * b[i];
      square += a[i] * a[i];
    }
    EXPECT_NEAR(dot(a, b), sum, kRounding);
    EXPECT_NEAR(norm(a), std::sqrt(square), kRounding);
  }
}

TEST(MathVec3, CrossFollowsTheRightHandAndIsOrthogonal) {
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_EQ(norm(cross(x, y) - z), 0);
  EXPECT_EQ(norm(cross(y, z) - x), 0);
  EXPECT_EQ(norm(cross(z, x) - y), 0);
  Random random(3);
  for (int sample = 0; sample < 100; ++sample) {
    const Vec3d a = random.vector(), b = random.vector(), c = cross(a, b);
    EXPECT_NEAR(dot(a, c), 0, kRounding);
    EXPECT_NEAR(dot(b, c), 0, kRounding);
    EXPECT_NEAR(dot(c, c), dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b), 4 * kRounding);
    // The permutation symbol, written out as a loop.
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) sum += (i - j) * (j - k) * (k - i) / 2 * a[j] * b[k];
      }
      EXPECT_NEAR(c[i], sum, kRounding);
    }
  }
}

}  // namespace
}  // namespace isochor
