#pragma once

#include <functional>

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// Gives a body the axes of its law from a field over the body at rest: cells at the centroid of
/// what is in them, and at their points those that have some of their own.
void set_axes(BodySpec& body, const std::function<Mat3d(const Vec3d&)>& field);

/// Gives the cells of bodies that have points of their own, or skin, to Model::cut_groups, once
/// groups are in the order of tiles, and takes them from the centres of cells.
void add_cut_cells(Model& model, const std::vector<BodySpec>& bodies);

}  // namespace isochor::lattice
