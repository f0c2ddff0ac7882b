#pragma once

#include <array>
#include <cstdint>

#include "isochor/base/function_ref.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::geometry {

enum class PointSide : std::uint8_t { Outside, Inside, Surface };

struct StencilCorner {
  std::int32_t vertex;
  PointSide side;
  bool even;  ///< of the two ends of a long edge exactly one is
};

/// The part of a lattice tet that is inside, as tets, with the diagonals of cut faces chosen from
/// the face alone so that neighbours agree. Edges 0-1 and 2-3 are the long ones; the volume is
/// positive. `cut(i, j)` is the vertex on the edge between corner i, inside, and corner j, outside.
void cut_lattice_tet(const std::array<StencilCorner, 4>& corners,
                     FunctionRef<std::int32_t(int, int)> cut,
                     FunctionRef<Vec3d(std::int32_t)> position, std::vector<Tet>& out);

}  // namespace isochor::geometry
