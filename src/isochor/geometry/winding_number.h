#pragma once

#include <vector>

#include "isochor/geometry/surface_mesh.h"
#include "isochor/math/mat3.h"

namespace isochor::geometry {

/// The generalised winding number of a triangle surface: 1 inside, 0 outside, and a sensible
/// number between where the surface has holes. Far clusters of triangles act as their first two
/// moments (Barill et al. 2018, first order), so that a query costs O(log n). Keeps copies; safe to
/// query from several threads.
class WindingNumber {
 public:
  WindingNumber(std::span<const Vec3d> positions, std::span<const Triangle> triangles);

  double operator()(const Vec3d& point) const;

 private:
  struct Node {
    Vec3d center;                     ///< area-weighted
    Vec3d area_normal;                ///< sum of area times normal
    Mat3d moment;                     ///< sum of area times normal times (arm from `center`)^T
    double radius = 0;                ///< reach of the triangles from `center`
    std::int32_t begin = 0, end = 0;  ///< range of triangles
    std::int32_t right = -1;          ///< second child; the first follows its parent; -1: a leaf
  };
  std::int32_t build(std::int32_t begin, std::int32_t end);

  std::vector<std::array<Vec3d, 3>> corners_;
  std::vector<Node> nodes_;
};

}  // namespace isochor::geometry
