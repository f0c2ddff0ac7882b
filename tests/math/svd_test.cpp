#include "isochor/math/svd.h"

#include <Eigen/SVD>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "tests/math/random_matrix.h"

namespace isochor {
namespace {

/// Errors are measured in units of the rounding of T times the largest singular value. Measured on
/// these matrices: 8 at most.
constexpr double kUnits = 12;

template <class T>
class MathSvd : public testing::Test {
 protected:
  static constexpr double kEps = std::numeric_limits<T>::epsilon();

  /// Everything that the header promises, for one matrix.
  static void check(const Mat3<T>& A, const SvdSweeps sweeps = kSvdSweeps<T>) {
    const Svd<T> f = svd(A, sweeps);
    Eigen::Matrix3d dense;
    Mat3d exact, U, V;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        exact(i, j) = dense(i, j) = double(A(i, j));
        U(i, j) = double(f.U(i, j));
        V(i, j) = double(f.V(i, j));
      }
    }
    const Vec3d sigma{double(f.sigma[0]), double(f.sigma[1]), double(f.sigma[2])};
    const Eigen::Vector3d expected = Eigen::JacobiSVD<Eigen::Matrix3d>(dense).singularValues();
    const double tolerance = kUnits * kEps * expected[0];

    ASSERT_TRUE(std::isfinite(orthogonality_error(U)) && std::isfinite(orthogonality_error(V)));
    EXPECT_LE(orthogonality_error(U), kUnits * kEps) << dense;
    EXPECT_LE(orthogonality_error(V), kUnits * kEps) << dense;
    EXPECT_NEAR(determinant(U), 1, kUnits * kEps) << dense;
    EXPECT_NEAR(determinant(V), 1, kUnits * kEps) << dense;
    const Mat3d error = times_transpose(U * Mat3d::diagonal(sigma), V) - exact;
    EXPECT_LE(norm(error), tolerance) << dense;

    // Order holds up to rounding, signs of the first two exactly.
    EXPECT_GE(sigma[0], 0) << dense;
    EXPECT_GE(sigma[1], 0) << dense;
    EXPECT_GE(sigma[0], sigma[1] - tolerance) << dense;
    EXPECT_GE(sigma[1], std::abs(sigma[2]) - tolerance) << dense;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(sigma[i]), expected[i], tolerance) << dense;
    if (expected[2] > 1e-3 * expected[0]) {
      EXPECT_EQ(sigma[2] < 0, determinant(exact * (1 / expected[0])) < 0) << dense;
    }
  }
  /// The same matrix and its mirror image, in several orientations.
  static void check_sigma(Random& random, const Vec3d& sigma) {
    for (int turn = 0; turn < 8; ++turn) {
      check(cast<T>(random.with_singular_values(sigma)));
      check(cast<T>(random.with_singular_values({sigma[0], sigma[1], -sigma[2]})));
    }
    check(cast<T>(Mat3d::diagonal(sigma)));
    check(cast<T>(Mat3d::diagonal({-sigma[2], sigma[0], sigma[1]})));
  }
};

using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(MathSvd, Numbers);

TYPED_TEST(MathSvd, RandomMatrices) {
  Random random(1);
  for (int sample = 0; sample < 3000; ++sample) this->check(cast<TypeParam>(random.matrix()));
}

TYPED_TEST(MathSvd, NearlyRigidMatrices) {
  Random random(2);
  for (int sample = 0; sample < 500; ++sample) {
    const double strain = std::pow(10.0, random.uniform(-16, 0));
    this->check(cast<TypeParam>(random.rotation() + strain * random.matrix()));
  }
}

TYPED_TEST(MathSvd, RankZeroToTwo) {
  Random random(3);
  this->check(Mat3<TypeParam>::zero());
  for (int sample = 0; sample < 50; ++sample) {
    this->check_sigma(random, {random.uniform(0.1, 3), 0, 0});
    this->check_sigma(random, {2, random.uniform(0.1, 2), 0});
  }
  // Exactly singular: repeated columns, one entry.
  for (int i = 0; i < 9; ++i) {
    Mat3<TypeParam> a = Mat3<TypeParam>::zero();
    a(i % 3, i / 3) = TypeParam(-2);
    this->check(a);
  }
  const Vec3<TypeParam> v{1, -2, 3}, zero{0, 0, 0};
  this->check({{v, v, v}});
  this->check({{v, -v, zero}});
  this->check({{zero, zero, v}});
}

