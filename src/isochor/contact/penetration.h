#pragma once

#include <memory>

#include "isochor/contact/box_bvh.h"
#include "isochor/contact/penalty.h"
#include "isochor/contact/surface.h"
#include "isochor/geometry/signed_distance.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::contact {

/// A vertex of the surface that is inside a body, its own or another one: the way out is to where
/// the nearest point of the surface at rest has gone.
struct Penetration {
  std::int32_t vertex = -1;
  Triangle triangle{};              ///< vertices of the surface there
  std::array<double, 3> weights{};  ///< of its corners
  Vec3d target{0, 0, 0};            ///< m, that point of the surface
  Vec3d normal{0, 0, 0};            ///< of length one, from the vertex to it
  double depth = 0;                 ///< m
};

/// Out, and as far from the surface as `margin`, m.
inline PointSpring penalty_spring(const Penetration& found, double stiffness, double grip,
                                  double margin) {
  const auto& [a, b, c] = found.triangle;
  const auto& [wa, wb, wc] = found.weights;
  return {.points = {found.vertex, a, b, c},
          .weights = {1, -wa, -wb, -wc},
          .count = 4,
          .stiffness = penalty_stiffness(stiffness, grip, found.normal),
          .target = margin * found.normal};
}

/// Finds what bodies have penetrated, by themselves and each other, where nothing kept them from
/// it: deformed elements that contain a vertex tell where in the undeformed body it is, and the
/// signed distance at rest, which never changes, tells the nearest point of the surface [McAdams11
/// sec 7]. Elements are tetrahedra over nodes; of hexahedra the caller makes some. The surface may
/// be that of the tetrahedra or another one embedded in them. Keeps copies.
class PenetrationFinder {
 public:
  /// `bodies` has the body of each vertex of the surface.
  PenetrationFinder(std::span<const geometry::Tet> tets, std::span<const Vec3d> rest_nodes,
                    std::span<const Triangle> triangles, std::span<const Vec3d> rest_vertices,
                    std::span<const std::int32_t> bodies, ThreadArena& arena);

  /// At positions of nodes and vertices, in the order of vertices; the same for any number of
  /// threads. Places of a vertex's own body that are nearer to it at rest than `exclusion` (m), as
  /// its own element is, count as outside.
  void find(std::span<const Vec3d> nodes, std::span<const Vec3d> vertices, double exclusion,
            ThreadArena& arena, std::vector<Penetration>& found);

 private:
  Penetration shallowest(std::int32_t vertex, std::span<const Vec3d> nodes,
                         std::span<const Vec3d> vertices, double exclusion) const;

  std::vector<geometry::Tet> tets_;
  std::vector<Vec3d> rest_nodes_, rest_vertices_;
  std::vector<Triangle> triangles_;
  std::vector<std::int32_t> bodies_;
  std::vector<std::int32_t> proxies_;  ///< vertices of triangles, ascending
  geometry::SignedDistance rest_distance_;
  BoxBvh tree_;
  std::vector<Bounds> boxes_;  ///< memory of `find`
};

}  // namespace isochor::contact
