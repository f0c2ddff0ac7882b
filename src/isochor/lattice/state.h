#pragma once

#include <limits>
#include <vector>

#include "isochor/lattice/model.h"
#include "isochor/solve/conjugate_gradient.h"

namespace isochor::lattice {

/// All that a checkpoint holds.
struct State {
  std::vector<Vec3d> positions;  ///< per node, m
};

/// The tangent of eight cells, structure of arrays: what linearising writes and applying reads.
struct BlockTangent {
  double U[9][8], V[9][8];
  double stretch[6][8];  ///< xx, yy, zz, yz, xz, xy
  double flip[3][8], twist[3][8];
};
/// The same where the law has directions of its own.
struct DenseBlockTangent {
  double entry[45][8];  ///< as in materials::DenseTangent
};

/// One tangent per block, in the form that its law asks for.
struct Tangents {
  explicit Tangents(const Model& model)
      : principal(model.blocks.size() - model.axes.size()), dense(model.axes.size()) {}

  std::vector<BlockTangent> principal;
  std::vector<DenseBlockTangent> dense;
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
        krylov(3 * model.node_count()) {}

  /// Fills all memory with NaN; only tests do so.
  void poison();

  std::vector<Vec3d> positions;  ///< the iterate
  std::vector<Vec3d> force;      ///< internal and external, held nodes included
  std::vector<Vec3d> step;       ///< the Newton direction
  std::vector<Vec3d> diagonal;   ///< of the stiffness matrix
  Tangents tangents;
  std::vector<double> block_energy;
  solve::KrylovScratch krylov;
};

/// Memory that a model, its state and its scratch hold, bytes.
std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch);

}  // namespace isochor::lattice
