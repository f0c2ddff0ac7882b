#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/geometry/thickness.h"

/// What a surface is and what is wrong with it.
namespace isochor::geometry {

/// Vertices with exactly equal coordinates count as one; polygons count as fans of triangles.
enum class Defect : std::uint8_t {
  BoundaryEdge,        ///< an edge with one triangle
  NonManifoldEdge,     ///< an edge with three triangles or more
  FlippedEdge,         ///< an edge that its two triangles run through in the same direction
  DegenerateTriangle,  ///< two equal corners, or (nearly) no area
  DuplicateTriangle,   ///< has the same three corners as an earlier one
  SelfIntersection,    ///< two triangles without common corner that cross (see `triangles_cross`)
  CoincidentVertex,    ///< has the coordinates of an earlier one
  UnusedVertex,        ///< belongs to no face
};
inline constexpr std::size_t kDefectKinds = 8;

struct DefectPlace {
  /// As the mesh counts, from 0: the two ends of an edge; the face of a triangle and the face it
  /// repeats or crosses; a vertex and the one it repeats. -1: there is no second.
  std::array<std::int32_t, 2> indices;
  Vec3d position;
};

struct DefectList {
  std::int64_t count = 0;
  std::vector<DefectPlace> first;  ///< the first few; the same for any number of threads
};

/// Triangles that hang together by their vertices.
struct SurfaceComponent {
  std::int64_t triangles = 0;
  double area = 0;    ///< m^2
  double volume = 0;  ///< m^3, about the middle of `bounds`, which matters only if it is open
  Bounds bounds{};
};

/// Boundary edges that hang together: the rim of a hole or of a sheet.
struct BoundaryLoop {
  std::int64_t edges = 0;
  double length = 0;      ///< m
  Vec3d center{0, 0, 0};  ///< mean of the edges' middles
};

struct EdgeLengths {
  double smallest = 0, median = 0, largest = 0;  ///< m
};

struct MeshReport {
  std::int64_t vertices = 0, faces = 0, triangles = 0;
  Bounds bounds{};    ///< of the vertices that faces use
  double area = 0;    ///< m^2
  double volume = 0;  ///< m^3, enclosed with sign, about the middle of `bounds`
  std::array<DefectList, kDefectKinds> defects;
  std::int64_t components = 0;
  std::int64_t flat_components = 0;    ///< that enclose no volume to speak of: sheets and strays
  std::int64_t inward_components = 0;  ///< with negative volume: cavities, or inside out
  std::vector<SurfaceComponent> largest_components;  ///< by number of triangles
  std::int64_t boundary_loops = 0;
  std::vector<BoundaryLoop> longest_loops;
  bool watertight = false;                ///< no boundary, non-manifold or flipped edge
  std::int64_t euler_characteristic = 0;  ///< vertices - edges + triangles
  std::optional<std::int64_t> genus;      ///< handles, of all components; only if watertight
  EdgeLengths edge_lengths;
  Thickness thickness;
  std::vector<std::uint8_t> triangle_defects;  ///< per triangle: bit d for Defect d

  const DefectList& operator[](Defect d) const { return defects[static_cast<std::size_t>(d)]; }
  DefectList& operator[](Defect d) { return defects[static_cast<std::size_t>(d)]; }
};

struct InspectOptions {
  std::size_t places = 10;               ///< how many of each kind of defect to locate
  std::size_t listed = 10;               ///< how many components and loops to describe
  std::size_t thickness_rays = 250'000;  ///< at most; 0 leaves thickness out
  double cell_size = 0;                  ///< m; thin means thinner than two of these
};

/// Whether a volume is too small to be a solid in a box of this size.
bool is_flat(double volume, const Bounds& bounds);

/// Looks at everything. The result does not depend on the number of threads.
MeshReport inspect_mesh(const SurfaceMesh& mesh, ThreadArena& arena,
                        const InspectOptions& options = {});

/// In which unit a mesh probably is, guessed from its size alone: that of something between a hand
/// and a tall person. "metres (1.79 m long)", "millimetres ...", or "unknown".
std::string guess_units(const Bounds& bounds);

}  // namespace isochor::geometry
