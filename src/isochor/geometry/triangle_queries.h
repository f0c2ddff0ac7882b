#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "isochor/math/vec3.h"

/// A point or a ray against one triangle.
namespace isochor::geometry {

using TriangleCorners = std::array<Vec3d, 3>;

enum class TriangleFeature : std::uint8_t { Vertex, Edge, Face };

/// The point of a triangle that is nearest to another point.
struct ClosestPoint {
  std::int32_t triangle = -1;  ///< -1: nothing within reach
  TriangleFeature feature = TriangleFeature::Face;
  std::int8_t corner = 0;  ///< the vertex hit, or where the edge hit begins
  Vec3d barycentric{0, 0, 0};
  Vec3d point{0, 0, 0};
  double squared_distance = std::numeric_limits<double>::infinity();
};

/// On a triangle of any shape: one without area acts as its edges or as a point. The member
/// `triangle` is left to the caller.
ClosestPoint closest_point_on(const TriangleCorners& triangle, const Vec3d& point);

/// A ray prepared for many triangles. `direction` need not have length one: distances along the
/// ray are in units of it.
class Ray {
 public:
  Ray(const Vec3d& origin, const Vec3d& direction);

  const Vec3d& origin() const { return origin_; }
  const Vec3d& direction() const { return direction_; }

  /// Where the ray's line meets the triangle, from either side. A line that meets the edge between
  /// two triangles meets one of them at least: nothing slips through (Woop, Benthin and Wald 2013).
  std::optional<double> meets(const TriangleCorners& triangle) const;

 private:
  Vec3d origin_, direction_;
  std::array<int, 3> axis_;  ///< the last is the one along which the ray is longest
  Vec3d shear_;              ///< makes the ray the unit vector of that axis
};

}  // namespace isochor::geometry
