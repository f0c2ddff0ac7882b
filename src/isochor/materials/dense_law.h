#pragma once

#include "isochor/materials/invariant_law.h"

/// Laws with directions of their own. They see F in their own axes: the first along the fibres, the
/// second across them in the sheet. An energy is that of an isotropic matrix, a function of I1, J
/// and, if it says so, I2, plus a function of Green's strain E = (F^T F - I) / 2.
namespace isochor::materials {

/// A symmetric 3x3 matrix as six numbers: 11, 22, 33, 23, 31, 12.
constexpr int symmetric_index(int i, int j) { return i == j ? i : 6 - i - j; }

/// A function of Green's strain with its derivatives.
template <class T>
struct GreenEnergy {
  T energy{0};
  T stress[6]{};      ///< second Piola-Kirchhoff, Pa
  T tangent[6][6]{};  ///< its derivative, as entries of the fourth-order tensor
};

/// A matrix that resists nothing but a change of volume: kappa/2 (J - 1)^2.
struct VolumeMatrix {
  template <class T>
  static ISOCHOR_KERNEL T energy(const Invariants<T>& s, const Parameters<T>& p) {
    return T(0.5) * bulk_modulus(p) * s.j * s.j;
  }
  template <class T>
  static ISOCHOR_KERNEL InvariantDerivatives<T> derivatives(const Invariants<T>& s,
                                                            const Parameters<T>& p) {
    const T kappa = bulk_modulus(p);
    return {.j = kappa * s.j, .jj = kappa};
  }
};

/// Law supplies
///   static GreenEnergy<T> green(const T (&E)[6], p)
template <class Law, class Matrix>
struct DenseLaw {
  template <class T>
  using Tangent = DenseTangent<T>;

  template <class T>
  static ISOCHOR_LARGE_KERNEL T energy(const Mat3<T>& F, const Parameters<T>& p) {
    T E[6];
    green_strain(F, E);
    return Matrix::energy(Invariants<T>(F), p) + Law::green(E, p).energy;
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL Response<T> respond(const Mat3<T>& F, const Parameters<T>& p) {
    T E[6];
    green_strain(F, E);
    const Invariants<T> s(F);
    GreenEnergy<T> g = Law::green(E, p);
    const InvariantDerivatives<T> d = Matrix::derivatives(s, p);
    if constexpr (kHasSecondInvariant<Matrix>) add_second_invariant(E, d.i2, g);
    return {Matrix::energy(s, p) + g.energy,
            (T(2) * d.i1) * F + d.j * cofactors(F) + F * symmetric(g.stress)};
  }

  template <class T>
  static ISOCHOR_LARGE_KERNEL DenseTangent<T> linearise(const Mat3<T>& F, const Parameters<T>& p) {
    T E[6];
    green_strain(F, E);
    const InvariantDerivatives<T> d = Matrix::derivatives(Invariants<T>(F), p);
    GreenEnergy<T> g = Law::green(E, p);
    DenseTangent<T> K = tangent_by_invariants(F, d);
    if constexpr (kHasSecondInvariant<Matrix>) {
      add_second_invariant(E, d.i2, g);
      add_cross_part(F, E, d.i2j, K);
    }
    add_green_part(F, g, K);
    return K;
  }

 private:
  template <class T>
  static ISOCHOR_KERNEL void green_strain(const Mat3<T>& F, T (&E)[6]) {
    const Mat3<T> H = F - Mat3<T>::identity();
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i <= j; ++i) {
        E[symmetric_index(i, j)] = T(0.5) * (H(i, j) + H(j, i) + dot(H.column[i], H.column[j]));
      }
    }
  }

