#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/files/field_file.h"

/// Where in a file of fields a place of a body is.
namespace isochor::sim {

/// For each of `places` the number of the point nearest to it, the first of equals. There must be
/// points.
std::vector<std::int32_t> nearest_points(std::span<const Vec3d> points,
                                         std::span<const Vec3d> places, ThreadArena& arena);

/// For each of `places` the number of the cell that contains it; outside of all, and for flat
/// cells, of the nearest one. Of cells that are equal in this the first. Cells are cut into
/// tetrahedra where their sides are not flat. An unknown type of cell is an input error that lists
/// the known ones.
std::vector<std::int32_t> nearest_cells(const files::FieldFile& file, std::span<const Vec3d> points,
                                        std::span<const Vec3d> places, ThreadArena& arena);

}  // namespace isochor::sim
