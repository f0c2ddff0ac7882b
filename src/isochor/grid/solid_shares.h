#pragma once

#include <span>
#include <vector>

#include "isochor/geometry/surface_mesh.h"
#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// A closed surface, its triangles facing outward.
struct SolidSurface {
  std::span<const Vec3d> positions;  ///< m
  std::span<const geometry::Triangle> triangles;
};

/// What a solid has of a cell.
struct CellShare {
  std::int32_t cell = 0;
  double fraction = 0;  ///< of the whole cell, 0 to 1
  Vec3d centroid;       ///< of the solid in the cell, m
};

/// The cells of a lattice that each solid reaches into, by cell. Exact for every solid by itself,
/// whatever the lattice has in its cells.
std::vector<std::vector<CellShare>> shares_in_cells(const Lattice& lattice,
                                                    std::span<const SolidSurface> solids,
                                                    ThreadArena& arena);

/// Takes from every solid what an earlier one has already: where solids overlap, the first one is
/// there. In cells that several reach into, 216 points each belong to the first solid that has
/// them, and a solid keeps that part of its exact share; where none overlap, nothing changes.
void give_to_first(const Lattice& lattice, std::span<const SolidSurface> solids,
                   std::vector<std::vector<CellShare>>& shares, ThreadArena& arena);

}  // namespace isochor::grid
