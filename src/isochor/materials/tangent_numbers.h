#pragma once

#include "isochor/materials/tangent.h"

/// Tangents from the numbers that LawBatch lists them by.
namespace isochor::materials {

/// number(e) is the e-th of thirty: U, V, stretch as xx, yy, zz, yz, xz, xy, flip, twist.
template <class T, class F>
ISOCHOR_KERNEL PrincipalTangent<T> principal_from(F&& number) {
  constexpr int kRow[6] = {0, 1, 2, 1, 0, 0}, kColumn[6] = {0, 1, 2, 2, 2, 1};
  PrincipalTangent<T> t;
  for (int e = 0; e < 9; ++e) {
    t.U(e % 3, e / 3) = number(e);
    t.V(e % 3, e / 3) = number(9 + e);
  }
  for (int e = 0; e < 6; ++e) {
    t.stretch(kRow[e], kColumn[e]) = t.stretch(kColumn[e], kRow[e]) = number(18 + e);
  }
  for (int e = 0; e < 3; ++e) {
    t.flip[e] = number(24 + e);
    t.twist[e] = number(27 + e);
  }
  return t;
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
