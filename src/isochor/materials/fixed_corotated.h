#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"

namespace isochor::materials {

/// Corotated elasticity that measures volume by J (Stomakhin et al. 2012):
/// mu |F - R|^2 + lambda/2 (J - 1)^2.
struct FixedCorotated : InvariantLaw<FixedCorotated> {
  static constexpr std::string_view kName = "fixed_corotated";
  static constexpr bool kHasStretches = true;
  static constexpr std::array<ShapeParameter, 0> kShape{};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    return p.mu * s.e2 + T(0.5) * p.lambda * s.j * s.j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    return {.t = T(-2) * p.mu, .i1 = p.mu, .j = p.lambda * s.j, .jj = p.lambda};
  }
};

}  // namespace isochor::materials
