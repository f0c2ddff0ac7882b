#include "isochor/contact/penetration.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace isochor::contact {
namespace {

using Corners = std::array<Vec3d, 4>;

Corners corners_of(const geometry::Tet& t, std::span<const Vec3d> x) {
  return {x[t[0]], x[t[1]], x[t[2]], x[t[3]]};
}

/// The weights of corners that make a point, if it is inside; turned inside out or not.
std::optional<std::array<double, 4>> weights_in(const Corners& x, const Vec3d& point) {
  const double volume = geometry::signed_volume(x[0], x[1], x[2], x[3]);
  if (volume == 0) return std::nullopt;
  std::array<double, 4> weights;
  for (int k = 0; k < 4; ++k) {
    Corners with = x;
    with[k] = point;
    weights[k] = geometry::signed_volume(with[0], with[1], with[2], with[3]) / volume;
    if (weights[k] < 0) return std::nullopt;
  }
  return weights;
}

}  // namespace

PenetrationFinder::PenetrationFinder(std::span<const geometry::Tet> tets,
                                     std::span<const Vec3d> rest_nodes,
                                     std::span<const Triangle> triangles,
                                     std::span<const Vec3d> rest_vertices,
                                     std::span<const std::int32_t> bodies, ThreadArena& arena)
    : tets_(tets.begin(), tets.end()),
      rest_nodes_(rest_nodes.begin(), rest_nodes.end()),
      rest_vertices_(rest_vertices.begin(), rest_vertices.end()),
      triangles_(triangles.begin(), triangles.end()),
      bodies_(bodies.begin(), bodies.end()),
      rest_distance_(rest_vertices, triangles, arena),
      boxes_(tets.size()) {
  for (const Triangle& t : triangles_) proxies_.insert(proxies_.end(), t.begin(), t.end());
  std::ranges::sort(proxies_);
  proxies_.erase(std::unique(proxies_.begin(), proxies_.end()), proxies_.end());
}

/// Of several places in bodies where a vertex is, that which is nearest to the surface.
Penetration PenetrationFinder::shallowest(std::int32_t vertex, std::span<const Vec3d> nodes,
                                          std::span<const Vec3d> vertices, double exclusion) const {
  Penetration best;
  const Vec3d& point = vertices[vertex];
  double least = std::numeric_limits<double>::infinity();
  std::int32_t least_tet = -1;
  tree_.for_each_overlap({point, point}, [&](std::int32_t tet) {
    const auto weights = weights_in(corners_of(tets_[tet], nodes), point);
    if (!weights) return;
    const Vec3d place = [&] {
      const Corners x = corners_of(tets_[tet], rest_nodes_);
      Vec3d sum{0, 0, 0};
      for (int k = 0; k < 4; ++k) sum += (*weights)[k] * x[k];
      return sum;
    }();
    const geometry::SurfaceSample s = rest_distance_(place);
    // The order of the tree must not decide between equals.
    if (s.distance >= 0 || -s.distance > least || (-s.distance == least && tet > least_tet)) return;
    const Triangle& t = triangles_[s.closest.triangle];
    const bool own = bodies_[t[0]] == bodies_[vertex];
    if (own && norm(place - rest_vertices_[vertex]) < exclusion) return;
    least = -s.distance;
    least_tet = tet;
    best.vertex = vertex;
    best.triangle = t;
    // Asked of the triangle as it was given: the distance may have turned it round.
    const Vec3d w =
        geometry::closest_point_on(
            {rest_vertices_[t[0]], rest_vertices_[t[1]], rest_vertices_[t[2]]}, s.closest.point)
            .barycentric;
    best.weights = {w[0], w[1], w[2]};
  });
  if (best.vertex < 0) return best;
  for (int k = 0; k < 3; ++k) best.target += best.weights[k] * vertices[best.triangle[k]];
  const Vec3d way = best.target - point;
  best.depth = norm(way);
  if (best.depth > 0) best.normal = way * (1 / best.depth);
  return best;
}

void PenetrationFinder::find(std::span<const Vec3d> nodes, std::span<const Vec3d> vertices,
                             double exclusion, ThreadArena& arena,
                             std::vector<Penetration>& found) {
  parallel_for(arena, tets_.size(), 1024, [&](std::size_t i) {
    const Corners x = corners_of(tets_[i], nodes);
    boxes_[i] = {min(min(x[0], x[1]), min(x[2], x[3])), max(max(x[0], x[1]), max(x[2], x[3]))};
  });
  if (tree_.size() == 0) {
    tree_.build(boxes_, arena);
  } else {
    tree_.refit(boxes_, arena);
  }
  constexpr std::size_t kGrain = 128;
  std::vector<std::vector<Penetration>> parts((proxies_.size() + kGrain - 1) / kGrain);
  arena.for_chunks(proxies_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Penetration p = shallowest(proxies_[i], nodes, vertices, exclusion);
      if (p.depth > 0) parts[begin / kGrain].push_back(p);
    }
  });
  found.clear();
  for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
}

}  // namespace isochor::contact
