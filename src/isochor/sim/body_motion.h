#pragma once

#include "isochor/files/byte_stream.h"
#include "isochor/sim/method.h"
#include "isochor/solve/balance.h"
#include "isochor/solve/momenta.h"

/// What scenes in which time passes have beside those at rest, whatever their method.
namespace isochor::sim {

/// Energy that went in and out since frame 0, J; part of a method's state.
struct Ledger {
  double start = 0;  ///< all energy at frame 0
  double hold_work = 0, damping_loss = 0;

  /// A step; `work` is what changed beside its holds.
  void add(const solve::Balance& balance, double work) {
    hold_work += work + balance.hold_work;
    damping_loss += balance.damping_loss;
  }
};
void save(const Ledger& ledger, files::ByteWriter& writer);
Ledger load_ledger(files::ByteReader& reader);

/// Positions, velocities and what a step leaves for the next, of states that have them by these
/// names.
template <class State>
void save_nodes(const State& state, files::ByteWriter& writer) {
  for (const auto* v : {&state.positions, &state.velocities, &state.last_positions,
                        &state.last_velocities, &state.pushes}) {
    writer.put(*v);
  }
  writer.put(state.last_dt);
}
/// Into a state that has as many nodes and holds as `scene`; else a failure of the reader.
template <class State>
void load_nodes(State& state, const State& scene, files::ByteReader& reader) {
  for (const auto part : {&State::positions, &State::velocities, &State::last_positions,
                          &State::last_velocities, &State::pushes}) {
    state.*part = reader.get_vector<Vec3d>();
    if ((state.*part).size() != (scene.*part).size()) {
      reader.fail("it holds another number of nodes than the scene, or another integrator");
    }
  }
  state.last_dt = reader.get<double>();
}

MotionMeasures motion_measures(const Ledger& ledger, const solve::Momenta& momenta,
                               double total_energy);

/// The velocities that a scene gives the nodes of a body at frame 0.
void set_rigid_velocities(const BodySpec& body, std::span<const double> mass,
                          std::span<const Vec3d> positions, std::span<Vec3d> velocities);

}  // namespace isochor::sim
