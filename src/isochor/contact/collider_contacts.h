#pragma once

#include "isochor/contact/colliders.h"
#include "isochor/contact/row.h"

/// Points of bodies against colliders. Only points are looked at: a corner of a collider may poke
/// through the middle of a triangle. Where that matters the collider can be a body of the Surface
/// whose points have no inverse mass.
namespace isochor::contact {

struct ColliderContact {
  std::int32_t point = -1;     ///< of the method
  std::int32_t collider = -1;  ///< of the list
  double distance = 0;         ///< m, negative inside
  Vec3d normal{0, 0, 0};       ///< of length one, out of the collider
  Vec3d velocity{0, 0, 0};     ///< m/s, of the collider's surface
  Vec3d change{0, 0, 0};       ///< m/s, of the point's velocity by `collide`
  double friction = 0;         ///< coefficient
};

/// [Irving07 sec 4]
inline Row row_of(const ColliderContact& contact) {
  return {.points = {contact.point},
          .weights = {1},
          .count = 1,
          .collider = contact.collider,
          .normal = contact.normal,
          .velocity = contact.velocity,
          .gap = contact.distance,
          .friction = contact.friction};
}

/// All points with a distance of at most `reach` (m), by point and then by collider; the same for
/// any number of threads. Takes memory only where there are more than ever before.
void find_contacts(const PlacedColliders& colliders, std::span<const std::int32_t> points,
                   std::span<const Vec3d> positions, double reach, ThreadArena& arena,
                   std::vector<ColliderContact>& contacts);

/// All points that on the straight way from `start` to `end`, as seen from a collider that was
/// placed as `before` and now is as `after`, went through it, or so far in that the nearest way out
/// is on its other side: thin or fast ones would leave them there. `distance` is that of the end
/// from the plane of the surface where they came in, and negative. What goes less than `least` (m)
/// through it does not count. Meshes are taken to move without changing their shape. Sorted as
/// above.
void find_passed(std::span<const Placement> before, const PlacedColliders& after,
                 std::span<const std::int32_t> points, std::span<const Vec3d> start,
                 std::span<const Vec3d> end, double least, ThreadArena& arena,
                 std::vector<ColliderContact>& contacts);

/// Moves points back to where they came in, and stops what goes on into the collider, as below.
/// Sets `change`.
void collide_passed(std::span<Vec3d> positions, std::span<Vec3d> velocities,
                    std::span<ColliderContact> contacts);

/// Moves points out of colliders, along the shortest way, and stops what goes on into them; what
/// slides is slowed by Coulomb's law. Points in the corner of several colliders are tried a few
/// times. `contacts` are the points that were inside, in order, with how deep they were and what
/// happened to their velocities. Points without inverse mass must not be among `points`.
void collide(const PlacedColliders& colliders, std::span<const std::int32_t> points,
             std::span<Vec3d> positions, std::span<Vec3d> velocities, ThreadArena& arena,
             std::vector<ColliderContact>& contacts);

/// How far all points may go towards `end` without coming nearer to a collider than `distance`: a
/// part of the way, 0 to 1; early by a tenth of the gap, never late.
double largest_step(const PlacedColliders& colliders, std::span<const std::int32_t> points,
                    std::span<const Vec3d> start, std::span<const Vec3d> end, double distance,
                    ThreadArena& arena);

}  // namespace isochor::contact
