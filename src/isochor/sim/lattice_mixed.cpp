/// LatticeMethod where it differs with a pressure per cell.
#include "isochor/lattice/elasticity.h"
#include "isochor/lattice/mixed_fields.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/sim/lattice_method.h"

namespace isochor::sim {

lattice::mixed::State LatticeMethod::rest() const {
  if (scene_.mixed) return lattice::mixed::make_state(*scene_.mixed);
  return {lattice::make_state(model_), {}};
}

LatticeMethod::Stepped LatticeMethod::advance_state(lattice::StepInput input) {
  if (contact_) input.contacts = &contact_->contacts();
  const auto stepped = [&](const auto& report) -> Stepped {
    if (contact_ && report.converged()) contact_->keep_forces();
    return {report, report.balance};
  };
  if (scene_.mixed) {
    return stepped(
        lattice::mixed::advance(*scene_.mixed, state_, input, *mixed_scratch_, context_));
  }
  return stepped(lattice::advance(model_, state_, input, scratch_, context_));
}

solve::NewtonReport LatticeMethod::relax(const World& world, double time) {
  lattice::StepInput input = world.input();
  const std::vector<Vec3d> guess =
      guess_.at(scene_, guides_, time_, time, state_.positions, context_.arena);
  input.guess = guess;
  return advance_state(input).report;
}

double LatticeMethod::stored_energy(const World& world) const {
  ThreadArena& arena = context_.arena;
  if (scene_.mixed) {
    return lattice::mixed::stored_energy(
        *scene_.mixed, {state_.positions, state_.pressure, world.activations}, arena);
  }
  std::vector<double> block_energy(model_.blocks.size());
  return lattice::integrated_energy(model_, {state_.positions, world.activations}, block_energy,
                                    arena);
}

LatticeMethod::Elastic LatticeMethod::elastic_in(const World& world) const {
  ThreadArena& arena = context_.arena;
  if (scene_.mixed) {
    const lattice::mixed::Configuration at{state_.positions, state_.pressure, world.activations};
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
  if (!scene_.mixed) return at;
  at.mixed = &*scene_.mixed;
  at.cell_pressure = state_.pressure;
  return at;
}

void LatticeMethod::poison_scratch() {
  scratch_.poison();
  if (mixed_scratch_) mixed_scratch_->poison();
}

}  // namespace isochor::sim
