#pragma once

#include "isochor/contact/contact_energy.h"
#include "isochor/contact/contact_report.h"
#include "isochor/tets/model.h"

/// The surface of tets as contact sees it, and what its barriers are by default.
namespace isochor::tets {

/// The outside of all bodies, both sides of those that are sheets, and obstacles, over the nodes of
/// the model.
contact::Surface surface_of(const Model& model);

/// A typical edge, m.
double mean_size(const Model& model);

/// How stiff and how heavy a node of the surface is on average: a barrier that is about as stiff
/// keeps gaps of a good part of its reach without making systems stiffer than bodies do.
struct SurfaceScale {
  double stiffness = 0;  ///< N/m, against shear
  double mass = 0;       ///< kg
};
SurfaceScale surface_scale(const Model& model, const contact::Surface& surface);

struct TouchParams {
  double reach = 0;               ///< m, of barriers; 0: a twentieth of mean_size
  bool pairs = true;              ///< of bodies with each other, themselves and obstacles
  bool among_bodies = true;       ///< off: with obstacles alone
  double friction = 0;            ///< coefficient, of pairs
  bool collider_barriers = true;  ///< off: nodes slide on colliders, see contact::EnergyParams
  double slip_speed =
      0;  ///< m/s, of contacts that stick; 0: a thousandth of all bodies' box in 1 s
};

/// Of forces on nodes, what is on obstacles is on their colliders, too.
void add_obstacles(const Model& model, std::span<const Vec3d> positions,
                   const contact::PlacedColliders& placed, contact::ContactForces& forces);

/// Coefficients, of each obstacle.
std::vector<double> obstacle_friction(const Model& model);

/// For steps of `dt`, s; 0: static.
contact::ContactEnergy make_contact(const Model& model, const TouchParams& params, double dt);

}  // namespace isochor::tets
