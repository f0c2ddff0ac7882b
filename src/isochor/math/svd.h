#pragma once

#include "isochor/math/mat3.h"

/// The singular value decomposition of 3x3 matrices, without a branch on a value
/// [McAdams11 sec 9.2]: Jacobi rotations, cheap and approximate, diagonalise A^T A and are gathered
/// in a quaternion, which gives V; a Givens QR of A V then gives U and the singular values.
///
/// Two deviations. A second Jacobi pass works on (A V)^T (A V): forming A^T A squares the condition
/// number, so that graded matrices such as (1, 1e-8, 0) lose half their digits in the first pass,
/// and more sweeps do not help. And inverse square roots do without the estimates of processors, so
/// that all of them give the same bits.
namespace isochor {

/// A = U diag(sigma) V^T. U and V are rotations (determinant +1); sigma[0] >= sigma[1] >=
/// |sigma[2]|, and sigma[2] carries the sign of det A.
template <class T>
struct Svd {
  Mat3<T> U;
  Vec3<T> sigma;
  Mat3<T> V;
};

/// Jacobi sweeps in the first and in the second pass.
struct SvdSweeps {
  int first, second;
};
/// What reaches rounding error, measured by `isochor reproduce mcadams/svd`.
template <class T>
inline constexpr SvdSweeps kSvdSweeps = sizeof(Lane<T>) == 4 ? SvdSweeps{4, 2} : SvdSweeps{4, 4};
/// As printed in the paper.
inline constexpr SvdSweeps kPublishedSvdSweeps{4, 0};

namespace detail {

/// Squares below this are denormal numbers, or near them: slow, and without digits.
template <class T>
inline constexpr Lane<T> kSmallestSquare = sizeof(Lane<T>) == 4 ? Lane<T>(1e-36) : Lane<T>(1e-300);

template <class T>
struct Quaternion {
  Vec3<T> v;
  T w;
};

/// The lower triangle of a symmetric matrix.
template <class T>
struct Symmetric3 {
  T s11, s21, s22, s31, s32, s33;
};

/// Turns S in its (1, 2) plane towards s21 = 0 and renumbers its axes cyclically, so that three
/// calls make a sweep; the quaternion, whose axes stay, has Z for the axis of this turn.
///
/// The half angle (ch, sh) ~ (2 (s11 - s22), s21) is exact to third order for small angles. Where
/// it is too large for that, pi / 8 still shrinks s21 by 0.6 or better [McAdams11 alg 4].
template <int X, int Y, int Z, class T>
ISOCHOR_KERNEL void jacobi_turn(Symmetric3<T>& s, Quaternion<T>& q) {
  constexpr double kGamma = 5.828427124746190;                                    // 3 + 2 sqrt(2)
  constexpr double kCosine = 0.923879532511286756, kSine = 0.382683432365089772;  // of pi / 8
  const T gap = s.s11 - s.s22, twice = gap + gap;
  const T sh2 = s.s21 * s.s21, ch2 = twice * twice;
  const auto counts = sh2 > T(kSmallestSquare<T>);
  const auto small = T(kGamma) * sh2 < ch2;
  const T inverse = inverse_sqrt(select(counts, ch2 + sh2, T(1)));
  const T ch = select(counts, select(small, twice * inverse, T(kCosine)), T(1));
  const T sh = select(counts, select(small, s.s21 * inverse, T(kSine)), T(0));

  const T c = muladd(ch, ch, -(sh * sh)), n = (sh + sh) * ch;
  const T a = muladd(c, s.s11, n * s.s21), b = muladd(c, s.s21, n * s.s22);
  const T d = muladd(c, s.s21, -(n * s.s11)), e = muladd(c, s.s22, -(n * s.s21));
  s = {.s11 = muladd(c, e, -(n * d)),
       .s21 = muladd(c, s.s32, -(n * s.s31)),
       .s22 = s.s33,
       // What the turn leaves over; nothing once it is too small to matter.
       .s31 = select(counts, muladd(c, d, n * e), T(0)),
       .s32 = muladd(c, s.s31, n * s.s32),
       .s33 = muladd(c, a, n * b)};

  const Quaternion<T> p = q;
  q.v[X] = muladd(p.v[X], ch, p.v[Y] * sh);
  q.v[Y] = muladd(p.v[Y], ch, -(p.v[X] * sh));
  q.v[Z] = muladd(p.v[Z], ch, p.w * sh);
  q.w = muladd(p.w, ch, -(p.v[Z] * sh));
}

/// The rotation of a quaternion of any length.
template <class T>
ISOCHOR_KERNEL Mat3<T> rotation(const Quaternion<T>& q) {
  const T inverse = inverse_sqrt(dot(q.v, q.v) + q.w * q.w);
  const Vec3<T> u = q.v * inverse, d = u + u;
  const T w = q.w * inverse;
  Mat3<T> m;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m(i, i) = T(1) - muladd(u[j], d[j], u[k] * d[k]);
    m(j, i) = muladd(u[i], d[j], w * d[k]);
    m(k, i) = muladd(u[i], d[k], -(w * d[j]));
  }
  return m;
}

/// The rotation that makes the columns of B orthogonal to each other.
template <class T>
ISOCHOR_KERNEL Mat3<T> orthogonalising_rotation(const Mat3<T>& B, int sweeps) {
  const auto& [x, y, z] = B.column;
  Symmetric3<T> s{dot(x, x), dot(y, x), dot(y, y), dot(z, x), dot(z, y), dot(z, z)};
  Quaternion<T> q{{T(0), T(0), T(0)}, T(1)};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    jacobi_turn<0, 1, 2>(s, q);
    jacobi_turn<1, 2, 0>(s, q);
    jacobi_turn<2, 0, 1>(s, q);
  }
  return rotation(q);
}

