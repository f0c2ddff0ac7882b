#pragma once

#include <algorithm>
#include <cmath>

#include "isochor/geometry/stuffing.h"
#include "reproduce/zonal_body.h"

/// The puck of Sheen 2021, figs. 6 and 9. It is that of Pai 2018, whose size is not stated: here it
/// is 60 mm wide and 20 mm high, and a disc of 20 mm on top of it goes down.
namespace isochor::reproduce {

inline constexpr double kPuckRadius = 0.03;
inline constexpr double kPuckHeight = 0.02;
inline constexpr double kIndenterRadius = 0.01;

/// Filled with cells of `spacing`, its floor on z = 0, its rims rounded.
inline geometry::TetMesh make_puck(double spacing, ThreadArena& arena, double rounding = 0) {
  const auto distance = [rounding](const Vec3d& x) {
    const double side = std::hypot(x[0], x[1]) - kPuckRadius + rounding;
    const double cap = std::max(-x[2], x[2] - kPuckHeight) + rounding;
    return std::min(std::max(side, cap), 0.0) +
           std::hypot(std::max(side, 0.0), std::max(cap, 0.0)) - rounding;
  };
  const double margin = 2 * spacing;
  return geometry::stuff(
      distance,
      {.low = {-kPuckRadius - margin, -kPuckRadius - margin, -margin},
       .high = {kPuckRadius + margin, kPuckRadius + margin, kPuckHeight + margin}},
      {.spacing = spacing}, arena);
}

/// Its floor, and what the indenter moves.
inline std::vector<tets::HoldSpec> puck_holds(const geometry::TetMesh& mesh, double spacing) {
  const double close = 0.01 * spacing;
  return {hold_where(mesh, "floor", [&](const Vec3d& x) { return x[2] < close; }),
          hold_where(mesh, "indenter", [&](const Vec3d& x) {
            return x[2] > kPuckHeight - close && std::hypot(x[0], x[1]) < kIndenterRadius;
          })};
}

}  // namespace isochor::reproduce
