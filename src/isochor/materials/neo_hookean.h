#pragma once

#include <string_view>

#include "isochor/materials/invariant_law.h"
#include "isochor/materials/smooth.h"

namespace isochor::materials {

/// Neo-Hookean with a logarithm: mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J, the logarithm continued
/// below J = 0.1.
struct NeoHookean : InvariantLaw<NeoHookean> {
  static constexpr std::string_view kName = "neo_hookean";

  template <class T>
  static ISOCHOR_KERNEL T energy(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const Strains<T> s(sigma);
    const T log_j = smooth_log(s.j).value;
    return mu * (T(0.5) * s.i1 - log_j) + T(0.5) * lambda * log_j * log_j;
  }

  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Vec3<T>& sigma, const T& mu,
                                                            const T& lambda) {
    const Smooth<T> l = smooth_log(Strains<T>(sigma).j);
    const T by_log = lambda * l.value - mu;
    return {.i1 = T(0.5) * mu,
            .j = by_log * l.slope,
            .jj = by_log * l.curvature + lambda * l.slope * l.slope};
  }
};

}  // namespace isochor::materials
