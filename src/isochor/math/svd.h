#pragma once

#include "isochor/math/quaternion.h"

/// The singular value decomposition of 3x3 matrices, without a branch on a value
/// [McAdams11 sec 9.2]: Jacobi rotations, cheap and approximate, diagonalise A^T A and are gathered
/// in a quaternion, which gives V; a Givens QR of A V then gives U and the singular values.
///
/// Three deviations. A second Jacobi pass works on (A V)^T (A V): forming A^T A squares the
/// condition number, so that graded matrices such as (1, 1e-8, 0) lose half their digits in the
/// first pass, and more sweeps do not help. The angles of rotations are closer to exact, so that
/// fewer sweeps do. And inverse square roots do without the estimates of processors, so that all
/// of them give the same bits.
namespace isochor {

/// A = U diag(sigma) V^T. U and V are rotations (determinant +1); sigma[0] >= sigma[1] >=
/// |sigma[2]|, and sigma[2] carries the sign of det A.
template <class T>
struct Svd {
  Mat3<T> U;
  Vec3<T> sigma;
  Mat3<T> V;
};

/// By how much a Jacobi rotation turns.
enum class JacobiAngle { Close, Published };

/// Jacobi sweeps in the first and in the second pass, and their angles.
struct SvdSweeps {
  int first, second;
  JacobiAngle angle = JacobiAngle::Close;
};
/// What reaches rounding error, measured by `isochor reproduce mcadams/svd`.
template <class T>
inline constexpr SvdSweeps kSvdSweeps = sizeof(Lane<T>) == 4 ? SvdSweeps{2, 2} : SvdSweeps{3, 3};
/// As printed in the paper.
inline constexpr SvdSweeps kPublishedSvdSweeps{4, 0, JacobiAngle::Published};

namespace detail {

/// Squares below this are denormal numbers, or near them: slow, and without digits.
template <class T>
inline constexpr Lane<T> kSmallestSquare = sizeof(Lane<T>) == 4 ? Lane<T>(1e-36) : Lane<T>(1e-300);

/// The lower triangle of a symmetric matrix.
template <class T>
struct Symmetric3 {
  T s11, s21, s22, s31, s32, s33;
};

/// Cosine and sine of half the angle of a turn, of any length.
template <class T>
struct HalfAngle {
  T cosine, sine;
};

/// The half angle that turns s21 to zero has the tangent sin / cos = s21 / w, where w is a convex
/// function of |s11 - s22| and |s21|. Three straight lines follow it so closely that what is left
/// of s21 is at most 2.3 % of it, and falls with the cube of small angles.
template <class T>
ISOCHOR_KERNEL HalfAngle<T> close_half_angle(const T& gap, const T& s21) {
  const T g = abs(gap), s = abs(s21);
  HalfAngle<T> half;
  half.cosine =
      max(g + g, max(muladd(g, T(1.797), T(1.502) * s), muladd(g, T(1.155), T(2.378) * s)));
  half.sine = select(gap < T(0), -s21, s21);
  return half;
}

/// (2 (s11 - s22), s21) is exact to third order for small angles. Where it is too large for that,
/// pi / 8 still shrinks s21 by 0.6 or better [McAdams11 alg 4].
template <class T>
ISOCHOR_KERNEL HalfAngle<T> published_half_angle(const T& gap, const T& s21) {
  constexpr double kGamma = 5.828427124746190;                                    // 3 + 2 sqrt(2)
  constexpr double kCosine = 0.923879532511286756, kSine = 0.382683432365089772;  // of pi / 8
  const T twice = gap + gap;
  const auto small = T(kGamma) * (s21 * s21) < twice * twice;
  return {select(small, twice, T(kCosine)), select(small, s21, T(kSine))};
}

/// Turns S in its (1, 2) plane towards s21 = 0 and renumbers its axes cyclically, so that three
/// calls make a sweep; the quaternion, whose axes stay, has Z for the axis of this turn. Entries
/// too small to be squared turn nothing.
template <int X, int Y, int Z, class T>
ISOCHOR_KERNEL void jacobi_turn(Symmetric3<T>& s, Quaternion<T>& q, JacobiAngle angle) {
  const T gap = s.s11 - s.s22;
  const HalfAngle<T> half =
      angle == JacobiAngle::Close ? close_half_angle(gap, s.s21) : published_half_angle(gap, s.s21);
  const auto counts = s.s21 * s.s21 > T(kSmallestSquare<T>);
  const T inverse = inverse_sqrt(muladd(half.cosine, half.cosine, half.sine * half.sine));
  const T ch = select(counts, half.cosine * inverse, T(1));
  const T sh = select(counts, half.sine * inverse, T(0));

  // With c^2 + n^2 = 1, what the turn adds to one diagonal entry and takes from the other is n m.
  const T c = mulsub(ch, ch, sh * sh), n = (sh + sh) * ch;
  const T m = mulsub(c, s.s21 + s.s21, n * gap);
  const Symmetric3<T> p = s;
  s.s11 = negmuladd(n, m, p.s22);
  s.s21 = mulsub(c, p.s32, n * p.s31);
  s.s22 = p.s33;
  s.s31 = select(counts, mulsub(c, m, p.s21), T(0));
  s.s32 = muladd(c, p.s31, n * p.s32);
  s.s33 = muladd(n, m, p.s11);

  const Quaternion<T> r = q;
  q.v[X] = muladd(r.v[X], ch, r.v[Y] * sh);
  q.v[Y] = mulsub(r.v[Y], ch, r.v[X] * sh);
  q.v[Z] = muladd(r.v[Z], ch, r.w * sh);
  q.w = mulsub(r.w, ch, r.v[Z] * sh);
}

/// Sweeps of turns that bring S towards a diagonal matrix.
template <class T>
ISOCHOR_KERNEL void jacobi_sweeps(Symmetric3<T>& s, Quaternion<T>& q, int sweeps,
                                  JacobiAngle angle) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    jacobi_turn<0, 1, 2>(s, q, angle);
    jacobi_turn<1, 2, 0>(s, q, angle);
    jacobi_turn<2, 0, 1>(s, q, angle);
  }
}

