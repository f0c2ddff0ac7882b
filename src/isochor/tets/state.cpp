#include <algorithm>
#include <limits>

#include "isochor/tets/solver.h"

namespace isochor::tets {
namespace {

template <class... V>
std::size_t bytes_of(const V&... v) {
  return (... + (v.capacity() * sizeof(typename V::value_type)));
}

}  // namespace

State make_state(const Model& model) {
  State state{.positions = model.rest_positions};
  state.pressures.assign(model.zones.count(), 0);
  if (!model.moves()) return state;
  state.velocities.assign(model.node_count(), Vec3d{0, 0, 0});
  state.pushes.assign(model.held_count() + model.sliding_count(), Vec3d{0, 0, 0});
  state.contact_pushes.assign(model.node_count(), 0);
  if (model.params.integrator == solve::Integrator::Bdf2) {
    state.last_positions = state.positions;
    state.last_velocities = state.velocities;
  }
  return state;
}

Scratch::Scratch(const Model& model)
    : positions(model.node_count()),
      elastic_force(model.node_count()),
      force(model.node_count()),
      step(model.node_count()),
      origin(model.moves() ? model.node_count() : 0),
      target(origin.size()),
      pushes(model.moves() ? model.held_count() + model.sliding_count() : 0),
      contact_pushes(model.moves() ? model.node_count() : 0),
      drag(model.moves() && model.stiffness_damping() > 0 ? model.node_count() : 0),
      elastic(model),
      linear(model),
      zonal(model),
      local(model.moves() ? LocalMemory(model) : LocalMemory()) {
  slides.reserve(3 * model.sliding_count());
}

void Scratch::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (auto* v : {&positions, &elastic_force, &force, &step, &origin, &target, &pushes, &drag,
                  &elastic.corner_forces, &elastic.pulls}) {
    std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  }
  std::fill(contact_pushes.begin(), contact_pushes.end(), nan);
  std::fill(elastic.batch_energy.begin(), elastic.batch_energy.end(), nan);
  linear.poison();
  zonal.poison();
  local.poison();
}

std::size_t Scratch::bytes() const {
  return bytes_of(positions, elastic_force, force, step, origin, target, pushes, contact_pushes,
                  drag, slides, elastic.corner_forces, elastic.batch_energy, elastic.pulls,
                  linear.stiffnesses, linear.matrix, linear.damping, linear.inertia,
                  linear.inverse_diagonal, linear.krylov.r, linear.krylov.p, linear.krylov.image) +
         linear.rounded.bytes() + linear.rounded_solve.bytes() + linear.preconditioner.bytes();
}

std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch) {
  std::size_t bytes = bytes_allocated(model) + scratch.bytes() +
                      bytes_of(state.positions, state.velocities, state.last_positions,
                               state.last_velocities, state.pushes, state.contact_pushes);
  if (model.auxiliary) {
    const Auxiliary& auxiliary = *model.auxiliary;
    bytes += lattice::bytes_allocated(auxiliary.lattice) + bytes_of(auxiliary.mass);
    for (const auto* rows : {&auxiliary.to_tets, &auxiliary.to_lattice, &auxiliary.cell_tets}) {
      bytes += bytes_of(rows->first, rows->terms);
    }
  }
  return bytes;
}

}  // namespace isochor::tets
