#pragma once

#include <string>

#include "isochor/contact/penalty.h"
#include "isochor/geometry/triangle_bvh.h"

/// Bones as internal colliders over which flesh slides [McAdams11 sec 10]: points of the flesh that
/// lie on a bone at rest stay on its surface, each by a spring across it, and go along it as they
/// like. Flesh does not leave the bone either: there is nothing else that could take its place.
namespace isochor::contact {

/// Where a bone is: x = rotation X + translation.
struct BoneMotion {
  Mat3d rotation = Mat3d::identity();
  Vec3d translation{0, 0, 0};  ///< m

  Vec3d operator()(const Vec3d& at_rest) const { return rotation * at_rest + translation; }
  Vec3d back(const Vec3d& now) const { return transpose(rotation) * (now - translation); }
};

/// A part of the way from one motion to another, 0 to 1: a point at rest goes in a straight line
/// while all turns about it.
BoneMotion between(const BoneMotion& from, const BoneMotion& to, double part, const Vec3d& at_rest);

/// The surface of a bone at rest. Its normals are blended within triangles, but for edges sharper
/// than sixty degrees: what slides over the facets of a round bone is not to feel them.
class BoneSurface {
 public:
  /// Triangles face outward.
  BoneSurface(std::vector<Vec3d> positions, std::vector<geometry::Triangle> triangles,
              ThreadArena& arena);

  struct Foot {
    Vec3d point;   ///< of the surface, m
    Vec3d normal;  ///< of length one
  };
  /// The place of the surface that is nearest to a point.
  Foot below(const Vec3d& point) const;
  /// The mean of its vertices, m.
  const Vec3d& middle() const { return middle_; }

 private:
  geometry::TriangleBvh tree_;
  std::vector<std::array<Vec3d, 3>> normals_;  ///< per triangle and corner
  Vec3d middle_{0, 0, 0};
};

/// What slides: a weighted sum of points of a method.
struct SlidingPoint {
  std::array<std::int32_t, 4> points{};
  std::array<double, 4> weights{};
  std::int32_t count = 0;  ///< of points
  double stiffness = 0;    ///< of its spring, N/m

  Vec3d at(std::span<const Vec3d> positions) const {
    Vec3d sum{0, 0, 0};
    for (int i = 0; i < count; ++i) sum += weights[i] * positions[points[i]];
    return sum;
  }
};

/// A bone with what slides over it.
struct SlidingBone {
  std::string name;
  BoneSurface surface;
  std::vector<SlidingPoint> points;
};

/// All bones of a model, as springs that a step finds anew until they stay. What it keeps from one
/// step to the next is memory, not state. Per step
///     set_motions(from, to);  begin(start)
/// then per search, with the springs there are,
///     slides_on(where it came to)
/// until that is false.
class SlidingBones {
 public:
  /// `spacing`, m, of what flesh is made of: by a small part of it springs may be off in the end.
  SlidingBones(std::vector<SlidingBone> bones, double spacing);

  bool empty() const { return bones_.empty(); }
  std::span<const SlidingBone> bones() const { return bones_; }
  /// Of all springs, N/m.
  double largest_stiffness() const { return largest_stiffness_; }

  /// Where bones are when a step begins, and when it ends.
  void set_motions(std::span<const BoneMotion> from, std::span<const BoneMotion> to);
  /// The same for a part of that step, 0 to 1.
  void set_part(double from, double to);

  /// Springs of a step from given positions: across the places of bones that are below points where
  /// it begins, and pulling to where these are at its end.
  void begin(std::span<const Vec3d> positions, ThreadArena& arena);
  /// In the order of bones and their points.
  std::span<const PointSpring> springs() const { return springs_; }
  /// Whether flesh is where it was found last; else few iterations take it to where bones are
  /// looked at again.
  bool settled() const { return settled_; }
  /// Finds springs anew; whether flesh has slid to other places, or has just found its own. Then
  /// the search goes on, roughly in the first case.
  bool slides_on(std::span<const Vec3d> positions, ThreadArena& arena);

  /// J, of the springs there are.
  double energy(std::span<const Vec3d> positions) const;
  /// J, with springs that are found at these positions.
  double energy(std::span<const Vec3d> positions, std::span<const BoneMotion> motions) const;

 private:
  double renew(std::span<const Vec3d> positions, std::span<const BoneMotion> at,
               ThreadArena& arena);

  std::vector<SlidingBone> bones_;
  double spacing_, largest_stiffness_ = 0;
  /// Of the step, and of the part of it that is made now.
  std::vector<BoneMotion> first_, last_, from_, to_;
  std::vector<PointSpring> springs_;
  bool settled_ = true;
  int rounds_ = 0;
};

}  // namespace isochor::contact
