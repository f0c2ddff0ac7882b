#pragma once

#include <memory>

#include "isochor/geometry/orientation.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/geometry/winding_number.h"

namespace isochor::geometry {

/// The surface as seen from a point.
struct SurfaceSample {
  double distance;       ///< m, negative inside the body
  Vec3d normal;          ///< of length one, out of the body at the closest point
  ClosestPoint closest;  ///< on the surface; `triangle` counts as in what the surface was made of
};

/// Distance to a surface of any quality, negative inside. Which side is inside is decided by the
/// winding number after the triangles were turned to agree (see `oriented_outward`), so that holes,
/// turned faces and loose triangles still give a body. Keeps copies, about 120 bytes per triangle;
/// safe to query from several threads.
class SignedDistance {
 public:
  /// There must be a triangle; coordinates must be finite.
  SignedDistance(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                 ThreadArena& arena);

  SurfaceSample operator()(const Vec3d& point) const;
  bool is_inside(const Vec3d& point) const { return winding_number(point) > 0.5; }
  /// Of the surface turned outward.
  double winding_number(const Vec3d& point) const { return winding_(point); }

  const TriangleBvh& tree() const { return *tree_; }
  std::size_t memory() const;  ///< bytes

 private:
  SignedDistance(std::span<const Vec3d> positions, const Orientation& outward, ThreadArena& arena);
  Vec3d unit_normal(std::int32_t triangle) const;
  Vec3d pseudo_normal(const ClosestPoint& closest) const;

  std::vector<Vec3d> positions_;
  std::vector<Triangle> triangles_;  ///< outward; of vertices with equal coordinates the first
  std::vector<std::int32_t> incident_starts_, incident_;  ///< the triangles at each vertex
  std::shared_ptr<const TriangleBvh> tree_;
  WindingNumber winding_;
};

}  // namespace isochor::geometry
