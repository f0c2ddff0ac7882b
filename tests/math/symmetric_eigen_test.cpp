#include "isochor/math/symmetric_eigen.h"

#include <gtest/gtest.h>
#include <limits>

#include "tests/math/random_matrix.h"

namespace isochor {
namespace {

template <class T>
class MathSymmetricEigen : public testing::Test {
 protected:
  /// Measured on these matrices: 10 roundings at most.
  static constexpr T kTolerance = 16 * std::numeric_limits<T>::epsilon();

  static void check(const Mat3d& matrix) {
    Mat3<T> S = cast<T>(matrix);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) S(j, i) = S(i, j);
    }
    const SymmetricEigen<T> f = symmetric_eigen(S);
    EXPECT_LE(orthogonality_error(f.vectors), kTolerance);
    EXPECT_NEAR(determinant(f.vectors), 1, kTolerance);
    const Mat3<T> back = times_transpose(f.vectors * Mat3<T>::diagonal(f.values), f.vectors);
    EXPECT_LE(norm(back - S), kTolerance * norm(S));
  }
  static void check_values(Random& random, const Vec3d& values) {
    const Mat3d R = random.rotation();
    check(times_transpose(R * Mat3d::diagonal(values), R));
  }
};

using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(MathSymmetricEigen, Numbers);

TYPED_TEST(MathSymmetricEigen, VectorsAndValuesGiveBackTheMatrix) {
  Random random(1);
  for (int sample = 0; sample < 3000; ++sample) {
    const Mat3d A = random.matrix();
    this->check(A + transpose(A));
    const double small = std::pow(10.0, random.uniform(-8, 0)), s = random.uniform(-1, 1);
    this->check_values(random, {1, small, s * small});
    this->check_values(random, {1, 1 + small, 1 + s * small});
    this->check_values(random, {s, -s, small});
  }
}

TYPED_TEST(MathSymmetricEigen, SimpleMatrices) {
  this->check(Mat3d::zero());
  this->check(Mat3d::identity() * -1e-20);
  this->check({{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
  // Every matrix of small integers.
  for (int code = 0; code < 729; ++code) {
    Mat3d S;
    int rest = code;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) {
        S(i, j) = S(j, i) = rest % 3 - 1;
        rest /= 3;
      }
    }
    this->check(S);
  }
}

}  // namespace
}  // namespace isochor
