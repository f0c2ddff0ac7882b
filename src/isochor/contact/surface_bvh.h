#pragma once

#include "isochor/contact/box_bvh.h"
#include "isochor/contact/surface.h"

namespace isochor::contact {

/// Trees over the triangles and the edges of a surface that moves. `update` before asking; it
/// refits the trees, and sorts them anew where they have become twice as costly as they were then.
/// The pairs found do not depend on that. Queries may run on many threads at once.
class SurfaceBvh {
 public:
  explicit SurfaceBvh(Surface surface) : surface_(std::move(surface)) {}

  const Surface& surface() const { return surface_; }

  /// Everything on its way from `start` to `end`, in straight lines; each thing's box holds all
  /// points within half of `reach`, so that the boxes of two things not further apart overlap.
  void update(std::span<const Vec3d> start, std::span<const Vec3d> end, double reach,
              ThreadArena& arena);
  /// The same at rest.
  void update(std::span<const Vec3d> positions, double reach, ThreadArena& arena) {
    update(positions, positions, reach, arena);
  }

  /// Triangles and edges with one of these points, after `update`.
  void mark(std::span<const std::uint8_t> points, ThreadArena& arena);

  const BoxBvh& triangles() const { return triangles_.tree; }
  const BoxBvh& edges() const { return edges_.tree; }
  /// Of a point, as in `update`.
  Bounds point_box(std::int32_t point, std::span<const Vec3d> start,
                   std::span<const Vec3d> end) const;

 private:
  struct Tree {
    BoxBvh tree;
    double built_cost = -1;  ///< when it was sorted; negative: never
  };
  template <class Things>
  void update_tree(Tree& tree, const Things& things, std::span<const Vec3d> start,
                   std::span<const Vec3d> end, ThreadArena& arena);
  template <class Corners>
  Bounds box_of(const Corners& corners, std::span<const Vec3d> start,
                std::span<const Vec3d> end) const;

  Surface surface_;
  double reach_ = 0;
  std::vector<Bounds> boxes_;        ///< memory of `update`
  std::vector<std::uint8_t> marks_;  ///< memory of `mark`
  Tree triangles_, edges_;
};

}  // namespace isochor::contact
