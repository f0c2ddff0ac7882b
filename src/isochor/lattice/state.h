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

/// The tangents of a group of blocks, cell after cell: what linearising writes and applying reads.
/// Those of a law times h/16, so that a kernel multiplies plain sums of edges, N/m; after them that
/// of the stabilisation, mu h/16. Single precision: a search direction needs no more.
template <int Numbers>
struct alignas(64) GroupTangent {
  static constexpr int kSpread = Numbers;  ///< place of the stabilisation
  float number[8][Numbers + 1][kGroupBlocks];
};
/// As materials::LawBatch lists the numbers of laws without and with directions of their own.
using PrincipalGroupTangent = GroupTangent<30>;
using DenseGroupTangent = GroupTangent<materials::DenseTangent<float>::kSize>;

/// One tangent per group, in the form that its laws ask for.
struct Tangents {
  explicit Tangents(const Model& model)
      : principal(model.groups.size() - model.axes.size()), dense(model.axes.size()) {}

  std::vector<PrincipalGroupTangent> principal;
  std::vector<DenseGroupTangent> dense;
};

/// The directions in which a node that slides is held, orthonormal, and where it is along them.
struct SlideFrame {
  int count = 0;
  Vec3d direction[3];
  double place[3];  ///< m
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
        krylov(3 * model.node_count()) {}

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
  solve::KrylovScratch krylov;
};

/// Memory that a model, its state and its scratch hold, bytes.
std::size_t bytes_allocated(const Model& model, const State& state, const Scratch& scratch);

}  // namespace isochor::lattice
