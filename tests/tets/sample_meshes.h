#pragma once

#include <array>
#include <cmath>
#include <random>

#include "isochor/geometry/tet_mesh.h"

namespace isochor::tets {

/// A box of n x n x m cubes of edge h, each cut into six tets around a diagonal; nodes inside moved
/// at random by up to `jitter` h per axis.
inline geometry::TetMesh box_of_tets(int n, int m, double h, double jitter) {
  geometry::TetMesh mesh;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-jitter * h, jitter * h);
  const auto node = [&](int i, int j, int k) { return i + (n + 1) * (j + (n + 1) * k); };
  for (int k = 0; k <= m; ++k) {
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) {
        Vec3d x{i * h, j * h, k * h};
        const bool inside = i > 0 && i < n && j > 0 && j < n && k > 0 && k < m;
        for (int a = 0; inside && a < 3; ++a) x[a] += shift(random);
        mesh.positions.push_back(x);
      }
    }
  }
  constexpr std::array<std::array<int, 3>, 6> kOrders{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        for (const auto& order : kOrders) {
          std::array<int, 3> at{i, j, k};
          geometry::Tet tet{node(i, j, k), 0, 0, 0};
          for (int s = 0; s < 3; ++s) {
            ++at[order[s]];
            tet[s + 1] = node(at[0], at[1], at[2]);
          }
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  geometry::fix_winding(mesh);
  return mesh;
}

/// A cube of side 2 about the origin bent into the unit ball.
inline geometry::TetMesh ball_of_tets(int n, double jitter) {
  geometry::TetMesh mesh = box_of_tets(n, n, 2.0 / n, jitter);
  for (Vec3d& x : mesh.positions) {
    x -= Vec3d{1, 1, 1};
    const double longest = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    const double length = std::sqrt(dot(x, x));
    // Towards the middle as it was, towards the surface on spheres.
    if (length > 0) x *= 1 - longest + longest * longest / length;
  }
  geometry::fix_winding(mesh);
  return mesh;
}

}  // namespace isochor::tets
