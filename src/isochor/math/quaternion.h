#pragma once

#include "isochor/math/mat3.h"

/// Rotations in four numbers instead of nine.
namespace isochor {

template <class T>
struct Quaternion {
  Vec3<T> v;
  T w;
};

/// The rotation of a quaternion whose length is 1 up to roundings, so that 1/|q|^2 is 2 - |q|^2.
template <class T>
ISOCHOR_KERNEL Mat3<T> rotation(const Quaternion<T>& q) {
  const Vec3<T>& v = q.v;
  const Vec3<T> d = v * negmuladd(T(2), muladd(q.w, q.w, dot(v, v)), T(4));
  Mat3<T> m;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m(i, i) = negmuladd(v[j], d[j], negmuladd(v[k], d[k], T(1)));
    m(j, i) = muladd(v[i], d[j], q.w * d[k]);
    m(k, i) = mulsub(v[i], d[k], q.w * d[j]);
  }
  return m;
}

/// The same where the quaternion's length is sqrt(2), as long_quaternion() makes it: fifteen
/// operations, for kernels that would rather compute a matrix than read it.
template <class T>
ISOCHOR_KERNEL Mat3<T> rotation_of_long(const Quaternion<T>& q) {
  const Vec3<T>& v = q.v;
  Mat3<T> m;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const T turn = q.w * v[k];
    m(i, i) = negmuladd(v[j], v[j], negmuladd(v[k], v[k], T(1)));
    m(j, i) = muladd(v[i], v[j], turn);
    m(i, j) = mulsub(v[i], v[j], turn);
  }
  return m;
}

/// The quaternion of length sqrt(2) that stands for R, a rotation up to roundings. 4 q q^T is
/// linear in R; its row with the largest diagonal entry, which is at least 1, has all digits.
template <class T>
ISOCHOR_KERNEL Quaternion<T> long_quaternion(const Mat3<T>& R) {
  const Vec3<T> skew{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const Vec3<T> even{R(2, 1) + R(1, 2), R(0, 2) + R(2, 0), R(1, 0) + R(0, 1)};
  Quaternion<T> row{skew, T(1) + R(0, 0) + R(1, 1) + R(2, 2)};
  T largest = row.w;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const T square = T(1) + R(i, i) - R(j, j) - R(k, k);
    const auto larger = square > largest;
    largest = select(larger, square, largest);
    row.v[i] = select(larger, square, row.v[i]);
    row.v[j] = select(larger, even[k], row.v[j]);
    row.v[k] = select(larger, even[j], row.v[k]);
    row.w = select(larger, skew[i], row.w);
  }
  const T scale = sqrt(T(2) / muladd(row.w, row.w, dot(row.v, row.v)));
  return {row.v * scale, row.w * scale};
}

}  // namespace isochor
