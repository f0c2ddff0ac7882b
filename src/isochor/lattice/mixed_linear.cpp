#include "isochor/lattice/mixed_linear.h"

#include "isochor/lattice/contacts.h"
#include "isochor/lattice/operator.h"
#include "isochor/lattice/surface_operator.h"

namespace isochor::lattice::mixed {

LinearMemory::LinearMemory(const Model& model)
    : tangents(model),
      diagonal(model.node_count()),
      schur(model.volumes.size()),
      pressure(model.pressure_count()),
      volume(model.pressure_count()),
      load(model.node_count()),
      pull(model.base.springs.count()),
      surfaces(model.base),
      multigrid(model.base) {
  for (const CoarseLevel& level : model.base.hierarchy->levels) {
    coarse_pressures.emplace_back(8 * level.model.blocks.size());
  }
}

void LinearSystem::linearise(const Configuration& at, Fix fix) {
  mixed::linearise(model_, at, fix, memory_.tangents, arena_);
}

/// Calls f(node, what damping makes its body softer by) for all nodes.
template <class F>
void LinearSystem::each_node(F&& f) const {
  for (std::size_t b = 0; b < model_.base.bodies.size(); ++b) {
    const BodyRange& body = model_.base.bodies[b];
    const double soft = memory_.tangents.softness[b];
    parallel_for(arena_, std::size_t(body.node_count), solve::kVectorGrain,
                 [&](std::size_t i) { f(std::size_t(body.first_node) + i, soft); });
  }
}

void LinearSystem::prepare(const Configuration& at) {
  const lattice::Model& base = model_.base;
  linearise_coarse(model_, at, memory_.tangents.exact, memory_.multigrid, memory_.coarse_pressures,
                   arena_);
  stiffness_diagonal(base, memory_.tangents.cycle, std::span(memory_.diagonal), arena_);
  add_spring_diagonal(base.springs, memory_.diagonal, arena_);
  add_spring_diagonal(base.surfaces.springs, memory_.diagonal, arena_);
  if (contacts_) {
    contacts_->add_diagonal(memory_.diagonal);
    multigrid_.set_springs(&contacts_->springs());
  }
  std::span<const float> shift;
  if (inertia_) {
    shift = inertia_->shift();
    each_node([&](std::size_t i, double) {
      memory_.diagonal[i] += Vec3f{shift[i], shift[i], shift[i]};
    });
  }
  multigrid_.prepare(memory_.tangents.cycle, memory_.diagonal, shift);
  each_node([&](std::size_t i, double soft) {
    memory_.diagonal[i] = float(soft) * memory_.multigrid.levels[0].inverse_diagonal[i];
  });
  find_schur(model_, memory_.tangents, memory_.diagonal, memory_.pressure, memory_.schur, arena_);
}

void LinearSystem::apply_everywhere(std::span<const double> u, std::span<double> out) {
  const auto dx = positions_of(model_, u);
  const auto force = positions_of(model_, out);
  mixed::apply(model_, memory_.tangents, dx, pressures_of(model_, u), force,
               pressures_of(model_, out), arena_);
  add_spring_stiffness(model_.base.springs, dx, memory_.pull, force, arena_);
  apply_surfaces(model_.base, memory_.surfaces, dx, pressures_of(model_, u), force,
                 pressures_of(model_, out), arena_);
  if (contacts_) contacts_->apply(dx, force);
  if (!inertia_) return;
  inertia_->apply(dx, force);
  const auto volume = pressures_of(model_, out);
  parallel_for(arena_, volume.size(), solve::kVectorGrain,
               [&](std::size_t i) { volume[i] *= volume_weight_; });
}

void LinearSystem::apply(std::span<const double> u, std::span<double> out) {
  apply_everywhere(u, out);
  keep_free(out);
}

void LinearSystem::precondition(std::span<const double> r, std::span<double> z) {
  const std::span<double> pressure = memory_.pressure, r_p = memory_.volume;
  const auto r_x = positions_of(model_, r);
  const auto weighted = pressures_of(model_, r);
  parallel_for(arena_, r_p.size(), solve::kVectorGrain,
               [&](std::size_t i) { r_p[i] = weighted[i] / volume_weight_; });
  apply_schur(model_, memory_.schur, r_p, pressure, arena_);
  project_pressure(pressure);
  parallel_for(arena_, r_x.size(), solve::kVectorGrain,
               [&](std::size_t i) { memory_.load[i] = r_x[i]; });
  augment(model_, memory_.tangents, pressure, r_p, arena_);
  add_gradient(model_, memory_.tangents, r_p, memory_.load, arena_);
  const std::span<Vec3d> load = memory_.load;
  lattice::keep_free(model_.base, slides_, load, arena_);
  multigrid_.apply(load, positions_of(model_, z));
  const auto z_x = positions_of(model_, z);
  if (inertia_) each_node([&](std::size_t i, double soft) { z_x[i] *= soft; });
  lattice::keep_free(model_.base, slides_, z_x, arena_);
  const auto z_p = pressures_of(model_, z);
  parallel_for(arena_, z_p.size(), solve::kVectorGrain,
               [&](std::size_t i) { z_p[i] = -pressure[i]; });
}

void LinearSystem::keep_free(std::span<double> u) {
  lattice::keep_free(model_.base, slides_, positions_of(model_, u), arena_);
  project_pressure(pressures_of(model_, u));
}

void LinearSystem::project_pressure(std::span<double> p) {
  for (std::size_t b = 0; b < model_.base.bodies.size(); ++b) {
    if (!model_.has_constant_pressure[b]) continue;
    const BodyRange& body = model_.base.bodies[b];
    const std::span<const std::int32_t> cells(model_.base.cells.data() + body.first_cell,
                                              std::size_t(body.cell_count));
    const double sum = deterministic_sum(arena_, cells.size(), [&](std::size_t i, std::size_t end) {
      double part = 0;
      for (; i < end; ++i) part += p[Model::pressure_at(cells[i])];
      return part;
    });
    const double mean = sum / double(cells.size());
    parallel_for(arena_, cells.size(), solve::kVectorGrain,
                 [&](std::size_t i) { p[Model::pressure_at(cells[i])] -= mean; });
  }
}

}  // namespace isochor::lattice::mixed
