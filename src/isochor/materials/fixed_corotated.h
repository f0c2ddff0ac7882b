#pragma once

#include <string_view>

#include "isochor/materials/invariant_law.h"

namespace isochor::materials {

/// Corotated elasticity that measures volume by J (Stomakhin et al. 2012):
/// mu |F - R|^2 + lambda/2 (J - 1)^2.
struct FixedCorotated : InvariantLaw<FixedCorotated> {
  static constexpr std::string_view kName = "fixed_corotated";

  template <class T>
  static ISOCHOR_KERNEL T energy(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const Strains<T> s(sigma);
    return mu * dot(s.e, s.e) + T(0.5) * lambda * s.j * s.j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Vec3<T>& sigma, const T& mu,
                                                            const T& lambda) {
    const Strains<T> s(sigma);
    return {.t = T(-2) * mu, .i1 = mu, .j = lambda * s.j, .jj = lambda};
  }
};

}  // namespace isochor::materials
