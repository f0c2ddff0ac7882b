#pragma once

#include "isochor/math/mat3.h"

/// One cell of the lattice: deformation gradient and stabilisation.
///
/// Everything is a sum over the twelve edges of the cell. Along axis a the four edges have the
/// derivatives d_q = (x_high - x_low) / h; their mean is column a of the deformation gradient at
/// the cell's centre [McAdams11 (3)], where the law is integrated with one point. What one point
/// cannot see is the spread of the d_q about their mean. The paper integrates mu |F|^2 on the edges
/// and the rest at the centre [McAdams11 (15), (17)]; since mean(d^2) - mean(d)^2 is a variance,
/// that is the one-point energy of any law plus the convex term
///     mu h^3 sum_a variance(d along a),
/// and this is how it is written here and in block_kernel.h.
/// Corner c has coordinate bits (c & 1, c >> 1 & 1, c >> 2).
namespace isochor::lattice {

/// Calls f(axis, low corner, high corner) for the twelve edges, axis by axis.
template <class F>
ISOCHOR_KERNEL void for_each_edge(F&& f) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int corner = 0; corner < 8; ++corner) {
      if (!(corner >> axis & 1)) f(axis, corner, corner | 1 << axis);
    }
  }
}

/// F at the centre of a cell [McAdams11 (3)], or its differential for corner displacements.
template <class T>
ISOCHOR_KERNEL Mat3<T> deformation_gradient(const Vec3<T> (&x)[8], const T& inverse_h) {
  Mat3<T> F = Mat3<T>::zero();
  for_each_edge([&](int axis, int low, int high) { F.column[axis] += x[high] - x[low]; });
  return F * (T(0.25) * inverse_h);
}

/// Adds the forces of stress P [McAdams11 (5)] and of the stabilisation to the corners. The
/// stabilisation is linear, so that the same function turns displacements and a stress
/// differential into force differentials. For experiments on single cells: models do it by blocks.
template <class T>
ISOCHOR_KERNEL void add_corner_forces(const Vec3<T> (&x)[8], const Mat3<T>& F, const Mat3<T>& P,
                                      const T& h, const T& stabilising_mu, Vec3<T> (&force)[8]) {
  const T inverse_h = T(1) / h;
  const T by_stress = T(0.25) * h * h, by_spread = T(0.5) * stabilising_mu * h * h;
  for_each_edge([&](int axis, int low, int high) {
    const Vec3<T> spread = (x[high] - x[low]) * inverse_h - F.column[axis];
    const Vec3<T> pull = P.column[axis] * by_stress + spread * by_spread;
    force[high] -= pull;
    force[low] += pull;
  });
}

/// Energy of the stabilisation [McAdams11 (15), (17)], J.
template <class T>
ISOCHOR_KERNEL T stabilisation_energy(const Vec3<T> (&x)[8], const Mat3<T>& F, const T& h,
                                      const T& stabilising_mu) {
  const T inverse_h = T(1) / h;
  T sum(0);
  for_each_edge([&](int axis, int low, int high) {
    const Vec3<T> spread = (x[high] - x[low]) * inverse_h - F.column[axis];
    sum = sum + dot(spread, spread);
  });
  return T(0.25) * stabilising_mu * h * h * h * sum;
}

}  // namespace isochor::lattice
