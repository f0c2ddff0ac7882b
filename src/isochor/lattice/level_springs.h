#pragma once

#include <span>
#include <vector>

#include "isochor/lattice/coarsest.h"
#include "isochor/solve/springs.h"

namespace isochor::lattice {

/// Springs that come and go from one linear system to the next, as contacts do, on all levels of a
/// model's hierarchy.
struct LevelSprings {
  solve::Springs finest;            ///< on the nodes of the model itself
  std::vector<BlockMatrix> coarse;  ///< on those of coarser levels
  /// How the last level is factorised where they tie parts of it that share no cell; empty: as
  /// without them.
  DirectPlan direct;
  solve::SplitCholesky coarsest;  ///< memory of multigrid, by that plan
  std::vector<Vec3f> pull;        ///< the same, per spring
};

/// `ties` says whether any of them ties parts that may share no cell. Those of `fine` resist what
/// coarse levels do not have, and are left out there.
LevelSprings make_level_springs(std::vector<solve::Spring> springs,
                                std::span<const solve::Spring> fine, bool ties, const Model& model);

}  // namespace isochor::lattice
