#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

/// Neo-Hookean with the volume change taken out of the shear part, as in [Sheen21 (12)]:
/// mu/2 (J^(-2/3) I1 - 3) + kappa U(J; beta), kappa = lambda + 2 mu / 3, with Sheen's compression
/// penalty; J^(-1/3) is continued below J = 0.1.
struct NeoHookeanIsochoric : InvariantLaw<NeoHookeanIsochoric> {
  static constexpr std::string_view kName = "neo_hookean_isochoric";
  static constexpr std::array kShape{
      ShapeParameter{"beta", 0, Range::at_least(0),
                     "how much steeper than (J - 1)^2 volume changes are penalised (Sheen 2021)"}};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    const T less = deviatoric_factor(s.j).value, a = less + T(1);
    // a^2 I1 - 3 without losing the digits of a small strain.
    const T shear = a * a * s.i1 + T(3) * less * (a + T(1));
    return T(0.5) * p.mu * shear + bulk_modulus(p) * compression_penalty(s.j, p.shape[0]).value;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    const T i1 = s.i1 + T(3), kappa = bulk_modulus(p);
    const Smooth<T> less = deviatoric_factor(s.j), u = compression_penalty(s.j, p.shape[0]);
    const T a = less.value + T(1);
    return {.i1 = T(0.5) * p.mu * a * a,
            .j = p.mu * i1 * a * less.slope + kappa * u.slope,
            .i1j = p.mu * a * less.slope,
            .jj = p.mu * i1 * (less.slope * less.slope + a * less.curvature) + kappa * u.curvature};
  }
};

}  // namespace isochor::materials
