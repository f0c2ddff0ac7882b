#pragma once

#include <array>

#include "isochor/contact/collider_contacts.h"
#include "isochor/contact/term.h"

/// Coulomb friction as an energy of displacements within a step (Li et al. 2020): the normal force,
/// the weights and the tangents are those of an earlier iterate, and between sticking and sliding
/// there is a smooth passage, so that a point at rest creeps with less than `slip`.
namespace isochor::contact {

/// One contact, as it was when this was made.
struct FrictionContact {
  std::array<std::int32_t, 4> points{};
  std::array<double, 4> weights{};
  std::int32_t count = 0;           ///< of points
  std::int32_t collider = -1;       ///< its number; -1: of a pair
  std::array<Vec3d, 2> tangents{};  ///< of length one, perpendicular to each other and the normal
  Vec3d carried{0, 0, 0};           ///< m, how far a collider's surface goes in this step
  double force = 0;                 ///< N, the largest: friction times the normal force
};

FrictionContact friction_of(const Pair& pair, double normal_force, double friction);
FrictionContact friction_of(const ColliderContact& contact, double normal_force, double time_step);

/// Of displacements since the start of the step. `slip`, m, is that from which a contact slides:
/// the largest speed of one at rest times the time step. The Hessian is definite.
Term friction_term(const FrictionContact& contact, std::span<const Vec3d> start,
                   std::span<const Vec3d> positions, double slip);

}  // namespace isochor::contact
