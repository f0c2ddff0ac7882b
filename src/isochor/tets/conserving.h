#pragma once

#include "isochor/contact/contact_energy.h"
#include "isochor/contact/contact_report.h"
#include "isochor/contact/pair_list.h"
#include "isochor/contact/resolution.h"
#include "isochor/tets/one_ring.h"
#include "isochor/tets/solver.h"
#include "isochor/tets/touching.h"

/// Bodies in motion whose one-rings keep their volume, and that touch colliders, each other and
/// themselves, after Irving 2007.
namespace isochor::tets {

enum class Scheme {
  /// [Irving07 sec 2]: Newmark's method, explicit in elastic forces, with one Newton step for the
  /// volumes. Steps must be short enough for elastic waves, see `stable_step`.
  Published,
  /// Backward Euler in elastic forces, volumes recovered to a tolerance.
  Implicit,
};

struct ConservingParams {
  Scheme scheme = Scheme::Implicit;
  bool keep_volumes = true;  ///< off: elasticity alone, for comparison
  OneRingParams rings;
  double volume_tolerance = 1e-2;  ///< of one-rings, relative; where the scheme is implicit
  int recovery_steps = 8;          ///< of Newton's method for it, at most
  /// An implicit step that does not converge, or whose volumes do not, is cut into 2, 4, ...
  /// 2^most_cuts. What volumes are still wrong then is kept and reported.
  int most_cuts = 4;
  /// Volume comes back no faster than all of it in this time, s; 0: at once.
  double recovery_time = 0;
  int sweeps = 4;  ///< q of (P1 ... Pn ... P1)^q
  /// All contacts restrain both backward Euler solves of the published scheme, not those with
  /// colliders the second alone: what a body under much tension needs [Irving07 sec 5].
  bool restrain_both = false;
  double stiffness_damping = 0;  ///< Rayleigh's, of the published scheme, s
  double contact_distance = 0;   ///< m, within which parts of surfaces count as touching; 0: h / 20
  bool self_contact = false;     ///< and contact between bodies
  double friction = 0;           ///< coefficient, between bodies
  double slip_speed = 0;         ///< m/s, as of TouchParams; where the scheme is implicit
  /// N/m, of springs between parts that are too near, in the published scheme; 0: as stiff as a
  /// node of the surface is against shear.
  double repulsion_stiffness = 0;
};

struct ConservingReport {
  bool converged = true;
  StepReport elastic;                                    ///< of the implicit scheme
  int newton_iterations = 0, krylov_iterations = 0;      ///< of elasticity or damping
  int position_iterations = 0, velocity_iterations = 0;  ///< of pressures
  int operator_applications = 0;                         ///< of all of these
  int recovery_steps = 0;
  int cuts = 0;           ///< of the step, in two
  double worst_ring = 0;  ///< relative error of a one-ring's volume, at the end
  std::size_t collider_contacts = 0, pair_contacts = 0;
  std::int64_t impacts = 0;  ///< of bodies with each other and themselves, that were prevented
};

/// Pressures that a step hands on to the next, per node. With a State, all that a checkpoint holds.
struct HandedPressures {
  /// Pa times the length of the last step: first guesses of the next.
  std::vector<double> positions, velocities;
  /// Pa: what elasticity has to stand up to, see `Conserving::hand_on`. Implicit scheme only.
  std::vector<double> elastic;
};

/// All that steps work with, and what never changes.
class Conserving {
 public:
  /// `model` has backward Euler as its integrator, and must outlive this.
  Conserving(const Model& model, const ConservingParams& params,
             std::vector<contact::Collider> colliders, Context& context);

  /// From `time` to `time` + dt. `held_positions` and `loads` are as in StepInput. Unless
  /// converged, state and pressures are unchanged, but for obstacles, which are where they are at
  /// `time`.
  ConservingReport advance(State& state, const Vec3d& gravity, double time, double dt,
                           std::span<const Vec3d> held_positions = {},
                           std::span<const Vec3d> loads = {},
                           std::span<const double> activations = {});
  /// The same with all that a step may be told of, `time` being that of its begin; contacts are
  /// found here, and obstacles placed. The published scheme knows no springs.
  ConservingReport advance(State& state, const StepInput& input, double time);

