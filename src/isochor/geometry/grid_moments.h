#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/cube_moments.h"
#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

/// Cubes side by side, x fastest.
struct RegularGrid {
  Vec3d origin{0, 0, 0};               ///< low corner of the first cell, m
  double spacing = 1;                  ///< edge of a cell, m
  std::array<std::int32_t, 3> size{};  ///< cells per axis

  std::size_t cell_count() const {
    return std::size_t(size[0]) * std::size_t(size[1]) * std::size_t(size[2]);
  }
  std::size_t index(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return std::size_t(i) + std::size_t(size[0]) * (std::size_t(j) + std::size_t(size[1]) * k);
  }
  /// A point in cells from the origin.
  Vec3d in_cells(const Vec3d& point) const { return (1 / spacing) * (point - origin); }
};

/// The moments of a closed solid in every cell of a grid, each in cells from the low corner of its
/// own. Triangles must face outward. Exact up to rounding where the surface closes; a cell in which
/// it does not counts as full or empty, whichever its middle is. Volumes are 0 to 1: what surfaces
/// enclose twice counts once.
std::vector<Moments> moments_in_cells(std::span<const Vec3d> positions,
                                      std::span<const Triangle> triangles, const RegularGrid& grid,
                                      ThreadArena& arena);

}  // namespace isochor::geometry
