#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/geometry/winding_number.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The closed surface that HoldSpec::inside speaks of.
struct Enclosure {
  geometry::SurfaceMesh surface;
  std::vector<geometry::Triangle> triangles;  ///< facing outward
  geometry::WindingNumber winding;
};

/// The part of space that a hold speaks of.
class Region {
 public:
  /// `bounds` are those of the body's surface; an unsaid depth is half a cell. The enclosure, there
  /// if the hold wants one, must outlive the region.
  Region(const HoldSpec& hold, const geometry::Bounds& bounds, double cell_size,
         const Enclosure* enclosure = nullptr);

  bool contains(const Vec3d& point) const;

 private:
  Vec3d low_, high_;
  const Enclosure* enclosure_;
};

/// Nodes at rest, m, and the cells or tets between them: numbers of nodes, `corners` for each.
struct NodesAndCells {
  std::span<const Vec3d> nodes;
  std::span<const std::int32_t> cells;
  std::size_t corners;
  double spacing;  ///< m, how far apart nodes are
};

/// The nodes that a hold takes: those in its region, or all nodes of cells with their middle there.
/// None is an input error. `bounds` are those of the body's surface.
std::vector<std::int32_t> select_nodes(const HoldSpec& hold, const NodesAndCells& body,
                                       const geometry::Bounds& bounds,
                                       const Enclosure* enclosure = nullptr);

/// Where bones meet, at joints, a node goes with the nearest of them; other holds keep theirs. Both
/// lists are ascending.
void share_out(std::span<const Vec3d> nodes, const HoldSpec& bone, std::vector<std::int32_t>& held,
               const HoldSpec& other, std::vector<std::int32_t>& theirs);

/// The surface that a hold speaks of where it holds what is inside of one; `spacing` as above.
std::optional<Enclosure> make_enclosure(const HoldSpec& hold, double spacing,
                                        const std::filesystem::path& scene_file,
                                        ThreadArena& arena);

/// A surface whose parts are chosen: triangles are those of its faces, fan by fan, turned outward.
struct SurfaceFaces {
  const geometry::SurfaceMesh& surface;
  std::span<const geometry::Triangle> triangles;
  std::span<const files::FaceGroup> groups;
};

/// The region of a load as that of a hold.
HoldSpec region_of(const LoadSpec& load);

/// The triangles that lie in the region of a hold with all their corners, or in its group. None is
/// an input error.
std::vector<geometry::Triangle> select_triangles(const HoldSpec& hold, const SurfaceFaces& faces,
                                                 double cell_size);

/// The vertices of triangles that lie in the region of a hold with all their corners, and the part
/// of the area of these triangles that belongs to each, m^2. None is an input error.
struct SurfacePatch {
  std::vector<std::int32_t> vertices;
  std::vector<double> areas;
};
SurfacePatch select_surface(const HoldSpec& hold, const SurfaceFaces& faces, double cell_size);

/// The same of all triangles.
SurfacePatch whole_surface(const geometry::SurfaceMesh& surface,
                           std::span<const geometry::Triangle> triangles);

}  // namespace isochor::sim
