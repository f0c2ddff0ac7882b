#include "isochor/math/mat3.h"

#include <gtest/gtest.h>
#include <numbers>

#include "tests/math/random_matrix.h"

namespace isochor {
namespace {

constexpr double kRounding = 8 * 0x1p-52;  // sums of at most nine products of numbers below 1

TEST(MathMat3, ProductsAgreeWithLoops) {
  Random random(1);
  for (int sample = 0; sample < 100; ++sample) {
    const Mat3d a = random.matrix(), b = random.matrix();
    const Vec3d v = random.vector();
    double all = 0;
    for (int i = 0; i < 3; ++i) {
      double av = 0;
      for (int j = 0; j < 3; ++j) {
        double ab = 0, atb = 0, abt = 0;
        for (int k = 0; k < 3; ++k) {
          ab += a(i, k) * b(k, j);
          atb += a(k, i) * b(k, j);
          abt += a(i, k) * b(j, k);
        }
        EXPECT_NEAR((a * b)(i, j), ab, kRounding);
        EXPECT_NEAR(transpose_times(a, b)(i, j), atb, kRounding);
        EXPECT_NEAR(times_transpose(a, b)(i, j), abt, kRounding);
        EXPECT_EQ(transpose(a)(i, j), a(j, i));
        av += a(i, j) * v[j];
        all += a(i, j) * b(i, j);
      }
      EXPECT_NEAR((a * v)[i], av, kRounding);
    }
    EXPECT_NEAR(contract(a, b), all, kRounding);
  }
}

TEST(MathMat3, SumsAndScalingAreEntryByEntry) {
  Random random(2);
  const Mat3d a = random.matrix(), b = random.matrix();
  Mat3d sum = a;
  sum += b;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ((a + b)(i, j), a(i, j) + b(i, j));
      EXPECT_EQ((a - b)(i, j), a(i, j) - b(i, j));
      EXPECT_EQ((a * 3.0)(i, j), a(i, j) * 3);
      EXPECT_EQ((3.0 * a)(i, j), a(i, j) * 3);
      EXPECT_EQ(sum(i, j), a(i, j) + b(i, j));
    }
  }
}

TEST(MathMat3, EntriesAreRowThenColumn) {
  const Mat3d a{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};  // by columns
  EXPECT_EQ(a(0, 1), 4);
  EXPECT_EQ(a(1, 0), 2);
  EXPECT_EQ(a(2, 1), 6);
  EXPECT_EQ(trace(a), 15);
  const Mat3d d = Mat3d::diagonal({1, 2, 3});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(d(i, j), i == j ? i + 1 : 0);
      EXPECT_EQ(Mat3d::identity()(i, j), i == j ? 1 : 0);
      EXPECT_EQ(Mat3d::zero()(i, j), 0);
    }
  }
}

TEST(MathMat3, DeterminantIsTheSumOverPermutations) {
  constexpr int kPermutations[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                       {0, 2, 1, -1}, {2, 1, 0, -1}, {1, 0, 2, -1}};
  Random random(3);
  for (int sample = 0; sample < 100; ++sample) {
    const Mat3d a = random.matrix(), b = random.matrix();
    double sum = 0;
    for (const auto& p : kPermutations) sum += p[3] * a(0, p[0]) * a(1, p[1]) * a(2, p[2]);
    EXPECT_NEAR(determinant(a), sum, kRounding);
    EXPECT_NEAR(determinant(a * b), determinant(a) * determinant(b), 8 * kRounding);
  }
}

TEST(MathRotation, IsOrthogonalAndRightHanded) {
  Random random(4);
  for (int sample = 0; sample < 200; ++sample) {
    const double size = std::pow(10.0, random.uniform(-12, 2));
    const Mat3d R = rotation_from_vector(random.vector() * size);
    EXPECT_LT(orthogonality_error(R), 4 * kRounding) << size;
    EXPECT_NEAR(determinant(R), 1, 4 * kRounding) << size;
  }
}

TEST(MathRotation, KnownAnglesTurnCounterClockwise) {
  const double quarter = std::numbers::pi / 2;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Vec3d turn{0, 0, 0};
    for (const double angle : {0.0, 0.1, quarter, 2 * quarter, -quarter, 4 * quarter, 1.0}) {
      turn[axis] = angle;
      Mat3d expected = Mat3d::identity();
      expected(u, u) = expected(v, v) = std::cos(angle);
      expected(v, u) = std::sin(angle);
      expected(u, v) = -std::sin(angle);
      EXPECT_LT(norm(rotation_from_vector(turn) - expected), kRounding) << axis << " " << angle;
    }
  }
}

TEST(MathRotation, KeepsItsAxisAndHasItsAngle) {
  Random random(5);
  for (int sample = 0; sample < 100; ++sample) {
    const Vec3d v = random.vector();
    const Mat3d R = rotation_from_vector(v);
    EXPECT_LT(norm(R * v - v), kRounding);
    EXPECT_NEAR(trace(R), 1 + 2 * std::cos(norm(v)), kRounding);
    // Turning back undoes it; turning on adds angles.
    EXPECT_LT(norm(R * rotation_from_vector(-v) - Mat3d::identity()), 4 * kRounding);
    EXPECT_LT(norm(R * R - rotation_from_vector(2 * v)), 4 * kRounding);
  }
}

TEST(MathRotation, NoAngleAndTinyAnglesAreFirstOrder) {
  EXPECT_EQ(norm(rotation_from_vector({0, 0, 0}) - Mat3d::identity()), 0);
  for (const double size : {1e-320, 1e-200, 1e-160, 1e-100, 1e-20, 1e-9}) {
    const Mat3d R = rotation_from_vector({0, 0, size});
    EXPECT_LE(norm(R - Mat3d::identity()), 2 * size) << size;
  }
  EXPECT_NEAR(rotation_from_vector({0, 0, 1e-9})(1, 0), 1e-9, 1e-24);
}

}  // namespace
}  // namespace isochor
