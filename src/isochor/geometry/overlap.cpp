#include "isochor/geometry/overlap.h"

#include <algorithm>
#include <cmath>

namespace isochor::geometry {

bool triangle_overlaps_box(const std::array<Vec3d, 3>& triangle, const Vec3d& center,
                           const Vec3d& half_size) {
  const std::array<Vec3d, 3> p{triangle[0] - center, triangle[1] - center, triangle[2] - center};
  const auto separates = [&](const Vec3d& axis) {
    const auto [low, high] = std::minmax({dot(axis, p[0]), dot(axis, p[1]), dot(axis, p[2])});
    const double reach = half_size[0] * std::abs(axis[0]) + half_size[1] * std::abs(axis[1]) +
                         half_size[2] * std::abs(axis[2]);
    return low > reach || high < -reach;
  };
  const std::array<Vec3d, 3> edges{p[1] - p[0], p[2] - p[1], p[0] - p[2]};
  for (int a = 0; a < 3; ++a) {
    Vec3d unit{0, 0, 0};
    unit[a] = 1;
    if (separates(unit)) return false;
    for (const Vec3d& e : edges) {
      if (separates(cross(unit, e))) return false;
    }
  }
  return !separates(cross(edges[0], edges[1]));
}

}  // namespace isochor::geometry
