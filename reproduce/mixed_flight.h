#pragma once

#include "isochor/lattice/fields.h"
#include "isochor/lattice/mixed_solver.h"
#include "reproduce/flight.h"

namespace isochor::reproduce {

/// Flight with a pressure in every cell. The model and the context must outlive it.
class MixedFlight : public StepCount {
 public:
  MixedFlight(const lattice::mixed::Model& model, Context& context);

  /// Sets positions and velocities from those at rest.
  template <class F>
  void start(F&& f) {
    for (std::size_t n = 0; n < model_.node_count(); ++n) {
      f(model_.base.rest_positions[n], state.positions[n], state.velocities[n]);
    }
  }

  /// A step with all holds where they were at rest. One that does not converge is an error.
  lattice::mixed::StepReport step(double dt, const Vec3d& gravity = {0, 0, 0},
                                  std::span<const Vec3d> slide_directions = {});

  lattice::Momenta momenta() const;
  /// Of the lattice and its motion, without gravity, J.
  double energy() const;
  /// Largest relative change of the volume of a block, as the pressures of its cells measure it.
  double worst_block() const;

  lattice::mixed::State state;

 private:
  const lattice::mixed::Model& model_;
  Context& context_;
  lattice::mixed::Scratch scratch_;
  std::vector<Vec3d> held_;
};

}  // namespace isochor::reproduce
