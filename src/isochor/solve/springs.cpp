#include "isochor/solve/springs.h"

#include <algorithm>

#include "isochor/math/reduce.h"

namespace isochor::solve {
namespace {

constexpr std::size_t kGrain = 256;

template <class S>
Vec3<S> point_of(const Springs& springs, std::size_t s, std::span<const Vec3<S>> nodal) {
  Vec3<S> sum{0, 0, 0};
  for (std::int32_t t = springs.first[s]; t < springs.first[s + 1]; ++t) {
    sum += static_cast<S>(springs.terms[t].weight) * nodal[springs.terms[t].index];
  }
  return sum;
}

/// Calls f(node, its springs) for every node that is pulled at.
template <class F>
void for_each_node(const Springs& springs, ThreadArena& arena, F&& f) {
  parallel_for(arena, springs.nodes.size(), kGrain, [&](std::size_t k) {
    const std::span<const SpringTerm> pulls(springs.pulls);
    const std::int32_t begin = springs.node_first[k];
    f(springs.nodes[k], pulls.subspan(begin, springs.node_first[k + 1] - begin));
  });
}

template <class S>
void add_to_nodes(const Springs& springs, std::span<const Vec3<S>> pull, double sign,
                  std::span<Vec3<S>> to_nodes, ThreadArena& arena) {
  for_each_node(springs, arena, [&](std::int32_t node, std::span<const SpringTerm> by) {
    for (const SpringTerm& term : by) {
      to_nodes[node] += static_cast<S>(sign * term.weight) * pull[term.index];
    }
  });
}

template <class S>
void add_stiffness(const Springs& springs, std::span<const Vec3<S>> displacements,
                   std::span<Vec3<S>> pull, std::span<Vec3<S>> out, ThreadArena& arena) {
  parallel_for(arena, springs.count(), kGrain, [&](std::size_t s) {
    const Vec3<S> stretch = point_of(springs, s, displacements);
    const Vec3d force = springs.stiffness[s] * Vec3d{stretch[0], stretch[1], stretch[2]};
    for (int a = 0; a < 3; ++a) pull[s][a] = static_cast<S>(force[a]);
  });
  add_to_nodes<S>(springs, pull, 1, out, arena);
}

}  // namespace

Springs build_springs(std::span<const Spring> list) {
  struct Pull {
    std::int32_t node;
    SpringTerm by;
  };
  Springs out;
  std::vector<Pull> pulls;
  out.first.push_back(0);
  for (std::size_t s = 0; s < list.size(); ++s) {
    for (const SpringTerm& term : list[s].terms) {
      out.terms.push_back(term);
      pulls.push_back({term.index, {static_cast<std::int32_t>(s), term.weight}});
    }
    out.first.push_back(static_cast<std::int32_t>(out.terms.size()));
    out.stiffness.push_back(list[s].stiffness);
  }
  std::ranges::stable_sort(pulls, {}, &Pull::node);
  for (const Pull& pull : pulls) {
    if (out.nodes.empty() || out.nodes.back() != pull.node) {
      out.nodes.push_back(pull.node);
      out.node_first.push_back(static_cast<std::int32_t>(out.pulls.size()));
    }
    out.pulls.push_back(pull.by);
  }
  out.node_first.push_back(static_cast<std::int32_t>(out.pulls.size()));
  return out;
}

double spring_pulls(const Springs& springs, std::span<const Vec3d> positions,
                    std::span<const Vec3d> targets, std::span<Vec3d> pull, ThreadArena& arena) {
  return deterministic_sum(arena, springs.count(), [&](std::size_t begin, std::size_t end) {
    double energy = 0;
    for (std::size_t s = begin; s < end; ++s) {
      Vec3d stretch = point_of<double>(springs, s, positions);
      if (!targets.empty()) stretch -= targets[s];
      pull[s] = -(springs.stiffness[s] * stretch);
      energy -= 0.5 * dot(stretch, pull[s]);
    }
    return energy;
  });
}

void add_pulls(const Springs& springs, std::span<const Vec3d> pull, double sign,
               std::span<Vec3d> to_nodes, ThreadArena& arena) {
  add_to_nodes(springs, pull, sign, to_nodes, arena);
}

void add_spring_stiffness(const Springs& springs, std::span<const Vec3d> displacements,
                          std::span<Vec3d> pull, std::span<Vec3d> out, ThreadArena& arena) {
  add_stiffness(springs, displacements, pull, out, arena);
}
void add_spring_stiffness(const Springs& springs, std::span<const Vec3f> displacements,
                          std::span<Vec3f> pull, std::span<Vec3f> out, ThreadArena& arena) {
  add_stiffness(springs, displacements, pull, out, arena);
}

void add_spring_diagonal(const Springs& springs, std::span<Vec3f> diagonal, ThreadArena& arena) {
  for_each_node(springs, arena, [&](std::int32_t node, std::span<const SpringTerm> by) {
    for (const SpringTerm& term : by) {
      const Mat3d& k = springs.stiffness[term.index];
      for (int a = 0; a < 3; ++a) {
        diagonal[node][a] += static_cast<float>(term.weight * term.weight * k(a, a));
      }
    }
  });
}

}  // namespace isochor::solve
