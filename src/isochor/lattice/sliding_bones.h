#pragma once

#include <string>

#include "isochor/geometry/triangle_bvh.h"
#include "isochor/math/mat3.h"

/// Bones as internal colliders over which flesh slides [McAdams11 sec 10]: points of the flesh that
/// lie on a bone at rest stay on its surface, each by a spring across it, and go along it as they
/// like. Flesh does not leave the bone either: there is nothing else that could take its place.
namespace isochor::lattice {

/// Where a bone is: x = rotation X + translation.
struct BoneMotion {
  Mat3d rotation = Mat3d::identity();
  Vec3d translation{0, 0, 0};  ///< m

  Vec3d operator()(const Vec3d& at_rest) const { return rotation * at_rest + translation; }
  Vec3d back(const Vec3d& now) const { return transpose(rotation) * (now - translation); }
};

/// The surface of a bone at rest. Its normals are blended within triangles, but for edges sharper
/// than sixty degrees: what slides over the facets of a round bone is not to feel them.
class BoneSurface {
 public:
  /// Triangles face outward.
  BoneSurface(std::vector<Vec3d> positions, std::vector<geometry::Triangle> triangles,
              ThreadArena& arena);

  struct Foot {
    Vec3d point;   ///< of the surface, m
    Vec3d normal;  ///< of length one
  };
  /// The place of the surface that is nearest to a point.
  Foot below(const Vec3d& point) const;

 private:
  geometry::TriangleBvh tree_;
  std::vector<std::array<Vec3d, 3>> normals_;  ///< per triangle and corner
};

/// A bone with what slides over it.
struct SlidingBone {
  std::string name;
  BoneSurface surface;
  std::vector<std::int32_t> points;  ///< of ContactSurface
  std::vector<double> stiffness;     ///< of each point's spring, N/m
};

}  // namespace isochor::lattice
