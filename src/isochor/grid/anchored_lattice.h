#pragma once

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// As build_lattice, with a corner of a cell at `anchor` instead of cells that lie evenly about the
/// body: bodies that fit together, or one that is moved against its lattice.
Lattice build_anchored_lattice(const geometry::SurfaceMesh& surface, const Vec3d& anchor,
                               const LatticeOptions& options, const std::string& place,
                               ThreadArena& arena);

}  // namespace isochor::grid
