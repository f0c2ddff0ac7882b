#include "isochor/geometry/connectivity.h"

#include <algorithm>
#include <bit>

namespace isochor::geometry {
namespace {

/// The same for coordinates that compare equal: zero has two signs.
std::uint64_t hash_of(const Vec3d& p) {
  std::uint64_t h = 0;
  for (const double x : p.e) {
    h = (h ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  return h;
}

bool equal(const Vec3d& a, const Vec3d& b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

}  // namespace

std::vector<std::int32_t> merge_equal_points(std::span<const Vec3d> positions) {
  // Open addressing, at most half full.
  const std::size_t slots = std::bit_ceil(2 * positions.size() + 1);
  std::vector<std::int32_t> table(slots, -1);
  std::vector<std::int32_t> merged(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    std::size_t slot = hash_of(positions[v]) & (slots - 1);
    while (table[slot] >= 0 && !equal(positions[table[slot]], positions[v])) {
      slot = (slot + 1) & (slots - 1);
    }
    if (table[slot] < 0) table[slot] = static_cast<std::int32_t>(v);
    merged[v] = table[slot];
  }
  return merged;
}

std::vector<Triangle> renamed(std::span<const Triangle> triangles,
                              std::span<const std::int32_t> merged) {
  std::vector<Triangle> result(triangles.begin(), triangles.end());
  for (Triangle& t : result) {
    for (std::int32_t& v : t) v = merged[v];
  }
  return result;
}

EdgeTable::EdgeTable(std::span<const Triangle> triangles, std::size_t vertex_count,
                     ThreadArena& arena)
    : starts_(vertex_count + 1, 0) {
  const auto for_each_side = [&](auto&& f) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (has_equal_corners(triangles[t])) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::int32_t from = triangles[t][c], to = triangles[t][(c + 1) % 3];
        f(std::min(from, to), Use(std::max(from, to), 3 * t + c, from < to));
      }
    }
  };
  // A counting sort by the lower vertex; what it leaves to sort is as short as a vertex has edges.
  for_each_side([&](std::int32_t low, const Use&) { ++starts_[low]; });
  std::inclusive_scan(starts_.begin(), starts_.end(), starts_.begin());
  uses_.assign(starts_.back(), Use(0, 0, false));
  for_each_side([&](std::int32_t low, const Use& use) { uses_[--starts_[low]] = use; });
  parallel_for(arena, vertex_count, 4096, [&](std::size_t v) {
    std::sort(uses_.begin() + starts_[v], uses_.begin() + starts_[v + 1]);
  });
}

}  // namespace isochor::geometry
