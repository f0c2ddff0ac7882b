#pragma once

#include <array>
#include <vector>

#include "isochor/geometry/mesh_report.h"

namespace isochor::geometry {

/// A surface with a colour per vertex.
struct ColouredMesh {
  SurfaceMesh mesh;
  std::vector<std::array<float, 3>> colours;  ///< red, green and blue, 0 to 1
};

/// The mesh of a report with its defects in colour: every triangle has vertices of its own and one
/// colour, that of the first of its defects in this order. Degenerate or duplicate: yellow;
/// non-manifold edge: magenta; flipped edge: orange; self-intersecting: blue; boundary edge: red;
/// none: grey.
ColouredMesh defect_mesh(const MeshReport& report, const SurfaceMesh& mesh);

}  // namespace isochor::geometry
