#pragma once

#include <array>
#include <span>

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

/// A triangle of the part that a triangle of the surface has in one cell, for integrals over the
/// embedded surface that one point per patch does not do.
struct SurfaceFacet {
  std::int32_t triangle;
  std::int32_t cell;
  std::array<Vec3d, 3> corners;  ///< in the cell, as SurfacePatch::local; turned as the triangle
};

/// The same parts as surface_patches, each cut into triangles. Facets that share an edge across a
/// wall share its ends: what cells deform continuously stays closed.
std::vector<SurfaceFacet> surface_facets(const Lattice& lattice, std::span<const Vec3d> positions,
                                         std::span<const geometry::Triangle> triangles,
                                         ThreadArena& arena);

}  // namespace isochor::grid
