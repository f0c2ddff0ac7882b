#pragma once

#include <vector>

#include "isochor/contact/pair.h"
#include "isochor/contact/surface_bvh.h"

/// Which parts of the surfaces are near each other now.
namespace isochor::contact {

/// The nearest points of two segments, whatever their lengths and directions: a + s (b - a) and
/// c + t (d - c) with s and t from 0 to 1.
struct SegmentPoints {
  double s = 0, t = 0;
  double squared_distance = 0;
};
SegmentPoints closest_on_segments(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

/// The nearest points of the point x[0] and the triangle x[1..3], or of the edges x[0..1] and
/// x[2..3]: fills weights, distance and normal. Where the two touch, the normal is that of the
/// triangle, or perpendicular to both edges with no particular sign.
Pair closest_points(PairKind kind, const FourVectors& x);

/// Without the normal.
double squared_distance(PairKind kind, const FourVectors& x);

/// Which pairs are asked for.
struct PairFilter {
  bool within_bodies = true;   ///< pairs of parts of one body
  bool between_bodies = true;  ///< pairs of parts of two
  bool with_obstacles = true;  ///< pairs of a part of a body and one of an obstacle
  /// Pairs of one body that are nearer than this in `rest_positions` are left out: neighbours on a
  /// fine mesh always are. Zero: only pairs with a point in common are.
  double rest_distance = 0;                 ///< m
  std::span<const Vec3d> rest_positions{};  ///< needed where rest_distance is not zero
  /// Not zero for points that have changed; pairs without one are left out. Empty: all have.
  std::span<const std::uint8_t> changed{};
};

/// All pairs without a common point that are not further apart than `reach` (m), sorted. Updates
/// the trees. The same for any number of threads. Pairs whose nearest points are on a common edge
/// or corner of several triangles come several times, once for each.
void find_close_pairs(SurfaceBvh& bvh, std::span<const Vec3d> positions, double reach,
                      const PairFilter& filter, ThreadArena& arena, std::vector<Pair>& pairs);

/// Calls f(kind, first, second, points, chunk) for all pairs that the filter passes and whose
/// boxes, as last updated, overlap; from several threads at once. Where some have changed, those
/// have to be marked in the trees. Chunks are numbered from 0 to
/// less than `candidate_chunks(bvh)`, and no two threads are in the same one.
using CandidateFunction =
    FunctionRef<void(PairKind kind, std::int32_t first, std::int32_t second,
                     const std::array<std::int32_t, 4>& points, std::size_t chunk)>;
std::size_t candidate_chunks(const SurfaceBvh& bvh);
void for_each_candidate(const SurfaceBvh& bvh, std::span<const Vec3d> start,
                        std::span<const Vec3d> end, const PairFilter& filter, ThreadArena& arena,
                        CandidateFunction f);

}  // namespace isochor::contact
