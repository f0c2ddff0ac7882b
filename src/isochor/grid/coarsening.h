#pragma once

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// A lattice with cells twice as large, and how it came about.
struct Coarsening {
  Lattice coarse;                       ///< without `pieces` and `cut_cells`
  std::vector<std::int32_t> parent;     ///< per fine cell, in the order of for_each_cell
  std::vector<std::int32_t> fine_node;  ///< per coarse node the fine one there, or kNoNode
};

/// A coarse cell holds those of the fine cells in its place that are connected inside it, by having
/// the same nodes where they meet; where they are not, there is one for each set. Coarse cells
/// share the nodes from which they interpolate a fine node that they share: what is apart stays
/// apart, and interpolation is the same from whichever cell. A coarse cell is interior if it has
/// eight children that are, and exterior if all it has are.
Coarsening coarsen(const Lattice& fine);

}  // namespace isochor::grid
