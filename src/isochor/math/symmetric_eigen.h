#pragma once

#include "isochor/math/svd.h"

namespace isochor {

/// S = vectors diag(values) vectors^T, in no particular order; `vectors` is a rotation.
template <class T>
struct SymmetricEigen {
  Vec3<T> values;
  Mat3<T> vectors;
};

/// Eigenvalues and vectors of a symmetric matrix, by the turns of the SVD. Without a branch.
template <class T>
ISOCHOR_LARGE_KERNEL SymmetricEigen<T> symmetric_eigen(const Mat3<T>& S) {
  // What reaches rounding error; one sweep less leaves 2e-3 and 3e-8.
  constexpr int kSweeps = sizeof(Lane<T>) == 4 ? 4 : 5;
  T scale(0);
  for (int j = 0; j < 3; ++j) {
    for (int i = j; i < 3; ++i) scale = max(scale, abs(S(i, j)));
  }
  constexpr Lane<T> kSmallestScale = sizeof(Lane<T>) == 4 ? Lane<T>(1e-37) : Lane<T>(1e-307);
  scale = select(scale > T(kSmallestScale), scale, T(1));
  const T inverse = T(1) / scale;
  detail::Symmetric3<T> s{S(0, 0) * inverse, S(1, 0) * inverse, S(1, 1) * inverse,
                          S(2, 0) * inverse, S(2, 1) * inverse, S(2, 2) * inverse};
  Quaternion<T> q{{T(0), T(0), T(0)}, T(1)};
  detail::jacobi_sweeps(s, q, kSweeps, JacobiAngle::Close);
  return {Vec3<T>{s.s11, s.s22, s.s33} * scale, rotation(q)};
}

}  // namespace isochor
