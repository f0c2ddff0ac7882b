#pragma once

#include "isochor/geometry/signed_distance.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::geometry {

/// What a solid has of a tet.
struct TetShare {
  std::int32_t tet = 0;
  double fraction = 0;  ///< of the tet's volume, 0 to 1
  Vec3d centroid;       ///< of the solid in the tet, m
};

/// What a solid has of a mesh.
struct SolidShares {
  std::vector<TetShare> tets;  ///< ascending, without what an earlier solid has
  double alone = 0;            ///< m^3, as if there were no other
  double left = 0;             ///< m^3, of `tets`
};

/// The tets that solids reach into; where solids overlap, the first of them is there. Tets that
/// surfaces come into are halved twice along each edge, and distances from surfaces are linear in
/// these parts: exact where surfaces are planes, else of second order in the size of tets.
std::vector<SolidShares> shares_in_tets(const TetMesh& mesh, std::span<const SignedDistance> solids,
                                        ThreadArena& arena);

}  // namespace isochor::geometry
