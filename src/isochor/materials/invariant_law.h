#pragma once

#include <type_traits>

#include "isochor/materials/principal_law.h"

/// Isotropic laws as functions of invariants of the singular values:
///     t = sum sigma_i,  I1 = sum sigma_i^2,  I2 = sum sigma_i^2 sigma_j^2,  J = product.
/// A law gives its energy and its derivatives by the invariants; principal stresses and the tangent
/// follow here by the chain rule, once for all laws. Divided differences such as
/// (p_i - p_j) / (sigma_i - sigma_j) are done on paper: nothing is divided by a difference.
namespace isochor::materials {

/// J - 1.
template <class T>
ISOCHOR_KERNEL T volume_change(const Mat3<T>& F) {
  const Mat3<T> H = F - Mat3<T>::identity();
  const T minors = H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0) + H(1, 1) * H(2, 2) - H(1, 2) * H(2, 1) +
                   H(0, 0) * H(2, 2) - H(0, 2) * H(2, 0);
  return trace(H) + minors + determinant(H);
}

/// dJ/dF.
template <class T>
ISOCHOR_KERNEL Mat3<T> cofactors(const Mat3<T>& F) {
  return {{cross(F.column[1], F.column[2]), cross(F.column[2], F.column[0]),
           cross(F.column[0], F.column[1])}};
}

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

  /// Without singular values, from c = F^T F - I: t and e2 are left out. Rounding leaves an error
  /// in c where F is a large rotation. Energies of small strains are what is left when I1 and J
  /// cancel to first order: J is made of the same c there, so that their errors cancel, too.
  explicit ISOCHOR_KERNEL Invariants(const Mat3<T>& F) : t(0), e2(0) {
    const Mat3<T> H = F - Mat3<T>::identity();
    const auto entry = [&](int i, int k) {
      return H(i, k) + H(k, i) + dot(H.column[i], H.column[k]);
    };
    const T a = entry(0, 0), b = entry(1, 1), c = entry(2, 2);
    const T p = entry(1, 2), q = entry(0, 2), r = entry(0, 1);
    const T pp = p * p, qq = q * q, rr = r * r;
    const T minors = (a * b - rr) + (b * c - pp) + (a * c - qq);
    i1 = a + b + c;
    i2 = T(2) * i1 + minors;
    c2 = a * a + b * b + c * c + T(2) * (pp + qq + rr);
    const T more = i1 + minors + a * (b * c - pp) - r * (r * c - p * q) + q * (r * p - b * q);
    const T root = sqrt(max(T(1) + more, T(0)));
    const auto small = c2 < T(0.1);
    j = volume_change(F);
    j = select(small, select(j > T(-1), more / (T(1) + root), -T(1) - root), j);
  }
};

/// Derivatives of an energy by its invariants; those not named are zero.
template <class T>
struct InvariantDerivatives {
  T t{0}, i1{0}, i2{0}, j{0};
  T tt{0}, i1i1{0}, i1j{0}, i2j{0}, jj{0};
};

/// Second derivatives by F of a function of I1 = F : F and J: what I2 adds is left out.
template <class T>
ISOCHOR_LARGE_KERNEL DenseTangent<T> tangent_by_invariants(const Mat3<T>& F,
                                                           const InvariantDerivatives<T>& d) {
  const Mat3<T> C = cofactors(F);
  DenseTangent<T> K;
  for (int c = 0; c < 9; ++c) {
    const T f = F(c % 3, c / 3), g = C(c % 3, c / 3);  // NOLINT: copies stay in registers
    const T by_f = T(4) * d.i1i1 * f + T(2) * d.i1j * g, by_g = T(2) * d.i1j * f + d.jj * g;
    for (int r = 0; r <= c; ++r) K(r, c) = by_f * F(r % 3, r / 3) + by_g * C(r % 3, r / 3);
    K(c, c) = K(c, c) + T(2) * d.i1;
  }
  // d cof_ij / dF_kl = epsilon_ikm epsilon_jln F_mn.
  for (int m = 0; m < 3; ++m) {
    for (int n = 0; n < 3; ++n) {
      const int i = (m + 1) % 3, k = (m + 2) % 3, j = (n + 1) % 3, l = (n + 2) % 3;
      const T by_j = d.j * F(m, n);
      K(i + 3 * j, k + 3 * l) = K(i + 3 * j, k + 3 * l) + by_j;
      K(k + 3 * j, i + 3 * l) = K(k + 3 * j, i + 3 * l) - by_j;
    }
  }
  return K;
}

/// What depends on I2 says so by a member kHasSecondInvariant, on t or e2 by kHasStretches.
template <class Law>
inline constexpr bool kHasSecondInvariant = requires {
  Law::kHasSecondInvariant;
};
template <class Law>
inline constexpr bool kHasStretches = requires {
  Law::kHasStretches;
};

template <class Law>
struct InvariantLaw;

/// Whether the tangent, too, needs no singular values, unless it has to be definite.
template <class Law>
inline constexpr bool kByInvariants =
    std::is_base_of_v<InvariantLaw<Law>, Law> && !kHasStretches<Law> && !kHasSecondInvariant<Law>;

/// Law supplies
///   static T energy(const Invariants<T>&, p)
///   static InvariantDerivatives<T> derivatives(const Invariants<T>&, p)
/// Energies and stresses of laws that have no stretches need no singular values.
template <class Law>
struct InvariantLaw : PrincipalLaw<Law> {
  template <class T>
  static ISOCHOR_LARGE_KERNEL T energy(const Mat3<T>& F, const Parameters<T>& p) {
    if constexpr (kHasStretches<Law>) {
      return PrincipalLaw<Law>::energy(F, p);
    } else {
      return Law::energy(Invariants<T>(F), p);
    }
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL Response<T> respond(const Mat3<T>& F, const Parameters<T>& p) {
    if constexpr (kHasStretches<Law>) {
      return PrincipalLaw<Law>::respond(F, p);
    } else {
      const Invariants<T> s(F);
      const InvariantDerivatives<T> d = Law::derivatives(s, p);
      Mat3<T> stress = (T(2) * d.i1) * F + d.j * cofactors(F);
      if constexpr (kHasSecondInvariant<Law>) {
        // dI2/dF = 2 (I1 F - F C).
        const T twice = T(2) * d.i2;
        stress += (twice * (s.i1 + T(3))) * F - twice * (F * transpose_times(F, F));
      }
      return {Law::energy(s, p), stress};
    }
  }

  /// The exact tangent as a whole matrix.
  template <class T>
  static ISOCHOR_LARGE_KERNEL DenseTangent<T> linearise_whole(
      const Mat3<T>& F, const Parameters<T>& p) requires kByInvariants<Law> {
    return tangent_by_invariants(F, Law::derivatives(Invariants<T>(F), p));
  }

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
