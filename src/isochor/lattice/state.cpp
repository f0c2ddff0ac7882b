#include "isochor/lattice/state.h"

#include <algorithm>

namespace isochor::lattice {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();

/// With NaN.
void fill(Tangents& tangents) {
  const auto groups = [](auto& all) {
    for (auto& t : all) std::fill_n(&t.number[0][0][0], sizeof t / sizeof(float), kNanFloat);
  };
  groups(tangents.principal);
  groups(tangents.dense);
  for (auto& t : tangents.cut) std::fill_n(&t.entry[0][0], sizeof t / sizeof(float), kNanFloat);
}

/// Bytes of all vectors.
std::size_t sum(const auto&... v) {
  return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
}

}  // namespace

State make_state(const Model& model) {
  State state{model.rest_positions};
  if (!model.moves()) return state;
  state.velocities.assign(model.node_count(), Vec3d{0, 0, 0});
  state.pushes.assign(model.held_count(), Vec3d{0, 0, 0});
  if (model.params.integrator == solve::Integrator::Bdf2) {
    state.last_positions = state.positions;
    state.last_velocities = state.velocities;
  }
  return state;
}

void accept(const Model& model, double dt, std::vector<Vec3d>& positions, MotionMemory& motion,
            State& state) {
  if (dt > 0 && model.params.integrator == solve::Integrator::Bdf2) {
    std::swap(state.last_positions, state.positions);
    std::swap(state.last_velocities, state.velocities);
  }
  std::swap(state.positions, positions);
  if (dt > 0) {
    std::swap(state.velocities, motion.velocities);
    std::swap(state.pushes, motion.pushes);
  } else {
    std::fill(state.velocities.begin(), state.velocities.end(), Vec3d{0, 0, 0});
  }
  state.last_dt = dt;
}

void MotionMemory::poison() {
  for (std::vector<Vec3d>* v : {&origin, &target, &velocities, &image, &pushes}) {
    std::fill(v->begin(), v->end(), Vec3d{kNan, kNan, kNan});
  }
  std::fill(shift.begin(), shift.end(), kNanFloat);
  std::fill(diagonal.begin(), diagonal.end(), Vec3f{kNanFloat, kNanFloat, kNanFloat});
  std::fill(rotations.begin(), rotations.end(), Mat3d::diagonal({kNan, kNan, kNan}));
  if (damping) fill(*damping);
}

std::size_t MotionMemory::bytes() const {
  const std::size_t tangents = damping ? sum(damping->principal, damping->dense, damping->cut) : 0;
  return tangents + sum(origin, target, velocities, image, diagonal, rotations, shift, pushes);
}

void Scratch::poison() {
  constexpr double nan = kNan;
  for (std::vector<Vec3d>* v : {&positions, &force, &step, &pull, &load}) {
    std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  }
  std::fill(diagonal.begin(), diagonal.end(), Vec3f{kNanFloat, kNanFloat, kNanFloat});
  fill(tangents);
  motion.poison();
  std::fill(block_energy.begin(), block_energy.end(), nan);
  for (SlideFrame& frame : slides) {
    frame.count = 3;
    std::fill_n(frame.direction, 3, Vec3d{nan, nan, nan});
    std::fill_n(frame.place, 3, nan);
  }
  multigrid.poison();
  surfaces.poison();
  fas.poison();
  for (std::vector<double>* v : {&krylov.r, &krylov.p, &krylov.image}) {
    std::fill(v->begin(), v->end(), nan);
  }
}

std::size_t bytes_allocated(const State& state) {
  return sum(state.positions, state.velocities, state.last_positions, state.last_velocities,
             state.pushes);
}

std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch) {
  return bytes_allocated(model) + bytes_allocated(state) + scratch.motion.bytes() +
         scratch.multigrid.bytes() + scratch.fas.bytes() + scratch.surfaces.bytes() +
         sum(scratch.positions, scratch.force, scratch.step, scratch.diagonal,
             scratch.tangents.principal, scratch.tangents.dense, scratch.tangents.cut,
             scratch.block_energy, scratch.pull, scratch.slides, scratch.krylov.r, scratch.krylov.p,
             scratch.krylov.image, scratch.load);
}

}  // namespace isochor::lattice
