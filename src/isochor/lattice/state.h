#pragma once

#include <limits>
#include <vector>

#include "isochor/lattice/fas_memory.h"
#include "isochor/lattice/multigrid_memory.h"
#include "isochor/solve/conjugate_gradient.h"

namespace isochor::lattice {

/// All that a checkpoint holds.
struct State {
  std::vector<Vec3d> positions;  ///< per node, m
};

/// Memory of a step. Nothing in it outlives a step: filling it with NaN changes no result.
struct Scratch {
  explicit Scratch(const Model& model)
      : positions(model.node_count()),
        force(model.node_count()),
        step(model.node_count()),
        diagonal(model.node_count()),
        tangents(model),
        block_energy(model.blocks.size()),
        pull(model.springs.count()),
        slides(model.sliding.size()),
        multigrid(model),
        fas(model),
        krylov(3 * model.node_count()),
        load(model.params.cycle == Cycle::Published ? model.node_count() : 0) {}

  /// Fills all memory with NaN; only tests do so.
  void poison();

  std::vector<Vec3d> positions;  ///< the iterate
  std::vector<Vec3d> force;      ///< internal and external, held nodes included
  std::vector<Vec3d> step;       ///< the Newton direction
  std::vector<Vec3f> diagonal;   ///< of the stiffness matrix
  Tangents tangents;
  std::vector<double> block_energy;
  std::vector<Vec3d> pull;         ///< per spring
  std::vector<SlideFrame> slides;  ///< per Model::sliding
  MultigridMemory multigrid;
  FasMemory fas;
  solve::KrylovScratch krylov;
  std::vector<Vec3d> load;  ///< of a linear system that cycles alone solve
};

/// Memory that a model, its state and its scratch hold, bytes.
std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch);

}  // namespace isochor::lattice
