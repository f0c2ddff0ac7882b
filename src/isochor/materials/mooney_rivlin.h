#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

/// Mooney-Rivlin with the volume change taken out:
/// c1 (J^(-2/3) I1 - 3) + c2 (J^(-4/3) I2 - 3) + kappa/2 (J - 1)^2, mu = 2 (c1 + c2),
/// kappa = lambda + 2 mu / 3; J^(-1/3) is continued below J = 0.1.
struct MooneyRivlin : InvariantLaw<MooneyRivlin> {
  static constexpr std::string_view kName = "mooney_rivlin";
  static constexpr bool kHasSecondInvariant = true;
  static constexpr std::array kShape{ShapeParameter{
      "c2", 0, Range::at_least(0),
      "factor of the second invariant, at most mu / 2; c1 is mu / 2 - c2", Unit::Pressure, 0.5}};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    const T c2 = p.mu * p.shape[0], c1 = T(0.5) * p.mu - c2;
    const T less = deviatoric_factor(s.j).value, a = less + T(1), a2 = a * a;
    // a^2 - 1 and a^4 - 1 without losing the digits of a small strain.
    const T less2 = less * (a + T(1)), less4 = less2 * (a2 + T(1));
    return c1 * (a2 * s.i1 + T(3) * less2) + c2 * (a2 * a2 * s.i2 + T(3) * less4) +
           T(0.5) * bulk_modulus(p) * s.j * s.j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    const T c2 = p.mu * p.shape[0], c1 = T(0.5) * p.mu - c2, kappa = bulk_modulus(p);
    const T i1 = s.i1 + T(3), i2 = s.i2 + T(3);
    const Smooth<T> less = deviatoric_factor(s.j);
    const T a = less.value + T(1), a2 = a * a, slope2 = less.slope * less.slope;
    // Derivatives of a^2 and of a^4 by J.
    const T by2 = T(2) * a * less.slope, by4 = T(4) * a2 * a * less.slope;
    const T by22 = T(2) * (slope2 + a * less.curvature);
    const T by44 = T(4) * a2 * (T(3) * slope2 + a * less.curvature);
    return {.i1 = c1 * a2,
            .i2 = c2 * a2 * a2,
            .j = c1 * i1 * by2 + c2 * i2 * by4 + kappa * s.j,
            .i1j = c1 * by2,
            .i2j = c2 * by4,
            .jj = c1 * i1 * by22 + c2 * i2 * by44 + kappa};
  }
};

}  // namespace isochor::materials
