#include "isochor/contact/surface_bvh.h"

#include <cmath>
#include <limits>

namespace isochor::contact {

template <class Corners>
Bounds SurfaceBvh::box_of(const Corners& corners, std::span<const Vec3d> start,
                          std::span<const Vec3d> end) const {
  Bounds box{start[corners[0]], start[corners[0]]};
  for (const std::int32_t v : corners) {
    box.low = min(box.low, min(start[v], end[v]));
    box.high = max(box.high, max(start[v], end[v]));
  }
  // Rounding must not part boxes of things that are exactly `reach` apart.
  constexpr double kEpsilon = 4 * std::numeric_limits<double>::epsilon();
  for (int a = 0; a < 3; ++a) {
    const double largest = max(std::abs(box.low[a]), std::abs(box.high[a]));
    const double margin = 0.5 * reach_ + kEpsilon * (reach_ + largest);
    box.low[a] -= margin;
    box.high[a] += margin;
  }
  return box;
}

template <class Things>
void SurfaceBvh::update_tree(Tree& tree, const Things& things, std::span<const Vec3d> start,
                             std::span<const Vec3d> end, ThreadArena& arena) {
  constexpr std::size_t kGrain = 2048;
  constexpr double kWorn = 2;
  boxes_.resize(things.size());
  parallel_for(arena, things.size(), kGrain,
               [&](std::size_t i) { boxes_[i] = box_of(things[i], start, end); });
  const bool is_new = tree.built_cost < 0;
  if (!is_new) tree.tree.refit(boxes_, arena);
  if (is_new || tree.tree.cost(arena) > kWorn * tree.built_cost) {
    tree.tree.build(boxes_, arena);
    tree.built_cost = tree.tree.cost(arena);
  }
}

void SurfaceBvh::update(std::span<const Vec3d> start, std::span<const Vec3d> end, double reach,
                        ThreadArena& arena) {
  reach_ = reach;
  // The larger list first, so that memory is taken once.
  update_tree(edges_, surface_.edges, start, end, arena);
  update_tree(triangles_, surface_.triangles, start, end, arena);
}

void SurfaceBvh::mark(std::span<const std::uint8_t> points, ThreadArena& arena) {
  const auto mark_tree = [&](BoxBvh& tree, const auto& things) {
    marks_.resize(things.size());
    for (std::size_t i = 0; i < things.size(); ++i) {
      marks_[i] = 0;
      for (const std::int32_t p : things[i]) marks_[i] |= points[p];
    }
    tree.mark(marks_, arena);
  };
  mark_tree(edges_.tree, surface_.edges);
  mark_tree(triangles_.tree, surface_.triangles);
}

Bounds SurfaceBvh::point_box(std::int32_t point, std::span<const Vec3d> start,
                             std::span<const Vec3d> end) const {
  return box_of(std::array{point}, start, end);
}

}  // namespace isochor::contact
