#include "isochor/lattice/level_springs.h"

#include "isochor/lattice/hierarchy.h"

namespace isochor::lattice {

LevelSprings make_level_springs(std::vector<solve::Spring> springs,
                                std::span<const solve::Spring> fine, bool ties,
                                const Model& model) {
  LevelSprings out;
  const std::size_t coarse = springs.size();
  springs.insert(springs.end(), fine.begin(), fine.end());
  out.finest = build_springs(springs);
  out.pull.resize(springs.size());
  if (!model.hierarchy) return out;
  const Hierarchy& hierarchy = *model.hierarchy;
  if (hierarchy.levels.empty()) {
    ties |= !fine.empty();
  } else {
    springs.resize(coarse);
  }
  for (const CoarseLevel& level : hierarchy.levels) {
    springs = coarsened(springs, level.transfer);
    out.coarse.push_back(spring_matrix(springs));
  }
  if (ties && !hierarchy.direct.empty()) {
    out.direct = hierarchy.levels.empty()
                     ? plan_direct(model, spring_matrix(springs))
                     : plan_direct(hierarchy.levels.back().model, out.coarse.back());
    out.coarsest = solve::SplitCholesky(out.direct.envelope);
  }
  return out;
}

}  // namespace isochor::lattice
