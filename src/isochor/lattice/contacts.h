#pragma once

#include <memory>

#include "isochor/contact/contact_energy.h"
#include "isochor/contact/contact_report.h"
#include "isochor/contact/penetration.h"
#include "isochor/contact/sliding_bones.h"
#include "isochor/lattice/contact_surface.h"
#include "isochor/lattice/level_springs.h"
#include "isochor/lattice/model.h"

/// Contact of embedded surfaces with colliders, with each other and with themselves: an energy of
/// points that ride on nodes, for Newton's method, and as springs for multigrid.
///
/// Two ways. Ours keeps surfaces apart: a barrier (Li et al. 2020) pushes what comes near, and
/// every step is as long as continuous detection allows, so that surfaces that do not cross at the
/// start of a step do not at its end. The published one lets surfaces pass through each other and
/// pulls out what is inside by springs [McAdams11 sec 7]; ours takes it too, with springs that pull
/// a little further than to the surface, until a tangled start has come apart.
namespace isochor::lattice {

enum class ContactScheme { Barrier, Published };

struct ContactParams {
  ContactScheme scheme = ContactScheme::Barrier;
  bool self_contact = false;  ///< of bodies with each other and with themselves
  double friction = 0;        ///< coefficient between them; colliders have their own
  double reach = 0;           ///< m, from which on surfaces push each other; 0: a part of a cell
};

/// All that touches in a model of lattice bodies. What it keeps from one step to the next is
/// memory, not state.
class Contacts {
 public:
  /// The model must outlive it.
  Contacts(const Model& model, ContactSurface surface, std::vector<contact::Collider> colliders,
           const ContactParams& params, ThreadArena& arena,
           std::vector<contact::SlidingBone> bones = {});
  Contacts(const Contacts&) = delete;
  Contacts& operator=(const Contacts&) = delete;

  const ContactSurface& surface() const { return surface_; }
  const contact::Colliders& colliders() const { return colliders_; }
  const ContactParams& params() const { return params_; }
  double reach() const { return params_.reach; }
  std::span<const double> areas() const { return areas_; }  ///< per point, at rest, m^2
  std::span<const contact::SlidingBone> bones() const { return bones_.bones(); }

  void interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const;
  /// Adds what forces on points do to nodes.
  void add_to_nodes(std::span<const Vec3d> at_points, std::span<Vec3d> nodal) const;
  /// Adds what braces do to nodes: where those are held, holds bear it.
  void add_braces(std::span<const Vec3d> nodes, std::span<Vec3d> force) const;

  /// Between which times, s, colliders move in the next step.
  void set_interval(double from, double to);
  /// Where bones that flesh slides over are then.
  void set_bones(std::span<const contact::BoneMotion> from,
                 std::span<const contact::BoneMotion> to) {
    bones_.set_motions(from, to);
  }

  // For solvers.

  /// Gets ready for a step of dt (s; 0: a static one) from given nodes.
  void begin(std::span<const Vec3d> nodes, double dt);
  /// Whether surfaces are kept apart; otherwise they may pass through each other.
  bool apart() const { return apart_; }
  /// Whether springs pull until they are: equilibria on the way there need not be good.
  bool untangles() const { return !apart_ && params_.scheme == ContactScheme::Barrier; }
  /// Whether flesh still slides over bones: few iterations take it to where bones are looked at
  /// again.
  bool slides() const { return !bones_.settled(); }
  /// Whether published springs still change from one search to the next.
  bool seeks() const { return !steady_; }
  /// Any of these.
  bool roughly() const { return untangles() || slides() || seeks(); }
  bool colliders_move() const { return colliders_move_; }
  /// How much of their way, and of that of holds, is left, 1 to 0; see carry().
  double left() const { return 1 - done_; }