  /// A part of a step, of which as much is done that has led to `state`: what is held goes on in
  /// straight lines. Refers to memory of this, until the next call.
  StepInput part_of(const State& state, const StepInput& input, double done, double part);

  const HandedPressures& pressures() const { return pressures_; }
  void set_pressures(HandedPressures pressures) { pressures_ = std::move(pressures); }

  /// Longest step that elastic waves allow about positions, s: 2 / the highest frequency.
  double stable_step(std::span<const Vec3d> positions, std::span<const double> activations = {});

  const Model& model() const { return model_; }
  OneRings& rings() { return rings_; }
  contact::SurfaceBvh& surface() { return touch_.surface(); }
  const contact::Colliders& colliders() const { return colliders_; }
  /// What contacts pushed with in the last step that converged, mean over it: their impulses over
  /// its length. On nodes, all of them together; on colliders, of those.
  const contact::ContactForces& forces() const { return forces_; }
  /// Which pairs are looked at, with what is nearer at rest than `rest_distance` (m) left out.
  contact::PairFilter filter(double rest_distance = 0) const;
  /// Nodes of the surface that nothing holds.
  std::span<const std::int32_t> free_points() const { return free_points_; }
  const ConservingParams& params() const { return params_; }
  /// Fills working memory with NaN: no result may depend on it. For tests.
  void poison();

 private:
  ConservingReport advance_published(State& state, const StepInput& input, double time);
  /// Steps of the implicit scheme, shorter ones where a long one fails.
  ConservingReport advance_in_parts(State& state, const StepInput& input, double time);
  /// One such step, from `state` to `next_`. Without `must_hold` volumes may be wrong.
  void step_implicit(const State& state, StepInput input, double time, bool must_hold,
                     ConservingReport& report);
  /// The loads of an elastic step with the pressures that were handed on to it.
  void press(const State& state, std::span<const Vec3d> loads);
  /// Hands on to the next step a part of what volumes the elastic one has lost, times the shear
  /// modulus. If pressures acted after elastic steps alone, a body at rest would be in equilibrium
  /// where these steps end, not where volumes are right: by the square of what waves run in a step,
  /// in cells. With them elastic steps of a body at rest end with volumes that are right (an
  /// augmented Lagrangian, an iteration a step). What inertia needs, as at an impact, is not handed
  /// on.
  void hand_on();

  /// Whether pairs may touch: parts of bodies, or of bodies and obstacles.
  bool has_pairs() const { return params_.self_contact || !model_.obstacles.empty(); }
  /// driven_: velocities of the start, but of what is held and of obstacles those that take them to
  /// where the step ends.
  void drive(const State& state, const StepInput& input, double time);
  /// What holds have pushed with in a step of the published scheme from `state` to velocities_.
  void settle_holds(State& state, double dt);

  /// Fills rows_ and projection_ with what touches at positions.
  void find_rows(std::span<const Vec3d> positions, const contact::PlacedColliders& placed,
                 ConservingReport& report);
  /// Towards `wanted_`. `response` as in OneRingParams.
  solve::KrylovReport correct(std::span<Vec3d> velocities, std::span<double> pressures,
                              double tolerance, std::span<const double> response = {});
  void correct_velocities(std::span<Vec3d> velocities, ConservingReport& report);
  /// Moves nodes out of colliders.
  void keep_out(std::span<Vec3d> positions);
  /// The end of a step, of next_: volumes and contacts between bodies.
  void settle(const contact::PlacedColliders& placed, std::span<const Vec3d> start, double dt,
              ConservingReport& report);
  /// Moves positions until all volumes are right, along what touches and never through it.
  void recover(const contact::PlacedColliders& placed, std::span<Vec3d> positions, bool first_round,
               ConservingReport& report);
  /// Along velocities_, all the way or as small a part of it as makes volumes better: rings that
  /// are flat have next to no slope to go by, and those beside them would be blown up.
  void move_by_parts(std::span<Vec3d> positions);
  /// v + dt/2 a(x, v), implicit in damping: what Newmark's method asks for twice per step. What
  /// contacts of a projection do not allow is left out.
  void half_step(std::span<const Vec3d> x, std::span<const Vec3d> from, const StepInput& input,
                 const contact::ContactProjection* contacts, std::span<Vec3d> to,
                 ConservingReport& report);
  /// The largest part of a step, a power of two, in which no collider goes farther than a tet.
  double part_for_colliders(std::span<const Vec3d> positions, double time, double dt) const;
  void repel(std::span<Vec3d> velocities, double dt, double stiffness = 0);

