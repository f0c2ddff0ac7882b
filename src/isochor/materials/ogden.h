#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/principal_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

/// Ogden with the volume change taken out, three terms:
///     sum_p 2 mu share_p / alpha_p^2 (sum_i (J^(-1/3) sigma_i)^alpha_p - 3) + kappa/2 (J - 1)^2,
/// share_1 = 1 - share_2 - share_3, kappa = lambda + 2 mu / 3. Powers are continued below
/// sigma_i = 0.1 and J = 0.1. In the notation mu_p / alpha_p (...) of many papers,
/// mu = sum_p mu_p alpha_p / 2 and share_p = mu_p alpha_p / (2 mu).
struct Ogden : PrincipalLaw<Ogden> {
  static constexpr std::string_view kName = "ogden";
  static constexpr std::array kShape{
      ShapeParameter{"alpha1", 2, Range::between(-40, 40), "exponent of the first term", Unit::None,
                     0, true},
      ShapeParameter{"alpha2", -2, Range::between(-40, 40), "exponent of the second term",
                     Unit::None, 0, true},
      ShapeParameter{"share2", 0, Range::between(-1, 1),
                     "part of the shear modulus that the second term makes"},
      ShapeParameter{"alpha3", 4, Range::between(-40, 40), "exponent of the third term", Unit::None,
                     0, true},
      ShapeParameter{"share3", 0, Range::between(-1, 1),
                     "part of the shear modulus that the third term makes"}};

  template <class T>
  static ISOCHOR_KERNEL T energy_of(const Vec3<T>& sigma, const Parameters<T>& p) {
    const T j = volume_change(sigma);
    T sum = T(0.5) * bulk_modulus(p) * j * j;
    for (int term = 0; term < 3; ++term) {
      const T alpha = exponent(p, term), m = factor(p, term);
      const T v = smooth_power(j, T(-1.0 / 3) * alpha).value;
      for (int i = 0; i < 3; ++i) {
        // (1 + v) (1 + s) - 1 without losing the digits of a small strain.
        const T s = smooth_power(sigma[i] - T(1), alpha).value;
        sum = sum + m * (v + s + v * s);
      }
    }
    return sum;
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL Vec3<T> stress_of(const Vec3<T>& sigma, const Parameters<T>& p) {
    const T j = volume_change(sigma);
    T by_volume = bulk_modulus(p) * j;
    Vec3<T> stress{T(0), T(0), T(0)};
    for (int term = 0; term < 3; ++term) {
      const T alpha = exponent(p, term), m = factor(p, term);
      const Smooth<T> v = smooth_power(j, T(-1.0 / 3) * alpha);
      T sum(3);
      for (int i = 0; i < 3; ++i) {
        const Smooth<T> s = smooth_power(sigma[i] - T(1), alpha);
        stress[i] = stress[i] + m * (v.value + T(1)) * s.slope;
        sum = sum + s.value;
      }
      by_volume = by_volume + m * v.slope * sum;
    }
    for (int i = 0; i < 3; ++i) {
      stress[i] = stress[i] + by_volume * sigma[(i + 1) % 3] * sigma[(i + 2) % 3];
    }
    return stress;
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL void tangent_of(const Vec3<T>& sigma, const Parameters<T>& p,
                                              PrincipalTangent<T>& tangent) {
    const T j = volume_change(sigma), kappa = bulk_modulus(p);
    const Vec3<T> dj{sigma[1] * sigma[2], sigma[2] * sigma[0], sigma[0] * sigma[1]};
    T by_volume = kappa * j, by_volume2 = kappa;
    const Vec3<T> none{T(0), T(0), T(0)};
    Vec3<T> slopes = none, curvatures = none, mixed = none, differences = none;
    for (int term = 0; term < 3; ++term) {
      const T alpha = exponent(p, term), m = factor(p, term);
      const Smooth<T> v = smooth_power(j, T(-1.0 / 3) * alpha);
      const T shear = m * (v.value + T(1));
      T sum(3);
      for (int i = 0; i < 3; ++i) {
        const Smooth<T> s = smooth_power(sigma[i] - T(1), alpha);
        slopes[i] = slopes[i] + shear * s.slope;
        curvatures[i] = curvatures[i] + shear * s.curvature;
        mixed[i] = mixed[i] + m * v.slope * s.slope;
        differences[i] = differences[i] +
                         shear * slope_difference(sigma[(i + 1) % 3], sigma[(i + 2) % 3], alpha);
        sum = sum + s.value;
      }
      by_volume = by_volume + m * v.slope * sum;
      by_volume2 = by_volume2 + m * v.curvature * sum;
    }
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, l = (k + 2) % 3;
      tangent.stretch(k, k) = curvatures[k] + T(2) * dj[k] * mixed[k] + by_volume2 * dj[k] * dj[k];
      tangent.stretch(i, l) = tangent.stretch(l, i) =
          dj[i] * mixed[l] + dj[l] * mixed[i] + by_volume2 * dj[i] * dj[l] + by_volume * sigma[k];
      tangent.flip[k] = differences[k] - by_volume * sigma[k];
      tangent.twist[k] = (slopes[i] + slopes[l]) / detail::twist_divisor(sigma[i], sigma[l]) +
                         by_volume * sigma[k];
    }
  }

 private:
  template <class T>
  static ISOCHOR_KERNEL T volume_change(const Vec3<T>& sigma) {
    const T a = sigma[0] - T(1), b = sigma[1] - T(1), c = sigma[2] - T(1);
    return a + b + c + a * b + b * c + c * a + a * b * c;
  }
  template <class T>
  static ISOCHOR_KERNEL T exponent(const Parameters<T>& p, int term) {
    return term == 0 ? p.shape[0] : p.shape[2 * term - 1];
  }
  /// What stands before the bracket.
  template <class T>
  static ISOCHOR_KERNEL T factor(const Parameters<T>& p, int term) {
    const T share = term == 0 ? T(1) - p.shape[2] - p.shape[4] : p.shape[2 * term];
    const T alpha = exponent(p, term);
    return T(2) * p.mu * share / (alpha * alpha);
  }

  /// (f'(a) - f'(b)) / (a - b) for f = smooth_power: exact also where a = b.
  template <class T>
  static ISOCHOR_KERNEL T slope_difference(const T& a, const T& b, const T& alpha) {
    // Above the continuation f' is alpha x^(alpha - 1), below it a straight line: each part counts
    // by its share of the way from a to b.
    const T low = T(kContinuedBelow);
    const T x = max(a, low), y = max(b, low), way = a - b, above = x - y;
    const auto apart = abs(way) > T(0);
    const T part = select(apart, above / select(apart, way, T(1)), select(a > low, T(1), T(0)));
    const T n = alpha - T(1), ratio = above / y;
    const auto differ = abs(ratio) > T(0);
    const T grown = select(differ, expm1(n * log1p(ratio)) / select(differ, ratio, T(1)), n);
    const T power = (smooth_power(y - T(1), alpha - T(2)).value + T(1)) * alpha;
    const T line = smooth_power(low - T(1), alpha).curvature;
    return part * power * grown + (T(1) - part) * line;
  }
};

}  // namespace isochor::materials
