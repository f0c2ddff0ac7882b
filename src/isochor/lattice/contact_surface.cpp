#include "isochor/lattice/contact_surface.h"

#include <map>
#include <tuple>

namespace isochor::lattice {
namespace {

std::array<SpringTerm, 8> corners_of(const grid::Embedding::Point& point, std::int32_t first_node) {
  std::array<SpringTerm, 8> out;
  for (int c = 0; c < 8; ++c) {
    double weight = 1;
    for (int a = 0; a < 3; ++a) weight *= c >> a & 1 ? point.local[a] : 1 - point.local[a];
    out[c] = {first_node + point.nodes[c], weight};
  }
  return out;
}

}  // namespace

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
    to.rest.push_back(x);
    to.bodies.push_back(added.body);
    for (const auto& [node, weight] : added.embedding.weights(v)) {
      to.weights.push_back({added.first_node + node, weight});
    }
    to.first.push_back(static_cast<std::int32_t>(to.weights.size()));
    to.corners.push_back(corners_of(added.embedding.points[v], added.first_node));
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
