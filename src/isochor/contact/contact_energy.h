#pragma once

#include <span>

#include "isochor/contact/barrier.h"
#include "isochor/contact/contact_matrix.h"
#include "isochor/contact/friction.h"
#include "isochor/contact/pair_list.h"
#include "isochor/contact/penalty.h"

namespace isochor::contact {

/// Nearer than this part of their reach things count as touching.
inline constexpr double kTouching = 1e-3;

struct EnergyParams {
  /// Reach and stiffness. Parts of one body that are near each other at rest do not push each other
  /// there: half their distance is the reach of their own. Those that touch there are one part.
  Barrier barrier;
  /// N/m, of each body in place of the barrier's; a pair has the lesser. Empty: one for all.
  std::vector<double> body_stiffness{};
  bool pairs = true;         ///< of bodies with each other, themselves and obstacles
  bool among_bodies = true;  ///< off: with obstacles alone
  /// Colliders have barriers. Off: the method keeps points out of them (`find_inside`) and says
  /// what rubs there; where points come fast that takes far fewer iterations.
  bool collider_barriers = true;
  double friction = 0;                      ///< coefficient, of pairs; colliders have their own
  std::vector<double> obstacle_friction{};  ///< of each obstacle of the surface
  double slip_speed = 0;                    ///< m/s, of contacts that stick: they creep with less
  double slip = 0;         ///< m, the same where a step takes no time, or without a speed
  double creep = 0.1;      ///< as much of how far things slide as what sticks may creep, too
  double remaining = 0.3;  ///< of the gap, where a step ends before things meet
  /// m, beside the reach: pairs that are not further apart are listed and asked again for as long
  /// as points stay near; 0: trees are asked each time. The same bits.
  double listed = 0;
};

/// What contact does at an iterate.
struct EnergyValue {
  double energy = 0;         ///< J, friction's potential included
  double force_squared = 0;  ///< N^2, of the forces on all points of all contacts: a scale
};

/// Contact as part of an energy that Newton's method minimises (Li et al. 2020): barriers between
/// parts and around colliders, friction with the normal forces of an earlier iterate, and how far
/// points may go so that nothing ever crosses. A method builds one for its surface and per step
///     energy.place(colliders.at(time + dt), dt);        the world
///     energy.begin(start);  energy.clear(first guess);  the step
/// then per iteration
///     evaluate;  linearise;  matrix();  largest_step;   add_force where slopes are wanted
/// and lag_friction where it has converged and friction is to follow. `start` has to outlive the
/// step. Memory grows with contacts and stays.
class ContactEnergy {
 public:
  /// `held`, one for each point of the method: those that colliders may not move.
  ContactEnergy(Surface surface, std::vector<Vec3d> rest_positions,
                std::span<const std::uint8_t> held, const EnergyParams& params);

  EnergyParams& params() { return params_; }
  SurfaceBvh& surface() { return bvh_; }
  std::span<const std::int32_t> free_points() const { return free_points_; }
  PairFilter filter() const;
  Barrier barrier_of(const Pair& pair) const;

  /// Colliders as they are at the end of a step, and how long it takes, s; 0: no time. With how
  /// they were placed at its start nothing passes through thin or fast ones.
  void place(PlacedColliders colliders, double duration, std::vector<Placement> before = {});
  /// The same on their way there.
  void move(PlacedColliders colliders) { colliders_ = std::move(colliders); }
  const PlacedColliders& colliders() const { return colliders_; }
  const PlacedColliders& colliders_at_end() const { return end_colliders_; }

  /// A step from `start`, where nothing crosses; friction as of there, and no springs.
  void begin(std::span<const Vec3d> start, ThreadArena& arena);

  /// The positions that a step began at are in another place of memory now.
  void begun_at(std::span<const Vec3d> start) { start_ = start; }

  /// Moves points that colliders have come to, or come too near, to a part of the reach from them,
  /// and with them what lies behind these; whether everything can go there from the start in
  /// straight lines. A step where it cannot has to be cut.
  bool clear(std::span<Vec3d> positions, ThreadArena& arena);

  /// About positions; adds forces, N.
  EnergyValue evaluate(std::span<const Vec3d> positions, std::span<Vec3d> force,
                       ThreadArena& arena);
  /// The same without forces.
  EnergyValue evaluate(std::span<const Vec3d> positions, ThreadArena& arena);

