#include "isochor/geometry/thickness.h"

#include <algorithm>

namespace isochor::geometry {
namespace {

struct Probe {
  double thickness, area;
  std::int32_t triangle;
};

/// The thickness that `area` of the surface does not exceed; `probes` are sorted by it.
double quantile(std::span<const Probe> probes, double area) {
  double passed = 0;
  for (const Probe& p : probes) {
    passed += p.area;
    if (passed >= area) return p.thickness;
  }
  return probes.back().thickness;
}

}  // namespace

Thickness measure_thickness(const TriangleBvh& tree, std::span<const Vec3d> positions,
                            std::span<const Triangle> outward, std::size_t most_rays,
                            double thin_limit, ThreadArena& arena) {
  const auto middle = [&](std::size_t t) {
    const Triangle& v = outward[t];
    return (1.0 / 3) * (positions[v[0]] + positions[v[1]] + positions[v[2]]);
  };
  constexpr double kNone = -1;
  std::vector<Probe> probes(std::min(most_rays, outward.size()));
  parallel_for(arena, probes.size(), 256, [&](std::size_t i) {
    const std::size_t t = i * outward.size() / probes.size();
    const Triangle& v = outward[t];
    const Vec3d normal =
        cross(positions[v[1]] - positions[v[0]], positions[v[2]] - positions[v[0]]);
    const double length = norm(normal);
    probes[i] = {kNone, 0.5 * length, static_cast<std::int32_t>(t)};
    if (!(length > 0)) return;
    const Ray inward(middle(t), normal * (-1 / length));
    const RayHit hit = tree.first_hit(inward, probes[i].triangle);
    if (hit.triangle >= 0) probes[i].thickness = hit.distance;
  });

  Thickness result;
  result.rays = static_cast<std::int64_t>(probes.size());
  std::erase_if(probes, [](const Probe& p) { return p.thickness == kNone; });
  result.hits = static_cast<std::int64_t>(probes.size());
  if (probes.empty()) return result;
  std::sort(probes.begin(), probes.end(), [](const Probe& p, const Probe& q) {
    return p.thickness != q.thickness ? p.thickness < q.thickness : p.triangle < q.triangle;
  });
  result.smallest = probes.front().thickness;
  result.thinnest = probes.front().triangle;
  result.where = middle(result.thinnest);
  double area = 0, thin = 0;
  for (const Probe& p : probes) {
    area += p.area;
    if (p.thickness < thin_limit) thin += p.area;
  }
  result.thin_share = thin / area;
  result.first_percentile = quantile(probes, 0.01 * area);
  result.median = quantile(probes, 0.5 * area);
  return result;
}

}  // namespace isochor::geometry
