#pragma once

#include "isochor/math/vec3.h"

namespace isochor {

/// A 3x3 matrix; m(i, j) is row i, column j.
template <class T>
struct Mat3 {
  Vec3<T> column[3];

  ISOCHOR_KERNEL T& operator()(int i, int j) { return column[j][i]; }
  ISOCHOR_KERNEL const T& operator()(int i, int j) const { return column[j][i]; }

  static ISOCHOR_KERNEL Mat3 diagonal(const Vec3<T>& d) {
    const T o(0);
    return {{{d[0], o, o}, {o, d[1], o}, {o, o, d[2]}}};
  }
  static ISOCHOR_KERNEL Mat3 identity() { return diagonal({T(1), T(1), T(1)}); }
  static ISOCHOR_KERNEL Mat3 zero() { return diagonal({T(0), T(0), T(0)}); }

  ISOCHOR_KERNEL Mat3& operator+=(const Mat3& b) { return *this = *this + b; }

  friend ISOCHOR_KERNEL Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {{a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]}};
  }
  friend ISOCHOR_KERNEL Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {{a.column[0] - b.column[0], a.column[1] - b.column[1], a.column[2] - b.column[2]}};
  }
  friend ISOCHOR_KERNEL Mat3 operator*(const Mat3& a, const T& s) {
    return {{a.column[0] * s, a.column[1] * s, a.column[2] * s}};
  }
  friend ISOCHOR_KERNEL Mat3 operator*(const T& s, const Mat3& a) { return a * s; }
  friend ISOCHOR_KERNEL Vec3<T> operator*(const Mat3& a, const Vec3<T>& v) {
    Vec3<T> r = a.column[0] * v[0];
    for (int j = 1; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) r[i] = muladd(a(i, j), v[j], r[i]);
    }
    return r;
  }
  friend ISOCHOR_KERNEL Mat3 operator*(const Mat3& a, const Mat3& b) {
    return {{a * b.column[0], a * b.column[1], a * b.column[2]}};
  }
};

using Mat3d = Mat3<double>;

template <class T>
ISOCHOR_KERNEL Mat3<T> transpose(const Mat3<T>& a) {
  return {{{a(0, 0), a(0, 1), a(0, 2)}, {a(1, 0), a(1, 1), a(1, 2)}, {a(2, 0), a(2, 1), a(2, 2)}}};
}

/// A^T B without forming the transpose.
template <class T>
ISOCHOR_KERNEL Mat3<T> transpose_times(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> c;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) c(i, j) = dot(a.column[i], b.column[j]);
  }
  return c;
}

/// A B^T.
template <class T>
ISOCHOR_KERNEL Mat3<T> times_transpose(const Mat3<T>& a, const Mat3<T>& b) {
  return a * transpose(b);
}

template <class T>
ISOCHOR_KERNEL T trace(const Mat3<T>& a) {
  return a(0, 0) + a(1, 1) + a(2, 2);
}

template <class T>
ISOCHOR_KERNEL T determinant(const Mat3<T>& a) {
  return dot(a.column[0], cross(a.column[1], a.column[2]));
}

/// A : B, the sum of products of entries.
template <class T>
ISOCHOR_KERNEL T contract(const Mat3<T>& a, const Mat3<T>& b) {
  return dot(a.column[0], b.column[0]) + dot(a.column[1], b.column[1]) +
         dot(a.column[2], b.column[2]);
}

/// The rotation by |v| radians about v (Rodrigues).
inline Mat3d rotation_from_vector(const Vec3d& v) {
  const double angle = norm(v);
  if (angle == 0) return Mat3d::identity();
  const Vec3d a = v * (1 / angle);
  const double c = std::cos(angle), s = std::sin(angle);
  Mat3d m;
  for (int j = 0; j < 3; ++j) {
    Vec3d unit{0, 0, 0};
    unit[j] = 1;
    m.column[j] = c * unit + s * cross(a, unit) + ((1 - c) * a[j]) * a;
  }
  return m;
}

}  // namespace isochor
