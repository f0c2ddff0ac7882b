#include "isochor/contact/resolution.h"

#include <algorithm>
#include <numeric>

namespace isochor::contact {
namespace {

std::int32_t find(std::vector<std::int32_t>& zone_of, std::int32_t i) {
  while (zone_of[i] != i) i = zone_of[i] = zone_of[zone_of[i]];
  return i;
}

/// The lower number names the zone.
void unite(std::vector<std::int32_t>& zone_of, std::int32_t i, std::int32_t j) {
  i = find(zone_of, i);
  j = find(zone_of, j);
  zone_of[std::max(i, j)] = std::min(i, j);
}

}  // namespace

/// Unites the points of all impacts and gives each zone one velocity.
void ImpactResolver::join_zones(std::span<Vec3d> velocities,
                                std::span<const double> inverse_masses) {
  for (const Impact& impact : impacts_) {
    const auto& points = impact.pair.points;
    zone_points_.insert(zone_points_.end(), points.begin(), points.end());
    for (int i = 1; i < 4; ++i) unite(zone_of_, points[0], points[i]);
  }
  std::ranges::sort(zone_points_);
  zone_points_.erase(std::unique(zone_points_.begin(), zone_points_.end()), zone_points_.end());
  // Sums per zone, at the place of the point that names it: of momentum and mass, or of velocities
  // and numbers of points that cannot be moved.
  struct Sum {
    Vec3d momentum{0, 0, 0}, held{0, 0, 0};
    double mass = 0, holds = 0;
    Vec3d velocity() const { return holds > 0 ? held * (1 / holds) : momentum * (1 / mass); }
  };
  std::vector<Sum> sums(zone_points_.size());
  const auto sum_of = [&](std::int32_t point) -> Sum& {
    const auto at = std::ranges::lower_bound(zone_points_, find(zone_of_, point));
    return sums[at - zone_points_.begin()];
  };
  for (const std::int32_t p : zone_points_) {
    Sum& sum = sum_of(p);
    if (inverse_masses[p] > 0) {
      sum.momentum += velocities[p] * (1 / inverse_masses[p]);
      sum.mass += 1 / inverse_masses[p];
    } else {
      sum.held += velocities[p];
      sum.holds += 1;
    }
  }
  // What a zone's free points gain its held ones have given, in equal parts.
  std::vector<Vec3d> gained(zone_points_.size(), Vec3d{0, 0, 0});
  for (const std::int32_t p : zone_points_) {
    if (!(inverse_masses[p] > 0)) continue;
    const Sum& sum = sum_of(p);
    gained[&sum - sums.data()] += (1 / inverse_masses[p]) * (sum.velocity() - velocities[p]);
    velocities[p] = sum.velocity();
  }
  for (const std::int32_t p : zone_points_) {
    if (inverse_masses[p] > 0) continue;
    const Sum& sum = sum_of(p);
    held_.emplace_back(p, (-1 / sum.holds) * gained[&sum - sums.data()]);
  }
}

/// Adds what rows_ have pushed points with that cannot be moved.
void ImpactResolver::keep_held(std::span<const double> inverse_masses) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (int i = 0; i < rows_[r].count; ++i) {
      const std::int32_t p = rows_[r].points[i];
      if (!(inverse_masses[p] > 0)) held_.emplace_back(p, rows_[r].weights[i] * impulses_[r]);
    }
  }
}

Vec3d ImpactResolver::on_held(std::int32_t point) const {
  Vec3d sum{0, 0, 0};
  for (const auto& [p, impulse] : std::ranges::equal_range(held_, point, {}, &Held::first)) {
    sum += impulse;
  }
  return sum;
}

ResolutionReport ImpactResolver::resolve(SurfaceBvh& bvh, std::span<const Vec3d> positions,
                                         std::span<Vec3d> velocities,
                                         std::span<const double> inverse_masses,
                                         const ResolutionOptions& options, const PairFilter& filter,
                                         ThreadArena& arena) {
  ResolutionReport report;
  end_.resize(positions.size());
  zone_points_.clear();
  held_.clear();
  zone_of_.resize(positions.size());
  std::iota(zone_of_.begin(), zone_of_.end(), 0);
  const ImpactOptions wanted{.distance = options.distance};
  for (;; ++report.rounds) {
    for (std::size_t i = 0; i < end_.size(); ++i) {
      end_[i] = positions[i] + options.time_step * velocities[i];
    }
    // Later rounds ask what the one before changed: all else has passed.
    PairFilter asked = filter;
    if (report.rounds > 0) asked.changed = changed_;
    find_impacts(bvh, positions, end_, wanted, asked, arena, impacts_);
    if (report.rounds == 0) report.impacts = static_cast<std::int64_t>(impacts_.size());
    report.clear = impacts_.empty();
    if (report.clear || report.rounds == options.impulse_rounds + options.zone_rounds) break;
    changed_.assign(positions.size(), 0);
    for (const Impact& impact : impacts_) {
      for (const std::int32_t p : impact.pair.points) changed_[p] = 1;
    }
    if (report.rounds >= options.impulse_rounds) {
      join_zones(velocities, inverse_masses);
      for (const std::int32_t p : zone_points_) changed_[p] = 1;
      continue;
    }
    rows_.clear();
    for (const Impact& impact : impacts_) {
      const auto& points = impact.pair.points;
      rows_.push_back(
          row_of(impact.pair, bvh.surface().friction_of(points[0], points[3], options.friction,
                                                        options.obstacle_friction)));
    }
    impulses_.assign(rows_.size(), {0, 0, 0});
    projection_.build(rows_, inverse_masses);
    projection_.repel(velocities, {}, impulses_, arena);
    keep_held(inverse_masses);
  }
  std::ranges::stable_sort(held_, {}, &Held::first);
  report.zone_points = static_cast<std::int64_t>(zone_points_.size());
  return report;
}

}  // namespace isochor::contact
