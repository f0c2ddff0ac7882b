#pragma once

#include <optional>
#include <vector>

#include "isochor/contact/proximity.h"

/// Which parts of the surfaces meet while points move in straight lines, each with its own constant
/// velocity. No impact is missed: a time is passed only where a plane between the two parts
/// certifies that they are apart until then (conservative advancement; Tang, Kim and Manocha 2009,
/// and additive CCD, Li, Kaufman and Jiang 2021, which bounds the speed by its norm where this
/// takes that across the plane, so that parts that slide along each other take one step). It works
/// on degenerate triangles and edges, and on coplanar motion, for which cubic equations fail.
namespace isochor::contact {

struct ImpactOptions {
  double distance = 0;  ///< m; parts that come nearer than this meet
  /// How much of the first gap is left when an impact is reported, 0 to 1: its time is that much
  /// early, and the parts are still apart then.
  double remaining = 0.1;
};

/// Two parts shortly before they meet, with the normal between them.
struct Impact {
  Pair pair;
  /// 0 to 1, of the way from start to end; 0 for parts that touch at the start, or are nearer than
  /// they may and do not part.
  double time = 0;
};

/// The first impact of x[0] and the triangle x[1..3], or of two edges, up to `latest`; none: they
/// do not meet. Leaves the members of `pair` that name parts and points to the caller.
std::optional<Impact> first_impact(PairKind kind, const FourVectors& start, const FourVectors& end,
                                   const ImpactOptions& options = {}, double latest = 1);

/// All pairs that meet, sorted as pairs are, each with its first impact. Updates the trees, and
/// marks what the filter says has changed.
void find_impacts(SurfaceBvh& bvh, std::span<const Vec3d> start, std::span<const Vec3d> end,
                  const ImpactOptions& options, const PairFilter& filter, ThreadArena& arena,
                  std::vector<Impact>& impacts);

/// The time of the first impact of all, 1 if there is none: so far points may go towards `end`
/// without crossing. Updates the trees.
double largest_step(SurfaceBvh& bvh, std::span<const Vec3d> start, std::span<const Vec3d> end,
                    const ImpactOptions& options, const PairFilter& filter, ThreadArena& arena);

}  // namespace isochor::contact