/// Orders columns p and q by length, longest first, keeping both determinants.
template <class T>
ISOCHOR_KERNEL void order_columns(Mat3<T>& B, Mat3<T>& V, Vec3<T>& squares, int p, int q) {
  const auto swap = squares[p] < squares[q];
  const auto turn = [&](Vec3<T>& first, Vec3<T>& second) {
    for (int i = 0; i < 3; ++i) {
      const T a = first[i], b = second[i];
      first[i] = select(swap, b, a);
      second[i] = select(swap, -a, b);
    }
  };
  turn(B.column[p], B.column[q]);
  turn(V.column[p], V.column[q]);
  const T a = squares[p], b = squares[q];
  squares[p] = select(swap, b, a);
  squares[q] = select(swap, a, b);
}

/// Zeroes B(q, j) by rotating rows p and q, and turns U along. Where both entries are too small to
/// be squared, only the sign is taken.
template <class T>
ISOCHOR_KERNEL void qr_rotation(Mat3<T>& B, Mat3<T>& U, int p, int q, int j) {
  const T a = B(p, j), b = B(q, j), square = muladd(a, a, b * b);
  const auto some = square > T(kSmallestSquare<T>);
  const T inverse = inverse_sqrt(select(some, square, T(1)));
  const T c = select(some, a * inverse, select(a < T(0), T(-1), T(1)));
  const T s = select(some, b * inverse, T(0));
  for (int k = 0; k < 3; ++k) {
    const T x = B(p, k), y = B(q, k), u = U(k, p), v = U(k, q);
    B(p, k) = muladd(c, x, s * y);
    B(q, k) = muladd(c, y, -(s * x));
    U(k, p) = muladd(c, u, s * v);
    U(k, q) = muladd(c, v, -(s * u));
  }
}

}  // namespace detail

template <class T>
ISOCHOR_KERNEL Svd<T> svd(const Mat3<T>& A, const SvdSweeps sweeps = kSvdSweeps<T>) {
  // Scaled to entries of at most 1: no square that counts over- or underflows.
  T scale(0);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) scale = max(scale, abs(A(i, j)));
  }
  constexpr Lane<T> kSmallestScale = sizeof(Lane<T>) == 4 ? Lane<T>(1e-37) : Lane<T>(1e-307);
  scale = select(scale > T(kSmallestScale), scale, T(1));

  Svd<T> result;
  Mat3<T> B = A * (T(1) / scale);
  result.V = detail::orthogonalising_rotation(B, sweeps.first);
  B = B * result.V;
  if (sweeps.second > 0) {
    const Mat3<T> turn = detail::orthogonalising_rotation(B, sweeps.second);
    B = B * turn;
    result.V = result.V * turn;
  }
  Vec3<T> squares;
  for (int i = 0; i < 3; ++i) squares[i] = dot(B.column[i], B.column[i]);
  detail::order_columns(B, result.V, squares, 0, 1);
  detail::order_columns(B, result.V, squares, 0, 2);
  detail::order_columns(B, result.V, squares, 1, 2);

  result.U = Mat3<T>::identity();
  detail::qr_rotation(B, result.U, 0, 1, 0);
  detail::qr_rotation(B, result.U, 0, 2, 0);
  detail::qr_rotation(B, result.U, 1, 2, 1);
  result.sigma = Vec3<T>{B(0, 0), B(1, 1), B(2, 2)} * scale;
  return result;
}

}  // namespace isochor
