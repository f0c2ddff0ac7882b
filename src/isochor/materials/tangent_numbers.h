#pragma once

#include "isochor/materials/tangent.h"

/// Tangents from the numbers that LawBatch lists them by.
namespace isochor::materials {

/// Row and column of the numbers of a symmetric 3x3 matrix: xx, yy, zz, yz, xz, xy.
inline constexpr int kSymmetric[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

/// number(e) is the e-th of thirty: U, V, stretch as xx, yy, zz, yz, xz, xy, flip, twist.
template <class T, class F>
ISOCHOR_KERNEL PrincipalTangent<T> principal_from(F&& number) {
  PrincipalTangent<T> t;
  for (int e = 0; e < 9; ++e) {
    t.U(e % 3, e / 3) = number(e);
    t.V(e % 3, e / 3) = number(9 + e);
  }
  for (int e = 0; e < 6; ++e) {
    const auto [row, column] = kSymmetric[e];
    t.stretch(row, column) = t.stretch(column, row) = number(18 + e);
  }
  for (int e = 0; e < 3; ++e) {
    t.flip[e] = number(24 + e);
    t.twist[e] = number(27 + e);
  }
  return t;
}

/// The reverse: f(e, number) for all of them.
template <class T, class F>
ISOCHOR_KERNEL void for_each_number(const PrincipalTangent<T>& t, F&& f) {
  for (int e = 0; e < 9; ++e) f(e, t.U(e % 3, e / 3));
  for (int e = 0; e < 9; ++e) f(9 + e, t.V(e % 3, e / 3));
  for (int e = 0; e < 6; ++e) f(18 + e, t.stretch(kSymmetric[e][0], kSymmetric[e][1]));
  for (int e = 0; e < 3; ++e) f(24 + e, t.flip[e]);
  for (int e = 0; e < 3; ++e) f(27 + e, t.twist[e]);
}
template <class T, class F>
ISOCHOR_KERNEL void for_each_number(const DenseTangent<T>& t, F&& f) {
  for (int e = 0; e < DenseTangent<T>::kSize; ++e) f(e, t.entry[e]);
}

/// The same tangent as a whole matrix: column by column, the stress of every unit change of F.
template <class T>
ISOCHOR_KERNEL DenseTangent<T> densified(const PrincipalTangent<T>& t) {
  DenseTangent<T> out;
  for (int c = 0; c < 9; ++c) {
    Mat3<T> unit = Mat3<T>::zero();
    unit(c % 3, c / 3) = T(1);
    const Mat3<T> column = stress_differential(t, unit);
    for (int r = 0; r <= c; ++r) out(r, c) = column(r % 3, r / 3);
  }
  return out;
}

}  // namespace isochor::materials
