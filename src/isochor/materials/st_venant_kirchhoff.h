#pragma once

#include <string_view>

#include "isochor/materials/invariant_law.h"

namespace isochor::materials {

/// St Venant-Kirchhoff: mu tr(E^2) + lambda/2 tr^2(E) with Green's strain E = (F^T F - I) / 2.
/// Softens in compression and does not resist inversion.
struct StVenantKirchhoff : InvariantLaw<StVenantKirchhoff> {
  static constexpr std::string_view kName = "st_venant_kirchhoff";

  template <class T>
  static ISOCHOR_KERNEL T energy(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const Strains<T> s(sigma);
    Vec3<T> green;
    for (int i = 0; i < 3; ++i) green[i] = T(0.5) * s.e[i] * (s.e[i] + T(2));
    const T tr = T(0.5) * s.i1;
    return mu * dot(green, green) + T(0.5) * lambda * tr * tr;
  }

  /// tr(E^2) = (I1^2 - 2 I2 - 2 I1 + 3) / 4.
  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Vec3<T>& sigma, const T& mu,
                                                            const T& lambda) {
    const Strains<T> s(sigma);
    return {.i1 = T(0.5) * mu * (s.i1 + T(2)) + T(0.25) * lambda * s.i1,
            .i2 = T(-0.5) * mu,
            .i1i1 = T(0.5) * mu + T(0.25) * lambda};
  }
};

}  // namespace isochor::materials
