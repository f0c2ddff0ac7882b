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

}  // namespace
}  // namespace isochor
