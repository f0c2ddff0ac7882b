#pragma once

#include <array>
#include <string_view>

#include "isochor/materials/invariant_law.h"

namespace isochor::materials {

/// Corotated linear elasticity [McAdams11 (2)]: mu |F - R|^2 + lambda/2 tr^2(R^T F - I). Its stress
/// [McAdams11 (6)] and exact differential [McAdams11 (10), (12)] follow from the invariants; of the
/// definiteness fix [McAdams11 sec 5, alg 1] only the rotations ever need it.
struct Corotated : InvariantLaw<Corotated> {
  static constexpr std::string_view kName = "corotated";
  static constexpr bool kHasStretches = true;
  static constexpr std::array<ShapeParameter, 0> kShape{};
  using InvariantLaw::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    return p.mu * s.e2 + T(0.5) * p.lambda * s.t * s.t;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    return {.t = p.lambda * s.t - T(2) * p.mu, .i1 = p.mu, .tt = p.lambda};
  }
};

}  // namespace isochor::materials
