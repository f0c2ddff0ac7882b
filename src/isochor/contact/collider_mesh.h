#pragma once

#include <memory>

#include "isochor/contact/collider_shapes.h"
#include "isochor/geometry/signed_distance.h"

namespace isochor::contact {

/// A triangle mesh at one time, prepared for queries in its own coordinates. Keeps a reference to
/// the mesh. Safe to query from several threads.
class ColliderMesh {
 public:
  ColliderMesh(const Mesh& mesh, double time, ThreadArena& arena);

  struct Sample {
    ShapeSample shape;
    Vec3d velocity;  ///< m/s, of the nearest point
  };
  Sample operator()(const Vec3d& point) const;
  const Bounds& bounds() const { return bounds_; }

 private:
  geometry::TriangleCorners corners(std::int32_t triangle, std::span<const Vec3d> values) const {
    const Triangle& t = mesh_->triangles[triangle];
    return {values[t[0]], values[t[1]], values[t[2]]};
  }

  const Mesh* mesh_;
  std::vector<Vec3d> positions_;
  std::vector<Vec3d> velocities_;  ///< m/s; none: at rest
  Bounds bounds_{};
  std::unique_ptr<const geometry::SignedDistance> solid_;  ///< one of these two
  std::unique_ptr<const geometry::TriangleBvh> sheet_;
};

}  // namespace isochor::contact
