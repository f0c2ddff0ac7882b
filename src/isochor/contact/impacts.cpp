#include "isochor/contact/impacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::contact {
namespace {

/// How many points belong to the first part.
int first_part(PairKind kind) { return kind == PairKind::PointTriangle ? 1 : 2; }

/// The two parts as seen from a plane between them: each corner of the first part is before it,
/// each of the second behind.
struct Separation {
  double gap = std::numeric_limits<double>::infinity();   ///< least of all corners
  double time = std::numeric_limits<double>::infinity();  ///< until when the plane holds
};

/// `spare` is taken off each gap.
Separation separation(PairKind kind, const Vec3d& normal, const FourVectors& x,
                      const FourVectors& way, double spare) {
  Separation result;
  for (int i = 0; i < first_part(kind); ++i) {
    for (int j = first_part(kind); j < 4; ++j) {
      const double gap = dot(normal, x[i] - x[j]) - spare;
      const double closing = dot(normal, way[j] - way[i]);
      result.gap = min(result.gap, gap);
      if (closing > 0) result.time = min(result.time, gap / closing);
    }
  }
  return result;
}

/// What rounding may do to a distance of points of this size.
double rounding_of(const FourVectors& a, const FourVectors& b) {
  double largest = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) largest = max(largest, max(std::abs(a[i][k]), std::abs(b[i][k])));
  }
  return 16 * std::numeric_limits<double>::epsilon() * largest;
}

/// Whether boxes of the two parts stay apart, seen by who moves along with their mean: what most
/// neighbours in a body that flies do, found at a fraction of the cost of a search for an impact.
bool pass_by(PairKind kind, const FourVectors& start, const FourVectors& end,
             const ImpactOptions& options) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3d mean{0, 0, 0};
  for (int i = 0; i < 4; ++i) mean += 0.25 * (end[i] - start[i]);
  Bounds box[2];
  for (Bounds& b : box) {
    b.low = {kInfinity, kInfinity, kInfinity};
    b.high = -b.low;
  }
  for (int i = 0; i < 4; ++i) {
    Bounds& b = box[i >= first_part(kind)];
    const Vec3d last = end[i] - mean;
    b.low = min(b.low, min(start[i], last));
    b.high = max(b.high, max(start[i], last));
  }
  // An impact is reported where a part of the first gap is left, which is at most what is between
  // any two points.
  const double least =
      options.distance + rounding_of(start, end) + options.remaining * norm(start[0] - start[3]);
  for (int a = 0; a < 3; ++a) {
    const double gap = max(box[0].low[a] - box[1].high[a], box[1].low[a] - box[0].high[a]);
    if (gap > least) return true;
  }
  return false;
}

}  // namespace

std::optional<Impact> first_impact(PairKind kind, const FourVectors& start, const FourVectors& end,
                                   const ImpactOptions& options, double latest) {
  constexpr double kPart = 0.9;        // of the time for which a plane holds
  constexpr int kMostSteps = 1 << 12;  // then the time reached counts: early, not late
  FourVectors way;
  for (int i = 0; i < 4; ++i) way[i] = end[i] - start[i];
  const double spare = options.distance + rounding_of(start, end);
  if (pass_by(kind, start, end, options)) return std::nullopt;
  double goal = 0;
  Impact impact;
  for (int step = 0; step < kMostSteps; ++step) {
    FourVectors x;
    for (int i = 0; i < 4; ++i) x[i] = start[i] + impact.time * way[i];
    impact.pair = closest_points(kind, x);
    const Separation apart = separation(kind, impact.pair.normal, x, way, spare);
    if (step == 0) {
      goal = options.remaining * apart.gap;
      // Parts that are nearer than they may, but surely apart, may part.
      const bool parting = std::isinf(apart.time) && apart.gap + options.distance > 0;
      if (apart.gap <= 0) return parting ? std::nullopt : std::optional(impact);
    } else if (apart.gap <= goal) {
      return impact;
    }
    const double next = impact.time + kPart * apart.time;
    if (next >= latest) return std::nullopt;
    if (next == impact.time) return impact;
    impact.time = next;
  }
  return impact;
}

void find_impacts(SurfaceBvh& bvh, std::span<const Vec3d> start, std::span<const Vec3d> end,
                  const ImpactOptions& options, const PairFilter& filter, ThreadArena& arena,
                  std::vector<Impact>& impacts) {
  bvh.update(start, end, options.distance, arena);
  if (!filter.changed.empty()) bvh.mark(filter.changed, arena);
  std::vector<std::vector<Impact>> parts(candidate_chunks(bvh));
  for_each_candidate(bvh, start, end, filter, arena,
                     [&](PairKind kind, std::int32_t first, std::int32_t second,
                         const std::array<std::int32_t, 4>& points, std::size_t chunk) {
                       std::optional<Impact> impact =
                           first_impact(kind, gather(start, points), gather(end, points), options);
                       if (!impact) return;
                       impact->pair.first = first;
                       impact->pair.second = second;
                       impact->pair.points = points;
                       parts[chunk].push_back(*impact);
                     });
  impacts.clear();
  for (const auto& part : parts) impacts.insert(impacts.end(), part.begin(), part.end());
  std::ranges::sort(impacts, [](const Impact& a, const Impact& b) { return a.pair < b.pair; });
}

double largest_step(SurfaceBvh& bvh, std::span<const Vec3d> start, std::span<const Vec3d> end,
                    const ImpactOptions& options, const PairFilter& filter, ThreadArena& arena) {
  bvh.update(start, end, options.distance, arena);
  // The least of a chunk bounds the search of the rest of it, which changes no time that is found.
  std::vector<double> least(candidate_chunks(bvh), 1);
  for_each_candidate(bvh, start, end, filter, arena,
                     [&](PairKind kind, std::int32_t, std::int32_t,
                         const std::array<std::int32_t, 4>& points, std::size_t chunk) {
                       const std::optional<Impact> impact = first_impact(
                           kind, gather(start, points), gather(end, points), options, least[chunk]);
                       if (impact) least[chunk] = impact->time;
                     });
  return least.empty() ? 1 : std::ranges::min(least);
}

}  // namespace isochor::contact
