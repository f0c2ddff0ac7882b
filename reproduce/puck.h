#pragma once

#include <algorithm>
#include <cmath>

#include "isochor/geometry/stuffing.h"

/// The puck of Sheen 2021, figs. 6 and 9. It is that of Pai 2018, whose size is not stated: here it
/// is 60 mm wide and 20 mm high, and a disc of 20 mm on top of it goes down.
namespace isochor::reproduce {

inline constexpr double kPuckRadius = 0.03;
inline constexpr double kPuckHeight = 0.02;
inline constexpr double kIndenterRadius = 0.01;

/// Filled with cells of `spacing`, its floor on z = 0.
inline geometry::TetMesh make_puck(double spacing, ThreadArena& arena) {
  const auto distance = [](const Vec3d& x) {
    const double side = std::hypot(x[0], x[1]) - kPuckRadius;
    const double cap = std::max(-x[2], x[2] - kPuckHeight);
    return side > 0 && cap > 0 ? std::hypot(side, cap) : std::max(side, cap);
  };
  const double margin = 2 * spacing;
  return geometry::stuff(
      distance,
      {.low = {-kPuckRadius - margin, -kPuckRadius - margin, -margin},
       .high = {kPuckRadius + margin, kPuckRadius + margin, kPuckHeight + margin}},
      {.spacing = spacing}, arena);
}

}  // namespace isochor::reproduce
