#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"

namespace isochor::contact {

using geometry::Bounds;

/// All six are asked at once: which of them fails is anyone's guess, and guesses cost more.
inline bool overlap(const Bounds& a, const Bounds& b) {
  return (a.low[0] <= b.high[0]) & (b.low[0] <= a.high[0]) & (a.low[1] <= b.high[1]) &
         (b.low[1] <= a.high[1]) & (a.low[2] <= b.high[2]) & (b.low[2] <= a.high[2]);
}

/// A tree over boxes that move. It is a heap: node k has the children 2k and 2k + 1, the root is
/// node 1 and all leaves are on the last level, so that a level is refitted by one parallel loop
/// and nothing stores a link. Boxes stay in their leaves until the tree is built again. What a
/// query finds does not depend on the tree, only its order does. Coordinates must be finite. Takes
/// about 90 bytes per box.
class BoxBvh {
 public:
  /// Sorts the boxes into leaves, by halves across the longest side of their middles.
  void build(std::span<const Bounds> boxes, ThreadArena& arena);
  /// The same things with other boxes; allocates nothing.
  void refit(std::span<const Bounds> boxes, ThreadArena& arena);

  std::size_t size() const { return items_.size(); }
  std::size_t leaf_count() const { return nodes_.size() / 2; }
  /// How much surface the nodes have together, in units of the root's: a measure of what a query
  /// costs. It grows as things mix.
  double cost(ThreadArena& arena) const;

  /// Leaves with one of these things are marked, until this is called again; `build` forgets it.
  void mark(std::span<const std::uint8_t> things, ThreadArena& arena);
  bool is_marked(std::size_t leaf) const { return marks_[leaf_count() + leaf] != 0; }

  /// Calls f(i) for each i whose box overlaps or touches `box`, or for those in marked leaves.
  template <class F>
  void for_each_overlap(const Bounds& box, F&& f, bool only_marked = false) const {
    if (nodes_.empty()) return;
    walk(box, 0, only_marked, [&](std::size_t leaf) {
      for (std::int32_t place = starts_[leaf]; place < starts_[leaf + 1]; ++place) {
        if (overlap(box, boxes_[place])) f(items_[place]);
      }
    });
  }

  /// Calls f(i, j) for each pair i < j of things whose boxes overlap or touch, one of them in this
  /// leaf and the other in this or a later one, or in a marked one of these: over all leaves, for
  /// each pair once.
  template <class F>
  void for_each_pair(std::size_t leaf, F&& f, bool only_marked = false) const {
    walk(nodes_[leaf_count() + leaf], leaf, only_marked, [&](std::size_t other) {
      for (std::int32_t a = starts_[leaf]; a < starts_[leaf + 1]; ++a) {
        const std::int32_t first = other == leaf ? a + 1 : starts_[other];
        for (std::int32_t b = first; b < starts_[other + 1]; ++b) {
          if (!overlap(boxes_[a], boxes_[b])) continue;
          items_[a] < items_[b] ? f(items_[a], items_[b]) : f(items_[b], items_[a]);
        }
      }
    });
  }

 private:
  static constexpr std::size_t kLeafSize = 4;  ///< boxes in a leaf at most

  /// Calls visit(leaf) for all leaves from `first_leaf` on that overlap the box.
  template <class F>
  void walk(const Bounds& box, std::size_t first_leaf, bool only_marked, F&& visit) const {
    const auto leaves = static_cast<std::uint32_t>(leaf_count());
    std::array<std::uint32_t, 32> stack;
    int top = 0;
    const auto wanted = [&](std::uint32_t node) {
      return reaches(node, first_leaf) && (!only_marked || marks_[node]) &&
             overlap(box, nodes_[node]);
    };
    std::uint32_t node = wanted(1) ? 1 : 0;
    while (node != 0) {
      if (node >= leaves) {
        visit(node - leaves);
        node = top > 0 ? stack[--top] : 0;
        continue;
      }
      const std::uint32_t child = 2 * node;
      const bool near = wanted(child), far = wanted(child + 1);
      if (near && far) stack[top++] = child + 1;
      node = near ? child : far ? child + 1 : top > 0 ? stack[--top] : 0;
    }
  }
  /// Whether there is a leaf from `first_leaf` on below a node.
  bool reaches(std::uint32_t node, std::size_t first_leaf) const {
    const int below =
        std::countl_zero(node) - std::countl_zero(static_cast<std::uint32_t>(leaf_count()));
    return ((static_cast<std::size_t>(node) + 1) << below) - leaf_count() > first_leaf;
  }

  std::vector<std::int32_t> items_;   ///< in the order of the leaves
  std::vector<std::int32_t> starts_;  ///< leaf l: places [starts_[l], starts_[l + 1])
  std::vector<Bounds> boxes_;         ///< of the items, by place
  std::vector<Bounds> nodes_;         ///< the first is not used
  std::vector<std::uint8_t> marks_;   ///< of nodes
};

}  // namespace isochor::contact
