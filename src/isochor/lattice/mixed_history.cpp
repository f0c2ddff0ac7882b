#include "isochor/lattice/mixed_history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/lattice/mixed_state.h"

namespace isochor::lattice::mixed {
namespace {

/// volume_energy() of region r of block b, M being at [kGroupBlocks c + b].
double region_energy(const GroupVolume& v, int b, int r, const double* measures) {
  double whole = 0, change = 0, soft = 0, response = 0;
  const auto each_cell = [&](auto&& f) {
    for (int c = 0; c < 8; ++c) {
      const double W = v.volume[c][b];
      if (v.region[c][b] != r || !(W > 0)) continue;
      f(W, measures[kGroupBlocks * c + b], v.compliance[c][b], v.jump[c][b] / W);
    }
  };
  each_cell([&](double W, double M, double own, double jump) {
    whole += W;
    change += W * M;
    if (!(own + jump > 0)) return;
    soft += W * own / (own + jump);
    response += W * M / (own + jump);
  });
  const double mean_pressure = soft > 0 ? response / soft : 0;
  const double mean_change = soft > 0 || !(whole > 0) ? 0 : change / whole;
  double energy = 0;
  each_cell([&](double W, double M, double own, double jump) {
    if (!(own + jump > 0)) return;
    energy += 0.5 * W * M * (M - mean_change + jump * mean_pressure) / (own + jump);
  });
  return energy;
}

}  // namespace

double volume_energy(const Model& model, std::span<const double> measures,
                     std::span<const double> weights, ThreadArena& arena) {
  return deterministic_sum(arena, model.volumes.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t g = begin; g < end; ++g) {
      const double weight = weights.empty() ? 1 : weights[std::size_t(model.base.groups[g].body)];
      for (int b = 0; b < kGroupBlocks; ++b) {
        for (int r = 0; r < model.volumes[g].regions; ++r) {
          sum += weight * region_energy(model.volumes[g], b, r, measures.data() + g * kGroupCells);
        }
      }
    }
    return sum;
  });
}

VolumeMemory::VolumeMemory(const Model& model)
    : past(model.base.moves() ? model.pressure_count() : 0),
      target(past.size()),
      end(past.size()),
      positions(model.base.params.integrator == solve::Integrator::Midpoint ? model.node_count()
                                                                            : 0),
      softness(model.base.moves() ? model.base.bodies.size() : 0) {}

VolumeHistory::VolumeHistory(const Model& model, const Inertia& inertia, VolumeMemory& memory,
                             ThreadArena& arena)
    : model_(model), inertia_(inertia), memory_(memory), arena_(arena) {}

/// Calls f(place among pressures, volume of the cell, body) for all cells.
template <class F>
void VolumeHistory::each_cell(F&& f) const {
  parallel_for(arena_, model_.volumes.size(), 16, [&](std::size_t g) {
    const std::int32_t body = model_.base.groups[g].body;
    for (int i = 0; i < kGroupCells; ++i) {
      f(g * kGroupCells + std::size_t(i),
        model_.volumes[g].volume[i / kGroupBlocks][i % kGroupBlocks], body);
    }
  });
}

void VolumeHistory::begin(const State& state) {
  const solve::TimeStep& time = inertia_.time();
  for (std::size_t b = 0; b < memory_.softness.size(); ++b) {
    memory_.softness[b] = 1 / inertia_.stiffening(model_.base.bodies[b]);
    weight_ = std::max(weight_, weight_of(model_.base.bodies[b]));
  }
  rounding_ = largest_rounding(state.positions);
  solve::fill(arena_, 0, std::span(memory_.target));
  if (!moves() && !model_.base.has_stiffness_damping()) return;
  measure(model_, {state.positions, state.pressure, {}}, memory_.past, arena_);
  if (time.before != 0) {
    measure(model_, {state.last_positions, state.pressure, {}}, memory_.end, arena_);
    each_cell([&](std::size_t i, double, std::int32_t) {
      memory_.past[i] = time.origin(memory_.past[i], memory_.end[i]);
    });
  }
  parallel_for(arena_, model_.volumes.size(), 16,
               [&](std::size_t g) { take_what_blocks_cannot_have(g); });
  each_cell([&](std::size_t i, double W, std::int32_t body) {
    const double soft = memory_.softness[std::size_t(body)];
    memory_.target[i] = W > 0 ? (1 - soft) * memory_.past[i] : 0;
  });
}

/// Of M, where cells of the smallest size are furthest from the origin.
double VolumeHistory::largest_rounding(std::span<const Vec3d> positions) const {
  constexpr double kEpsilon = 16 * std::numeric_limits<double>::epsilon();
  double furthest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const Vec3d& x : positions) furthest = std::max(furthest, dot(x, x));
  for (const BlockGroup& group : model_.base.groups) smallest = std::min(smallest, group.h);
  return kEpsilon * std::sqrt(furthest) / smallest;
}

