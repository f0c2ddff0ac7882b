#pragma once

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// Gives the cells of bodies that have points of their own, or skin, to Model::cut_groups, once
/// groups are in the order of tiles, and takes them from the centres of cells.
void add_cut_cells(Model& model, const std::vector<BodySpec>& bodies);

}  // namespace isochor::lattice
