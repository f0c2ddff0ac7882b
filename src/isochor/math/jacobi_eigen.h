#pragma once

#include "isochor/math/scalar.h"

namespace isochor {

/// A = sum_k values[k] vectors[k] vectors[k]^T, in no particular order; vectors are orthonormal.
template <class T, int N>
struct JacobiEigen {
  T values[N];
  T vectors[N][N];  ///< [k] is the k-th vector
};

/// Eigenvalues and vectors of a symmetric N x N matrix A(i, j), by cyclic Jacobi rotations: exact
/// angles, a fixed number of sweeps, no branch on a value. For the odd small matrix; a 3x3 matrix
/// is better served by symmetric_eigen.
template <class T, int N, class Matrix>
ISOCHOR_LARGE_KERNEL JacobiEigen<T, N> jacobi_eigen(const Matrix& A) {
  // Convergence is quadratic once entries are small; measured for N = 9.
  constexpr int kSweeps = sizeof(Lane<T>) == 4 ? 6 : 8;
  constexpr Lane<T> kTiny = sizeof(Lane<T>) == 4 ? Lane<T>(1e-18) : Lane<T>(1e-150);
  T a[N][N];
  JacobiEigen<T, N> result;
  T scale(0);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      scale = max(scale, abs(A(i, j)));
      result.vectors[i][j] = T(i == j ? 1 : 0);
    }
  }
  scale = select(scale > T(kTiny), scale, T(1));
  const T inverse = T(1) / scale;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) a[i][j] = A(i, j) * inverse;
  }

  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int p = 0; p < N; ++p) {
      for (int q = p + 1; q < N; ++q) {
        // The smaller root t = tan(angle) of t^2 + 2 theta t - 1 = 0, written without a division by
        // a_pq, which may be nothing.
        const T gap = T(0.5) * (a[q][q] - a[p][p]), apq = a[p][q];
        const T root = sqrt(muladd(gap, gap, apq * apq));
        const T divisor = abs(gap) + root;
        const T quotient = apq / select(divisor > T(kTiny), divisor, T(1));
        const T t = select(gap < T(0), -quotient, quotient);
        const T c = T(1) / sqrt(muladd(t, t, T(1))), s = t * c;
        const T change = t * apq;
        a[p][p] = a[p][p] - change;
        a[q][q] = a[q][q] + change;
        a[p][q] = a[q][p] = T(0);
        for (int k = 0; k < N; ++k) {
          const T vp = result.vectors[p][k], vq = result.vectors[q][k];
          result.vectors[p][k] = mulsub(c, vp, s * vq);
          result.vectors[q][k] = muladd(s, vp, c * vq);
          if (k == p || k == q) continue;
          const T x = a[p][k], y = a[q][k];
          a[p][k] = a[k][p] = mulsub(c, x, s * y);
          a[q][k] = a[k][q] = muladd(s, x, c * y);
        }
      }
    }
  }
  for (int k = 0; k < N; ++k) result.values[k] = a[k][k] * scale;
  return result;
}

}  // namespace isochor
