#include "isochor/lattice/level_springs.h"

#include <set>
#include <utility>

#include "isochor/lattice/hierarchy.h"

namespace isochor::lattice {
namespace {

/// Which nodes they tie to each other; without stiffness. Most of the springs of a touching patch
/// have the same nodes on a coarse level.
BlockMatrix pattern_of(std::span<const Spring> springs) {
  std::set<std::vector<std::int32_t>> node_sets;
  for (const Spring& spring : springs) {
    std::vector<std::int32_t> nodes;
    for (const SpringTerm& term : spring.terms) nodes.push_back(term.index);
    node_sets.insert(std::move(nodes));
  }
  std::vector<Spring> one_each;
  for (const auto& nodes : node_sets) {
    Spring& spring = one_each.emplace_back(Spring{.terms = {}, .stiffness = Mat3d::zero()});
    for (const std::int32_t n : nodes) spring.terms.push_back({n, 0});
  }
  return spring_matrix(one_each);
}

}  // namespace

LevelSprings make_level_springs(std::vector<Spring> springs, bool ties, const Model& model) {
  LevelSprings out;
  out.levels.push_back(build_springs(springs));
  out.pull.resize(springs.size());
  if (!model.hierarchy) return out;
  const Hierarchy& hierarchy = *model.hierarchy;
  for (const CoarseLevel& level : hierarchy.levels) {
    springs = coarsened(springs, level.transfer);
    out.levels.push_back(build_springs(springs));
  }
  if (ties && !hierarchy.direct.empty()) {
    const Model& last = hierarchy.levels.empty() ? model : hierarchy.levels.back().model;
    out.direct = plan_direct(last, pattern_of(springs));
    out.coarsest = solve::EnvelopeCholesky(out.direct.envelope);
  }
  return out;
}

}  // namespace isochor::lattice
