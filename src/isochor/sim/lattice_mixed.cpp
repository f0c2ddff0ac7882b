/// LatticeMethod where it differs with a pressure per cell.
#include "isochor/lattice/elasticity.h"
#include "isochor/lattice/mixed_fields.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/sim/lattice_method.h"

namespace isochor::sim {

solve::NewtonReport LatticeMethod::relax(const World& world) {
  const lattice::StepInput input = world.input();
  if (!mixed_) return lattice::advance(model_, state_, input, scratch_, context_);
  const solve::NewtonReport report =
      lattice::mixed::advance(*scene_.mixed, mixed_->state, input, mixed_->scratch, context_);
  if (report.converged()) state_.positions = mixed_->state.positions;
  return report;
}

LatticeMethod::Elastic LatticeMethod::elastic_in(const World& world) const {
  ThreadArena& arena = context_.arena;
  if (mixed_) {
    const lattice::mixed::Configuration at{state_.positions, mixed_->state.pressure,
                                           world.activations};
    auto [energy, force] = lattice::mixed::elasticity(*scene_.mixed, at, arena);
    return {lattice::mixed::cell_fields(*scene_.mixed, at, arena), energy, std::move(force)};
  }
  const lattice::Configuration at(state_.positions, world.activations);
  Elastic out{.cells = lattice::cell_fields(model_, at, arena),
              .energy = 0,
              .force = std::vector<Vec3d>(model_.node_count())};
  std::vector<double> block_energy(model_.blocks.size());
  out.energy = lattice::integrated_force(model_, at, out.force, block_energy, arena);
  return out;
}

lattice::SurfaceConfiguration LatticeMethod::surfaces_in(const World& world) const {
  lattice::SurfaceConfiguration at{.positions = state_.positions,
                                   .activations = world.activations,
                                   .demands = world.input().surfaces};
  if (!mixed_) return at;
  at.mixed = &*scene_.mixed;
  at.cell_pressure = mixed_->state.pressure;
  return at;
}

void LatticeMethod::poison_scratch() {
  scratch_.poison();
  if (mixed_) mixed_->scratch.poison();
}

}  // namespace isochor::sim
