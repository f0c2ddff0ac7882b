#include "isochor/math/scalar.h"

#include <gtest/gtest.h>
#include <limits>
#include <type_traits>

namespace isochor {
namespace {

template <class T>
class MathScalar : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(MathScalar, Numbers);

TYPED_TEST(MathScalar, SelectTakesTheFirstIfTrue) {
  using T = TypeParam;
  EXPECT_EQ(select(true, T(1), T(2)), T(1));
  EXPECT_EQ(select(false, T(1), T(2)), T(2));
  // The value that is not taken does no harm.
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(select(true, T(1), nan), T(1));
  EXPECT_EQ(select(false, nan, T(2)), T(2));
}

TYPED_TEST(MathScalar, ExtremesAndTypesAreKept) {
  using T = TypeParam;
  EXPECT_EQ(max(T(-3), T(2)), T(2));
  EXPECT_EQ(min(T(-3), T(2)), T(-3));
  EXPECT_EQ(max(T(2), T(2)), T(2));
  static_assert(std::is_same_v<decltype(max(T(1), T(2))), T>);
  static_assert(std::is_same_v<decltype(select(true, T(1), T(2))), T>);
  static_assert(std::is_same_v<decltype(abs(T(1))), T>);
  static_assert(std::is_same_v<decltype(sqrt(T(1))), T>);
  static_assert(std::is_same_v<Lane<T>, T>);
}

TYPED_TEST(MathScalar, ProductsAreAddedAndSubtracted) {
  using T = TypeParam;
  EXPECT_EQ(muladd(T(2), T(3), T(5)), T(11));
  EXPECT_EQ(mulsub(T(2), T(3), T(5)), T(1));
  EXPECT_EQ(negmuladd(T(2), T(3), T(5)), T(-1));
}

TYPED_TEST(MathScalar, InverseSquareRootsAreExactToTwoRoundings) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  double worst = 0;
  for (int k = Limits::min_exponent - 1; k < Limits::max_exponent; ++k) {
    for (T m = 1; m < 2; m += T(0.0137)) {
      const T x = std::ldexp(m, k);
      const double exact = 1 / std::sqrt(static_cast<double>(x));
      worst = std::max(worst, std::abs(inverse_sqrt(x) / exact - 1) / Limits::epsilon());
    }
  }
  EXPECT_LE(worst, 1);  // an epsilon is two roundings
  EXPECT_TRUE(std::isfinite(inverse_sqrt(T(0))));
}

TYPED_TEST(MathScalar, ScalingByPowersOfTwoIsExact) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (int k = Limits::min_exponent; k < Limits::max_exponent; ++k) {
    EXPECT_EQ(times_power_of_two(T(1.3), T(k)), std::ldexp(T(1.3), k));
    EXPECT_EQ(times_power_of_two(T(-0.7), T(k)), std::ldexp(T(-0.7), k));
  }
  EXPECT_EQ(times_power_of_two(Limits::max(), T(Limits::min_exponent - Limits::max_exponent)),
            std::ldexp(Limits::max(), Limits::min_exponent - Limits::max_exponent));
  EXPECT_EQ(times_power_of_two(T(0), T(0)), T(0));
}

TYPED_TEST(MathScalar, SplitGivesBackTheNumber) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T low = std::sqrt(T(0.5)), high = 2 * low;
  const auto check = [&](T x) {
    const SplitNumber<T> s = split_exponent(x);
    EXPECT_GE(s.mantissa, low) << x;
    EXPECT_LT(s.mantissa, high) << x;
    EXPECT_EQ(std::ldexp(s.mantissa, int(s.exponent)), x);
  };
  for (int k = Limits::min_exponent - 1; k < Limits::max_exponent; ++k) {
    for (const T m : {T(1), T(1.2), high, std::nextafter(high, T(0)), T(1.9)}) {
      check(std::ldexp(m, k));
    }
  }
  check(Limits::min());
  check(Limits::max());
}

}  // namespace
}  // namespace isochor
