#pragma once

#include <algorithm>
#include <cmath>

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// A surface that is closer to the wall of a cell than this many cells lies in the wall: files
/// round their coordinates, and a box that was meant to fill whole cells shall do so.
inline constexpr double kWall = 1e-6;

/// The box of cells in which a lattice is built. Cells and points (corners of cells) are numbered
/// x fastest.
struct CellBox {
  Vec3d origin;
  double spacing;
  Index3 size;

  std::int64_t cell_count() const { return std::int64_t{size[0]} * size[1] * size[2]; }
  std::int64_t row_count() const { return std::int64_t{size[1]} * size[2]; }
  std::int64_t point_count() const {
    return std::int64_t{size[0] + 1} * (size[1] + 1) * (size[2] + 1);
  }
  std::int64_t cell(const Index3& at) const {
    return at[0] + std::int64_t{size[0]} * (at[1] + std::int64_t{size[1]} * at[2]);
  }
  std::int64_t point(const Index3& at) const {
    return at[0] + std::int64_t{size[0] + 1} * (at[1] + std::int64_t{size[1] + 1} * at[2]);
  }
  Index3 at(std::int64_t cell) const {
    const std::int64_t row = cell / size[0];
    return {static_cast<std::int32_t>(cell % size[0]), static_cast<std::int32_t>(row % size[1]),
            static_cast<std::int32_t>(row / size[1])};
  }
  bool holds(const Index3& at) const {
    bool inside = true;
    for (int a = 0; a < 3; ++a) inside = inside && at[a] >= 0 && at[a] < size[a];
    return inside;
  }
  Vec3d corner(const Index3& at) const {
    return origin + spacing * Vec3d{double(at[0]), double(at[1]), double(at[2])};
  }
  Vec3d center(const Index3& at) const {
    return origin + spacing * Vec3d{at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
  }
  /// The cell that holds a point, or the nearest one.
  Index3 place_of(const Vec3d& point) const {
    const Vec3d cells = (point - origin) * (1 / spacing);
    Index3 place;
    for (int a = 0; a < 3; ++a) {
      place[a] = static_cast<std::int32_t>(std::clamp(std::floor(cells[a]), 0.0, size[a] - 1.0));
    }
    return place;
  }
  /// Whether a point lies in a cell or in one of its walls.
  bool touches(const Index3& at, const Vec3d& point) const {
    const Vec3d away = (point - center(at)) * (1 / spacing);
    const double reach = 0.5 + 2 * kWall;
    return std::abs(away[0]) <= reach && std::abs(away[1]) <= reach && std::abs(away[2]) <= reach;
  }
  /// The cells from `first` to `last` and `reach` cells around them.
  geometry::Bounds widened(const Index3& first, const Index3& last, double reach) const {
    const Vec3d around = spacing * Vec3d{reach, reach, reach};
    return {corner(first) - around, corner(shifted(last, 7)) + around};
  }
};

/// The corner of a lattice that lies at a node, counted in cells from the origin.
inline Index3 node_coordinate(const Lattice& lattice, std::int32_t node) {
  const Vec3d cells = (lattice.rest_positions[node] - lattice.origin) * (1 / lattice.spacing);
  Index3 at;
  for (int a = 0; a < 3; ++a) at[a] = static_cast<std::int32_t>(std::lround(cells[a]));
  return at;
}

/// The corner of the cell at `other` that lies where corner `corner` of the cell at `place` does,
/// or -1.
inline int common_corner(const Index3& place, int corner, const Index3& other) {
  const Index3 at = shifted(place, corner);
  int found = 0;
  for (int a = 0; a < 3; ++a) {
    const int step = at[a] - other[a];
    if (step != 0 && step != 1) return -1;
    found |= step << a;
  }
  return found;
}

}  // namespace isochor::grid
