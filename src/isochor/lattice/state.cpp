#include "isochor/lattice/state.h"

#include <algorithm>

namespace isochor::lattice {

void Scratch::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::vector<Vec3d>* v : {&positions, &force, &step, &pull, &load}) {
    std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  }
  const auto fill = [&](auto& groups) {
    for (auto& t : groups) std::fill_n(&t.number[0][0][0], sizeof t / sizeof(float), float(nan));
  };
  fill(tangents.principal);
  fill(tangents.dense);
  std::fill(diagonal.begin(), diagonal.end(), Vec3f{float(nan), float(nan), float(nan)});
  std::fill(block_energy.begin(), block_energy.end(), nan);
  for (SlideFrame& frame : slides) {
    frame.count = 3;
    std::fill_n(frame.direction, 3, Vec3d{nan, nan, nan});
    std::fill_n(frame.place, 3, nan);
  }
  multigrid.poison();
  fas.poison();
  for (std::vector<double>* v : {&krylov.r, &krylov.p, &krylov.image}) {
    std::fill(v->begin(), v->end(), nan);
  }
}

std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch) {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  return bytes_allocated(model) + scratch.multigrid.bytes() + scratch.fas.bytes() +
         sum(state.positions, scratch.positions, scratch.force, scratch.step, scratch.diagonal,
             scratch.tangents.principal, scratch.tangents.dense, scratch.block_energy, scratch.pull,
             scratch.slides, scratch.krylov.r, scratch.krylov.p, scratch.krylov.image,
             scratch.load);
}

}  // namespace isochor::lattice
