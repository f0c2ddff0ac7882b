#pragma once

#include "isochor/math/svd.h"

namespace isochor {

/// A = R S with the rotation R that is nearest to A (determinant +1 even where det A < 0) and S
/// symmetric. S is positive semi-definite where det A >= 0; otherwise the smallest of its
/// eigenvalues in magnitude is negative.
template <class T>
struct Polar {
  Mat3<T> R, S;
};

/// R and S of the matrix that `f` decomposes.
template <class T>
ISOCHOR_KERNEL Polar<T> polar_decomposition(const Svd<T>& f) {
  Polar<T> p;
  p.R = times_transpose(f.U, f.V);
  // One triangle, mirrored: symmetric to the last bit.
  const Mat3<T> stretched = f.V * Mat3<T>::diagonal(f.sigma), turned = transpose(f.V);
  for (int j = 0; j < 3; ++j) {
    const Vec3<T> column = stretched * turned.column[j];
    for (int i = j; i < 3; ++i) p.S(i, j) = p.S(j, i) = column[i];
  }
  return p;
}

template <class T>
ISOCHOR_KERNEL Polar<T> polar_decomposition(const Mat3<T>& A) {
  return polar_decomposition(svd(A));
}

/// How R turns when F = U diag(sigma) V^T changes by dF [McAdams11 (12)]. In the frame of the SVD
/// the matrix tr(S) I - S is diagonal, and dR = U W V^T with
///     W_ij = (D_ij - D_ji) / (sigma_i + sigma_j),  D = U^T dF V.
/// Two singular values whose sum vanishes have no unique rotation: the divisor is held above
/// kSmallestDivisor, and dR stays finite.
template <class T>
ISOCHOR_KERNEL Mat3<T> rotation_differential(const Svd<T>& f, const Mat3<T>& dF) {
  constexpr double kSmallestDivisor = 1e-6;
  const Mat3<T> D = transpose_times(f.U, dF * f.V);
  Mat3<T> W = Mat3<T>::zero();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const T w = (D(i, j) - D(j, i)) / max(f.sigma[i] + f.sigma[j], T(kSmallestDivisor));
    W(i, j) = w;
    W(j, i) = -w;
  }
  return times_transpose(f.U * W, f.V);
}

}  // namespace isochor
