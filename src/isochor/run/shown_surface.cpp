#include "isochor/run/shown_surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

namespace isochor::run {
namespace {

/// Per vertex the number of its cube, and per cube its first vertex.
struct Clusters {
  std::vector<std::int32_t> of_vertex, first;
};

Clusters cluster(std::span<const Vec3d> positions, const geometry::Bounds& box, double size) {
  Clusters clusters;
  std::unordered_map<std::uint64_t, std::int32_t> number;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    std::uint64_t key = 0;
    for (int a = 0; a < 3; ++a) {
      const double place = std::floor((positions[v][a] - box.low[a]) / size);
      key = key << 21 | static_cast<std::uint64_t>(std::clamp(place, 0.0, 2097151.0));
    }
    const auto next = static_cast<std::int32_t>(clusters.first.size());
    const auto [entry, is_new] = number.try_emplace(key, next);
    if (is_new) clusters.first.push_back(static_cast<std::int32_t>(v));
    clusters.of_vertex.push_back(entry->second);
  }
  return clusters;
}

}  // namespace

ShownSurface all_of(const geometry::SurfaceMesh& surface) {
  ShownSurface shown{.vertices = std::vector<std::int32_t>(surface.positions.size()),
                     .triangles = geometry::triangulate(surface)};
  std::iota(shown.vertices.begin(), shown.vertices.end(), 0);
  return shown;
}

ShownSurface thinned(const geometry::SurfaceMesh& surface, std::size_t most) {
  if (surface.positions.size() <= most) return all_of(surface);
  const geometry::Bounds box = geometry::bounds_of(surface.positions);
  // A surface takes about as many cubes as its area has squares: start small and grow.
  double size =
      norm(box.size()) / std::sqrt(6.0 * static_cast<double>(std::max<std::size_t>(most, 1)));
  Clusters clusters = cluster(surface.positions, box, size);
  while (clusters.first.size() > std::max<std::size_t>(most, 1)) {
    size *= 1.2;
    clusters = cluster(surface.positions, box, size);
  }
  ShownSurface shown{.vertices = std::move(clusters.first), .triangles = {}};
  std::set<geometry::Triangle> known;
  for (const geometry::Triangle& t : geometry::triangulate(surface)) {
    geometry::Triangle kept;
    for (int k = 0; k < 3; ++k) kept[k] = clusters.of_vertex[t[k]];
    if (kept[0] == kept[1] || kept[1] == kept[2] || kept[2] == kept[0]) continue;
    std::rotate(kept.begin(), std::min_element(kept.begin(), kept.end()), kept.end());
    if (known.insert(kept).second) shown.triangles.push_back(kept);
  }
  return shown;
}

}  // namespace isochor::run
