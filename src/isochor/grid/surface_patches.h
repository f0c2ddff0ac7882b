#pragma once

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// The part of a triangle in one cell, for loads on an embedded surface: a traction t acts on the
/// nodes of the cell by t |area| times their weights at `local`, a pressure p by -p `area`. One
/// point is exact for what is linear over the patch.
struct SurfacePatch {
  std::int32_t triangle;
  std::int32_t cell;
  Vec3d local;  ///< its centroid in the cell, 0 to 1; a little beyond where a cell was left out
  Vec3d area;   ///< times the normal of the triangle, m^2
};

/// Cuts triangles along the walls of cells. By triangle; areas add up to those of the triangles. Of
/// a triangle in a wall the cell is the one behind it, so triangles should be turned outward.
/// Patches of less than 1e-12 of a wall are left out. In places that cells share it is the cell
/// with this piece of surface, in those without one the nearest. The same for any number of
/// threads.
std::vector<SurfacePatch> surface_patches(const Lattice& lattice, std::span<const Vec3d> positions,
                                          std::span<const geometry::Triangle> triangles,
                                          ThreadArena& arena);

}  // namespace isochor::grid
