#include "isochor/geometry/box_tree.h"

#include <algorithm>
#include <numeric>

namespace isochor::geometry {
namespace {

constexpr std::int32_t kLeafSize = 4;

}  // namespace

double squared_distance(const Bounds& box, const Vec3d& point) {
  const Vec3d outside = max(max(box.low - point, point - box.high), Vec3d{0, 0, 0});
  return dot(outside, outside);
}

BoxTree::BoxTree(std::span<const Bounds> boxes) : items_(boxes.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  if (!boxes.empty()) build(boxes, 0, static_cast<std::int32_t>(boxes.size()));
}

/// Halves by number, across the longest side: never deeper than the logarithm of the count.
void BoxTree::build(std::span<const Bounds> boxes, std::int32_t first, std::int32_t count) {
  const auto begin = items_.begin() + first, end = begin + count;
  Bounds all = boxes[*begin];
  for (auto i = begin; i != end; ++i) {
    all = {min(all.low, boxes[*i].low), max(all.high, boxes[*i].high)};
  }
  const std::size_t self = nodes_.size();
  nodes_.push_back({all, first, count, 0});
  if (count <= kLeafSize) return;
  int axis = 0;
  for (int a = 1; a < 3; ++a) {
    if (all.size()[a] > all.size()[axis]) axis = a;
  }
  const auto middle = [&](std::int32_t i) { return boxes[i].low[axis] + boxes[i].high[axis]; };
  const std::int32_t half = count / 2;
  std::nth_element(begin, begin + half, end, [&](std::int32_t a, std::int32_t b) {
    return middle(a) < middle(b) || (middle(a) == middle(b) && a < b);
  });
  build(boxes, first, half);
  nodes_[self].far_child = static_cast<std::int32_t>(nodes_.size());
  build(boxes, first + half, count - half);
}

}  // namespace isochor::geometry
