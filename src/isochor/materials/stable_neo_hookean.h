#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"
#include "isochor/math/elementary.h"

namespace isochor::materials {

/// Stable neo-Hookean (Smith et al. 2018): m/2 (I1 - 3) + l/2 (J - a)^2 - m/2 ln(I1 + 1), with
/// a = 1 + 3 m / (4 l), and m = 4/3 mu, l = lambda + 5/6 mu so that small strains are those of
/// linear elasticity. The square is written out: it needs no l in a denominator, and the energy is
/// zero at rest.
struct StableNeoHookean : InvariantLaw<StableNeoHookean> {
  static constexpr std::string_view kName = "stable_neo_hookean";
  static constexpr std::array<ShapeParameter, 0> kShape{};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    const T m = T(4.0 / 3) * p.mu, l = p.lambda + T(5.0 / 6) * p.mu;
    return T(0.5) * m * (s.i1 - log1p(T(0.25) * s.i1)) - T(0.75) * m * s.j + T(0.5) * l * s.j * s.j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    const T m = T(4.0 / 3) * p.mu, l = p.lambda + T(5.0 / 6) * p.mu;
    const T inverse = T(1) / (s.i1 + T(4));
    return {.i1 = T(0.5) * m * (T(1) - inverse),
            .j = l * s.j - T(0.75) * m,
            .i1i1 = T(0.5) * m * inverse * inverse,
            .jj = l};
  }
};

}  // namespace isochor::materials