  /// What touches at an iterate.
  contact::EnergyValue evaluate(std::span<const Vec3d> nodes);
  /// Adds its forces.
  void add_forces(std::span<Vec3d> force);
  /// Makes the second derivatives at the iterate last evaluated. Those of springs and friction are
  /// definite as they are.
  void linearise(contact::Curvature curvature);
  /// out += K v
  void apply(std::span<const Vec3d> v, std::span<Vec3d> out);
  void add_diagonal(std::span<Vec3f> diagonal);
  /// K as springs, for multigrid.
  LevelSprings& springs() { return springs_; }

  /// How much of a way of all nodes is free, 0 to 1, while colliders rest.
  double passable(std::span<const Vec3d> nodes, std::span<const Vec3d> way);
  /// How many times a way of all nodes may be asked for at once: none goes further than a cell.
  double worth_asking(std::span<const Vec3d> way);
  /// The same while colliders go to where they are at the end of the step; takes them along.
  double carry(std::span<const Vec3d> nodes, std::span<const Vec3d> way);
  /// Adds what colliders that go on to their end would push with, to first order.
  void add_carried(std::span<Vec3d> force);

  /// Of flesh that slides over bones, J, with bones where they are at the end of the step.
  double sliding_energy(std::span<const Vec3d> nodes);

  /// Whether the search has to go on from an equilibrium: friction lags behind, flesh has
  /// slid to another place of a bone, springs have to be found anew, or surfaces have come apart.
  bool goes_on(std::span<const Vec3d> nodes);

  /// On each point at the iterate last evaluated, and on colliders, N.
  contact::ContactForces forces() const;
  /// Distances at an instant.
  contact::ContactReport report(std::span<const Vec3d> nodes, double time, double reach);

 private:
  contact::ContactEnergy make_energy();
  void keep_apart(bool apart);
  void place(double part);
  bool tangled(std::span<const Vec3d> points);
  void renew_springs(std::span<const Vec3d> nodes, double margin);
  void add_penetrations(std::span<const Vec3d> nodes, double margin);
  void add_near_pairs(double margin);
  void sort_terms();
  bool is_outside(std::span<const Vec3d> points);
  solve::Spring on_nodes(const contact::PointSpring& of_points) const;

  const Model& model_;
  ContactSurface surface_;
  contact::Colliders colliders_;
  ContactParams params_;
  ThreadArena& arena_;
  std::vector<double> areas_;
  std::vector<double> penalty_;    ///< of springs, per body, N/m
  double exclusion_ = 0;           ///< of springs: no nearer place of the same body, m
  contact::ContactEnergy energy_;  ///< of points
  std::vector<Vec3d> untangled_;   ///< points of the last equilibrium, where kept apart
  std::int64_t crossings_at_rest_ = 0;
  std::unique_ptr<contact::PenetrationFinder> finder_;  ///< once it is needed
  contact::SlidingBones bones_;

  double from_ = 0, to_ = 0;  ///< s
  double done_ = 0;           ///< how far colliders are between these, 0 to 1
  bool colliders_move_ = false;
  bool apart_ = true;
  bool steady_ = true;  ///< published springs are those of the equilibrium
  int rounds_ = 0;
  std::vector<Vec3d> start_, x_, way_;  ///< of points

  std::vector<contact::ColliderContact> near_colliders_;  ///< memory
  std::vector<contact::Pair> near_pairs_;                 ///< the same
  std::vector<contact::PointSpring> held_;                ///< in place of barriers
  std::vector<contact::Penetration> inside_;
  /// Points of terms, ascending; those of term t and corner i of point k are 4 t + i in
  /// [first_corner_[k], [k + 1]).
  std::vector<std::int32_t> points_, first_corner_, corners_;
  std::vector<Vec3d> pull_, image_;    ///< per entry of points_, per corner of terms
  solve::Springs riders_;              ///< of points_, on nodes
  std::vector<solve::Spring> braces_;  ///< of nodes that have next to nothing but contact
  solve::Springs braced_;              ///< the same
  std::vector<Vec3d> brace_pull_, brace_image_;
  LevelSprings springs_;
};

}  // namespace isochor::lattice
