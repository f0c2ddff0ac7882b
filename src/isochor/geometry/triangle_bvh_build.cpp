#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/geometry/triangle_bvh.h"

/// Building a TriangleBvh: boxes are split where the surface area heuristic, sampled in bins along
/// the longest axis, costs least (Wald 2007).
namespace isochor::geometry {
namespace {

using Node = TriangleBvh::Node;
using Point = std::array<float, 3>;

constexpr int kBins = 16;
/// Below this depth splits may be as uneven as they like; from there on they halve, so that
/// kMaxDepth holds for 2^31 triangles.
constexpr int kFreeDepth = TriangleBvh::kMaxDepth - 32;
/// Subtrees for different threads. A constant, so that the tree is the same for any number.
constexpr std::size_t kSubtrees = 256;

struct Box {
  Point low, high;

  static Box nothing() {
    constexpr float kFar = std::numeric_limits<float>::infinity();
    return {{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  }
  void add(const Box& b) {
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], b.low[a]);
      high[a] = std::max(high[a], b.high[a]);
    }
  }
  /// Double, so that no unit of length is too large or too small.
  double half_area() const {
    const double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
  }
};

struct Item {
  Box box;
  std::int32_t triangle;
  /// Twice the middle of the box.
  float middle(int axis) const { return box.low[axis] + box.high[axis]; }
};

float rounded_down(double x) {
  const auto f = static_cast<float>(x);
  return f > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}
float rounded_up(double x) { return -rounded_down(-x); }

/// Sorts a range of items so that the two children have [0, n) and [n, end); returns n, or 0 if the
/// heuristic finds no place.
std::size_t split_by_area(std::span<Item> items, int axis, float low, float high) {
  const float scale = kBins * (1 - 1e-6f) / (high - low);
  if (!std::isfinite(scale)) return 0;
  const auto bin_of = [&](const Item& item) {
    return static_cast<int>((item.middle(axis) - low) * scale);
  };
  std::array<Box, kBins> boxes;
  boxes.fill(Box::nothing());
  std::array<std::int64_t, kBins> counts{};
  for (const Item& item : items) {
    const int bin = bin_of(item);
    boxes[bin].add(item.box);
    ++counts[bin];
  }
  // The cost of a split is what is left of it, found from the left, and what is right, from there.
  std::array<double, kBins> cost{};
  Box left = Box::nothing(), right = left;
  std::int64_t left_count = 0, right_count = 0;
  for (int b = 0; b < kBins - 1; ++b) {
    left.add(boxes[b]);
    left_count += counts[b];
    if (left_count > 0) cost[b] = left.half_area() * static_cast<double>(left_count);
  }
  int best = -1;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int b = kBins - 1; b > 0; --b) {
    right.add(boxes[b]);
    right_count += counts[b];
    if (right_count == 0 || right_count == static_cast<std::int64_t>(items.size())) continue;
    const double total = cost[b - 1] + right.half_area() * static_cast<double>(right_count);
    if (total < best_cost) {
      best_cost = total;
      best = b - 1;
    }
  }
  if (best < 0) return 0;
  const auto middle = std::partition(items.begin(), items.end(),
                                     [&](const Item& item) { return bin_of(item) <= best; });
  return static_cast<std::size_t>(middle - items.begin());
}

/// The same by halves.
std::size_t split_in_halves(std::span<Item> items, int axis) {
  const std::size_t half = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                   [axis](const Item& s, const Item& t) {
                     const float x = s.middle(axis), y = t.middle(axis);
                     return x != y ? x < y : s.triangle < t.triangle;
                   });
  return half;
}

/// A range of items that becomes a node.
struct Task {
  std::size_t begin, end;
  std::size_t node;
  int depth;
};

class Builder {
 public:
  explicit Builder(std::span<Item> items) : items_(items) {}

  std::vector<Node> nodes{Node{}};

