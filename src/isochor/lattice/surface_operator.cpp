#include "isochor/lattice/surface_operator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/math/reduce.h"

namespace isochor::lattice {
namespace {

/// Calls f(number, cell) for all surface cells, no two of which share a node at a time.
template <class F>
void for_each_cell(const Model& model, ThreadArena& arena, F&& f) {
  const Surfaces& surfaces = model.surfaces;
  if (surfaces.empty()) return;
  for (std::size_t c = 0; c + 1 < model.color_starts.size(); ++c) {
    const std::size_t first = model.color_starts[c];
    parallel_for(arena, std::size_t(model.color_starts[c + 1]) - first, 1, [&](std::size_t i) {
      const std::size_t tile = first + i;
      for (std::int32_t k = surfaces.tile_first[tile]; k < surfaces.tile_first[tile + 1]; ++k) {
        f(std::size_t(k), surfaces.cells[k]);
      }
    });
  }
}

void gather(const SurfaceCell& cell, std::span<const Vec3d> nodal, CellVectors& out) {
  for (int c = 0; c < 8; ++c) out[c] = nodal[cell.nodes[c]];
}

/// A surface cell with the law of its material.
struct Visit {
  Visit(const Model& m, const SurfaceConfiguration& configuration, const SurfaceCell& c)
      : model(m), at(configuration), cell(c) {
    gather(cell, at.positions, x);
    gather(cell, model.rest_positions, rest);
  }

  CellLaw law() const {
    const double p = at.mixed ? at.cell_pressure[mixed::Model::pressure_at(cell.cell)] : 0;
    return {model, cell.cell, at.activations, at.mixed, p};
  }
  HeldCell held() const { return {model.surfaces, cell, at.demands.motions, x, rest}; }
  bool is_held() const { return cell.first_held < cell.held_end; }

  /// Calls f(part, Pa).
  template <class F>
  void each_pressure(F&& f) const {
    if (at.demands.pressures.empty()) return;
    for (std::int32_t k = cell.first_pressure; k < cell.pressure_end; ++k) {
      const PressurePart& part = model.surfaces.pressure_parts[k];
      f(part, at.demands.pressures[part.load]);
    }
  }

  const Model& model;
  const SurfaceConfiguration& at;
  const SurfaceCell& cell;
  CellVectors x, rest;
};

double sum_of(std::span<const double> values, ThreadArena& arena) {
  return deterministic_sum(arena, values.size(), [&](std::size_t k, std::size_t end) {
    double sum = 0;
    for (; k < end; ++k) sum += values[k];
    return sum;
  });
}

}  // namespace

SurfaceMemory::SurfaceMemory(const Model& model)
    : matrices(model.surfaces.cells.size()),
      energy(matrices.size()),
      square(matrices.size()),
      strain(matrices.size()) {}

std::size_t SurfaceMemory::bytes() const {
  return matrices.capacity() * sizeof(SurfaceMatrix) +
         (energy.capacity() + square.capacity() + strain.capacity()) * sizeof(double);
}

void SurfaceMemory::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (SurfaceMatrix& m : matrices) {
    std::fill_n(&m.positions[0][0], 576, float(nan));
    std::fill_n(m.volume, 24, float(nan));
  }
  for (auto* v : {&energy, &square, &strain}) std::fill(v->begin(), v->end(), nan);
}

SurfaceForces add_surface_forces(const Model& model, const SurfaceConfiguration& at,
                                 std::span<Vec3d> force, std::span<double> volume,
                                 SurfaceMemory& memory, ThreadArena& arena) {
  if (model.surfaces.empty()) return {};
  for_each_cell(model, arena, [&](std::size_t k, const SurfaceCell& cell) {
    const Visit visit(model, at, cell);
    CellVectors push{};
    visit.each_pressure(
        [&](const PressurePart& part, double p) { add_pressure_force(part, p, visit.x, push); });
    memory.energy[k] = memory.strain[k] = 0;
    if (visit.is_held()) {
      const HeldCell held = visit.held();
      const HeldCell::Energy e = held.add_forces(visit.law(), at.linear, push);
      memory.energy[k] = e.energy;
      memory.strain[k] = std::sqrt(contract(held.strain_of_gap(), held.strain_of_gap()));
      if (!volume.empty()) {
        volume[mixed::Model::pressure_at(cell.cell)] += at.mixed->alpha * e.volume;
      }
    }
    memory.square[k] = 0;
    for (int c = 0; c < 8; ++c) {
      memory.square[k] += dot(push[c], push[c]);
      if (!force.empty()) force[cell.nodes[c]] += push[c];
    }
  });
  return {.energy = sum_of(memory.energy, arena),
          .square = sum_of(memory.square, arena),
          .strain = *std::max_element(memory.strain.begin(), memory.strain.end())};
}

