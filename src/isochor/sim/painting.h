#pragma once

#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/files/surface_file.h"
#include "isochor/grid/lattice.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// A quantity with one value per cell, in the order of Lattice::for_each_cell.
struct CellField {
  std::string name;
  std::vector<double> values;
};

/// Carries what is painted on a surface into the cells of its body: a cell takes the value at the
/// point of the surface nearest to its middle. Where several paints of one quantity overlap, the
/// one that stands later in the scene goes before the others. An unknown group or attribute is an
/// input error that lists the known ones.
std::vector<CellField> paint_cells(const grid::Lattice& lattice, const files::SurfaceFile& surface,
                                   const std::vector<PaintSpec>& paints, ThreadArena& arena);

}  // namespace isochor::sim
