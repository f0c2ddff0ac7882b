#pragma once

#include "isochor/contact/colliders.h"

/// Colliders that bodies meet with all of their surface, not with points alone: rods and corners
/// would go between these. Such a collider is a part of the Surface whose points have no inverse
/// mass: its triangles are met by edges and triangles of bodies, and crossings with it are counted.
/// Points go on to meet the shape itself, which is why its triangles are a little inside of it.
namespace isochor::contact {

/// How thick a rod is, or a ball: the middle one of the sizes of what is not round. m; infinite
/// where a collider has no end.
double girth(const Collider& collider);

/// Balls, capsules and cylinders.
bool is_round(const Shape& shape);

/// The surface of a collider, as triangles.
class Obstacle {
 public:
  /// `number` is that of the collider in its list, which it must have an end for. What is round has
  /// 12 sides. `inset`, m, is how far inside the surface they are, but no more than an eighth of
  /// its girth. Keeps a copy.
  Obstacle(const Collider& collider, std::int32_t number, double inset);

  std::int32_t collider() const { return number_; }
  double friction() const { return collider_.friction; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  std::size_t vertex_count() const { return vertices_.size(); }

  /// Where its vertices are at `time`, s.
  void place(double time, std::span<Vec3d> vertices) const;

 private:
  Collider collider_;
  std::int32_t number_;
  double inset_;
  std::vector<Vec3d> vertices_;  ///< in its own coordinates; of a mesh with keys, at the first
  std::vector<Triangle> triangles_;
};

}  // namespace isochor::contact
