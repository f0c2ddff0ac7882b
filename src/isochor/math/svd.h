#pragma once

#include <limits>

#include "isochor/math/mat3.h"

/// The singular value decomposition of 3x3 matrices, without a branch on a value.
///
/// After [McAdams11 sec 9.2]: Jacobi rotations diagonalise A^T A, which gives V; a Givens QR of A V
/// then gives U and the singular values. Two deviations:
/// - exact Jacobi rotations in place of the approximate ones: the same cost where square roots are
///   pipelined, and one sweep fewer;
/// - a second Jacobi pass on (A V)^T (A V). Forming A^T A squares the condition number, so graded
///   matrices (1, 1e-8, 0) otherwise lose half their digits, and more sweeps do not help.
namespace isochor {

/// A = U diag(sigma) V^T. U and V are rotations (determinant +1); sigma[0] >= sigma[1] >=
/// |sigma[2]|, and sigma[2] carries the sign of det A.
template <class T>
struct Svd {
  Mat3<T> U;
  Vec3<T> sigma;
  Mat3<T> V;
};

namespace detail {

/// Columns (p, q) times the rotation by (c, s).
template <class T>
ISOCHOR_KERNEL void rotate_columns(Mat3<T>& m, int p, int q, const T& c, const T& s) {
  const Vec3<T> a = m.column[p], b = m.column[q];
  m.column[p] = a * c - b * s;
  m.column[q] = a * s + b * c;
}

/// One Jacobi rotation that zeroes entry (p, q) of the symmetric S and is accumulated in V.
template <class T>
ISOCHOR_KERNEL void jacobi_rotation(Mat3<T>& S, Mat3<T>& V, int p, int q) {
  const int r = 3 - p - q;
  const T off = S(p, q), gap = S(q, q) - S(p, p);
  const T length = abs(gap) + sqrt(gap * gap + T(4) * off * off);
  const T tangent =
      select(length > T(0),
             T(2) * select(gap < T(0), -off, off) / select(length > T(0), length, T(1)), T(0));
  const T c = T(1) / sqrt(T(1) + tangent * tangent), s = tangent * c;
  S(p, p) = S(p, p) - tangent * off;
  S(q, q) = S(q, q) + tangent * off;
  S(p, q) = S(q, p) = T(0);
  const T rp = S(r, p), rq = S(r, q);
  S(r, p) = S(p, r) = c * rp - s * rq;
  S(r, q) = S(q, r) = s * rp + c * rq;
  rotate_columns(V, p, q, c, s);
}

/// Orders columns p and q by length, longest first, keeping both determinants.
template <class T>
ISOCHOR_KERNEL void order_columns(Mat3<T>& B, Mat3<T>& V, int p, int q) {
  const auto swap = dot(B.column[p], B.column[p]) < dot(B.column[q], B.column[q]);
  for (Mat3<T>* m : {&B, &V}) {
    for (int i = 0; i < 3; ++i) {
      const T a = (*m)(i, p), b = (*m)(i, q);
      (*m)(i, p) = select(swap, b, a);
      (*m)(i, q) = select(swap, -a, b);
    }
  }
}

/// The least number that is not denormal: squares below it have too few digits to divide by.
template <class T>
inline constexpr Lane<T> kLeastNormal = std::numeric_limits<Lane<T>>::min();

/// Zeroes B(q, j) by rotating rows p and q, and turns U along. Entries whose squares underflow are
/// nothing beside the largest singular value: they only get their sign.
template <class T>
ISOCHOR_KERNEL void qr_rotation(Mat3<T>& B, Mat3<T>& U, int p, int q, int j) {
  const T a = B(p, j), b = B(q, j), square = a * a + b * b;
  const auto some = square > T(kLeastNormal<T>);
  const T divisor = select(some, sqrt(square), T(1));
  const T c = select(some, a / divisor, select(a < T(0), T(-1), T(1)));
  const T s = select(some, b / divisor, T(0));
  for (int k = 0; k < 3; ++k) {
    const T x = B(p, k), y = B(q, k);
    B(p, k) = c * x + s * y;
    B(q, k) = c * y - s * x;
  }
  rotate_columns(U, p, q, c, -s);
}

}  // namespace detail

template <class T>
ISOCHOR_KERNEL Svd<T> svd(const Mat3<T>& A) {
  // Scaled to entries of at most 1: neither A^T A nor a length over- or underflows where it counts.
  T scale(0);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) scale = max(scale, abs(A(i, j)));
  }
  const auto zero = !(scale > T(detail::kLeastNormal<T>));
  const T inverse = T(1) / select(zero, T(1), scale);

  Svd<T> result;
  Mat3<T>& V = result.V;
  V = Mat3<T>::identity();
  Mat3<T> B = A * inverse;
  constexpr int kSweeps[2] = {4, 2};
  for (const int sweeps : kSweeps) {
    Mat3<T> S = transpose_times(B, B), turn = Mat3<T>::identity();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      detail::jacobi_rotation(S, turn, 0, 1);
      detail::jacobi_rotation(S, turn, 1, 2);
      detail::jacobi_rotation(S, turn, 0, 2);
    }
    B = B * turn;
    V = V * turn;
  }
  detail::order_columns(B, V, 0, 1);
  detail::order_columns(B, V, 0, 2);
  detail::order_columns(B, V, 1, 2);

  result.U = Mat3<T>::identity();
  detail::qr_rotation(B, result.U, 0, 1, 0);
  detail::qr_rotation(B, result.U, 0, 2, 0);
  detail::qr_rotation(B, result.U, 1, 2, 1);
  result.sigma = Vec3<T>{B(0, 0), B(1, 1), B(2, 2)} * scale;
  return result;
}

}  // namespace isochor
