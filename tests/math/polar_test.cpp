#include "isochor/math/polar.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "tests/math/random_matrix.h"

namespace isochor {
namespace {

constexpr double kUnits = 12;  // roundings that a result may be off by, as in svd_test.cpp

/// Upright, inverted and rank-deficient matrices.
std::vector<Mat3d> matrices_of_all_kinds() {
  Random random(1);
  std::vector<Mat3d> all = {Mat3d::zero(), Mat3d::identity(), Mat3d::identity() * -1.0,
                            Mat3d::diagonal({0, -2, 0}), Mat3d::diagonal({1, 1, -1})};
  for (int sample = 0; sample < 200; ++sample) {
    const double a = random.uniform(0.5, 2), b = random.uniform(0, 0.5);
    all.push_back(random.matrix());
    for (const Vec3d& sigma : {Vec3d{2, a, b}, Vec3d{2, a, -b}, Vec3d{1, a / 2, 0}, Vec3d{a, 0, 0},
                               Vec3d{1, 1, a / 2}, Vec3d{a, b, -b}, Vec3d{1, 1e-7, -1e-9}}) {
      all.push_back(random.with_singular_values(sigma));
    }
  }
  return all;
}

template <class T>
class MathPolar : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(MathPolar, Numbers);

TYPED_TEST(MathPolar, RotationTimesStretchIsTheMatrix) {
  using T = TypeParam;
  const double eps = kUnits * std::numeric_limits<T>::epsilon();
  for (const Mat3d& matrix : matrices_of_all_kinds()) {
    for (const double scale : {1.0, 1e-12, 1e12}) {
      const Mat3<T> A = cast<T>(matrix * scale);
      const Polar<T> p = polar_decomposition(A);
      EXPECT_LE(orthogonality_error(p.R), eps);
      EXPECT_NEAR(determinant(p.R), 1, eps);
      EXPECT_LE(norm(p.R * p.S - A), eps * norm(A));
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) EXPECT_EQ(p.S(i, j), p.S(j, i));
      }
    }
  }
}

TEST(MathPolarParts, StretchIsSemiDefiniteUnlessInverted) {
  Random random(2);
  for (const Mat3d& A : matrices_of_all_kinds()) {
    const Mat3d S = polar_decomposition(A).S;
    double lowest = 0;
    for (int sample = 0; sample < 50; ++sample) {
      const Vec3d v = random.vector();
      lowest = std::min(lowest, dot(v, S * v));
    }
    if (determinant(A) >= 0) {
      EXPECT_GE(lowest, -1e-14);
    }
    // The sign is that of the determinant, as R has none.
    EXPECT_NEAR(determinant(S), determinant(A), 1e-14);
  }
}

TEST(MathPolarParts, NoOtherRotationIsNearer) {
  Random random(3);
  for (const Mat3d& A : matrices_of_all_kinds()) {
    const Mat3d R = polar_decomposition(A).R;
    const double distance = norm(A - R);
    for (const double angle : {1e-3, 0.1, 2.0}) {
      const Mat3d other = rotation_from_vector(angle * random.vector()) * R;
      EXPECT_GE(norm(A - other), distance - 1e-14);
    }
  }
}

/// The rotation differential as printed: tr(S) I - S is inverted, by Cramer's rule.
Mat3d naive_differential(const Mat3d& F, const Mat3d& dF) {
  const auto [R, S] = polar_decomposition(F);
  const Mat3d M = transpose_times(R, dF), G = Mat3d::identity() * trace(S) - S;
  const Vec3d axial{M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1)};
  const double d = determinant(G);
  const Vec3d w{dot(axial, cross(G.column[1], G.column[2])) / d,
                dot(G.column[0], cross(axial, G.column[2])) / d,
                dot(G.column[0], cross(G.column[1], axial)) / d};
  return R * Mat3d{{{0, w[2], -w[1]}, {-w[2], 0, w[0]}, {w[1], -w[0], 0}}};
}

/// Singular values two of which do not nearly cancel: their rotation is well determined.
const std::vector<Vec3d> kDetermined = {{1, 1, 1},     {2, 1, 0.3},  {2, 1, -0.3},
                                        {1.5, 0.5, 0}, {3, 3, 0.01}, {1.2, 1, -0.5}};

TEST(MathRotationDifferential, AgreesWithThePrintedFormula) {
  Random random(4);
  for (const Vec3d& sigma : kDetermined) {
    for (int sample = 0; sample < 100; ++sample) {
      const Mat3d F = random.with_singular_values(sigma), dF = random.matrix();
      const Mat3d dR = rotation_differential(svd(F), dF);
      EXPECT_LE(norm(dR - naive_differential(F, dF)), 1e-13 * norm(dF));
    }
  }
}

TEST(MathRotationDifferential, DifferencesConvergeToItWithSecondOrder) {
  Random random(5);
  for (const Vec3d& sigma : kDetermined) {
    const Mat3d F = random.with_singular_values(sigma), dF = random.matrix();
    const Mat3d exact = rotation_differential(svd(F), dF);
    const auto error = [&](double h) {
      const Mat3d after = polar_decomposition(F + h * dF).R;
      const Mat3d before = polar_decomposition(F - h * dF).R;
      return norm((after - before) * (0.5 / h) - exact) / norm(exact);
    };
    for (int k = 5; k < 10; ++k) {
      const double coarse = error(std::ldexp(1.0, -k)), fine = error(std::ldexp(1.0, -k - 1));
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << k;
    }
    EXPECT_LT(error(0x1p-16), 1e-8);
  }
}

TEST(MathRotationDifferential, TurningTheMatrixTurnsItsRotation) {
  Random random(6);
  for (const Vec3d& sigma : kDetermined) {
    const Mat3d F = random.with_singular_values(sigma);
    const Vec3d w = random.vector();
    const Mat3d spin{{{0, w[2], -w[1]}, {-w[2], 0, w[0]}, {w[1], -w[0], 0}}};
    const Mat3d dR = rotation_differential(svd(F), spin * F);
    EXPECT_LE(norm(dR - spin * polar_decomposition(F).R), 1e-13);
    // Stretching along the axes of S turns nothing.
    const Polar<double> p = polar_decomposition(F);
    EXPECT_LE(norm(rotation_differential(svd(F), p.R * (p.S * p.S))), 1e-13);
  }
}

TEST(MathRotationDifferential, StaysFiniteWhereTheRotationIsNotUnique) {
  Random random(7);
  for (const Vec3d& sigma : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 0.5, -0.5}, Vec3d{1, 1, -1},
                             Vec3d{1, 1e-9, -1e-9}}) {
    for (int sample = 0; sample < 20; ++sample) {
      const Mat3d F = random.with_singular_values(sigma), dF = random.matrix();
      const Mat3d dR = rotation_differential(svd(F), dF);
      EXPECT_LE(norm(dR), 2e6 * norm(dF));
      // Still a rate of turning: R^T dR is skew.
      const Mat3d rate = transpose_times(polar_decomposition(F).R, dR);
      EXPECT_LE(norm(rate + transpose(rate)), 1e-14 * norm(dR));
    }
  }
}

}  // namespace
}  // namespace isochor
