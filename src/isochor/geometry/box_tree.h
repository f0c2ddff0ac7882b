#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

/// The squared distance from a point to a box, 0 inside.
double squared_distance(const Bounds& box, const Vec3d& point);

/// A tree over boxes that finds the thing nearest to a point, whatever is in the boxes. Built once;
/// queries may run on many threads at once. Coordinates must be finite.
class BoxTree {
 public:
  explicit BoxTree(std::span<const Bounds> boxes);

  /// The number of the thing at the smallest distance, the lowest one of equals; -1 where there is
  /// nothing. `distance(i)` is the squared distance to thing i, not less than that to its box.
  template <class F>
  std::int32_t nearest(const Vec3d& point, F&& distance) const {
    Found found;
    if (!nodes_.empty()) search(0, point, distance, found);
    return found.item;
  }

 private:
  struct Node {
    Bounds box;
    std::int32_t first, count;  ///< items of a leaf
    std::int32_t far_child;     ///< 0: a leaf; the other child comes right after its parent
  };
  struct Found {
    std::int32_t item = -1;
    double distance = std::numeric_limits<double>::infinity();
  };

  void build(std::span<const Bounds> boxes, std::int32_t first, std::int32_t count);

  template <class F>
  void search(std::int32_t n, const Vec3d& point, F& distance, Found& found) const {
    const Node& node = nodes_[n];
    if (node.far_child == 0) {
      for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
        const double d = distance(items_[i]);
        const bool lower = d == found.distance && items_[i] < found.item;
        if (found.item < 0 || d < found.distance || lower) found = {items_[i], d};
      }
      return;
    }
    std::int32_t near = n + 1, far = node.far_child;
    double to_near = squared_distance(nodes_[near].box, point);
    double to_far = squared_distance(nodes_[far].box, point);
    if (to_far < to_near) std::swap(near, far), std::swap(to_near, to_far);
    if (to_near <= found.distance) search(near, point, distance, found);
    if (to_far <= found.distance) search(far, point, distance, found);
  }

  std::vector<Node> nodes_;          ///< the root is node 0
  std::vector<std::int32_t> items_;  ///< in the order of the leaves
};

}  // namespace isochor::geometry
