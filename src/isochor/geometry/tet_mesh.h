#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

using Tet = std::array<std::int32_t, 4>;

/// A solid cut into tetrahedra. The volume of a tet is positive if its fourth corner lies on the
/// side of the first three that (b - a) x (c - a) points to.
struct TetMesh {
  std::vector<Vec3d> positions;  ///< m
  std::vector<Tet> tets;
  std::vector<std::int32_t> regions;  ///< one number per tet, or none
};

/// m^3; negative if inverted.
double signed_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);
double signed_volume(const TetMesh& mesh, std::size_t tet);

/// The sum of all signed volumes, in the order of the tets.
double total_volume(const TetMesh& mesh);

/// The corners of the face opposite corner k, counter-clockwise seen from outside a tet of positive
/// volume.
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces{
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// The two corners of edge e; the other two are those of edge 5 - e.
inline constexpr std::array<std::array<int, 2>, 6> kTetEdges{
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// The angle between the two faces at each edge, rad, 0 to pi. Zero where a face has no area.
std::array<double, 6> dihedral_angles(const std::array<Vec3d, 4>& corners);

/// Swaps two corners of every tet of negative volume; returns how many there were.
std::size_t fix_winding(TetMesh& mesh);

/// Numbers nodes anew, cube by cube of space along a Z-shaped curve (Morton 1966), and tets by the
/// lowest of their nodes: what is close in space then is close in memory, in all directions. Within
/// a cube nodes stay in their order.
void order_by_place(TetMesh& mesh, double cube);

/// The faces that belong to one tet only, outward, in the order of the tets. Faces of three tets or
/// more are left out.
std::vector<Triangle> boundary_triangles(std::span<const Tet> tets);

}  // namespace isochor::geometry
