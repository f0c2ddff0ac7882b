#pragma once

#include "isochor/math/scalar.h"

namespace isochor {

/// Three numbers: double, float, or a pack of them.
template <class T>
struct Vec3 {
  T e[3];

  ISOCHOR_KERNEL T& operator[](int i) { return e[i]; }
  ISOCHOR_KERNEL const T& operator[](int i) const { return e[i]; }

  ISOCHOR_KERNEL Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  ISOCHOR_KERNEL Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  ISOCHOR_KERNEL Vec3& operator*=(const T& s) { return *this = *this * s; }

  friend ISOCHOR_KERNEL Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  }
  friend ISOCHOR_KERNEL Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  }
  friend ISOCHOR_KERNEL Vec3 operator-(const Vec3& a) { return {-a[0], -a[1], -a[2]}; }
  friend ISOCHOR_KERNEL Vec3 operator*(const Vec3& a, const T& s) {
    return {a[0] * s, a[1] * s, a[2] * s};
  }
  friend ISOCHOR_KERNEL Vec3 operator*(const T& s, const Vec3& a) { return a * s; }
};

using Vec3d = Vec3<double>;
using Vec3f = Vec3<float>;

template <class T>
ISOCHOR_KERNEL T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return muladd(a[2], b[2], muladd(a[1], b[1], a[0] * b[0]));
}

template <class T>
ISOCHOR_KERNEL Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T>
ISOCHOR_KERNEL T norm(const Vec3<T>& a) {
  return sqrt(dot(a, a));
}

/// Component by component.
template <class T>
ISOCHOR_KERNEL Vec3<T> min(const Vec3<T>& a, const Vec3<T>& b) {
  return {min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])};
}
template <class T>
ISOCHOR_KERNEL Vec3<T> max(const Vec3<T>& a, const Vec3<T>& b) {
  return {max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])};
}

}  // namespace isochor
