#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "isochor/lattice/fields.h"
#include "isochor/lattice/solver.h"
#include "reproduce/row.h"

/// What experiments on motion share: a model that steps through time, and its energies.
namespace isochor::reproduce {

/// What the steps of a motion add up to.
struct StepCount {
  double time = 0;  ///< s
  int newton_iterations = 0, krylov_iterations = 0;

  /// Counts a step. One that did not converge is an error.
  void add(const solve::NewtonReport& report, double dt);
};

/// Where the nodes of holds are at rest, in the order of StepInput::held_positions.
std::vector<Vec3d> held_at_rest(const lattice::Model& model);

/// A model on its way. The model and the context must outlive it.
class Flight : public StepCount {
 public:
  Flight(const lattice::Model& model, Context& context);

  /// Sets positions and velocities from those at rest.
  template <class F>
  void start(F&& f) {
    for (std::size_t n = 0; n < model_.node_count(); ++n) {
      f(model_.rest_positions[n], state.positions[n], state.velocities[n]);
    }
  }

  /// A step with all holds where they were at rest. One that does not converge is an error.
  lattice::StepReport step(double dt, const Vec3d& gravity = {0, 0, 0},
                           std::span<const Vec3d> slide_directions = {});

  double elastic_energy();  ///< J
  lattice::Momenta momenta() const;
  /// Of the lattice and its motion, without gravity, J.
  double energy() { return elastic_energy() + momenta().kinetic_energy; }

  lattice::State state;

 private:
  const lattice::Model& model_;
  Context& context_;
  lattice::Scratch scratch_;
  std::vector<Vec3d> held_;
};

struct NamedIntegrator {
  std::string_view name;  ///< as in a scene
  solve::Integrator integrator;
};
std::span<const NamedIntegrator> integrators();

/// A row of an experiment that is not a paper's.
Row verification_row(std::string_view id, std::string quantity, std::string_view variant,
                     std::string source);

/// The same with a measured number and a claim about it.
Row claim(Row row, double ours, std::string unit, Relation relation, double bound);

}  // namespace isochor::reproduce
