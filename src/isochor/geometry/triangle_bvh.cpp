#include "isochor/geometry/triangle_bvh.h"

#include <algorithm>
#include <cmath>

#include "isochor/geometry/overlap.h"

namespace isochor::geometry {
namespace {

using Node = TriangleBvh::Node;

/// Squared distance from a point to a box; 0 inside.
double squared_distance(const Node& node, const Vec3d& point) {
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    const double d = max(max(node.low[a] - point[a], point[a] - node.high[a]), 0.0);
    sum += d * d;
  }
  return sum;
}

/// Where a ray enters a box, or infinity if it does not within `reach`.
double entry(const Node& node, const Vec3d& origin, const Vec3d& inverse, double reach) {
  // Rounding must not let a ray pass between two boxes that touch (Ize 2013).
  constexpr double kOutward = 1 + 4 * std::numeric_limits<double>::epsilon();
  double near = 0, far = reach;
  for (int a = 0; a < 3; ++a) {
    const bool back = std::signbit(inverse[a]);
    const double first = (back ? node.high[a] : node.low[a]) - origin[a];
    const double last = (back ? node.low[a] : node.high[a]) - origin[a];
    // A ray along the face of a box gives 0 times infinity, which these comparisons pass over.
    near = max(first * inverse[a], near);
    far = min(last * inverse[a] * kOutward, far);
  }
  return near <= far ? near : std::numeric_limits<double>::infinity();
}

}  // namespace

ClosestPoint TriangleBvh::closest_point(const Vec3d& point, double reach) const {
  ClosestPoint best;
  best.squared_distance = reach * reach;
  if (nodes_.empty()) return best;
  const Vec3d local = point - origin_;
  struct Waiting {
    std::int32_t node;
    double squared_distance;
  };
  std::array<Waiting, kMaxDepth + 1> stack;
  int top = 0;
  stack[top++] = {0, squared_distance(nodes_[0], local)};
  while (top > 0) {
    const Waiting next = stack[--top];
    if (next.squared_distance > best.squared_distance) continue;
    const Node& node = nodes_[next.node];
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      const ClosestPoint hit = closest_point_on(corners(i), point);
      const bool nearer = hit.squared_distance < best.squared_distance;
      if (nearer || (best.triangle < 0 && hit.squared_distance == best.squared_distance)) {
        best = hit;
        best.triangle = ids_[i];
      }
    }
    if (node.count > 0) continue;
    Waiting near{node.first, squared_distance(nodes_[node.first], local)};
    Waiting far{node.first + 1, squared_distance(nodes_[node.first + 1], local)};
    if (far.squared_distance < near.squared_distance) std::swap(near, far);
    stack[top++] = far;
    stack[top++] = near;
  }
  return best;
}

RayHit TriangleBvh::first_hit(const Ray& ray, std::int32_t ignored, double reach) const {
  RayHit best{.triangle = -1, .distance = reach};
  if (nodes_.empty()) return best;
  const Vec3d local = ray.origin() - origin_, d = ray.direction();
  const Vec3d inverse{1 / d[0], 1 / d[1], 1 / d[2]};
  struct Waiting {
    std::int32_t node;
    double entry;
  };
  std::array<Waiting, kMaxDepth + 1> stack;
  int top = 0;
  stack[top++] = {0, entry(nodes_[0], local, inverse, reach)};
  while (top > 0) {
    const Waiting next = stack[--top];
    if (!(next.entry <= best.distance) || std::isinf(next.entry)) continue;
    const Node& node = nodes_[next.node];
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      if (ids_[i] == ignored) continue;
      const std::optional<double> at = ray.meets(corners(i));
      if (at && *at >= 0 && (*at < best.distance || (best.triangle < 0 && *at <= best.distance))) {
        best = {ids_[i], *at};
      }
    }
    if (node.count > 0) continue;
    Waiting near{node.first, entry(nodes_[node.first], local, inverse, best.distance)};
    Waiting far{node.first + 1, entry(nodes_[node.first + 1], local, inverse, best.distance)};
    if (far.entry < near.entry) std::swap(near, far);
    stack[top++] = far;
    stack[top++] = near;
  }
  return best;
}

void TriangleBvh::for_each_in_box(const Bounds& box, FunctionRef<void(std::int32_t)> f) const {
  if (nodes_.empty()) return;
  const Vec3d center = 0.5 * (box.low + box.high), half_size = 0.5 * box.size();
  const Vec3d low = box.low - origin_, high = box.high - origin_;
  std::array<std::int32_t, kMaxDepth + 1> stack;
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes_[stack[--top]];
    bool outside = false;
    for (int a = 0; a < 3; ++a) {
      outside = outside || node.low[a] > high[a] || node.high[a] < low[a];
    }
    if (outside) continue;
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      if (triangle_overlaps_box(corners(i), center, half_size)) f(ids_[i]);
    }
    if (node.count > 0) continue;
    stack[top++] = node.first + 1;
    stack[top++] = node.first;
  }
}

}  // namespace isochor::geometry
