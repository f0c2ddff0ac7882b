/// LatticeMethod where time passes: how motion starts, steps, and the balance of energies.
#include <algorithm>

#include "isochor/lattice/elasticity.h"
#include "isochor/lattice/fields.h"
#include "isochor/sim/lattice_method.h"

namespace isochor::sim {

/// Those that the scene gives each body at frame 0, with what holds leave of them.
void LatticeMethod::set_velocities() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const std::size_t first = model_.bodies[b].first_node, count = model_.bodies[b].node_count;
    set_rigid_velocities(bodies_[b], std::span(model_.mass).subspan(first, count),
                         std::span(state_.positions).subspan(first, count),
                         std::span(state_.velocities).subspan(first, count));
  }
  const Demands demands = demands_at(scene_, guides_, 0);
  for (std::size_t h = 0; h < model_.holds.size(); ++h) {
    const Vec3d& direction = demands.slide_directions[h];
    for (const std::int32_t n : model_.holds[h].nodes) {
      Vec3d& velocity = state_.velocities[n];
      const Vec3d along = dot(direction, velocity) * direction;
      switch (model_.holds[h].slide) {
        case lattice::Slide::None:
          velocity = {0, 0, 0};
          break;
        case lattice::Slide::InPlane:
          velocity -= along;
          break;
        case lattice::Slide::AlongLine:
          velocity = along;
          break;
      }
    }
  }
  ledger_ = {};
  ledger_.start = total_energy();
}

solve::NewtonReport LatticeMethod::step(double time) {
  const double point = solve::evaluation_point(model_.params.integrator);
  const World before = world_at(time_), after = world_at(time);
  const World between = world_at(time_ + point * (time - time_));
  lattice::StepInput input = after.input();
  input.activations = between.activations;
  input.spring_targets = between.demands.spring_targets;
  input.surfaces = between.input().surfaces;
  input.dt = (time - time_) / timing_.frame_rate;
  // By the trapezoidal rule: of second order, as the best of the integrators.
  double work = 0.5 * energy_change(before, after) - work_of_loads(input.loads);
  std::vector<Vec3d> from;
  if (!scene_.pressures.empty()) from = state_.positions;
  const auto [report, balance] = advance_state(input);
  if (!report.converged()) return report;
  work += work_of_pressures(from, input.surfaces.pressures);
  work += 0.5 * energy_change(before, after) + work_of_loads(input.loads);
  ledger_.add(balance, work);
  return report;
}

double LatticeMethod::energy_change(const World& from, const World& to) {
  std::vector<Vec3d> pull(model_.springs.count());
  const auto springs = [&](const World& world) {
    return solve::spring_pulls(model_.springs, state_.positions, world.demands.spring_targets, pull,
                               context_.arena);
  };
  lattice::SurfaceMemory memory(model_);
  const auto surfaces = [&](const World& world) {
    return lattice::add_surface_forces(model_, surfaces_in(world), {}, {}, memory, context_.arena)
        .energy;
  };
  double change = model_.springs.count() > 0 ? springs(to) - springs(from) : 0;
  if (!scene_.held_surfaces.empty()) change += surfaces(to) - surfaces(from);
  if (from.activations != to.activations) change += stored_energy(to) - stored_energy(from);
  return change;
}

double LatticeMethod::work_of_pressures(std::span<const Vec3d> from,
                                        std::span<const double> pressures) {
  if (from.empty()) return 0;
  std::vector<Vec3d> way = state_.positions;
  for (std::size_t n = 0; n < way.size(); ++n) way[n] -= from[n];
  lattice::SurfaceMemory memory(model_);
  return lattice::pressure_work(model_, pressures, from, way, 1, memory.energy, context_.arena);
}

double LatticeMethod::total_energy() const {
  const World world = world_at(std::max(time_, 0.0));
  std::vector<Vec3d> pull(model_.springs.count());
  lattice::SurfaceMemory surfaces(model_);
  double energy =
      stored_energy(world) +
      solve::spring_pulls(model_.springs, state_.positions, world.demands.spring_targets, pull,
                          context_.arena) +
      lattice::add_surface_forces(model_, surfaces_in(world), {}, {}, surfaces, context_.arena)
          .energy +
      lattice::momenta(model_, state_, context_.arena).kinetic_energy;
  for (std::size_t n = 0; n < model_.node_count(); ++n) {
    energy -= model_.mass[n] * dot(gravity_, state_.positions[n] - model_.rest_positions[n]);
  }
  return energy;
}

}  // namespace isochor::sim