TYPED_TEST(MathSvd, RepeatedSingularValues) {
  Random random(4);
  for (int sample = 0; sample < 20; ++sample) {
    this->check_sigma(random, {1, 1, 1});
    this->check_sigma(random, {2, 2, 0.5});
    this->check_sigma(random, {2, 0.5, 0.5});
    this->check_sigma(random, {1, 1, 0});
  }
}

TYPED_TEST(MathSvd, GradedMatrices) {
  Random random(5);
  for (int a = 0; a <= 16; ++a) {
    for (int b = a; b <= 18; ++b) {
      this->check_sigma(random, {1, std::pow(10.0, -a), std::pow(10.0, -b)});
    }
  }
}

TYPED_TEST(MathSvd, ScaledMatrices) {
  Random random(6);
  // Eight decades from both ends of float, and far beyond what a scene holds in double.
  const int most = sizeof(TypeParam) == 4 ? 30 : 150;
  for (int power = -most; power <= most; power += 6) {
    for (int sample = 0; sample < 10; ++sample) {
      this->check(cast<TypeParam>(random.matrix() * std::pow(10.0, power)));
      this->check(
          cast<TypeParam>(random.with_singular_values({1, 1e-5, 1e-9}) * std::pow(10.0, power)));
    }
  }
}

TYPED_TEST(MathSvd, SquaresThatUnderflowDoNoHarm) {
  using T = TypeParam;
  // Two singular values whose squares are not normal numbers, in every mantissa.
  const T least = std::sqrt(std::numeric_limits<T>::min());
  for (T small = 64 * least; small > least * T(1e-6); small *= T(0.7)) {
    this->check(Mat3<T>::diagonal({1, small, 0}));
    this->check(Mat3<T>::diagonal({1, -small, small / 3}));
    this->check({{{1, 0, 0}, {0, small, small / 2}, {0, -small / 3, small}}});
  }
}

TYPED_TEST(MathSvd, PublishedAnglesConvergeInMoreSweeps) {
  Random random(7);
  for (int sample = 0; sample < 500; ++sample) {
    this->check(cast<TypeParam>(random.matrix()), {4, 4, JacobiAngle::Published});
  }
}

TYPED_TEST(MathSvd, ATurnLeavesLittleOfItsEntry) {
  using T = TypeParam;
  for (double ratio = 1e-3; ratio < 1e3; ratio *= 1.01) {
    for (const double sign : {1.0, -1.0}) {
      const T s21 = static_cast<T>(sign * ratio / (1 + ratio)),
              gap = static_cast<T>(1 / (1 + ratio));
      for (const T d : {gap, -gap}) {
        detail::Symmetric3<T> s{d, s21, T(0), T(0), T(0), T(0)};
        Quaternion<T> q{{T(0), T(0), T(0)}, T(1)};
        detail::jacobi_turn<0, 1, 2>(s, q, JacobiAngle::Close);
        // The entry is s31 after the turn.
        const double left = std::abs(double(s.s31) / double(s21)), small = std::min(ratio, 1.0);
        EXPECT_LE(left, std::min(0.023, 2 * small * small) + 4 * this->kEps / small) << ratio;
      }
    }
  }
}

TYPED_TEST(MathSvd, NumbersBelowNormalGiveRotations) {
  using T = TypeParam;
  for (const T tiny : {std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min() / 64,
                       std::numeric_limits<T>::min(), 64 * std::numeric_limits<T>::min()}) {
    const Svd<T> f = svd(Mat3<T>{{{tiny, 0, -tiny}, {0, tiny, tiny}, {tiny, 0, 0}}});
    EXPECT_LE(orthogonality_error(f.U), kUnits * this->kEps) << tiny;
    EXPECT_LE(orthogonality_error(f.V), kUnits * this->kEps) << tiny;
    for (int i = 0; i < 3; ++i) EXPECT_LE(std::abs(f.sigma[i]), 4 * tiny);
  }
}

}  // namespace
}  // namespace isochor
