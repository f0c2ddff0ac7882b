#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/math/mat3.h"

/// Soft constraints: springs of length zero between a point that rides on nodes and a target
/// [McAdams11 sec 7]. With the stretch s = sum_i w_i x_i - target, a spring has the energy
/// s . K s / 2. A point of another body as the target is a spring without one whose weights of that
/// body are negative.
namespace isochor::solve {

/// What one node contributes to a point, or one spring to a node.
struct SpringTerm {
  std::int32_t index;
  double weight;
};

struct Spring {
  std::vector<SpringTerm> terms;  ///< nodes of the model
  Mat3d stiffness;                ///< symmetric, positive semi-definite, N/m
};

/// All springs of a model: springs by their nodes, and nodes by the springs that pull at them, so
/// that both can be visited in parallel with the same bits for any number of threads.
struct Springs {
  std::vector<std::int32_t> first;  ///< spring s has terms [first[s], first[s + 1])
  std::vector<SpringTerm> terms;
  std::vector<Mat3d> stiffness;
  std::vector<std::int32_t> nodes;       ///< that any spring pulls at, ascending
  std::vector<std::int32_t> node_first;  ///< nodes[k] is pulled by [node_first[k], [k + 1])
  std::vector<SpringTerm> pulls;

  std::size_t count() const { return stiffness.size(); }
};
Springs build_springs(std::span<const Spring> list);

/// Leaves what each spring pulls its point with in `pull`, N, and returns the energy, J. Without
/// targets all are zero.
double spring_pulls(const Springs& springs, std::span<const Vec3d> positions,
                    std::span<const Vec3d> targets, std::span<Vec3d> pull, ThreadArena& arena);

/// Adds sign times what springs pull with to their nodes.
void add_pulls(const Springs& springs, std::span<const Vec3d> pull, double sign,
               std::span<Vec3d> to_nodes, ThreadArena& arena);

/// out += K displacements. `pull` is working memory, one per spring.
void add_spring_stiffness(const Springs& springs, std::span<const Vec3d> displacements,
                          std::span<Vec3d> pull, std::span<Vec3d> out, ThreadArena& arena);
void add_spring_stiffness(const Springs& springs, std::span<const Vec3f> displacements,
                          std::span<Vec3f> pull, std::span<Vec3f> out, ThreadArena& arena);

void add_spring_diagonal(const Springs& springs, std::span<Vec3f> diagonal, ThreadArena& arena);

}  // namespace isochor::solve
