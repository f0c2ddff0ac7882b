#pragma once

#include "isochor/materials/principal_law.h"

/// Isotropic laws as functions of invariants of the singular values:
///     t = sum sigma_i,  I1 = sum sigma_i^2,  I2 = sum sigma_i^2 sigma_j^2,  J = product.
/// A law gives its energy and its derivatives by the invariants; principal stresses and the tangent
/// follow here by the chain rule, once for all laws. Divided differences such as
/// (p_i - p_j) / (sigma_i - sigma_j) are done on paper: nothing is divided by a difference.
namespace isochor::materials {

/// The invariants seen from rest, so that small strains keep their digits.
template <class T>
struct Invariants {
  T t;   ///< t - 3
  T e2;  ///< sum (sigma_i - 1)^2
  T i1;  ///< I1 - 3
  T i2;  ///< I2 - 3
  T c2;  ///< sum (sigma_i^2 - 1)^2
  T j;   ///< J - 1

  explicit ISOCHOR_KERNEL Invariants(const Vec3<T>& sigma) {
    Vec3<T> e, c;
    for (int i = 0; i < 3; ++i) {
      e[i] = sigma[i] - T(1);
      c[i] = e[i] * (e[i] + T(2));
    }
    t = e[0] + e[1] + e[2];
    e2 = dot(e, e);
    i1 = T(2) * t + e2;
    i2 = T(2) * i1 + c[0] * c[1] + c[1] * c[2] + c[0] * c[2];
    c2 = dot(c, c);
    j = t + e[0] * e[1] + e[1] * e[2] + e[0] * e[2] + e[0] * e[1] * e[2];
  }

  /// Without singular values: t, e2, i2 and c2 are left out. For laws of I1 and J.
  explicit ISOCHOR_KERNEL Invariants(const Mat3<T>& F) : t(0), e2(0), i2(0), c2(0) {
    const Mat3<T> H = F - Mat3<T>::identity();
    i1 = T(2) * trace(H) + contract(H, H);
    const T minors = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0) + H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1) +
                     H(0, 0) * H(2, 2) - H(0, 2) * H(2, 0);
    j = trace(H) + minors + determinant(H);
  }
};

/// Derivatives of an energy by its invariants; those not named are zero.
template <class T>
struct InvariantDerivatives {
  T t{0}, i1{0}, i2{0}, j{0};
  T tt{0}, i1i1{0}, i1j{0}, i2j{0}, jj{0};
};

/// Law supplies
///   static T energy(const Invariants<T>&, p)
///   static InvariantDerivatives<T> derivatives(const Invariants<T>&, p)
template <class Law>
struct InvariantLaw : PrincipalLaw<Law> {
  using PrincipalLaw<Law>::energy;

  template <class T>
  static ISOCHOR_KERNEL T energy_of(const Vec3<T>& sigma, const Parameters<T>& p) {
    return Law::energy(Invariants<T>(sigma), p);
  }

  template <class T>
  static ISOCHOR_KERNEL Vec3<T> stress_of(const Vec3<T>& sigma, const Parameters<T>& p) {
    const InvariantDerivatives<T> d = Law::derivatives(Invariants<T>(sigma), p);
    Vec3<T> stress;
    for (int i = 0; i < 3; ++i) {
      const T a = sigma[(i + 1) % 3], b = sigma[(i + 2) % 3];
      stress[i] = d.t + T(2) * sigma[i] * (d.i1 + (a * a + b * b) * d.i2) + a * b * d.j;
    }
    return stress;
  }

  template <class T>
  static ISOCHOR_KERNEL void tangent_of(const Vec3<T>& sigma, const Parameters<T>& p,
                                        PrincipalTangent<T>& tangent) {
    const InvariantDerivatives<T> d = Law::derivatives(Invariants<T>(sigma), p);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const T si = sigma[i], sj = sigma[j], sk = sigma[k];
      const T ii = si * si, jj = sj * sj, kk = sk * sk;
      // dJ/dsigma_k is si sj, and so on round.
      tangent.stretch(k, k) = d.tt + T(2) * d.i1 + T(4) * kk * d.i1i1 +
                              T(4) * sk * si * sj * (d.i1j + (ii + jj) * d.i2j) + ii * jj * d.jj +
                              T(2) * (ii + jj) * d.i2;
      tangent.stretch(i, j) = tangent.stretch(j, i) =
          d.tt + T(4) * si * sj * (d.i1i1 + d.i2) +
          T(2) * sk * ((ii + jj) * (d.i1j + kk * d.i2j) + T(2) * ii * jj * d.i2j) +
          si * sj * kk * d.jj + sk * d.j;
      const T both = T(2) * (d.i1 + kk * d.i2);
      const T apart = T(2) * si * sj * d.i2 + sk * d.j;
      tangent.flip[k] = both - apart;
      tangent.twist[k] = both + apart + T(2) * d.t / detail::twist_divisor(si, sj);
    }
  }
};

}  // namespace isochor::materials
