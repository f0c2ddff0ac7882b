#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

/// Neo-Hookean with a logarithm: mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J, the logarithm continued
/// below J = 0.1.
struct NeoHookean : InvariantLaw<NeoHookean> {
  static constexpr std::string_view kName = "neo_hookean";
  static constexpr std::array<ShapeParameter, 0> kShape{};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    const T log_j = smooth_log(s.j).value;
    return p.mu * (T(0.5) * s.i1 - log_j) + T(0.5) * p.lambda * log_j * log_j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    const Smooth<T> l = smooth_log(s.j);
    const T by_log = p.lambda * l.value - p.mu;
    return {.i1 = T(0.5) * p.mu,
            .j = by_log * l.slope,
            .jj = by_log * l.curvature + p.lambda * l.slope * l.slope};
  }
};

}  // namespace isochor::materials
