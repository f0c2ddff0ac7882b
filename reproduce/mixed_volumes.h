#pragma once

#include "isochor/base/context.h"
#include "isochor/lattice/mixed_state.h"

namespace isochor::reproduce {

/// Largest relative changes of volume, and that of the whole.
struct Volumes {
  double total = 0, worst_cell = 0, worst_block = 0;
};
/// Of cells as their maps are, exact; cells count whole, whatever is in them.
Volumes trilinear_volumes(const lattice::Model& model, std::span<const Vec3d> positions);
/// By what the scheme controls: M at the points of each cell. Cells that have less of a cell in
/// them than `least_fill` are left to their blocks.
Volumes measured_volumes(const lattice::mixed::Model& model, const lattice::mixed::State& state,
                         double least_fill, Context& context);

}  // namespace isochor::reproduce
