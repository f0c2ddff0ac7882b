#pragma once

#include <cstdint>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::run {

/// The part of a surface that a page shows.
struct ShownSurface {
  std::vector<std::int32_t> vertices;         ///< numbers in the user's surface
  std::vector<geometry::Triangle> triangles;  ///< numbers in `vertices`
};

ShownSurface all_of(const geometry::SurfaceMesh& surface);

/// About `most` vertices that stand for all: one per cube of a grid over the rest shape, and the
/// triangles that are left when all vertices of a cube become one. They are the user's own
/// vertices, so that what is shown of them is exact.
ShownSurface thinned(const geometry::SurfaceMesh& surface, std::size_t most);

}  // namespace isochor::run
