#pragma once

#include <cstdint>
#include <random>

#include "isochor/math/mat3.h"

/// Random numbers that are the same on every machine, and the small checks that tests of vectors
/// and matrices share.
namespace isochor {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  Vec3d vector(double low = -1, double high = 1) {
    const double x = uniform(low, high), y = uniform(low, high), z = uniform(low, high);
    return {x, y, z};
  }
  Mat3d matrix(double low = -1, double high = 1) {
    const Vec3d a = vector(low, high), b = vector(low, high), c = vector(low, high);
    return {{a, b, c}};
  }
  Mat3d rotation() { return rotation_from_vector(vector(-3, 3)); }
  /// U diag(sigma) V^T with random rotations.
  Mat3d with_singular_values(const Vec3d& sigma) {
    const Mat3d U = rotation(), V = rotation();
    return times_transpose(U * Mat3d::diagonal(sigma), V);
  }

 private:
  std::mt19937_64 engine_;
};

template <class T>
Mat3<T> cast(const Mat3d& a) {
  Mat3<T> b;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) b(i, j) = static_cast<T>(a(i, j));
  }
  return b;
}

/// The Frobenius norm.
template <class T>
T norm(const Mat3<T>& a) {
  return sqrt(contract(a, a));
}

/// How far a matrix is from having orthonormal columns.
template <class T>
T orthogonality_error(const Mat3<T>& a) {
  return norm(transpose_times(a, a) - Mat3<T>::identity());
}

}  // namespace isochor