  /// Springs beside barriers, for as long as a step lasts.
  std::vector<PointSpring>& springs() { return springs_; }

  /// Second derivatives of terms at the positions last evaluated. Those of friction, springs and
  /// colliders are definite as they are.
  void linearise(std::span<const Vec3d> positions, Curvature curvature, ThreadArena& arena);
  /// Of these, as a matrix.
  const ContactMatrix& assemble(ThreadArena& arena);
  const ContactMatrix& matrix() const { return matrix_; }
  /// `terms()[i]`, linearised, as one spring of a weighted sum of points: what multigrid sees.
  PointSpring as_spring(std::size_t i) const;

  /// How far all points may go from positions without contact, 0 to 1 of `way`.
  double largest_step(std::span<const Vec3d> positions, std::span<const Vec3d> way,
                      ThreadArena& arena);
  /// Pairs alone: a part of the way from `start` to `end`.
  double free_of_pairs(std::span<const Vec3d> start, std::span<const Vec3d> end,
                       ThreadArena& arena);
  /// How far all points may go from positions, m, before pairs have to be found anew.
  double listed_range(std::span<const Vec3d> positions, ThreadArena& arena) const;

  /// Friction by the normal forces and tangents of the positions last evaluated, which these are,
  /// and of contacts that the method knows of; whether there is any. Until the next time, what
  /// sticks may creep by a part of how far things slid so far: what is smoother than that converges
  /// several times faster, and what comes to rest does so all the same.
  bool lag_friction(std::span<const Vec3d> positions, std::span<const FrictionContact> others = {});

  /// Points inside colliders, and those that passed through them since the start of the step, by
  /// point; the deepest contact of each.
  std::span<const ColliderContact> find_inside(std::span<const Vec3d> positions,
                                               ThreadArena& arena);
  double duration() const { return duration_; }

  /// What rubs, and the slip from which it slides, m: `friction_term` has the rest.
  std::span<const FrictionContact> rubbing() const { return rubbing_; }
  double slip() const { return slip_; }

  /// Of the positions last evaluated: barriers of colliders, then those of pairs, then friction,
  /// then springs.
  std::span<const Term> terms() const { return terms_; }
  /// Of these, what touches; and springs.
  std::span<const Term> terms_of_contact() const {
    return std::span(terms_).first(terms_.size() - springs_.size());
  }
  std::span<const Term> terms_of_springs() const { return std::span(terms_).last(springs_.size()); }
  std::span<const ColliderContact> contacts() const { return contacts_; }
  std::span<const Pair> pairs() const { return pairs_; }
  /// N, that the barrier at `terms()[i]` pushes its first part with.
  double normal_force(std::size_t i) const;

 private:
  bool push_out(std::span<Vec3d> positions, ThreadArena& arena);
  void find_passed(std::span<const Vec3d> positions, ThreadArena& arena);
  void give_way(std::span<Vec3d> positions);
  void find(std::span<const Vec3d> positions, ThreadArena& arena);
  void make_terms(std::span<const Vec3d> positions, Curvature curvature, ThreadArena& arena);
  void find_slip(std::span<const Vec3d> positions);
  void follow_friction(std::span<const Vec3d> positions);
  ImpactOptions impact_options() const { return {.remaining = params_.remaining}; }

  EnergyParams params_;
  std::vector<Vec3d> rest_positions_;
  std::vector<std::int32_t> free_points_;  ///< of the surface
  SurfaceBvh bvh_;
  PairList list_;
  PlacedColliders colliders_, end_colliders_;
  double duration_ = 0, slip_ = 0;
  std::span<const Vec3d> start_;
  std::vector<Placement> before_;  ///< of colliders, at the start; or none
  std::vector<ColliderContact> contacts_, inside_, passed_;
  std::vector<Pair> pairs_;
  std::vector<Barrier> barriers_;  ///< of pairs
  std::vector<FrictionContact> rubbing_;
  /// Of each of them, as last linearised, and what its force is thought to be.
  struct Followed {
    FrictionValue value{};
    Vec3d dual{0, 0, 0};
    bool known = false;
  };
  std::vector<Followed> followed_;
  std::vector<PointSpring> springs_;
  std::vector<Term> terms_;
  ContactMatrix matrix_;
  std::vector<Vec3d> end_;  ///< memory of largest_step
};

}  // namespace isochor::contact
