#include "isochor/contact/impact_list.h"

#include <algorithm>
#include <cmath>

namespace isochor::contact {
namespace {

constexpr std::size_t kGrain = 256;

std::size_t chunks_of(std::size_t count) { return (count + kGrain - 1) / kGrain; }

}  // namespace

void ImpactList::make(SurfaceBvh& bvh, std::span<const Vec3d> start, std::span<const Vec3d> end,
                      double slack, const ImpactOptions& options, const PairFilter& filter,
                      ThreadArena& arena) {
  bvh.update(start, end, options.distance + 2 * slack, arena);
  std::vector<std::vector<Pair>> parts(candidate_chunks(bvh));
  for_each_candidate(
      bvh, start, end, filter, arena,
      [&](PairKind kind, std::int32_t first, std::int32_t second,
          const std::array<std::int32_t, 4>& points, std::size_t chunk) {
        // Each point may go elsewhere, and the mean of all four with it.
        if (pass_by(kind, gather(start, points), gather(end, points), options, 4 * slack)) {
          return;
        }
        parts[chunk].push_back({.kind = kind, .first = first, .second = second, .points = points});
      });
  pairs_.clear();
  for (const auto& part : parts) pairs_.insert(pairs_.end(), part.begin(), part.end());
  std::ranges::sort(pairs_, [](const Pair& a, const Pair& b) { return a < b; });
  made_for_.assign(end.begin(), end.end());
  slack_ = slack;
  options_ = options;
}

double ImpactList::moved(std::span<const Vec3d> end, ThreadArena& arena) const {
  std::vector<double> farthest(chunks_of(end.size()), 0);
  arena.for_chunks(end.size(), kGrain, [&](std::size_t begin, std::size_t stop) {
    double& most = farthest[begin / kGrain];
    for (std::size_t p = begin; p < stop; ++p) {
      const Vec3d way = end[p] - made_for_[p];
      most = std::max(most, dot(way, way));
    }
  });
  return farthest.empty() ? 0 : std::sqrt(std::ranges::max(farthest));
}

void ImpactList::find(std::span<const Vec3d> start, std::span<const Vec3d> end, ThreadArena& arena,
                      std::vector<Impact>& impacts) const {
  std::vector<std::vector<Impact>> parts(chunks_of(pairs_.size()));
  arena.for_chunks(pairs_.size(), kGrain, [&](std::size_t begin, std::size_t stop) {
    for (std::size_t i = begin; i < stop; ++i) {
      const Pair& known = pairs_[i];
      std::optional<Impact> impact = first_impact(known.kind, gather(start, known.points),
                                                  gather(end, known.points), options_);
      if (!impact) continue;
      impact->pair.first = known.first;
      impact->pair.second = known.second;
      impact->pair.points = known.points;
      parts[begin / kGrain].push_back(*impact);
    }
  });
  impacts.clear();
  for (const auto& part : parts) impacts.insert(impacts.end(), part.begin(), part.end());
}

}  // namespace isochor::contact
