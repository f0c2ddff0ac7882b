#include "isochor/contact/pair_list.h"

#include <algorithm>
#include <cmath>

namespace isochor::contact {
namespace {

constexpr std::size_t kGrain = 256;

}  // namespace

void PairList::make(SurfaceBvh& bvh, std::span<const Vec3d> positions, double reach,
                    const PairFilter& filter, ThreadArena& arena) {
  find_close_pairs(bvh, positions, reach, filter, arena, pairs_);
  made_at_.assign(positions.begin(), positions.end());
  reach_ = reach;
}

double PairList::range(std::span<const Vec3d> positions, double reach, const ImpactOptions& options,
                       ThreadArena& arena) const {
  if (made_at_.empty()) return -1;
  std::vector<double> furthest((positions.size() + kGrain - 1) / kGrain, 0);
  arena.for_chunks(positions.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double& most = furthest[begin / kGrain];
    for (std::size_t p = begin; p < end; ++p) {
      const Vec3d way = positions[p] - made_at_[p];
      most = std::max(most, dot(way, way));
    }
  });
  // Two points may each come nearer by as much; rounding is taken off.
  constexpr double kSafe = 0.999;
  const double moved = furthest.empty() ? 0 : std::sqrt(std::ranges::max(furthest));
  const double left = kSafe * reach_ - 2 * moved;
  // A pair that is `left` apart meets, to largest_step, when a part of that remains.
  return 0.5 * std::min(left - reach, (1 - options.remaining) * left);
}

void PairList::find_close(std::span<const Vec3d> positions, double reach, ThreadArena& arena,
                          std::vector<Pair>& pairs) const {
  pairs.resize(pairs_.size());
  parallel_for(arena, pairs.size(), kGrain, [&](std::size_t i) {
    const Pair& known = pairs_[i];
    pairs[i] = closest_points(known.kind, gather(positions, known.points));
    pairs[i].first = known.first;
    pairs[i].second = known.second;
    pairs[i].points = known.points;
  });
  std::erase_if(pairs, [&](const Pair& pair) { return pair.distance > reach; });
}

double PairList::largest_step(std::span<const Vec3d> start, std::span<const Vec3d> end,
                              const ImpactOptions& options, ThreadArena& arena) const {
  std::vector<double> least((pairs_.size() + kGrain - 1) / kGrain, 1);
  arena.for_chunks(pairs_.size(), kGrain, [&](std::size_t begin, std::size_t stop) {
    double& part = least[begin / kGrain];
    for (std::size_t i = begin; i < stop; ++i) {
      const auto& points = pairs_[i].points;
      const std::optional<Impact> impact =
          first_impact(pairs_[i].kind, gather(start, points), gather(end, points), options, part);
      if (impact) part = impact->time;
    }
  });
  return least.empty() ? 1 : std::ranges::min(least);
}

}  // namespace isochor::contact