void linearise_surfaces(const Model& model, const SurfaceConfiguration& at,
                        materials::Definiteness fix, SurfaceMemory& memory, ThreadArena& arena) {
  const bool pressed = at.mixed || fix == materials::Definiteness::None;
  for_each_cell(model, arena, [&](std::size_t k, const SurfaceCell& cell) {
    const Visit visit(model, at, cell);
    CellMatrix K{};
    double volume[24] = {};
    if (pressed) {
      visit.each_pressure(
          [&](const PressurePart& part, double p) { add_pressure_tangent(part, p, visit.x, K); });
    }
    if (visit.is_held()) visit.held().add_tangent(visit.law(), fix, at.linear, K, volume);
    SurfaceMatrix& out = memory.matrices[k];
    const double alpha = at.mixed ? at.mixed->alpha : 0;
    for (int column = 0; column < 24; ++column) {
      for (int row = 0; row < 24; ++row) {
        // Conjugate gradients want what is symmetric to the last bit.
        const double back = at.mixed ? K[column][row] : K[row][column];
        out.positions[column][row] = static_cast<float>(0.5 * (K[column][row] + back));
      }
      out.volume[column] = static_cast<float>(alpha * volume[column]);
    }
  });
}

void apply_surfaces(const Model& model, const SurfaceMemory& memory, std::span<const Vec3d> dx,
                    std::span<const double> dp, std::span<Vec3d> force, std::span<double> volume,
                    ThreadArena& arena) {
  for_each_cell(model, arena, [&](std::size_t k, const SurfaceCell& cell) {
    const SurfaceMatrix& K = memory.matrices[k];
    const std::size_t pressure = mixed::Model::pressure_at(cell.cell);
    const double p = dp.empty() ? 0 : dp[pressure];
    double out[24], change = 0;
    for (int row = 0; row < 24; ++row) out[row] = K.volume[row] * p;
    for (int column = 0; column < 24; ++column) {
      const double d = dx[cell.nodes[column / 3]][column % 3];
      for (int row = 0; row < 24; ++row) out[row] += K.positions[column][row] * d;
      change += K.volume[column] * d;
    }
    for (int row = 0; row < 24; ++row) force[cell.nodes[row / 3]][row % 3] += out[row];
    if (!volume.empty()) volume[pressure] += change;
  });
}

std::vector<SurfacePush> surface_pushes(const Model& model, const SurfaceConfiguration& at) {
  const Surfaces& surfaces = model.surfaces;
  std::vector<SurfacePush> pushes(surfaces.holds.size());
  for (const SurfaceCell& cell : surfaces.cells) {
    const Visit visit(model, at, cell);
    for (std::int32_t k = cell.first_held; k < cell.held_end; ++k) {
      const std::int32_t hold = surfaces.held_parts[k].hold;
      const SurfaceMotion motion =
          at.demands.motions.empty() ? SurfaceMotion{} : at.demands.motions[hold];
      const Vec3d center = motion.rotation * surfaces.holds[hold].center + motion.translation;
      CellVectors push{};
      visit.held().add_push(visit.law(), k, push);
      for (int c = 0; c < 8; ++c) {
        pushes[hold].force += push[c];
        pushes[hold].moment += cross(visit.x[c] - center, push[c]);
      }
    }
  }
  return pushes;
}

}  // namespace isochor::lattice
