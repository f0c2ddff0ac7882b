#include "isochor/lattice/mixed_state.h"

#include <algorithm>
#include <limits>

namespace isochor::lattice::mixed {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kNanFloat = std::numeric_limits<float>::quiet_NaN();

template <class... V>
void fill(const auto& value, V&... vectors) {
  (std::fill(vectors.begin(), vectors.end(), value), ...);
}

/// Groups of numbers, all of one kind.
template <class S, class Group>
void fill_groups(S value, std::vector<Group>& groups) {
  for (Group& g : groups) std::fill_n(reinterpret_cast<S*>(&g), sizeof g / sizeof(S), value);
}

}  // namespace

Scratch::Scratch(const Model& model)
    : positions(model.node_count()),
      pressure(model.pressure_count()),
      force(model.node_count()),
      volume(model.pressure_count()),
      load(unknowns(model)),
      step(unknowns(model)),
      image(unknowns(model)),
      blocks(model.base.blocks.size()),
      pull(model.base.springs.count()),
      slides(model.base.sliding.size()),
      linear(model),
      motion(model.base),
      history(model),
      krylov(unknowns(model), restart(unknowns(model))),
      qmr(model.params.variant == Variant::Published ? unknowns(model) : 0) {}

void Scratch::poison() {
  const Vec3d vector{kNan, kNan, kNan};
  fill(vector, positions, force, pull, linear.load, linear.pull);
  fill(kNan, pressure, volume, load, step, image, blocks.energy, blocks.least_j, linear.pressure,
       linear.volume);
  fill(kNan, krylov.z, krylov.column, krylov.again, krylov.cosine, krylov.sine, krylov.rhs,
       krylov.triangle, krylov.sums);
  fill(kNan, qmr.s, qmr.q, qmr.image, qmr.d, qmr.d_image, qmr.r);
  for (auto& v : krylov.basis) fill(kNan, v);
  for (auto& v : krylov.preconditioned) fill(kNanFloat, v);
  for (auto& v : linear.coarse_pressures) fill(kNan, v);
  fill(Vec3f{kNanFloat, kNanFloat, kNanFloat}, linear.diagonal);
  fill_groups(kNan, linear.schur);
  for (lattice::Tangents* t : {&linear.tangents.system, &linear.tangents.cycle}) {
    fill_groups(kNanFloat, t->principal);
    fill_groups(kNanFloat, t->dense);
    fill_groups(kNanFloat, t->cut);
  }
  fill_groups(kNanFloat, linear.tangents.cut);
  fill_groups(kNanFloat, linear.tangents.principal);
  fill_groups(kNanFloat, linear.tangents.dense);
  linear.multigrid.poison();
  motion.poison();
  fill(kNan, linear.tangents.softness, history.past, history.target, history.end, history.softness);
  fill(vector, history.positions, linear.tangents.positions);
  linear.surfaces.poison();
  for (SlideFrame& frame : slides) {
    frame.count = 3;
    std::fill_n(frame.direction, 3, vector);
    std::fill_n(frame.place, 3, kNan);
  }
}

std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch) {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  const LinearMemory& linear = scratch.linear;
  const solve::GmresScratch& krylov = scratch.krylov;
  const VolumeMemory& history = scratch.history;
  std::size_t bytes = lattice::bytes_allocated(model.base) + lattice::bytes_allocated(state) +
                      linear.multigrid.bytes() + scratch.motion.bytes() + linear.surfaces.bytes();
  for (const lattice::Tangents* t : {&linear.tangents.system, &linear.tangents.cycle}) {
    bytes += sum(t->principal, t->dense, t->cut);
  }
  for (const auto& v : linear.coarse_pressures) bytes += sum(v);
  for (const auto& v : krylov.basis) bytes += sum(v);
  for (const auto& v : krylov.preconditioned) bytes += sum(v);
  return bytes +
         sum(history.past, history.target, history.end, history.positions, history.softness) +
         sum(model.measures, model.volumes, model.whole_volumes, model.has_constant_pressure,
             state.pressure, scratch.positions, scratch.pressure, scratch.force, scratch.volume,
             scratch.load, scratch.step, scratch.image, scratch.blocks.energy,
             scratch.blocks.least_j, scratch.pull, scratch.slides) +
         sum(linear.tangents.principal, linear.tangents.dense, linear.tangents.cut,
             linear.tangents.softness, linear.tangents.positions, linear.diagonal, linear.schur,
             linear.pressure, linear.volume, linear.load, linear.pull) +
         sum(scratch.qmr.s, scratch.qmr.q, scratch.qmr.image, scratch.qmr.d, scratch.qmr.d_image,
             scratch.qmr.r) +
         sum(krylov.z, krylov.column, krylov.again, krylov.cosine, krylov.sine, krylov.rhs,
             krylov.triangle, krylov.sums);
}

}  // namespace isochor::lattice::mixed
