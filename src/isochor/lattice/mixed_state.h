#pragma once

#include "isochor/lattice/mixed_history.h"
#include "isochor/lattice/mixed_linear.h"
#include "isochor/solve/symmetric_qmr.h"

namespace isochor::lattice::mixed {

/// All that a checkpoint holds.
struct State : lattice::State {
  /// As Model says, Pa. After a step in time those where it evaluated forces, damping included.
  std::vector<double> pressure;
};

/// At rest.
inline State make_state(const Model& model) {
  return {lattice::make_state(model.base), std::vector<double>(model.pressure_count(), 0.0)};
}

/// Vectors that GMRES keeps before it starts again: where a tangent is indefinite next to holds it
/// takes twice as many iterations, and a start in their midst as many again. Fewer where they would
/// fill memory.
inline constexpr int kRestart = 60, kShortRestart = 30;
inline int restart(std::size_t unknowns) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  constexpr std::size_t kBytes = kRestart * (sizeof(double) + sizeof(float));
  return unknowns * kBytes <= kMostBytes ? kRestart : kShortRestart;
}

/// Memory of a step. Nothing in it outlives a step: filling it with NaN changes no result.
struct Scratch {
  explicit Scratch(const Model& model);

  /// Fills all memory with NaN; only tests do so.
  void poison();

  std::vector<Vec3d> positions;  ///< the iterate
  std::vector<double> pressure;
  std::vector<Vec3d> force;        ///< internal and external, held nodes included
  std::vector<double> volume;      ///< as evaluate() leaves it
  std::vector<double> load, step;  ///< right-hand side and solution of a linear system
  std::vector<double> image;
  BlockValues blocks;
  std::vector<Vec3d> pull;         ///< per spring
  std::vector<SlideFrame> slides;  ///< per Model::sliding
  LinearMemory linear;
  MotionMemory motion;
  VolumeMemory history;
  solve::GmresScratch krylov;  ///< of the best variant
  solve::QmrScratch qmr;       ///< of the published one
};

/// Memory that a model, its state and its scratch hold, bytes.
std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch);

}  // namespace isochor::lattice::mixed
