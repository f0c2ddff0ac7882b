#pragma once

#include <string_view>

#include "isochor/materials/principal.h"

/// Corotated linear elasticity [McAdams11 (2)]: psi = mu |F - R|^2 + lambda/2 tr^2(R^T F - I),
/// in singular values mu sum (sigma_i - 1)^2 + lambda/2 (sum sigma_i - 3)^2.
namespace isochor::materials {

struct Corotated {
  static constexpr std::string_view kName = "corotated";

  template <class T>
  static ISOCHOR_KERNEL T energy(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const Vec3<T> e{sigma[0] - T(1), sigma[1] - T(1), sigma[2] - T(1)};
    const T tr = e[0] + e[1] + e[2];
    return mu * dot(e, e) + T(0.5) * lambda * tr * tr;
  }

  /// Principal values of P = R [2 mu (S - I) + lambda tr(S - I) I] [McAdams11 (6)].
  template <class T>
  static ISOCHOR_KERNEL Vec3<T> stress(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const T volumetric = lambda * (sigma[0] + sigma[1] + sigma[2] - T(3));
    Vec3<T> p;
    for (int i = 0; i < 3; ++i) p[i] = T(2) * mu * (sigma[i] - T(1)) + volumetric;
    return p;
  }

  /// The exact differential [McAdams11 (10), (12)]. tr(S) I - S is singular for some inverted
  /// states; there the divisor is held away from zero, so that the twist mode stays finite.
  template <class T>
  static ISOCHOR_KERNEL PrincipalTangent<T> tangent(const Vec3<T>& sigma, const T& mu,
                                                    const T& lambda) {
    const T tr = sigma[0] + sigma[1] + sigma[2];
    const T rotation = T(2) * lambda * (tr - T(3)) - T(4) * mu;
    const T two_mu = T(2) * mu;
    PrincipalTangent<T> t;
    t.stretch = Mat3<T>::diagonal({two_mu, two_mu, two_mu});
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) t.stretch(i, j) = t.stretch(i, j) + lambda;
    }
    t.flip = {two_mu, two_mu, two_mu};
    for (int k = 0; k < 3; ++k) {
      t.twist[k] = two_mu + rotation / max(tr - sigma[k], T(kSmallestDivisor));
    }
    return t;
  }

  /// The nearest positive semi-definite tangent [McAdams11 sec 5, alg 1]. `stretch` and `flip` are
  /// definite for mu > 0, 3 lambda + 2 mu > 0, so that only rotations need a clamp.
  template <class T>
  static ISOCHOR_KERNEL void make_definite(PrincipalTangent<T>& t) {
    for (int k = 0; k < 3; ++k) t.twist[k] = max(t.twist[k], T(0));
  }

 private:
  static constexpr double kSmallestDivisor = 1e-6;
};

}  // namespace isochor::materials
