#pragma once

#include "isochor/math/elementary.h"
#include "isochor/math/scalar.h"

/// Functions that laws need and that end at zero, or outgrow all numbers, continued beyond: by the
/// parabola that meets them with value, slope and curvature. A law built from them is defined, and
/// twice differentiable, for every F. Those of a ratio (of volume, of length) take it less 1, so
/// that small changes keep their digits.
namespace isochor::materials {

/// Below this ratio functions are continued, epsilon in [Sheen21 (11)].
inline constexpr double kContinuedBelow = 0.1;
/// Above this exponent the exponential is continued: e^30 is 10^13 times what a law has at rest.
inline constexpr double kLargestExponent = 30;

/// A function of one variable with its first two derivatives.
template <class T>
struct Smooth {
  T value, slope, curvature;
};

namespace detail {

/// A ratio less 1, no lower than where functions are continued.
template <class T>
ISOCHOR_KERNEL T kept_above(const T& change) {
  return max(change, T(kContinuedBelow - 1));
}

/// The parabola through (value, slope, curvature), a distance d beyond the point where they hold.
template <class T>
ISOCHOR_KERNEL Smooth<T> parabola(const Smooth<T>& at, const T& d) {
  return {at.value + d * (at.slope + T(0.5) * d * at.curvature), at.slope + d * at.curvature,
          at.curvature};
}

/// `at` was evaluated at kept_above(change).
template <class T>
ISOCHOR_KERNEL Smooth<T> continued(const Smooth<T>& at, const T& change) {
  return parabola(at, min(change - T(kContinuedBelow - 1), T(0)));
}

}  // namespace detail

/// ln x of x - 1.
template <class T>
ISOCHOR_KERNEL Smooth<T> smooth_log(const T& change) {
  const T c = detail::kept_above(change), inverse = T(1) / (c + T(1));
  return detail::continued<T>({log1p(c), inverse, -(inverse * inverse)}, change);
}

/// x^n - 1 of x - 1.
template <class T>
ISOCHOR_KERNEL Smooth<T> smooth_power(const T& change, const T& n) {
  const T c = detail::kept_above(change), inverse = T(1) / (c + T(1));
  const T less = expm1(n * log1p(c));
  const T slope = n * (less + T(1)) * inverse;
  return detail::continued<T>({less, slope, (n - T(1)) * slope * inverse}, change);
}

/// J^(-1/3) - 1 of J - 1: with the 1, the factor that takes the volume change out of F
/// [Sheen21 (11)].
template <class T>
ISOCHOR_KERNEL Smooth<T> deviatoric_factor(const T& change) {
  return smooth_power(change, T(-1.0 / 3));
}

/// e^x - 1.
template <class T>
ISOCHOR_KERNEL Smooth<T> smooth_exp(const T& x) {
  const T less = expm1(min(x, T(kLargestExponent))), value = less + T(1);
  return detail::parabola<T>({less, value, value}, max(x - T(kLargestExponent), T(0)));
}

/// U(J; beta) = (J - 1)^2 (beta (J - 1)^2 + 6) / 12 of J - 1 [Sheen21 (13), (14), (15)]: resists
/// compression more the larger beta, and is defined through J <= 0. beta = 0 is (J - 1)^2 / 2.
template <class T>
ISOCHOR_KERNEL Smooth<T> compression_penalty(const T& change, const T& beta) {
  const T steep = beta * change * change;
  return {T(1.0 / 12) * change * change * (steep + T(6)), T(1.0 / 3) * change * (steep + T(3)),
          steep + T(1)};
}

}  // namespace isochor::materials