  template <class T>
  static ISOCHOR_KERNEL Mat3<T> symmetric(const T (&entries)[6]) {
    Mat3<T> S;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) S(i, j) = entries[symmetric_index(i, j)];
    }
    return S;
  }

  /// dI2/dE = 4 ((1 + tr E) I - E).
  template <class T>
  static ISOCHOR_KERNEL void second_invariant_gradient(const T (&E)[6], T (&gradient)[6]) {
    const T t = T(1) + E[0] + E[1] + E[2];
    for (int i = 0; i < 3; ++i) {
      gradient[i] = T(4) * (t - E[i]);
      gradient[3 + i] = T(-4) * E[3 + i];
    }
  }

  /// `by_i2` times the derivatives of I2, a quadratic function of Green's strain.
  template <class T>
  static ISOCHOR_KERNEL void add_second_invariant(const T (&E)[6], const T& by_i2,
                                                  GreenEnergy<T>& to) {
    T gradient[6];
    second_invariant_gradient(E, gradient);
    for (int a = 0; a < 6; ++a) to.stress[a] = to.stress[a] + by_i2 * gradient[a];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i != j) to.tangent[i][j] = to.tangent[i][j] + T(4) * by_i2;
      }
      to.tangent[3 + i][3 + i] = to.tangent[3 + i][3 + i] - T(2) * by_i2;
    }
  }

  /// What the mixed derivative by I2 and J adds: gradients of the two, one times the other.
  template <class T>
  static ISOCHOR_LARGE_KERNEL void add_cross_part(const Mat3<T>& F, const T (&E)[6],
                                                  const T& by_i2j, DenseTangent<T>& K) {
    T gradient[6];
    second_invariant_gradient(E, gradient);
    const Mat3<T> A = F * symmetric(gradient), C = cofactors(F);
    for (int c = 0; c < 9; ++c) {
      const T by_a = by_i2j * C(c % 3, c / 3), by_c = by_i2j * A(c % 3, c / 3);
      for (int r = 0; r <= c; ++r) {
        K(r, c) = K(r, c) + by_a * A(r % 3, r / 3) + by_c * C(r % 3, r / 3);
      }
    }
  }

  /// dP = dF S + F (D : F^T dF): block (j, l) of the tangent is S_jl I + F A F^T, A_ab = D_ajbl.
  template <class T>
  static ISOCHOR_LARGE_KERNEL void add_green_part(const Mat3<T>& F, const GreenEnergy<T>& g,
                                                  DenseTangent<T>& K) {
    for (int l = 0; l < 3; ++l) {
      for (int j = 0; j <= l; ++j) {
        Mat3<T> A;
        for (int b = 0; b < 3; ++b) {
          for (int a = 0; a < 3; ++a) {
            A(a, b) = g.tangent[symmetric_index(a, j)][symmetric_index(b, l)];
          }
        }
        const Mat3<T> block = times_transpose(F * A, F);
        for (int k = 0; k < 3; ++k) {
          for (int i = 0; i < 3; ++i) {
            if (j == l && i > k) continue;
            T& entry = K(i + 3 * j, k + 3 * l);
            entry = entry + block(i, k);
            if (i == k) entry = entry + g.stress[symmetric_index(j, l)];
          }
        }
      }
    }
  }
};

/// A tangent seen from axes in which the law's own are the columns of Q: F -> F Q, P -> P Q^T.
template <class T>
ISOCHOR_LARGE_KERNEL DenseTangent<T> turned(const DenseTangent<T>& K, const Mat3<T>& Q) {
  // First the columns of dF, then, by symmetry, those of dP.
  T half[9][9];
  for (int r = 0; r < 9; ++r) {
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        half[r][k + 3 * l] = K(r, k) * Q(l, 0) + K(r, k + 3) * Q(l, 1) + K(r, k + 6) * Q(l, 2);
      }
    }
  }
  DenseTangent<T> result;
  for (int c = 0; c < 9; ++c) {
    for (int r = 0; r <= c; ++r) {
      const int i = r % 3, j = r / 3;
      result(r, c) = half[i][c] * Q(j, 0) + half[i + 3][c] * Q(j, 1) + half[i + 6][c] * Q(j, 2);
    }
  }
  return result;
}

}  // namespace isochor::materials
