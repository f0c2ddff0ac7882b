#include "isochor/math/half.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace isochor {
namespace {

TEST(Half, EveryNumberComesBackFromSinglePrecision) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{std::uint16_t(bits)};
    const float number = to_float(half);
    if (std::isnan(number)) {
      EXPECT_TRUE(std::isnan(to_float(to_half(number))));
    } else {
      ASSERT_EQ(to_half(number).bits, half.bits);
    }
  }
}

TEST(Half, NumbersHaveTheirValues) {
  for (int exponent = 1; exponent < 31; ++exponent) {
    for (int mantissa = 0; mantissa < 1024; ++mantissa) {
      const Half half{std::uint16_t(exponent << 10 | mantissa)};
      ASSERT_EQ(to_float(half), std::ldexp(1024.0f + float(mantissa), exponent - 25));
    }
  }
  for (int mantissa = 0; mantissa < 1024; ++mantissa) {
    ASSERT_EQ(to_float({std::uint16_t(mantissa)}), std::ldexp(float(mantissa), -24));
  }
  EXPECT_EQ(to_float({0x7c00}), INFINITY);
  EXPECT_TRUE(std::signbit(to_float({0x8000})));
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = to_float({bits}), high = to_float({std::uint16_t(bits + 1)});
    const float middle = low + (high - low) / 2;
    const float above = std::nextafter(middle, INFINITY), below = std::nextafter(middle, 0.0f);
    ASSERT_EQ(to_half(above).bits, bits + 1);
    ASSERT_EQ(to_half(below).bits, bits);
    ASSERT_EQ(to_half(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(to_half(-above).bits, 0x8000 | (bits + 1));
  }
  EXPECT_EQ(to_half(65519.0f).bits, 0x7bff) << "65504 is nearest";
  EXPECT_EQ(to_half(65520.0f).bits, 0x7c00) << "infinity is";
  EXPECT_EQ(to_half(std::numeric_limits<float>::max()).bits, 0x7c00);
}

}  // namespace
}  // namespace isochor
