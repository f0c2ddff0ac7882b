#pragma once

#include <span>

#include "isochor/base/context.h"
#include "isochor/lattice/state.h"
#include "isochor/solve/balance.h"

namespace isochor::lattice {

class Contacts;

/// The world at the end of a step; activations and targets of springs where the integrator
/// evaluates forces (solve::evaluation_point).
struct StepInput {
  Vec3d gravity{0, 0, 0};  ///< m/s^2
  /// Positions of held nodes, in the order of Model::holds and of the nodes within each, m.
  std::span<const Vec3d> held_positions;
  /// Per Model::materials, 0 to 1; none: no muscle is active.
  std::span<const double> activations;
  /// Per hold a unit vector, read where the hold slides.
  std::span<const Vec3d> slide_directions;
  std::span<const Vec3d> spring_targets;  ///< per spring, m; none: all zero
  std::span<const Vec3d> loads;           ///< per node, beside gravity, N; none: all zero
  /// Per node, where a static step may be expected to end, m; none: nobody knows. Taken as a start
  /// where it has less energy than the state, as far as nothing is in the way.
  std::span<const Vec3d> guess;
  /// Of loaded and held surfaces, both where the integrator evaluates forces.
  SurfaceDemands surfaces;
  /// What bodies touch, with its interval set; none: nothing. Where forces are not evaluated at the
  /// end of a step, surfaces are apart half way and not at the end.
  Contacts* contacts = nullptr;
  double dt = 0;  ///< s; 0: the step seeks static equilibrium
};

using solve::Balance;

struct StepReport : solve::NewtonReport {
  Balance balance;
};

/// An input error where a static model is to step through time.
void check_duration(const Model& model, const StepInput& input);

/// Moves the state to static equilibrium under the input, with no velocity; or, where the input has
/// a duration, through that time by the model's integrator. Transactional: unless the report says
/// converged, the state is unchanged, bit for bit. Allocates
/// nothing, but with Gauss quadrature, which keeps its tangents for the step, and where bodies
/// touch.
StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context);

}  // namespace isochor::lattice
