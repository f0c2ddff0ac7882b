#pragma once

#include "isochor/lattice/contacts.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/lattice/surface_operator.h"
#include "isochor/solve/sums.h"

namespace isochor::lattice::mixed {

/// An iterate of a step, in Scratch: its energy, forces and volumes, that of inertia and damping
/// included where it is a step in time, and linear systems about it.
class Saddle {
 protected:
  Saddle(const Model& model, const State& start, const StepInput& input, Motion* motion,
         Scratch& scratch, Context& context);

  bool published() const { return model_.params.variant == Variant::Published; }
  /// Whether a held surface is away from where it has to be by more than a solved state is.
  bool surfaces_move();

  /// With what the law of volumes has for its target at the iterate.
  const Iterate& evaluate();
  /// With the target of the last evaluate(), as a line search must have it.
  const Iterate& evaluate_along();
  /// [f; -g], what holds leave free of it.
  void load_residual();
  /// Whether the iterate has crushed no cell, which `least_before` had the least volume ratio of.
  bool is_sound(double least_before) const;

  void linearise(Fix fix);
  /// K step = load, to what forcing_ says.
  solve::KrylovReport run_krylov(int most);

  /// To the iterate where the step starts.
  void copy_start();
  /// By parts of the step.
  void move(double positions, double pressures);

  template <class F>
  double sum_nodes(F&& f) {
    return sum(model_.node_count(), f);
  }
  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, f);
  }

  const Model& model_;
  const State& start_;
  const StepInput& input_;
  Motion* motion_;  ///< none in a static step
  const double reach_;
  Scratch& scratch_;
  Context& context_;
  const double volume_weight_;  ///< of rows of linear systems
  LinearSystem system_;
  Contacts* contacts_;  ///< none where nothing touches
  StepReport report_;
  Iterate now_;
  bool small_gaps_ = false;  ///< held surfaces are linearised about no gap
  double forcing_ = 0;       ///< what residuals of linear systems fall to, relative

 private:
  SurfaceConfiguration surface_configuration() const;
  Configuration configuration() const;
  /// What gravity and loads push a node with, N.
  Vec3d outer_force(std::size_t i) const;
  template <class F>
  double sum(std::size_t count, F&& f) {
    return solve::sum_of(context_.arena, count, f);
  }

  /// Forces are judged against what holds the body and what loads it; at rest, against what
  /// rounding leaves.
  void judge();
  /// Errors of volume as they count, and no less than what rounding of positions leaves.
  double weighed(double error) const;
  /// Sums of W (g / W)^2, whose part of the merit is left behind, and of W.
  std::pair<double, double> volume_errors();

  contact::EnergyValue touching_;
  const double rounding_force_;  ///< what rounding leaves on a node, N
  double pressure_energy_ = 0;   ///< minus the work of pressures since the start, J
  double surface_square_ = 0;    ///< of forces of surfaces, N^2
};

}  // namespace isochor::lattice::mixed
