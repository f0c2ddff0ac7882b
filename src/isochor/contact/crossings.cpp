#include "isochor/contact/crossings.h"

#include <algorithm>

#include "isochor/geometry/predicates.h"

namespace isochor::contact {
namespace {

constexpr std::size_t kGrain = 64;

using Corners = std::array<Vec3d, 3>;

/// Which corner of each of two triangles is the same point, if any is; more than one: the last.
struct CommonCorner {
  int count = 0, first = 0, second = 0;
};
CommonCorner common_corner(const Triangle& s, const Triangle& t) {
  CommonCorner common;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (s[i] == t[j]) common = {common.count + 1, i, j};
    }
  }
  return common;
}

/// Whether the edge of a triangle opposite corner i goes through the plane of another.
bool opposite_edge_passes(const Corners& s, int i, const Corners& plane) {
  const auto side = [&](const Vec3d& p) {
    return geometry::plane_side(plane[0], plane[1], plane[2], p);
  };
  return side(s[(i + 1) % 3]) * side(s[(i + 2) % 3]) < 0;
}

bool pass_through(const Triangle& s, const Triangle& t, std::span<const Vec3d> x) {
  const CommonCorner common = common_corner(s, t);
  // Two triangles at one edge meet there and nowhere else, or lie in one plane.
  if (common.count > 1) return false;
  const Corners a{x[s[0]], x[s[1]], x[s[2]]}, b{x[t[0]], x[t[1]], x[t[2]]};
  // Those at one corner can only cross where both opposite edges go through the other's plane,
  // since the planes meet in a line through the corner. Asked first, it spares exact arithmetic for
  // the corner itself, which lies in both planes.
  if (common.count == 1 &&
      !(opposite_edge_passes(a, common.first, b) && opposite_edge_passes(b, common.second, a))) {
    return false;
  }
  return geometry::triangles_cross(a, b);
}

}  // namespace

Crossings find_crossings(SurfaceBvh& bvh, std::span<const Vec3d> positions, ThreadArena& arena) {
  bvh.update(positions, 0, arena);
  const Surface& surface = bvh.surface();
  const std::size_t leaves = bvh.triangles().leaf_count();
  std::vector<Crossings> parts((leaves + kGrain - 1) / kGrain);
  arena.for_chunks(leaves, kGrain, [&](std::size_t begin, std::size_t end) {
    Crossings& part = parts[begin / kGrain];
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      bvh.triangles().for_each_pair(leaf, [&](std::int32_t i, std::int32_t j) {
        const Triangle &s = surface.triangles[i], &t = surface.triangles[j];
        const bool first = surface.is_obstacle(s[0]), second = surface.is_obstacle(t[0]);
        if ((first && second) || !pass_through(s, t, positions)) return;
        const bool same = surface.bodies[s[0]] == surface.bodies[t[0]];
        ++(first || second ? part.with_obstacles : same ? part.within_bodies : part.between_bodies);
        part.pairs.push_back({i, j});
      });
    }
  });
  Crossings all;
  for (const Crossings& part : parts) {
    all.within_bodies += part.within_bodies;
    all.between_bodies += part.between_bodies;
    all.with_obstacles += part.with_obstacles;
    all.pairs.insert(all.pairs.end(), part.pairs.begin(), part.pairs.end());
  }
  std::ranges::sort(all.pairs);
  if (all.pairs.size() > Crossings::kNamed) all.pairs.resize(Crossings::kNamed);
  return all;
}

}  // namespace isochor::contact
