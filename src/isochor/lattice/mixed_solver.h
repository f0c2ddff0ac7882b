#pragma once

#include "isochor/lattice/mixed_state.h"
#include "isochor/lattice/solver.h"

namespace isochor::lattice::mixed {

/// How a step went. The residual is the larger one of forces, relative to what loads and holds the
/// body, and of volumes, relative to those of cells (root mean square).
struct StepReport : solve::NewtonReport {
  Balance balance;
  double volume_residual = 0;
  double least_j = 0;  ///< smallest volume ratio of a cell
};

/// Moves the state to static equilibrium under the input, with no velocity; or, where the input has
/// a duration, through that time by the model's integrator [Patterson12 (14), (15), (16), (17)].
/// Held nodes that move are followed by the linear response of all others first; where that crushes
/// a cell the step is too long and fails. Then Newton's method for the saddle point, exact tangents
/// first, the definiteness fix where those lead nowhere. Transactional: unless the report says
/// converged, the state is unchanged, bit for bit. Allocates nothing.
StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context);

}  // namespace isochor::lattice::mixed
