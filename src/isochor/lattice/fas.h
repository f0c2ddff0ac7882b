#pragma once

#include "isochor/lattice/multigrid.h"
#include "isochor/lattice/state.h"
#include "isochor/solve/newton.h"

namespace isochor::lattice {

/// The coarse part of nonlinear multigrid cycles by the full approximation scheme
/// [McAdams11 alg 3]. A coarse level knows no positions: it has the mean deformation gradient of
/// its children as an offset, and corrections u of that, F = F_off + G[u]. Its loads are chosen so
/// that u = 0 is its equilibrium where the finer level is in its own. Each level minimises the
/// energy
///     E(F_off; u) - load . u
/// whose slope at u = 0 along any u is that of the finer one along the interpolated u. Every
/// correction, and every round of smoothing, is searched along for a lower energy of its level,
/// which the paper names as the remedy against jumping into another minimum.
class Fas {
 public:
  Fas(const Model& model, std::span<const SlideFrame> slides, Scratch& scratch, ThreadArena& arena)
      : model_(model),
        slides_(slides),
        scratch_(scratch),
        arena_(arena),
        linear_(model, slides, scratch.multigrid, arena) {}

  /// Sweeps of damped Jacobi about the tangents of the finest level, which must be definite:
  /// step = a smooth answer to the force r.
  void smooth(std::span<const Vec3f> diagonal, std::span<const Vec3d> r, std::span<Vec3d> step);

  /// step = what coarser levels say about the configuration with the force r on its free nodes;
  /// smooth() came before. Held nodes are anchors of coarse levels, or constrain their cells, as in
  /// linear cycles.
  void correct(const Configuration& at, std::span<const Vec3d> r, std::span<Vec3d> step);

  /// Sweeps between two linearisations.
  static constexpr int kSweeps = 3;

 private:
  friend class CoarseProblem;
  const Model& model(std::size_t level) const {
    return level == 0 ? model_ : model_.hierarchy->levels[level - 1].model;
  }
  Tangents& tangents(std::size_t level) {
    return level == 0 ? scratch_.tangents : scratch_.multigrid.tangents[level - 1];
  }
  void multiply(std::size_t level, std::span<const Vec3f> v, std::span<Vec3f> out);
  void invert_diagonal(std::size_t level, std::span<const Vec3f> diagonal);
  void relax(std::size_t level);
  void restrict_gradients(std::size_t level, std::span<const Vec3d> positions);
  void restrict_force(std::size_t level, std::span<const Vec3d> r);
  void prolong(std::size_t level, std::span<Vec3d> step);
  void cycle(std::size_t level, std::span<const double> activations);

  const Model& model_;
  std::span<const SlideFrame> slides_;
  Scratch& scratch_;
  ThreadArena& arena_;
  Multigrid linear_;
};

}  // namespace isochor::lattice
