#pragma once

#include <span>

#include "isochor/base/context.h"
#include "isochor/lattice/state.h"

namespace isochor::lattice {

/// The world at the end of a step.
struct StepInput {
  Vec3d gravity{0, 0, 0};  ///< m/s^2
  /// Positions of held nodes, in the order of Model::holds and of the nodes within each, m.
  std::span<const Vec3d> held_positions;
  std::span<const double> activations;  ///< per body, 0 to 1; none: no muscle is active
  /// Per hold a unit vector, read where the hold slides.
  std::span<const Vec3d> slide_directions;
  std::span<const Vec3d> spring_targets;  ///< per spring, m; none: all zero
};

using StepReport = solve::NewtonReport;

/// Moves the state to static equilibrium under the input. Transactional: unless the report says
/// converged, the state is unchanged, bit for bit. Allocates
/// nothing, but with Gauss quadrature, which keeps its tangents for the step.
StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context);

}  // namespace isochor::lattice
