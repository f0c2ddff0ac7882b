#pragma once

#include "isochor/geometry/four_points.h"

namespace isochor::geometry {

/// The points' images in their centroid. Those of every other Gauss point of a cell are the other
/// four; both together integrate what the points do, and odd terms about the centroid to zero.
inline FourPoints mirrored(const FourPoints& points) {
  Vec3d sum{0, 0, 0};
  for (const Vec3d& p : points) sum += p;
  FourPoints images;
  for (std::size_t i = 0; i < points.size(); ++i) images[i] = 0.5 * sum - points[i];
  return images;
}

}  // namespace isochor::geometry
