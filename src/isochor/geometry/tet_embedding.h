#pragma once

#include "isochor/base/parallel.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::geometry {

/// The squared distance from a point to a tet of any winding, 0 inside. One without volume acts as
/// its faces.
double squared_distance(const std::array<Vec3d, 4>& tet, const Vec3d& point);

/// Points that ride on tets.
class TetEmbedding {
 public:
  struct Point {
    Tet nodes;
    std::array<double, 4> weights;  ///< barycentric, they sum to one
  };
  struct Weight {
    std::int32_t node;
    double weight;
  };

  std::vector<Point> points;

  /// Where nodes take each point. One outside of its tet takes the tet's linear map continued.
  void interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const;

  /// The value of a nodal quantity at each point. One outside of its tet takes a mean of those
  /// corners that it is on the side of: nothing beyond the values that nodes have.
  void interpolate(std::span<const double> nodal, std::span<double> at_points) const;

  /// What each node contributes to a point.
  std::array<Weight, 4> weights(std::size_t point) const;
};

/// Ties points to the tets that contain them, of several the first; outside of all to the nearest.
/// All tets must have a volume.
TetEmbedding embed(const TetMesh& mesh, std::span<const Vec3d> points, ThreadArena& arena);

}  // namespace isochor::geometry