/// Turns q on so that the columns of B, had they turned along, would be orthogonal to each other.
template <class T>
ISOCHOR_KERNEL void orthogonalise_columns(const Mat3<T>& B, Quaternion<T>& q, int sweeps,
                                          JacobiAngle angle) {
  const auto& [x, y, z] = B.column;
  Symmetric3<T> s{dot(x, x), dot(y, x), dot(y, y), dot(z, x), dot(z, y), dot(z, z)};
  jacobi_sweeps(s, q, sweeps, angle);
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

/// Cosine and sine of a turn of two rows.
template <class T>
struct Givens {
  T c, s;
};

/// Turns rows p and q of B so that B(q, j) becomes zero, as entries of both rows before column j
/// already are. Where both entries are too small to be squared, only the sign is taken.
template <class T>
ISOCHOR_KERNEL Givens<T> turn_rows(Mat3<T>& B, int p, int q, int j) {
  const T a = B(p, j), b = B(q, j), square = muladd(a, a, b * b);
  const auto some = square > T(kSmallestSquare<T>);
  const T inverse = inverse_sqrt(square);
  Givens<T> turn;
  turn.c = select(some, a * inverse, select(a < T(0), T(-1), T(1)));
  turn.s = select(some, b * inverse, T(0));
  for (int k = j; k < 3; ++k) {
    const T x = B(p, k), y = B(q, k);
    B(p, k) = muladd(turn.c, x, turn.s * y);
    B(q, k) = mulsub(turn.c, y, turn.s * x);
  }
  return turn;
}

/// B = U R: replaces B by the upper triangle R and returns U, the product of three turns.
template <class T>
ISOCHOR_KERNEL Mat3<T> qr(Mat3<T>& B) {
  const Givens<T> x = turn_rows(B, 0, 1, 0), y = turn_rows(B, 0, 2, 0), z = turn_rows(B, 1, 2, 1);
  const T a = x.c * y.s, b = x.s * y.s;
  return {{{x.c * y.c, x.s * y.c, y.s},
           {-muladd(a, z.s, x.s * z.c), mulsub(x.c, z.c, b * z.s), y.c * z.s},
           {mulsub(x.s, z.s, a * z.c), -muladd(b, z.c, x.c * z.s), y.c * z.c}}};
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
  const Mat3<T> M = A * (T(1) / scale);

  Svd<T> result;
  Quaternion<T> q{{T(0), T(0), T(0)}, T(1)};
  detail::orthogonalise_columns(M, q, sweeps.first, sweeps.angle);
  result.V = rotation(q);
  Mat3<T> B = M * result.V;
  if (sweeps.second > 0) {
    detail::orthogonalise_columns(B, q, sweeps.second, sweeps.angle);
    result.V = rotation(q);
    B = M * result.V;
  }
  Vec3<T> squares;
  for (int i = 0; i < 3; ++i) squares[i] = dot(B.column[i], B.column[i]);
  detail::order_columns(B, result.V, squares, 0, 1);
  detail::order_columns(B, result.V, squares, 0, 2);
  detail::order_columns(B, result.V, squares, 1, 2);

  result.U = detail::qr(B);
  result.sigma = Vec3<T>{B(0, 0), B(1, 1), B(2, 2)} * scale;
  return result;
}

}  // namespace isochor
