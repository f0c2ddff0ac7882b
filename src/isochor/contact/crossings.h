#pragma once

#include <vector>

#include "isochor/contact/surface_bvh.h"

namespace isochor::contact {

/// Two triangles of the surfaces, the first with the lower number.
struct TrianglePair {
  std::int32_t first, second;
  friend auto operator<=>(const TrianglePair&, const TrianglePair&) = default;
};

/// What of the surfaces passes through what.
struct Crossings {
  std::int64_t within_bodies = 0;   ///< pairs of triangles of one body
  std::int64_t between_bodies = 0;  ///< pairs of triangles of two
  std::int64_t with_obstacles = 0;  ///< pairs of one of a body and one of an obstacle
  std::vector<TrianglePair> pairs;  ///< sorted, the first kNamed of all

  static constexpr std::size_t kNamed = 64;
  std::int64_t count() const { return within_bodies + between_bodies + with_obstacles; }
};

/// Counts the pairs of triangles that cross (`geometry::triangles_cross`, in exact arithmetic):
/// right whatever the rounding. Pairs with one common corner count too; those that only touch do
/// not, nor do obstacles with each other. Zero for surfaces that are apart, and for a body wholly
/// inside another: how that came about is not seen from one instant. Updates the trees.
Crossings find_crossings(SurfaceBvh& bvh, std::span<const Vec3d> positions, ThreadArena& arena);

}  // namespace isochor::contact
