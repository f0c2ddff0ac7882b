#pragma once

#include "isochor/materials/principal.h"
#include "isochor/math/symmetric_eigen.h"

/// Isotropic laws as functions of invariants of the singular values:
///     t = sum sigma_i,  I1 = sum sigma_i^2,  I2 = sum sigma_i^2 sigma_j^2,  J = product.
/// A law gives its energy and its derivatives by the invariants; principal stresses and the tangent
/// follow here by the chain rule, once for all laws. Divided differences such as
/// (p_i - p_j) / (sigma_i - sigma_j) are done on paper: nothing is divided by a difference.
namespace isochor::materials {

/// The singular values seen from rest, so that small strains keep their digits.
template <class T>
struct Strains {
  explicit ISOCHOR_KERNEL Strains(const Vec3<T>& sigma) {
    for (int i = 0; i < 3; ++i) e[i] = sigma[i] - T(1);
    t = e[0] + e[1] + e[2];
    i1 = T(2) * t + dot(e, e);
    j = t + e[0] * e[1] + e[1] * e[2] + e[0] * e[2] + e[0] * e[1] * e[2];
  }
  Vec3<T> e;  ///< sigma_i - 1
  T t;        ///< t - 3
  T i1;       ///< I1 - 3
  T j;        ///< J - 1
};

/// Derivatives of an energy by its invariants; those not named are zero.
template <class T>
struct InvariantDerivatives {
  T t{0}, i1{0}, i2{0}, j{0};
  T tt{0}, i1i1{0}, i1j{0}, jj{0};
};

/// Law supplies
///   static T energy(sigma, mu, lambda)
///   static InvariantDerivatives<T> derivatives(sigma, mu, lambda)
template <class Law>
struct InvariantLaw {
  /// Principal values of the first Piola-Kirchhoff stress.
  template <class T>
  static ISOCHOR_KERNEL Vec3<T> stress(const Vec3<T>& sigma, const T& mu, const T& lambda) {
    const InvariantDerivatives<T> d = Law::derivatives(sigma, mu, lambda);
    Vec3<T> p;
    for (int i = 0; i < 3; ++i) {
      const T a = sigma[(i + 1) % 3], b = sigma[(i + 2) % 3];
      p[i] = d.t + T(2) * sigma[i] * (d.i1 + (a * a + b * b) * d.i2) + a * b * d.j;
    }
    return p;
  }

  template <class T>
  static ISOCHOR_KERNEL PrincipalTangent<T> tangent(const Vec3<T>& sigma, const T& mu,
                                                    const T& lambda) {
    // Two singular values whose sum vanishes have no unique rotation; the twist stays finite.
    constexpr double kSmallestDivisor = 1e-6;
    const InvariantDerivatives<T> d = Law::derivatives(sigma, mu, lambda);
    PrincipalTangent<T> tangent;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const T si = sigma[i], sj = sigma[j], sk = sigma[k];
      // dJ/dsigma_k is si sj, and so on round.
      tangent.stretch(k, k) = d.tt + T(2) * d.i1 + T(4) * sk * sk * d.i1i1 +
                              T(4) * sk * si * sj * d.i1j + si * sj * si * sj * d.jj +
                              T(2) * (si * si + sj * sj) * d.i2;
      tangent.stretch(i, j) = tangent.stretch(j, i) = d.tt + T(4) * si * sj * (d.i1i1 + d.i2) +
                                                      T(2) * sk * (si * si + sj * sj) * d.i1j +
                                                      si * sj * sk * sk * d.jj + sk * d.j;
      const T both = T(2) * (d.i1 + sk * sk * d.i2);
      const T apart = T(2) * si * sj * d.i2 + sk * d.j;
      tangent.flip[k] = both - apart;
      tangent.twist[k] = both + apart + T(2) * d.t / max(si + sj, T(kSmallestDivisor));
    }
    return tangent;
  }

  /// The nearest positive semi-definite tangent: every eigenvalue below zero becomes zero.
  template <class T>
  static ISOCHOR_KERNEL void make_definite(PrincipalTangent<T>& tangent) {
    const SymmetricEigen<T> f = symmetric_eigen(tangent.stretch);
    Vec3<T> clamped;
    for (int k = 0; k < 3; ++k) {
      clamped[k] = max(f.values[k], T(0));
      tangent.flip[k] = max(tangent.flip[k], T(0));
      tangent.twist[k] = max(tangent.twist[k], T(0));
    }
    const T lowest = min(f.values[0], min(f.values[1], f.values[2]));
    const Mat3<T> definite = times_transpose(f.vectors * Mat3<T>::diagonal(clamped), f.vectors);
    // A definite block stays as it is, to the last bit.
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        tangent.stretch(i, j) = select(lowest < T(0), definite(i, j), tangent.stretch(i, j));
      }
    }
  }
};

}  // namespace isochor::materials
