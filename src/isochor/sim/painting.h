#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/files/surface_file.h"
#include "isochor/grid/lattice.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// A quantity with one value per cell, in the order of Lattice::for_each_cell, or per tet.
struct CellField {
  std::string name;
  std::vector<double> values;
};

/// Carries painted quantities into the cells of a body with these middles. A cell takes the value
/// - of the surface, or of a file with a value per vertex of it: at the point of the surface that
///   is nearest to the cell's middle;
/// - of a file with points of its own: of the point nearest to the middle;
/// - of a file with cells of its own: of the cell around the middle, outside of all of the nearest.
/// Where several paints of one quantity overlap, the one that stands later in the scene goes before
/// the others. Files are looked for in `folder`. An unknown group, attribute or array, and an array
/// of another length, are input errors that list what is there.
std::vector<CellField> paint_cells(std::vector<Vec3d> middles, const files::SurfaceFile& surface,
                                   const std::vector<PaintSpec>& paints, ThreadArena& arena,
                                   const std::filesystem::path& folder = {});

/// Groups that are painted: "paint:color.r" has the faces all of whose corners have more than a
/// half of that attribute. Those that holds and loads of a body name; an unknown attribute, and one
/// of which there is nowhere enough, are input errors.
inline constexpr std::string_view kPaintedGroup = "paint:";
std::vector<files::FaceGroup> painted_groups(const BodySpec& body,
                                             const files::SurfaceFile& surface);

/// Of all cells, m.
std::vector<Vec3d> middles_of_cells(const grid::Lattice& lattice);

}  // namespace isochor::sim
