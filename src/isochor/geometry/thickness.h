#pragma once

#include "isochor/geometry/triangle_bvh.h"

namespace isochor::geometry {

/// How thick a body is below its surface: distances along rays from the middles of triangles,
/// straight inward, to where they first meet the surface again.
struct Thickness {
  std::int64_t rays = 0;        ///< cast
  std::int64_t hits = 0;        ///< that met the surface again; the rest left through holes
  double smallest = 0;          ///< m
  std::int32_t thinnest = -1;   ///< the triangle above the smallest; -1: no hits
  Vec3d where{0, 0, 0};         ///< the middle of that triangle
  double first_percentile = 0;  ///< m; 99 % of the surface is thicker
  double median = 0;            ///< m; half of the surface is thicker
  double thin_share = 0;        ///< part of the surface that is thinner than `thin_limit`
};

/// Casts at most `most_rays`, from triangles at equal steps of the list if there are more. `tree`
/// and `outward` must hold the same triangles in the same order, `outward` facing outward.
Thickness measure_thickness(const TriangleBvh& tree, std::span<const Vec3d> positions,
                            std::span<const Triangle> outward, std::size_t most_rays,
                            double thin_limit, ThreadArena& arena);

}  // namespace isochor::geometry
