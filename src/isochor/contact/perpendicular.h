#pragma once

#include <array>
#include <cmath>

#include "isochor/math/vec3.h"

namespace isochor::contact {

/// A vector of length one perpendicular to another of any length; (0, 0, 1) for none.
inline Vec3d any_perpendicular(const Vec3d& v) {
  int smallest = 0;
  for (int a = 1; a < 3; ++a) {
    if (std::abs(v[a]) < std::abs(v[smallest])) smallest = a;
  }
  Vec3d axis{0, 0, 0};
  axis[smallest] = 1;
  const Vec3d across = cross(v, axis);
  const double length = norm(across);
  return length > 0 ? across * (1 / length) : Vec3d{0, 0, 1};
}

/// Two vectors that make a frame with a normal of length one.
inline std::array<Vec3d, 2> tangents_of(const Vec3d& normal) {
  const Vec3d first = any_perpendicular(normal);
  return {first, cross(normal, first)};
}

}  // namespace isochor::contact
