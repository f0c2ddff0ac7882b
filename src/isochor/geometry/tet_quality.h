#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/mesh_report.h"
#include "isochor/geometry/tet_mesh.h"

/// What a solid of tets is like, and what is wrong with it.
namespace isochor::geometry {

enum class TetDefect : std::uint8_t {
  Inverted,         ///< a tet of negative volume
  Flat,             ///< a tet with (nearly) no volume for its size
  Sliver,           ///< none of these, but with a dihedral angle near 0 or 180 degrees
  CrowdedFace,      ///< a face of three tets or more
  FoldedFace,       ///< a face whose two tets are on the same side of it
  NonManifoldEdge,  ///< an edge with more than two faces of the boundary
  UnusedVertex,     ///< belongs to no tet
};
inline constexpr std::size_t kTetDefectKinds = 7;

struct TetReport {
  static constexpr int kBins = 18;  ///< of dihedral angles, 10 degrees each

  std::int64_t vertices = 0, tets = 0, boundary_triangles = 0;
  Bounds bounds{};              ///< of the vertices that tets use
  double volume = 0;            ///< m^3, with sign
  double area = 0;              ///< m^2, of the boundary
  std::int64_t components = 0;  ///< sets of tets that hang together by their faces
  double smallest_volume = 0, largest_volume = 0;  ///< m^3, of a tet
  double smallest_angle = 0, largest_angle = 0;    ///< dihedral, degrees
  std::array<std::int64_t, kBins> angles{};        ///< how many of each, six per tet
  EdgeLengths edge_lengths;
  std::vector<double> region_volumes;  ///< m^3, by the number of the region
  /// Places have the number of a tet, the tets of a face, or vertices.
  std::array<DefectList, kTetDefectKinds> defects;

  const DefectList& operator[](TetDefect d) const { return defects[static_cast<std::size_t>(d)]; }
  DefectList& operator[](TetDefect d) { return defects[static_cast<std::size_t>(d)]; }
};

struct TetInspectOptions {
  std::size_t places = 10;  ///< how many of each kind of defect to locate
  double sliver_angle = 5;  ///< degrees; below it, or as near to 180, a tet is a sliver
};

/// Looks at everything. There must be a tet; coordinates must be finite. The result does not depend
/// on the number of threads.
TetReport inspect_tets(const TetMesh& mesh, ThreadArena& arena,
                       const TetInspectOptions& options = {});

/// Refuses what no elasticity can start from: inverted and flat tets, with their number and the
/// place of the first. `place` names the mesh.
void refuse_unusable_tets(const TetReport& report, const std::string& place);

}  // namespace isochor::geometry
