#pragma once

#include <string_view>

#include "isochor/materials/invariant_law.h"

namespace isochor::materials {

/// Corotated linear elasticity [McAdams11 (2)]: mu |F - R|^2 + lambda/2 tr^2(R^T F - I). Its stress
/// [McAdams11 (6)] and exact differential [McAdams11 (10), (12)] follow from the invariants; of the
/// definiteness fix [McAdams11 sec 5, alg 1] only the rotations ever need it.
struct Corotated : InvariantLaw<Corotated> {
  static constexpr std::string_view kName = "corotated";

  template <class T>
  static ISOCHOR_KERNEL T energy(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const Strains<T> s(sigma);
    return mu * dot(s.e, s.e) + T(0.5) * lambda * s.t * s.t;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Vec3<T>& sigma, const T& mu,
                                                            const T& lambda) {
    const Strains<T> s(sigma);
    return {.t = lambda * s.t - T(2) * mu, .i1 = mu, .tt = lambda};
  }
};

}  // namespace isochor::materials
