#pragma once

#include <optional>

#include "isochor/solve/sums.h"
#include "isochor/tets/local_search.h"
#include "isochor/tets/solver.h"

namespace isochor::tets {

/// A step as a problem for solve::newton: the equilibrium of all forces, those of inertia among
/// them where it is one in time.
class Equilibrium {
 public:
  using Definiteness = materials::Definiteness;

  Equilibrium(const Model& model, const State& start, const StepInput& input,
              const std::optional<solve::TimeStep>& time, Scratch& scratch, Context& context);

  /// A first guess, in the iterate: free nodes stay, or go where inertia takes them. Whether there
  /// is one that nothing meets on its way to.
  bool begin();

  /// In a step that takes no time: a guess by a linear system about the start, in which held nodes
  /// do not move alone into the tets beside them. Kept where it has less energy.
  solve::NewtonReport predict();

  solve::Evaluation evaluate();

  /// All but what is elastic.
  solve::Evaluation evaluate_rest();

  /// Equilibrium of the few nodes that are farthest from it: all others need not wait for them.
  std::optional<solve::Evaluation> settle();

  /// Pressures are new with every direction, and the energy with them.
  std::optional<solve::Evaluation> renewed();

  void begin_zones(ZoneMethod method, std::span<const double> pressures);
  ZonalSystem& zones() { return *zonal_; }

  /// With the exact tangent where that is definite, else with one made so: clamped, and where that
  /// leaves nothing, with eigenvalues that change sign.
  solve::KrylovReport solve(double tolerance);

  solve::KrylovReport solve_cautiously(double tolerance);

  double slope();
  void move(double length);
  double longest_step();
  /// Also where zones contradict each other: no iteration leads anywhere.
  bool cancelled() const { return context_.cancelled || (zonal_ && zonal_->contradiction()); }
  void progress(const solve::NewtonReport& report);
  /// A residual as it is; in first guesses it counts for less.
  double whole(double residual) const { return residual / accuracy_; }

  void linearise(Definiteness fix);

  /// K step = what restraints leave of the forces. More accurately than Newton's method asks for
  /// where iterations cost less than linearising; no more than what it needs to end.
  solve::KrylovReport solve_linear(double tolerance);

  /// After a search that converged: what slides is let go where it leaves of its own, what came
  /// into a collider slides on it, friction follows the forces that were found, once, in place of
  /// those of the step before, and nothing is held back any more. Whether that changes anything, or
  /// forces are not yet as balanced as they are to be: before friction is known, and right after,
  /// five times as much may be left.
  bool renew(int round);

  /// Whether flesh still slides over bones: few iterations take it to where bones are looked at
  /// again.
  bool slides() const { return has_bones() && !input_.bones->settled(); }
  /// Looks at bones again; whether the search goes on.
  bool slides_on();

  /// Sheets that nothing holds, in a step that takes no time, are held back until it is known what
  /// they touch, and what holds them there: else they slide, or drift, for ever. Whether there are
  /// such. A first guess need not be as accurate as the rest.
  bool hold_back(bool guess);

  /// Nodes inside colliders are moved to their surface and slide there; whether there are any.
  bool keep_out();

  /// Lets go of nodes that leave the place they are held in of their own; whether there were any.
  bool release();

  /// Carries what was found on to the end of the step, in the scratch.
  solve::Balance finish();

