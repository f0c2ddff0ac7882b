#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "isochor/base/platform.h"

/// The operations that a kernel may use on a number, whatever its type. A pack type supplies the
/// same names by argument-dependent lookup; a kernel never branches on a value.
namespace isochor {

using std::abs;
using std::expm1;
using std::log1p;
using std::sqrt;

ISOCHOR_KERNEL float select(bool condition, float a, float b) { return condition ? a : b; }
ISOCHOR_KERNEL double select(bool condition, double a, double b) { return condition ? a : b; }
ISOCHOR_KERNEL float max(float a, float b) { return a > b ? a : b; }
ISOCHOR_KERNEL double max(double a, double b) { return a > b ? a : b; }
ISOCHOR_KERNEL float min(float a, float b) { return a < b ? a : b; }
ISOCHOR_KERNEL double min(double a, double b) { return a < b ? a : b; }

/// a b + c. Packs round once where the processor can; scalars round twice everywhere, so that
/// results do not depend on the machine.
ISOCHOR_KERNEL float muladd(float a, float b, float c) { return a * b + c; }
ISOCHOR_KERNEL double muladd(double a, double b, double c) { return a * b + c; }

/// The type of one lane: what constants and tolerances depend on.
template <class T>
struct LaneOf {
  using type = T;
};
template <class T>
using Lane = typename LaneOf<T>::type;

/// What begins an inverse square root, as an integer: the exponent of 1/sqrt(x) is that of x,
/// halved and negated (Lomont 2003).
template <class S>
inline constexpr auto kInverseSqrtMagic = std::int32_t{0x5f375a86};
template <>
inline constexpr auto kInverseSqrtMagic<double> = std::int64_t{0x5fe6eb50c7b537a9};

/// 1/sqrt(x) to within 3.5 %, for normal positive x.
ISOCHOR_KERNEL float first_inverse_sqrt(float x) {
  return std::bit_cast<float>(kInverseSqrtMagic<float> - (std::bit_cast<std::int32_t>(x) >> 1));
}
ISOCHOR_KERNEL double first_inverse_sqrt(double x) {
  return std::bit_cast<double>(kInverseSqrtMagic<double> - (std::bit_cast<std::int64_t>(x) >> 1));
}

/// 1/sqrt(x) for normal positive x, by multiplications alone, to within a few roundings. Wide
/// registers divide and take roots so slowly that this is several times faster; unlike the
/// estimates that processors offer, it has the same bits on all of them. Each step of Newton's
/// method squares the error.
template <class T>
ISOCHOR_KERNEL T inverse_sqrt(const T& x) {
  constexpr int kSteps = sizeof(Lane<T>) == 4 ? 3 : 4;
  T y = first_inverse_sqrt(x);
  const T half = T(-0.5) * x;
  for (int i = 0; i < kSteps; ++i) y = y * muladd(half * y, y, T(1.5));
  return y;
}

}  // namespace isochor
