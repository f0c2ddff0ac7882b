#include "isochor/geometry/shapes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace isochor::geometry {
namespace {

using Index3 = std::array<int, 3>;

int pieces(double length, double edge) {
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

}  // namespace

SurfaceMesh make_box(const Vec3d& center, const Vec3d& size, double edge) {
  const Index3 n{pieces(size[0], edge), pieces(size[1], edge), pieces(size[2], edge)};
  return box_surface(n, [&](const Index3& at) {
    Vec3d p;
    for (int a = 0; a < 3; ++a) p[a] = center[a] + size[a] * (double(at[a]) / n[a] - 0.5);
    return p;
  });
}

SurfaceMesh make_sphere(const Vec3d& center, double radius, double edge) {
  const int n = std::max(2, pieces(radius * std::numbers::pi / 2, edge));
  return box_surface({n, n, n}, [&](const Index3& at) {
    // Equal angles instead of equal lengths on the cube: quads of nearly equal size.
    Vec3d p;
    for (int a = 0; a < 3; ++a) {
      p[a] = std::tan((double(at[a]) / n - 0.5) * std::numbers::pi / 2);
    }
    return center + p * (radius / norm(p));
  });
}

}  // namespace isochor::geometry
