#pragma once

#include <span>
#include <vector>

#include "isochor/base/function_ref.h"
#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/geometry/triangle_queries.h"

namespace isochor::geometry {

struct RayHit {
  std::int32_t triangle = -1;                                 ///< -1: none
  double distance = std::numeric_limits<double>::infinity();  ///< in lengths of the direction
};

/// A tree of boxes over triangles, for queries that look at few of them. Keeps copies of positions
/// and triangles, together about 46 bytes per triangle. Built once; the same for any number of
/// threads; queries may run on many threads at once. Coordinates must be finite.
class TriangleBvh {
 public:
  TriangleBvh(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
              ThreadArena& arena);

  std::size_t triangle_count() const { return triangles_.size(); }
  std::size_t memory() const;  ///< bytes

  /// Nearest to `point` among all triangles not further away than `reach`.
  ClosestPoint closest_point(const Vec3d& point,
                             double reach = std::numeric_limits<double>::infinity()) const;

  /// The first triangle that the ray meets at a distance in [0, reach], other than `ignored`.
  RayHit first_hit(const Ray& ray, std::int32_t ignored = -1,
                   double reach = std::numeric_limits<double>::infinity()) const;

  /// Calls f(triangle) for each triangle that has a point in common with the box.
  void for_each_in_box(const Bounds& box, FunctionRef<void(std::int32_t)> f) const;

  using PairFunction = FunctionRef<void(std::int32_t, std::int32_t)>;
  /// Calls f(i, j) once for each two triangles i < j whose boxes overlap or touch; from several
  /// threads at once and in no particular order.
  void for_each_pair(ThreadArena& arena, PairFunction f) const;
  /// The same for a triangle i of this tree and a triangle j of another one.
  void for_each_pair(const TriangleBvh& other, ThreadArena& arena, PairFunction f) const;

  /// Half a cache line. Boxes are relative to `origin()` and rounded outward.
  struct Node {
    std::array<float, 3> low, high;
    std::int32_t first;  ///< the first child, the second follows it; of a leaf the first triangle
    std::int32_t count;  ///< triangles of a leaf; 0: has children
  };
  /// The root is node 0; no nodes where there are no triangles. Children come after their parent.
  std::span<const Node> nodes() const { return nodes_; }
  const Vec3d& origin() const { return origin_; }
  /// A triangle by its place in the order of the leaves.
  TriangleCorners corners(std::int32_t place) const {
    const Triangle& t = triangles_[place];
    return {positions_[t[0]], positions_[t[1]], positions_[t[2]]};
  }
  Bounds bounds(std::int32_t place) const {
    const auto [a, b, c] = corners(place);
    return {min(a, min(b, c)), max(a, max(b, c))};
  }
  std::int32_t triangle_at(std::int32_t place) const { return ids_[place]; }
  static constexpr int kLeafSize = 4;  ///< triangles in a leaf at most
  /// No way down the tree is longer than this, so that queries know how much room they need.
  static constexpr int kMaxDepth = 80;

 private:
  Vec3d origin_{0, 0, 0};
  std::vector<Vec3d> positions_;
  std::vector<Triangle> triangles_;  ///< in the order of the leaves
  std::vector<std::int32_t> ids_;    ///< their places in what the tree was made of
  std::vector<Node> nodes_;
};

}  // namespace isochor::geometry
