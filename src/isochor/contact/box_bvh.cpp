#include "isochor/contact/box_bvh.h"

#include <algorithm>
#include <numeric>

#include "isochor/math/reduce.h"

namespace isochor::contact {
namespace {

Bounds united(const Bounds& a, const Bounds& b) { return {min(a.low, b.low), max(a.high, b.high)}; }

double half_area(const Bounds& b) {
  const Vec3d s = b.size();
  return s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
}

/// Puts the lower half of the items, across the longest side of their middles, first.
void halve(std::span<std::int32_t> items, std::span<const Bounds> boxes) {
  const auto middle = [&](std::int32_t i) { return boxes[i].low + boxes[i].high; };
  Bounds all{middle(items[0]), middle(items[0])};
  for (const std::int32_t i : items) all = united(all, {middle(i), middle(i)});
  const Vec3d size = all.size();
  int axis = 0;
  for (int a = 1; a < 3; ++a) {
    if (size[a] > size[axis]) axis = a;
  }
  const auto half = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  std::nth_element(items.begin(), half, items.end(), [&](std::int32_t i, std::int32_t j) {
    const double x = boxes[i].low[axis] + boxes[i].high[axis];
    const double y = boxes[j].low[axis] + boxes[j].high[axis];
    return x != y ? x < y : i < j;
  });
}

}  // namespace

void BoxBvh::build(std::span<const Bounds> boxes, ThreadArena& arena) {
  items_.resize(boxes.size());
  boxes_.resize(boxes.size());
  std::iota(items_.begin(), items_.end(), 0);
  if (boxes.empty()) {
    nodes_.clear();
    return;
  }
  const std::size_t leaves = std::bit_ceil((boxes.size() + kLeafSize - 1) / kLeafSize);
  nodes_.resize(2 * leaves);
  starts_.assign(leaves + 1, 0);
  starts_[leaves] = static_cast<std::int32_t>(boxes.size());
  // A node on the level with steps of `step` leaves owns the items from its first leaf's start on.
  for (std::size_t step = leaves; step > 1; step /= 2) {
    parallel_for(arena, leaves / step, 1, [&](std::size_t node) {
      const std::int32_t begin = starts_[node * step], end = starts_[(node + 1) * step];
      halve(std::span(items_).subspan(begin, end - begin), boxes);
      starts_[node * step + step / 2] = begin + (end - begin) / 2;
    });
  }
  refit(boxes, arena);
}

void BoxBvh::refit(std::span<const Bounds> boxes, ThreadArena& arena) {
  if (nodes_.empty()) return;
  constexpr std::size_t kGrain = 512;
  const std::size_t leaves = leaf_count();
  parallel_for(arena, leaves, kGrain, [&](std::size_t leaf) {
    Bounds all = boxes[items_[starts_[leaf]]];
    for (std::int32_t place = starts_[leaf]; place < starts_[leaf + 1]; ++place) {
      boxes_[place] = boxes[items_[place]];
      all = united(all, boxes_[place]);
    }
    nodes_[leaves + leaf] = all;
  });
  for (std::size_t level = leaves / 2; level > 0; level /= 2) {
    parallel_for(arena, level, kGrain, [&](std::size_t i) {
      const std::size_t node = level + i;
      nodes_[node] = united(nodes_[2 * node], nodes_[2 * node + 1]);
    });
  }
}

void BoxBvh::mark(std::span<const std::uint8_t> things, ThreadArena& arena) {
  if (nodes_.empty()) return;
  constexpr std::size_t kGrain = 2048;
  const std::size_t leaves = leaf_count();
  marks_.resize(nodes_.size());
  parallel_for(arena, leaves, kGrain, [&](std::size_t leaf) {
    std::uint8_t any = 0;
    for (std::int32_t place = starts_[leaf]; place < starts_[leaf + 1]; ++place) {
      any |= things[items_[place]];
    }
    marks_[leaves + leaf] = any;
  });
  for (std::size_t node = leaves; node-- > 1;)
    marks_[node] = marks_[2 * node] | marks_[2 * node + 1];
}

double BoxBvh::cost(ThreadArena& arena) const {
  if (nodes_.empty()) return 0;
  const double root = half_area(nodes_[1]);
  const double all =
      deterministic_sum(arena, nodes_.size() - 1, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum += half_area(nodes_[i + 1]);
        return sum;
      });
  return root > 0 ? all / root : 0;
}

}  // namespace isochor::contact