 private:
  /// Of all nodes.
  struct NodeSums {
    double residual = 0, reaction = 0, weight = 0;  ///< N^2
    double outer_energy = 0, inertia_energy = 0;    ///< J
    NodeSums& operator+=(const NodeSums& other) {
      residual += other.residual;
      reaction += other.reaction;
      weight += other.weight;
      outer_energy += other.outer_energy;
      inertia_energy += other.inertia_energy;
      return *this;
    }
  };
  static double square(const Vec3d& v) { return dot(v, v); }
  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, f);
  }
  template <class F>
  double sum_nodes(F&& f) {
    return solve::sum_of(context_.arena, model_.node_count(), f);
  }

  Configuration configuration() const;

  /// Of no more than so large a part of all nodes.
  std::optional<solve::Evaluation> settle(double part);
  /// Whether all forces are those of tets and of single nodes.
  bool can_settle() const;
  /// Of a node that slides; those that rub are in the order of nodes.
  std::optional<contact::Term> friction_on(std::size_t i) const;

  Vec3d way_of(std::size_t i) const { return scratch_.positions[i] - start_.positions[i]; }
  double drag_energy();

  /// Where forces are evaluated half way, nodes are held half way too.
  void place_held();
  void place(const Slide& slide);

  Vec3d flight(std::size_t i) const;

  bool slides_on_colliders() const;
  bool has_bones() const { return input_.contact && input_.bones && !input_.bones->empty(); }
  /// Whether nothing but bones is in contact.
  bool has_only_bones() const;
  /// Of bones, as those of contact.
  void take_springs();
  /// Whether the search so far only tells what touches and how hard.
  bool finds_contacts() const;
  void add_slides() { add_slides(input_.contact->find_inside(scratch_.positions, context_.arena)); }
  /// What slides already stays as it is.
  void add_slides(std::span<const contact::ColliderContact> inside);

  /// Puts what rubs where it would stick: from there what has to slide soon does, whereas what
  /// slides too far is thrown to and fro before it sticks.
  void stick();
  /// By what pushes slides along their normals, a function of them, N; whether anything rubs.
  template <class Push>
  bool lag_friction(Push&& push);
  /// By those of the last step, where they hardly change, and by those last evaluated.
  void recall_friction();
  bool follow_friction();
  bool rubbed_before(std::int32_t node) const;
  /// For the next step.
  void keep_pushes();

  /// The size of what all springs pull with, of the last evaluation, N.
  double spring_force() const;

  Vec3d outer_force(std::size_t i) const;
  double outer_energy_of(std::size_t i) const;
  double outer_energy();

  Vec3d inertia_force(std::size_t i) const;
  double inertia_energy_of(std::size_t i) const;
  double inertia_energy();
  Vec3d velocity_of_iterate(std::size_t i) const;

  bool damped() const { return time_ && !scratch_.linear.damping.empty(); }
  /// drag = D v, D the stiffness at the start times the damping; leaves v in the load.
  void find_drag(std::span<const Vec3d> from, double rate);
  double damping_energy();

  /// By mean velocities of the step, of second order whatever the scheme, J.
  double damping_loss();

  /// What holds push with, from the forces on their nodes; returns their work. Inertia is what the
  /// prescribed velocities need.
  double settle_holds();
  double rounding_of_inertia();
  double total_energy();

  /// Moves the iterate back towards where nothing touches, until nothing has met on the way;
  /// whether it is where it was.
  bool shorten_flight(std::span<const Vec3d> from);

  solve::Evaluation with_zones(const ZonalTerms& zonal) const;

  /// Where forces are added up that solving is to meet.
  std::span<Vec3d> load() { return linear_.right_side(); }

  /// What volumes are wrong by on the scale of forces: within one tolerance where within the other.
  /// The outer iteration of multipliers looks after them itself.
  double volume_residual(const ZonalTerms& zonal) const;

  const Model& model_;
  const State& start_;
  const StepInput& input_;
  const std::optional<solve::TimeStep>& time_;  ///< none in a static step
  Scratch& scratch_;
  Context& context_;
  Restraint restraint_;
  LinearSystem linear_;
  LocalSearch local_;
  std::optional<ZonalSystem> zonal_;
  solve::Evaluation without_zones_;  ///< energies of the last evaluation
  double elastic_ = 0;               ///< energy of the last evaluation, J
  double imbalance_ = 0;             ///< of forces alone, of the last evaluation
  int settled_ = 0;
  bool recalls_friction_ = false, follows_friction_ = false;  ///< see there
  double drag_ = 0;                                           ///< N/m, see hold_back
  double accuracy_ = 1;             ///< what residuals count for; less than 1 in first guesses
  double rounding_force_ = 0;       ///< what rounding leaves on a node, N
  double rounding_of_inertia_ = 0;  ///< and of inertia on all, N^2
};

}  // namespace isochor::tets