  /// Boxes the range; makes two children unless it is small enough for a leaf.
  template <class F>
  void make_node(const Task& task, F&& add_child) {
    const std::span<Item> range = items_.subspan(task.begin, task.end - task.begin);
    Box box = Box::nothing();
    Point low{range[0].middle(0), range[0].middle(1), range[0].middle(2)}, high = low;
    for (const Item& item : range) {
      box.add(item.box);
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], item.middle(a));
        high[a] = std::max(high[a], item.middle(a));
      }
    }
    nodes[task.node].low = box.low;
    nodes[task.node].high = box.high;
    if (range.size() <= TriangleBvh::kLeafSize) {
      nodes[task.node].first = static_cast<std::int32_t>(task.begin);
      nodes[task.node].count = static_cast<std::int32_t>(range.size());
      return;
    }
    const Point size{high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    const int axis = static_cast<int>(std::max_element(size.begin(), size.end()) - size.begin());
    std::size_t left = 0;
    if (task.depth < kFreeDepth) left = split_by_area(range, axis, low[axis], high[axis]);
    if (left == 0) left = split_in_halves(range, axis);
    const std::size_t child = nodes.size();
    nodes.resize(child + 2);
    nodes[task.node].first = static_cast<std::int32_t>(child);
    nodes[task.node].count = 0;
    add_child(Task{task.begin, task.begin + left, child, task.depth + 1});
    add_child(Task{task.begin + left, task.end, child + 1, task.depth + 1});
  }

  void make_subtree(const Task& task) {
    make_node(task, [this](const Task& child) { make_subtree(child); });
  }

 private:
  std::span<Item> items_;
};

/// The upper part of the tree on this thread, the subtrees below it on all.
std::vector<Node> build_nodes(std::span<Item> items, ThreadArena& arena) {
  Builder top(items);
  std::vector<Task> subtrees;
  const std::size_t small = std::max<std::size_t>(items.size() / kSubtrees, 1024);
  std::vector<Task> waiting{{0, items.size(), 0, 0}};
  while (!waiting.empty()) {
    const Task task = waiting.back();
    waiting.pop_back();
    if (task.end - task.begin <= small) {
      subtrees.push_back(task);
    } else {
      top.make_node(task, [&](const Task& child) { waiting.push_back(child); });
    }
  }
  std::vector<std::vector<Node>> parts(subtrees.size());
  parallel_for(arena, subtrees.size(), 1, [&](std::size_t s) {
    Builder builder(items);
    builder.make_subtree({subtrees[s].begin, subtrees[s].end, 0, subtrees[s].depth});
    parts[s] = std::move(builder.nodes);
  });
  // A subtree's root takes the place that was left for it, the rest follows all that is there.
  std::vector<Node>& nodes = top.nodes;
  std::size_t total = nodes.size();
  for (const auto& part : parts) total += part.size() - 1;
  nodes.reserve(total);
  for (std::size_t s = 0; s < parts.size(); ++s) {
    const auto shift = static_cast<std::int32_t>(nodes.size()) - 1;
    for (Node& node : parts[s]) {
      if (node.count == 0) node.first += shift;
    }
    nodes[subtrees[s].node] = parts[s].front();
    nodes.insert(nodes.end(), parts[s].begin() + 1, parts[s].end());
    parts[s] = {};
  }
  return std::move(nodes);
}

}  // namespace

TriangleBvh::TriangleBvh(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                         ThreadArena& arena) {
  if (triangles.empty()) return;
  const Bounds bounds = bounds_of(positions);
  origin_ = 0.5 * (bounds.low + bounds.high);
  std::vector<Item> items(triangles.size());
  parallel_for(arena, triangles.size(), 4096, [&](std::size_t i) {
    const Triangle& t = triangles[i];
    const Vec3d a = positions[t[0]], b = positions[t[1]], c = positions[t[2]];
    const Vec3d low = min(a, min(b, c)) - origin_, high = max(a, max(b, c)) - origin_;
    Item& item = items[i];
    item.triangle = static_cast<std::int32_t>(i);
    for (int x = 0; x < 3; ++x) {
      item.box.low[x] = rounded_down(low[x]);
      item.box.high[x] = rounded_up(high[x]);
    }
  });
  nodes_ = build_nodes(items, arena);
  // Vertices in the order in which the leaves use them: what is near in space is near in memory.
  std::vector<std::int32_t> place(positions.size(), -1);
  triangles_.reserve(triangles.size());
  ids_.reserve(triangles.size());
  positions_.reserve(std::min(positions.size(), 3 * triangles.size()));
  for (const Item& item : items) {
    Triangle t = triangles[item.triangle];
    for (std::int32_t& v : t) {
      if (place[v] < 0) {
        place[v] = static_cast<std::int32_t>(positions_.size());
        positions_.push_back(positions[v]);
      }
      v = place[v];
    }
    triangles_.push_back(t);
    ids_.push_back(item.triangle);
  }
}

std::size_t TriangleBvh::memory() const {
  return positions_.capacity() * sizeof(Vec3d) + triangles_.capacity() * sizeof(Triangle) +
         ids_.capacity() * sizeof(std::int32_t) + nodes_.capacity() * sizeof(Node);
}

}  // namespace isochor::geometry
