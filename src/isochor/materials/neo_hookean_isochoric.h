#pragma once

#include <string_view>

#include "isochor/materials/invariant_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

/// Neo-Hookean with the volume change taken out of the shear part, as in [Sheen21 (12)]:
/// mu/2 (J^(-2/3) I1 - 3) + kappa/2 (J - 1)^2, kappa = lambda + 2 mu / 3, J^(-1/3) continued below
/// J = 0.1.
struct NeoHookeanIsochoric : InvariantLaw<NeoHookeanIsochoric> {
  static constexpr std::string_view kName = "neo_hookean_isochoric";

  template <class T>
  static ISOCHOR_KERNEL T energy(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const Strains<T> s(sigma);
    const T less = smooth_inverse_cube_root(s.j).value, a = less + T(1);
    // a^2 I1 - 3 without losing the digits of a small strain.
    const T shear = a * a * s.i1 + T(3) * less * (a + T(1));
    return T(0.5) * (mu * shear + bulk(mu, lambda) * s.j * s.j);
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Vec3<T>& sigma, const T& mu,
                                                            const T& lambda) {
    const Strains<T> s(sigma);
    const T i1 = s.i1 + T(3), kappa = bulk(mu, lambda);
    const Smooth<T> less = smooth_inverse_cube_root(s.j);
    const T a = less.value + T(1);
    return {.i1 = T(0.5) * mu * a * a,
            .j = mu * i1 * a * less.slope + kappa * s.j,
            .i1j = mu * a * less.slope,
            .jj = mu * i1 * (less.slope * less.slope + a * less.curvature) + kappa};
  }

 private:
  template <class T>
  static ISOCHOR_KERNEL T bulk(const T& mu, const T& lambda) {
    return lambda + T(2.0 / 3) * mu;
  }
};

}  // namespace isochor::materials
