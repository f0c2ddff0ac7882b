#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

/// A point of an integer grid.
using Index3 = std::array<int, 3>;

/// How many pieces of about `edge` a length is divided into.
inline int pieces(double length, double edge) {
  return std::max(1, static_cast<int>(std::lround(length / edge)));
}

/// The surface of a box of n[0] x n[1] x n[2] squares; `position` places an integer point.
template <class F>
SurfaceMesh box_surface(const Index3& n, F&& position) {
  SurfaceMesh mesh;
  std::map<Index3, std::int32_t> index;
  const auto vertex = [&](const Index3& at) {
    const auto [entry, fresh] =
        index.try_emplace(at, static_cast<std::int32_t>(mesh.positions.size()));
    if (fresh) mesh.positions.push_back(position(at));
    return entry->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const bool high : {false, true}) {
      for (int j = 0; j < n[v]; ++j) {
        for (int i = 0; i < n[u]; ++i) {
          std::array<std::int32_t, 4> quad;
          constexpr int kRound[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
          for (int c = 0; c < 4; ++c) {
            Index3 at{};
            at[axis] = high ? n[axis] : 0;
            at[u] = i + kRound[c][0];
            at[v] = j + kRound[c][1];
            quad[c] = vertex(at);
          }
          if (!high) std::reverse(quad.begin(), quad.end());
          mesh.add_face(quad);
        }
      }
    }
  }
  return mesh;
}

}  // namespace isochor::geometry
