#include "isochor/sim/field_sampling.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/geometry/box_tree.h"
#include "isochor/geometry/tet_embedding.h"
#include "isochor/geometry/triangle_queries.h"

namespace isochor::sim {
namespace {

using Corners = std::span<const std::int32_t>;
using Tet = std::array<std::int8_t, 4>;

/// How a cell of VTK is cut into tetrahedra; one without any is a polygon, cut into a fan.
struct CellKind {
  std::uint8_t type;
  std::size_t corners;  ///< 0: any number from 3
  std::vector<Tet> tets;
};
const std::array<CellKind, 8>& cell_kinds() {
  static const std::array<CellKind, 8> kinds{{
      {5, 3, {}},  // triangle
      {7, 0, {}},  // polygon
      {9, 4, {}},  // quad
      {10, 4, {{0, 1, 2, 3}}},
      // A voxel counts x, y, z; a hexahedron goes around. Six tetrahedra about a diagonal.
      {11, 8, {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}},
      {12, 8, {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}},
      {13, 6, {{0, 1, 2, 5}, {0, 1, 5, 4}, {0, 4, 5, 3}}},  // wedge
      {14, 5, {{0, 1, 2, 4}, {0, 2, 3, 4}}},                // pyramid
  }};
  return kinds;
}

const CellKind& kind_of(const files::FieldFile& file, std::size_t cell, std::size_t corners) {
  const auto& kinds = cell_kinds();
  const auto* kind = std::ranges::find(kinds, file.cells.types[cell], &CellKind::type);
  if (kind == kinds.end()) {
    throw Error(Fault::Input, file.place,
                fmt::format("cell {} has the type {} of VTK", cell, file.cells.types[cell]),
                "known are triangles (5), polygons (7), quads (9), tetrahedra (10), voxels (11), "
                "hexahedra (12), wedges (13) and pyramids (14): convert the others, or take a "
                "field on points");
  }
  if (kind->corners == 0 ? corners < 3 : corners != kind->corners) {
    throw Error(Fault::Input, file.place,
                fmt::format("cell {} of type {} has {} corners", cell, kind->type, corners),
                "write the file again with the program that made it");
  }
  return *kind;
}

double to_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& place) {
  return geometry::closest_point_on({a, b, c}, place).squared_distance;
}

double to_cell(const CellKind& kind, Corners corners, std::span<const Vec3d> points,
               const Vec3d& place) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Tet& tet : kind.tets) {
    std::array<Vec3d, 4> p;
    for (int i = 0; i < 4; ++i) p[i] = points[corners[tet[i]]];
    nearest = std::min(nearest, geometry::squared_distance(p, place));
  }
  for (std::size_t i = 2; kind.tets.empty() && i < corners.size(); ++i) {
    nearest = std::min(nearest, to_triangle(points[corners[0]], points[corners[i - 1]],
                                            points[corners[i]], place));
  }
  return nearest;
}

}  // namespace

std::vector<std::int32_t> nearest_points(std::span<const Vec3d> points,
                                         std::span<const Vec3d> places, ThreadArena& arena) {
  std::vector<geometry::Bounds> boxes;
  boxes.reserve(points.size());
  for (const Vec3d& p : points) boxes.push_back({p, p});
  const geometry::BoxTree tree(boxes);
  std::vector<std::int32_t> nearest(places.size());
  parallel_for(arena, places.size(), 256, [&](std::size_t i) {
    nearest[i] = tree.nearest(places[i], [&](std::int32_t p) {
      const Vec3d apart = points[p] - places[i];
      return dot(apart, apart);
    });
  });
  return nearest;
}

std::vector<std::int32_t> nearest_cells(const files::FieldFile& file, std::span<const Vec3d> points,
                                        std::span<const Vec3d> places, ThreadArena& arena) {
  const files::FieldCells& cells = file.cells;
  const auto corners = [&](std::size_t c) {
    return Corners(cells.corners)
        .subspan(static_cast<std::size_t>(cells.starts[c]),
                 static_cast<std::size_t>(cells.starts[c + 1] - cells.starts[c]));
  };
  std::vector<const CellKind*> kinds;
  std::vector<geometry::Bounds> boxes;
  for (std::size_t c = 0; c < cells.count(); ++c) {
    kinds.push_back(&kind_of(file, c, corners(c).size()));
    geometry::Bounds box{points[corners(c)[0]], points[corners(c)[0]]};
    for (const std::int32_t p : corners(c)) {
      box = {min(box.low, points[p]), max(box.high, points[p])};
    }
    boxes.push_back(box);
  }
  const geometry::BoxTree tree(boxes);
  std::vector<std::int32_t> nearest(places.size());
  parallel_for(arena, places.size(), 64, [&](std::size_t i) {
    nearest[i] = tree.nearest(places[i], [&](std::int32_t c) {
      return to_cell(*kinds[c], corners(static_cast<std::size_t>(c)), points, places[i]);
    });
  });
  return nearest;
}

}  // namespace isochor::sim
