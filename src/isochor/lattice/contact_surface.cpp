#include "isochor/lattice/contact_surface.h"

#include <map>
#include <tuple>

namespace isochor::lattice {
namespace {

std::array<solve::SpringTerm, 8> corners_of(const grid::Embedding::Point& point,
                                            std::int32_t first_node) {
  std::array<solve::SpringTerm, 8> out;
  for (int c = 0; c < 8; ++c) {
    double weight = 1;
    for (int a = 0; a < 3; ++a) weight *= c >> a & 1 ? point.local[a] : 1 - point.local[a];
    out[c] = {first_node + point.nodes[c], weight};
  }
  return out;
}

void add_point(const Vec3d& rest, const grid::Embedding& embedding, std::size_t number,
               std::int32_t body, std::int32_t first_node, ContactSurface& to) {
  to.rest.push_back(rest);
  to.bodies.push_back(body);
  for (const auto& [node, weight] : embedding.weights(number)) {
    to.weights.push_back({first_node + node, weight});
  }
  to.first.push_back(static_cast<std::int32_t>(to.weights.size()));
  to.corners.push_back(corners_of(embedding.points[number], first_node));
}

}  // namespace

std::int32_t add_points(std::span<const Vec3d> rest, const grid::Embedding& embedding,
                        std::int32_t body, std::int32_t first_node, ContactSurface& to) {
  const auto first = static_cast<std::int32_t>(to.point_count());
  for (std::size_t k = 0; k < rest.size(); ++k) {
    add_point(rest[k], embedding, k, body, first_node, to);
  }
  return first;
}

std::vector<std::int32_t> add_surface(const EmbeddedSurface& added, ContactSurface& to) {
  std::map<std::tuple<double, double, double, std::int32_t>, std::int32_t> known;
  std::vector<std::int32_t> points(added.rest.size(), -1);
  const auto point_of = [&](std::int32_t v) {
    if (points[v] >= 0) return points[v];
    const Vec3d& x = added.rest[v];
    const auto [at, is_new] =
        known.try_emplace({x[0], x[1], x[2], added.embedding.points[v].nodes[0]},
                          static_cast<std::int32_t>(to.rest.size()));
    points[v] = at->second;
    if (!is_new) return points[v];
    add_point(x, added.embedding, v, added.body, added.first_node, to);
    return points[v];
  };
  for (const contact::Triangle& t : added.triangles) {
    const contact::Triangle corners{point_of(t[0]), point_of(t[1]), point_of(t[2])};
    const bool flat =
        corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
    if (!flat) to.triangles.push_back(corners);
  }
  return points;
}

}  // namespace isochor::lattice