double VolumeHistory::weight_of(const BodyRange& body) const {
  const lattice::Model& base = model_.base;
  const auto sum = [&](std::int32_t count, auto&& f) {
    return deterministic_sum(arena_, std::size_t(count), [&](std::size_t i, std::size_t end) {
      double part = 0;
      for (; i < end; ++i) part += f(i);
      return part;
    });
  };
  const double mass = sum(
      body.node_count, [&](std::size_t i) { return base.mass[std::size_t(body.first_node) + i]; });
  const double stiffness = sum(body.cell_count, [&](std::size_t i) {
    const std::int32_t cell = base.cells[std::size_t(body.first_cell) + i];
    const GroupVolume& v = model_.volumes[std::size_t(cell / kGroupCells)];
    return v.volume[cell % 8][cell / 8 % kGroupBlocks] * base.mu(cell);
  });
  const double h = base.blocks[std::size_t(base.cells[std::size_t(body.first_cell)] / 8)].h;
  const double rate = h * inertia_.time().rate;
  return 1 + mass * rate * rate / stiffness;
}

/// What is left of an incompressible block's volume is what the last step left undone: to hand it
/// on would let it add up.
void VolumeHistory::take_what_blocks_cannot_have(std::size_t g) {
  const GroupVolume& v = model_.volumes[g];
  const auto past = [&](int c, int b) -> double& {
    return memory_.past[g * kGroupCells + std::size_t(kGroupBlocks * c + b)];
  };
  for (int b = 0; b < kGroupBlocks; ++b) {
    for (int r = 0; r < v.regions; ++r) {
      double whole = 0, sum = 0, compliance = 0;
      for (int c = 0; c < 8; ++c) {
        if (v.region[c][b] != r) continue;
        whole += v.volume[c][b];
        if (v.volume[c][b] > 0) sum += v.volume[c][b] * past(c, b);
        compliance += v.compliance[c][b];
      }
      if (!(whole > 0) || compliance > 0) continue;
      for (int c = 0; c < 8; ++c) {
        if (v.region[c][b] != r) continue;
        past(c, b) = v.jump[c][b] > 0 ? past(c, b) - sum / whole : 0;
      }
    }
  }
}

void VolumeHistory::retarget(const State& start, std::span<const Vec3d> y) {
  if (!moves()) return;
  const double reach = inertia_.time().reach;
  parallel_for(arena_, y.size(), solve::kVectorGrain, [&](std::size_t n) {
    memory_.positions[n] = start.positions[n] + reach * (y[n] - start.positions[n]);
  });
  const std::span<double> t = memory_.target;
  measure(model_, {y, start.pressure, {}}, t, arena_);
  measure(model_, {memory_.positions, start.pressure, {}}, memory_.end, arena_);
  each_cell([&](std::size_t i, double W, std::int32_t body) {
    const double kept = (2 * memory_.softness[std::size_t(body)] - 1) * memory_.past[i];
    t[i] = W > 0 ? t[i] - (memory_.end[i] + kept) / reach : 0;
  });
}

double VolumeHistory::take_target(std::span<const double> pressure,
                                  std::span<double> volume) const {
  each_cell([&](std::size_t i, double W, std::int32_t) {
    volume[i] -= model_.alpha * W * memory_.target[i];
  });
  return deterministic_sum(arena_, model_.volumes.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin * kGroupCells; i < end * kGroupCells; ++i) {
      const std::size_t in_group = i % kGroupCells;
      const double W =
          model_.volumes[i / kGroupCells].volume[in_group / kGroupBlocks][in_group % kGroupBlocks];
      sum += pressure[i] * W * memory_.target[i];
    }
    return sum;
  });
}

double VolumeHistory::damping_loss(const State& start, std::span<const Vec3d> end) {
  if (!model_.base.has_stiffness_damping()) return 0;
  measure(model_, {start.positions, start.pressure, {}}, memory_.past, arena_);
  measure(model_, {end, start.pressure, {}}, memory_.end, arena_);
  each_cell([&](std::size_t i, double, std::int32_t) { memory_.end[i] -= memory_.past[i]; });
  // dt b M' W C^+ W M', of the mean rate M'. What softness was is done with.
  for (std::size_t b = 0; b < memory_.softness.size(); ++b) {
    memory_.softness[b] = 2 * model_.base.bodies[b].stiffness_damping / inertia_.time().dt;
  }
  return volume_energy(model_, memory_.end, memory_.softness, arena_);
}

Motion::Motion(const Model& model, const State& state, double dt, MotionMemory& motion,
               VolumeMemory& volumes, ThreadArena& arena)
    : inertia(model.base, solve::make_time_step(model.base.params.integrator, dt, state.last_dt),
              motion, arena, model.cycle_spread()),
      history(model, inertia, volumes, arena) {
  inertia.begin(state);
  history.begin(state);
}

}  // namespace isochor::lattice::mixed
