#pragma once

#include "isochor/lattice/hierarchy.h"
#include "isochor/lattice/operator.h"

namespace isochor::lattice {

/// One cycle of multigrid as a preconditioner for the stiffness of a model [McAdams11 sec 8]: a V
/// on the finest level, a W below it.
///
/// Coarse levels have the averaged parameters of their children and tangents from averaged
/// deformation gradients. What the published cycle does by labelling coarse cells constrained is
/// done here by springs: a held node becomes a spring to the ground on coarse levels, as stiff as
/// the node itself would be to its neighbours, so that a wall between coarse nodes neither gets
/// lost nor moves. Springs of the model and inertia go down the same way.
class Multigrid {
 public:
  Multigrid(const Model& model, std::span<const SlideFrame> slides, MultigridMemory& memory,
            ThreadArena& arena)
      : model_(model), slides_(slides), memory_(memory), arena_(arena) {}

  /// Makes the tangents of coarse levels, always definite.
  void linearise(const Configuration& at);

  /// Gets ready for cycles with given tangents of the finest level and the diagonal of the whole
  /// matrix: springs included, and `shift`, what inertia adds to it, one number per node or none.
  void prepare(const Tangents& tangents, std::span<const Vec3f> diagonal,
               std::span<const float> shift = {});

  /// z = M^-1 r, symmetric and, where the tangents are, positive definite.
  void apply(std::span<const Vec3d> r, std::span<Vec3d> z);

  /// Operator applications on the finest level per cycle.
  static constexpr int applications() { return 2 * kDegree; }

 private:
  using Level = MultigridMemory::Level;
  static constexpr int kDegree = 3;

  const Model& model(std::size_t level) const {
    return level == 0 ? model_ : model_.hierarchy->levels[level - 1].model;
  }
  void restrict_gradients(const Configuration& at);
  void set_anchors(std::size_t level, std::span<const Vec3f> diagonal);
  void invert_diagonal(std::size_t level, std::span<const Vec3f> diagonal);
  void estimate_eigenvalue(std::size_t level);
  void factorise_coarsest();
  void multiply(std::size_t level, std::span<const Vec3f> v, std::span<Vec3f> out);
  void smooth(std::size_t level, bool from_zero);
  void restrict_residual(std::size_t level);
  void prolong(std::size_t level);
  void cycle(std::size_t level, bool from_zero);

  const Model& model_;
  std::span<const SlideFrame> slides_;
  MultigridMemory& memory_;
  ThreadArena& arena_;
  const Tangents* tangents_ = nullptr;
  std::span<const float> shift_;
};

}  // namespace isochor::lattice
