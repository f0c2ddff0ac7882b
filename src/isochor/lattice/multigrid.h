#pragma once

#include "isochor/lattice/hierarchy.h"
#include "isochor/lattice/level_springs.h"
#include "isochor/lattice/operator.h"

namespace isochor::lattice {

/// Part of the stabilisation on coarse levels. Coarse cells are few across a thin part, and too
/// stiff in bending by it. With half of it the coarse correction has the size that the fine level
/// wants; with much less it overshoots, and cycles become indefinite. As published: all of it.
inline double coarse_stabilisation(const Params& params) {
  return params.cycle == Cycle::Published ? 1 : 0.5;
}

/// One cycle of multigrid as a preconditioner for the stiffness of a model [McAdams11 sec 8]: a V
/// on the finest level, a W below it.
///
/// Coarse levels have the averaged parameters of their children and tangents from averaged
/// deformation gradients. What the published cycle does by labelling coarse cells constrained is
/// done here by springs: a held node becomes a spring to the ground on coarse levels, as stiff as
/// the node itself would be to its neighbours, so that a wall between coarse nodes neither gets
/// lost nor moves. Inertia goes down the same way; springs of the model keep their points. With
/// Cycle::Published it is a V with constrained cells and damped Jacobi, see published_cycle.h.
class Multigrid {
 public:
  Multigrid(const Model& model, std::span<const SlideFrame> slides, MultigridMemory& memory,
            ThreadArena& arena)
      : model_(model),
        slides_(slides),
        memory_(memory),
        arena_(arena),
        published_(model.params.cycle == Cycle::Published) {}

  /// Makes the tangents of coarse levels, always definite.
  void linearise(const Configuration& at);

  /// What there is beside the springs of the model in cycles that are prepared from here on; none:
  /// nothing. Must outlive them.
  void set_springs(LevelSprings* springs) { passing_ = springs; }

  /// Gets ready for cycles with given tangents of the finest level and the diagonal of the whole
  /// matrix: springs included, and `shift`, what inertia adds to it, one number per node or none.
  void prepare(const Tangents& tangents, std::span<const Vec3f> diagonal,
               std::span<const float> shift = {});

  /// Sets what holds of the finest level do to coarse ones, as prepare() does.
  void set_anchors(std::span<const Vec3f> diagonal);

  /// z = M^-1 r, symmetric and, where the tangents are, positive definite.
  void apply(std::span<const Vec3d> r, std::span<Vec3d> z);

  /// Operator applications on the finest level per cycle: before and after the coarse correction
  /// one per sweep, the first of which starts from zero, and one for the residual between.
  int applications() const { return 2 * (published_ ? model_.params.sweeps : kDegree); }

 private:
  using Level = MultigridMemory::Level;
  static constexpr int kDegree = 3;

  const Model& model(std::size_t level) const {
    return level == 0 ? model_ : model_.hierarchy->levels[level - 1].model;
  }
  const BlockMatrix& springs(std::size_t level) const {
    return model_.hierarchy->levels[level - 1].springs;
  }
  bool tied() const { return passing_ && !passing_->direct.empty(); }
  const DirectPlan& plan() const { return tied() ? passing_->direct : model_.hierarchy->direct; }
  solve::SplitCholesky& coarsest() { return tied() ? passing_->coarsest : memory_.coarsest; }
  const PublishedLevel& published(std::size_t level) const {
    return model_.hierarchy->published[level];
  }
  void restrict_gradients(const Configuration& at);
  void set_level_anchors(std::size_t level, std::span<const Vec3f> diagonal);
  void invert_diagonal(std::size_t level, std::span<const Vec3f> diagonal);
  void estimate_eigenvalue(std::size_t level);
  void factorise_coarsest();
  void multiply(std::size_t level, std::span<const Vec3f> v, std::span<Vec3f> out);
  void smooth(std::size_t level, bool from_zero);
  void sweep(std::size_t level, bool from_zero);  ///< damped Jacobi, of the published cycle
  void restrict_residual(std::size_t level);
  void prolong(std::size_t level);
  void cycle(std::size_t level, bool from_zero);

  const Model& model_;
  std::span<const SlideFrame> slides_;
  MultigridMemory& memory_;
  ThreadArena& arena_;
  const bool published_;
  const Tangents* tangents_ = nullptr;
  LevelSprings* passing_ = nullptr;  ///< beside those of the model
  std::span<const float> shift_;
};

}  // namespace isochor::lattice
