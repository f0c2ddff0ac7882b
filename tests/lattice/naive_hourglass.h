#pragma once

#include "isochor/math/mat3.h"

namespace isochor::lattice {

/// The trilinear map of a cell's corners, differentiated at a point of it.
inline Mat3d gradient_at(const Vec3d (&x)[8], const Vec3d& local, double h) {
  Mat3d F = Mat3d::zero();
  for (int c = 0; c < 8; ++c) {
    for (int a = 0; a < 3; ++a) {
      double slope = (c >> a & 1 ? 1 : -1) / h;
      for (int b = 0; b < 3; ++b) {
        if (b != a) slope *= c >> b & 1 ? local[b] : 1 - local[b];
      }
      F.column[a] += slope * x[c];
    }
  }
  return F;
}

/// Energy of mixed::Hourglass::Strain in a cell, from how F differs between its walls, J.
inline double naive_hourglass_energy(const Vec3d (&x)[8], double h, double mu) {
  const Mat3d F = gradient_at(x, {0.5, 0.5, 0.5}, h);
  Mat3d R = F;  // (F + cof F) / 2
  for (int a = 0; a < 3; ++a) R.column[a] += cross(F.column[(a + 1) % 3], F.column[(a + 2) % 3]);
  R = R * 0.5;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    Vec3d high{0.5, 0.5, 0.5}, low = high;
    high[k] = 1;
    low[k] = 0;
    const Mat3d G = gradient_at(x, high, h) - gradient_at(x, low, h);
    const Mat3d strain = (transpose_times(R, G) + transpose_times(G, R)) * 0.5;
    sum += (2.0 / 3 * contract(strain, strain) + contract(G, G) / 12) / 12;
  }
  Vec3d odd{0, 0, 0};
  for (int c = 0; c < 8; ++c) {
    const int highs = (c & 1) + (c >> 1 & 1) + (c >> 2);
    odd += ((highs % 2 == 1 ? 1 : -1) / h) * x[c];
  }
  return mu * h * h * h * (sum + dot(odd, odd) / 72);
}

}  // namespace isochor::lattice
