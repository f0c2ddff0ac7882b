#pragma once

#include "isochor/math/scalar.h"

/// Functions of the volume ratio J that laws need and that end at J = 0, continued through it:
/// below kContinuedBelow by the parabola that meets them with value, slope and curvature. A law
/// built from them is defined, and twice differentiable, for every F. They take J - 1, so that
/// small volume changes keep their digits.
namespace isochor::materials {

inline constexpr double kContinuedBelow = 0.1;

/// A function of J with its first two derivatives.
template <class T>
struct Smooth {
  T value, slope, curvature;
};

namespace detail {

/// J - 1, no lower than where functions are continued.
template <class T>
ISOCHOR_KERNEL T kept_above(const T& change) {
  return max(change, T(kContinuedBelow - 1));
}

/// The parabola through (value, slope, curvature) at kContinuedBelow, where J is below it. `at`
/// was evaluated at kept_above(change).
template <class T>
ISOCHOR_KERNEL Smooth<T> continued(const Smooth<T>& at, const T& change) {
  const T d = min(change - T(kContinuedBelow - 1), T(0));
  return {at.value + d * (at.slope + T(0.5) * d * at.curvature), at.slope + d * at.curvature,
          at.curvature};
}

}  // namespace detail

/// ln J.
template <class T>
ISOCHOR_KERNEL Smooth<T> smooth_log(const T& change) {
  const T c = detail::kept_above(change), inverse = T(1) / (c + T(1));
  return detail::continued<T>({log1p(c), inverse, -(inverse * inverse)}, change);
}

/// J^(-1/3) - 1: with the 1, the factor that takes the volume change out of F [Sheen21 (11)].
template <class T>
ISOCHOR_KERNEL Smooth<T> smooth_inverse_cube_root(const T& change) {
  const T c = detail::kept_above(change), inverse = T(1) / (c + T(1));
  const T less = expm1(T(-1.0 / 3) * log1p(c));
  const T slope = T(-1.0 / 3) * (less + T(1)) * inverse;
  return detail::continued<T>({less, slope, T(-4.0 / 3) * slope * inverse}, change);
}

}  // namespace isochor::materials
