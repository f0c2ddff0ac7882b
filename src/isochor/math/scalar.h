#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "isochor/base/platform.h"

/// The operations that a kernel may use on a number, whatever its type. A pack type supplies the
/// same names by argument-dependent lookup; a kernel never branches on a value. exp, log and their
/// like are in elementary.h.
namespace isochor {

using std::abs;
using std::sqrt;

ISOCHOR_KERNEL float select(bool condition, float a, float b) { return condition ? a : b; }
ISOCHOR_KERNEL double select(bool condition, double a, double b) { return condition ? a : b; }
ISOCHOR_KERNEL float max(float a, float b) { return a > b ? a : b; }
ISOCHOR_KERNEL double max(double a, double b) { return a > b ? a : b; }
ISOCHOR_KERNEL float min(float a, float b) { return a < b ? a : b; }
ISOCHOR_KERNEL double min(double a, double b) { return a < b ? a : b; }

/// a b + c, a b - c and c - a b. Packs round once where the processor can; scalars round twice
/// everywhere, so that results do not depend on the machine.
ISOCHOR_KERNEL float muladd(float a, float b, float c) { return a * b + c; }
ISOCHOR_KERNEL double muladd(double a, double b, double c) { return a * b + c; }
ISOCHOR_KERNEL float mulsub(float a, float b, float c) { return a * b - c; }
ISOCHOR_KERNEL double mulsub(double a, double b, double c) { return a * b - c; }
ISOCHOR_KERNEL float negmuladd(float a, float b, float c) { return c - a * b; }
ISOCHOR_KERNEL double negmuladd(double a, double b, double c) { return c - a * b; }

/// The type of one lane: what constants and tolerances depend on.
template <class T>
struct LaneOf {
  using type = T;
};
template <class T>
using Lane = typename LaneOf<T>::type;

template <class T>
concept Number = std::same_as < Lane<T>,
float > || std::same_as<Lane<T>, double>;

/// How an IEEE number is stored: sign, exponent plus kBias, mantissa.
template <Number S>
struct NumberFormat {
  using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int kMantissaBits = sizeof(S) == 4 ? 23 : 52;
  static constexpr int kBias = sizeof(S) == 4 ? 127 : 1023;
  /// From here on a number holds integers only, in the lowest bits of its mantissa. Adding it turns
  /// numbers into integers on every processor; AVX2 has no instruction for that with 64 bits.
  static constexpr S kIntegers = static_cast<S>(Bits{1} << kMantissaBits);
};

/// A number as the integer of its bits, and back. pack.h adds registers of numbers.
template <class T>
struct BitPattern {
  using Bits = typename NumberFormat<T>::Bits;
  static ISOCHOR_KERNEL constexpr Bits of(T number) { return std::bit_cast<Bits>(number); }
  static ISOCHOR_KERNEL constexpr T number(Bits bits) { return std::bit_cast<T>(bits); }
};

/// What begins an inverse square root: the exponent of 1/sqrt(x) is that of x, halved and negated
/// (Lomont 2003).
template <class S>
inline constexpr auto kInverseSqrtMagic = std::uint32_t{0x5f375a86};
template <>
inline constexpr auto kInverseSqrtMagic<double> = std::uint64_t{0x5fe6eb50c7b537a9};

/// 1/sqrt(x) to within 3.5 %, for normal positive x.
template <Number T>
ISOCHOR_KERNEL T first_inverse_sqrt(const T& x) {
  using Pattern = BitPattern<T>;
  const typename Pattern::Bits magic(kInverseSqrtMagic<Lane<T>>);
  return Pattern::number(magic - (Pattern::of(x) >> 1));
}

/// x 2^k for an integer k, exactly. x and the result must be normal numbers; for k = 0 any will do.
template <Number T>
ISOCHOR_KERNEL T times_power_of_two(const T& x, const T& k) {
  using Pattern = BitPattern<T>;
  using Format = NumberFormat<Lane<T>>;
  // The half makes room for negative k.
  const auto shift = Pattern::of(k + T(Lane<T>(1.5) * Format::kIntegers)) << Format::kMantissaBits;
  return Pattern::number(Pattern::of(x) + shift);
}

/// x = mantissa 2^exponent, with a mantissa from sqrt(1/2) to sqrt(2).
template <class T>
struct SplitNumber {
  T exponent, mantissa;
};

/// For normal positive x.
template <Number T>
ISOCHOR_KERNEL SplitNumber<T> split_exponent(const T& x) {
  using S = Lane<T>;
  using Pattern = BitPattern<T>;
  using Bits = typename Pattern::Bits;
  using Format = NumberFormat<S>;
  constexpr auto kLeast = BitPattern<S>::of(S(0.70710678118654752));
  constexpr auto kMantissa = (typename Format::Bits{1} << Format::kMantissaBits) - 1;
  // Moved so that the exponent in storage goes up by one at sqrt(2) 2^k instead of at 2^k.
  const Bits moved = Pattern::of(x) + Bits(BitPattern<S>::of(S(1)) - kLeast);
  const Bits exponent = moved >> Format::kMantissaBits;
  return {Pattern::number(exponent + Bits(BitPattern<S>::of(Format::kIntegers))) -
              T(Format::kIntegers + S(Format::kBias)),
          Pattern::number((moved & Bits(kMantissa)) + Bits(kLeast))};
}

/// 1/sqrt(x) for normal positive x, by multiplications alone, to within two roundings; a finite
/// number for zero. Wide registers divide and take roots so slowly that this is several times
/// faster; unlike the estimates that processors offer, it has the same bits on all of them.
template <Number T>
ISOCHOR_KERNEL T inverse_sqrt(const T& x) {
  const T half = T(0.5) * x;
  T y = first_inverse_sqrt(x);
  // With e = (1 - x y^2) / 2, 1/sqrt(x) = y (1 + e + 3/2 e^2 + ...). Three terms cube the error,
  // and two, which is Newton's method, square it.
  constexpr int kCubicSteps = sizeof(Lane<T>) == 4 ? 1 : 2;
  for (int i = 0; i < kCubicSteps; ++i) {
    const T e = negmuladd(half * y, y, T(0.5));
    y = muladd(y * e, muladd(e, T(1.5), T(1)), y);
  }
  return muladd(y, negmuladd(half * y, y, T(0.5)), y);
}

}  // namespace isochor
