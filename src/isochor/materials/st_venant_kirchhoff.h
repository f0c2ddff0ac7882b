#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"

namespace isochor::materials {

/// St Venant-Kirchhoff: mu tr(E^2) + lambda/2 tr^2(E) with Green's strain E = (F^T F - I) / 2.
/// Softens in compression and does not resist inversion.
struct StVenantKirchhoff : InvariantLaw<StVenantKirchhoff> {
  static constexpr std::string_view kName = "st_venant_kirchhoff";
  static constexpr bool kHasSecondInvariant = true;
  static constexpr std::array<ShapeParameter, 0> kShape{};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    return T(0.25) * p.mu * s.c2 + T(0.125) * p.lambda * s.i1 * s.i1;
  }

  /// tr(E^2) = (I1^2 - 2 I2 - 2 I1 + 3) / 4.
  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    return {.i1 = T(0.5) * p.mu * (s.i1 + T(2)) + T(0.25) * p.lambda * s.i1,
            .i2 = T(-0.5) * p.mu,
            .i1i1 = T(0.5) * p.mu + T(0.25) * p.lambda};
  }
};

}  // namespace isochor::materials