  // What adds up forces_, over a part of a step that takes dt.
  void add_elastic_forces(std::span<const Vec3d> positions, const contact::PlacedColliders& placed);
  /// Of the last correction of velocities: what contacts took from it.
  void add_corrections(std::span<const Vec3d> positions, double dt,
                       const contact::PlacedColliders& placed);
  /// impulses_ of rows_, and forgets them.
  void add_impulses(std::span<const Vec3d> positions, double dt,
                    const contact::PlacedColliders& placed);
  /// Of the last half step, which is done twice.
  void add_reactions(std::span<const Vec3d> positions, double dt,
                     const contact::PlacedColliders& placed);
  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, f);
  }
  /// Changes positions so that nothing crosses on the straight way to them, and velocities by as
  /// much as that takes.
  void separate(std::span<const Vec3d> start, std::span<Vec3d> positions,
                std::span<Vec3d> velocities, double dt, ConservingReport& report);

  const Model& model_;
  ConservingParams params_;
  Context& context_;
  contact::Colliders colliders_;
  SurfaceScale scale_;
  contact::ContactEnergy touch_;
  std::vector<std::int32_t> free_points_;  ///< of the surface
  std::vector<double> inverse_mass_;
  std::vector<double> impact_mass_;  ///< the same; none moves what a hold lets slide
  /// What recovers volumes moves light nodes no farther than others: those at the surface of a
  /// stuffed body have down to a fortieth of the mean mass, and would be jetted out of rings that
  /// are flat.
  std::vector<double> response_;
  OneRings rings_;
  Scratch scratch_;
  contact::ContactProjection projection_, grips_;  ///< of all rows, and of those with colliders
  std::vector<contact::Row> rows_, grip_rows_;
  std::vector<contact::ColliderContact> near_;
  std::vector<contact::Pair> pairs_;
  contact::PairList pair_list_;
  contact::ImpactResolver resolver_;
  std::vector<Vec3d> impulses_;
  std::vector<Vec3d> carried_;  ///< of rows, in the solves of the published scheme; N s
  contact::ContactForces forces_, forces_before_, part_forces_;
  double cell_ = 0;  ///< a typical edge, m
  std::vector<double> wanted_;
  HandedPressures pressures_, pressures_before_;
  std::vector<double> next_elastic_;     ///< of the step's end
  std::vector<double> shear_modulus_;    ///< per node, the mean of its tets, Pa
  std::vector<double> later_pressures_;  ///< of positions, after the first correction of a step
  std::vector<Vec3d> positions_, velocities_, half_, way_, loads_;
  std::vector<Vec3d> reaction_;  ///< of contacts and holds, in a half step, kg m/s
  std::vector<Vec3d> driven_;    ///< m/s, in the published scheme
  std::vector<Vec3d> pressed_;   ///< what pressures push nodes with in a step, of those held, N s
  State next_, before_;          ///< of the implicit scheme: a step's end, and where all began
  std::vector<Vec3d> held_, spring_targets_;  ///< where a part of a step ends
  std::vector<Vec3d> obstacles_;              ///< the same
  std::vector<double> obstacle_friction_;
  std::vector<Slide> held_slides_;
  /// Of holds, in the step: their rows are the first, so that what they hold along is right after
  /// all others, and nothing of theirs is contact.
  std::span<const Slide> slides_;
  std::vector<double> along_;  ///< their normals, memory of `repel`
};

}  // namespace isochor::tets
