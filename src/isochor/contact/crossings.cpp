#include "isochor/contact/crossings.h"

#include <algorithm>

#include "isochor/geometry/predicates.h"

namespace isochor::contact {
namespace {

constexpr std::size_t kGrain = 64;

int common_corners(const Triangle& a, const Triangle& b) {
  int count = 0;
  for (const std::int32_t v : a) count += std::ranges::count(b, v) > 0;
  return count;
}

}  // namespace

Crossings find_crossings(SurfaceBvh& bvh, std::span<const Vec3d> positions, ThreadArena& arena) {
  bvh.update(positions, 0, arena);
  const Surface& surface = bvh.surface();
  const auto corners = [&](const Triangle& t) {
    return std::array{positions[t[0]], positions[t[1]], positions[t[2]]};
  };
  const std::size_t leaves = bvh.triangles().leaf_count();
  std::vector<Crossings> parts((leaves + kGrain - 1) / kGrain);
  arena.for_chunks(leaves, kGrain, [&](std::size_t begin, std::size_t end) {
    Crossings& part = parts[begin / kGrain];
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      bvh.triangles().for_each_pair(leaf, [&](std::int32_t i, std::int32_t j) {
        const Triangle &s = surface.triangles[i], &t = surface.triangles[j];
        // Two triangles at one edge meet there and nowhere else, or lie in one plane.
        if (common_corners(s, t) > 1 || !geometry::triangles_cross(corners(s), corners(t))) return;
        const bool same = surface.bodies[s[0]] == surface.bodies[t[0]];
        ++(same ? part.within_bodies : part.between_bodies);
        part.pairs.push_back({i, j});
      });
    }
  });
  Crossings all;
  for (const Crossings& part : parts) {
    all.within_bodies += part.within_bodies;
    all.between_bodies += part.between_bodies;
    all.pairs.insert(all.pairs.end(), part.pairs.begin(), part.pairs.end());
  }
  std::ranges::sort(all.pairs);
  if (all.pairs.size() > Crossings::kNamed) all.pairs.resize(Crossings::kNamed);
  return all;
}

}  // namespace isochor::contact
