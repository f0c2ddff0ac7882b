#pragma once

#include <limits>
#include <vector>

#include "isochor/contact/collider_contacts.h"
#include "isochor/contact/crossings.h"
#include "isochor/contact/proximity.h"
#include "isochor/contact/term.h"

/// What contact does, for diagnostics and for those who want forces.
namespace isochor::contact {

/// On a collider, by all that touches it.
struct ColliderLoad {
  Vec3d force{0, 0, 0};   ///< N
  Vec3d moment{0, 0, 0};  ///< N m, about the origin of its shape
};

struct ContactForces {
  std::vector<Vec3d> points;            ///< N, on each point of the method
  std::vector<ColliderLoad> colliders;  ///< on each collider
  /// N, by bones on each point that slides over them (SlidingBones), not in `points`; or none.
  std::vector<Vec3d> bones;

  /// Nothing touches.
  void reset(std::size_t point_count, std::size_t collider_count);
  /// Of what rows did in a step: impulses, N s, as of ContactProjection.
  void add(std::span<const Row> rows, std::span<const Vec3d> impulses, double time_step,
           std::span<const Vec3d> positions, const PlacedColliders& placed);
  /// Of energies.
  void add(std::span<const Term> terms, std::span<const Vec3d> positions,
           const PlacedColliders& placed);
  /// Of changes of velocities by `collide`; inverse masses in 1/kg.
  void add(std::span<const ColliderContact> contacts, std::span<const double> inverse_masses,
           double time_step, std::span<const Vec3d> positions, const PlacedColliders& placed);
  /// Of the springs of bones.
  void add_bones(std::span<const Term> springs);
  /// On one point, by a collider; -1: by none.
  void add_force(std::int32_t point, std::int32_t collider, const Vec3d& force,
                 std::span<const Vec3d> positions, const PlacedColliders& placed);
  /// A part of others.
  void add(const ContactForces& others, double part);
};

/// How bodies are placed at an instant.
struct ContactReport {
  std::int64_t near_pairs = 0;   ///< pairs within reach
  std::int64_t near_points = 0;  ///< points within reach of a collider; twice if of two
  /// m, the least distance of pairs without a common point; infinite: none within reach.
  double smallest_gap = std::numeric_limits<double>::infinity();
  /// m, the same of points and colliders; negative where a point is inside.
  double smallest_collider_gap = std::numeric_limits<double>::infinity();
  std::int32_t deepest_point = -1;  ///< with that gap
  /// m, per point of the method, of what is nearest to it; the reach where nothing is nearer.
  std::vector<double> gaps;
  Crossings crossings;

  /// m, of points in colliders; 0: none is.
  double deepest_penetration() const {
    return smallest_collider_gap < 0 ? -smallest_collider_gap : 0;
  }
};

/// Looks at all pairs that the filter passes, and at `points` beside colliders, within `reach` (m),
/// and counts all crossing pairs of triangles. Updates the trees.
ContactReport report_contact(SurfaceBvh& bvh, std::span<const Vec3d> positions,
                             std::span<const std::int32_t> points, const PlacedColliders& colliders,
                             double reach, const PairFilter& filter, ThreadArena& arena);

}  // namespace isochor::contact
