#include "isochor/lattice/state.h"

#include <algorithm>

namespace isochor::lattice {

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

void Scratch::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::vector<Vec3d>* v :
       {&positions, &force, &step, &pull, &load, &motion.origin, &motion.target, &motion.velocities,
        &motion.image, &motion.pushes}) {
    std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  }
  std::fill(motion.shift.begin(), motion.shift.end(), float(nan));
  for (std::vector<Vec3f>* v : {&motion.diagonal, &diagonal}) {
    std::fill(v->begin(), v->end(), Vec3f{float(nan), float(nan), float(nan)});
  }
  const auto fill = [&](auto& groups) {
    for (auto& t : groups) std::fill_n(&t.number[0][0][0], sizeof t / sizeof(float), float(nan));
  };
  fill(tangents.principal);
  fill(tangents.dense);
  const auto fill_cut = [&](auto& groups) {
    for (auto& t : groups) std::fill_n(&t.entry[0][0], sizeof t / sizeof(float), float(nan));
  };
  fill_cut(tangents.cut);
  std::fill(motion.rotations.begin(), motion.rotations.end(), Mat3d::diagonal({nan, nan, nan}));
  if (motion.damping) {
    fill(motion.damping->principal);
    fill(motion.damping->dense);
    fill_cut(motion.damping->cut);
  }
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

std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch) {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  const MotionMemory& motion = scratch.motion;
  std::size_t bytes =
      sum(state.velocities, state.last_positions, state.last_velocities, state.pushes,
          motion.origin, motion.target, motion.velocities, motion.image, motion.diagonal,
          motion.rotations, motion.shift, motion.pushes);
  if (motion.damping)
    bytes += sum(motion.damping->principal, motion.damping->dense, motion.damping->cut);
  return bytes + bytes_allocated(model) + scratch.multigrid.bytes() + scratch.fas.bytes() +
         scratch.surfaces.bytes() +
         sum(state.positions, scratch.positions, scratch.force, scratch.step, scratch.diagonal,
             scratch.tangents.principal, scratch.tangents.dense, scratch.tangents.cut,
             scratch.block_energy, scratch.pull, scratch.slides, scratch.krylov.r, scratch.krylov.p,
             scratch.krylov.image, scratch.load);
}

}  // namespace isochor::lattice
