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

/// Friction of a displacement since the start of the step.
struct FrictionValue {
  Vec3d way;       ///< m, along the surface
  double energy;   ///< J
  Vec3d gradient;  ///< N, by the displacement
  Mat3d slope;     ///< N/m, definite
};

/// `slip`, m, is the way from which a contact slides: the largest speed of one at rest times the
/// time step. `dual`, N, along the surface and no longer than the largest force: what the force is
/// thought to be, in the slope, where the gradient is what it would be at this way. A slope that is
/// the gradient's own (null) throws what slides and has to stick to and fro, since beyond `slip`
/// nothing resists; with a dual that follows the iterates it goes straight there (Chan, Golub &
/// Mulet 1999, of total variation, which is as little smooth).
FrictionValue friction_at(const FrictionContact& contact, std::span<const Vec3d> start,
                          std::span<const Vec3d> positions, double slip,
                          const Vec3d* dual = nullptr);
/// The same of its points.
Term friction_term(const FrictionContact& contact, std::span<const Vec3d> start,
                   std::span<const Vec3d> positions, double slip, const Vec3d* dual = nullptr);

}  // namespace isochor::contact
