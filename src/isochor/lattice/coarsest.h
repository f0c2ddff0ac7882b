#pragma once

#include <algorithm>
#include <span>

#include "isochor/lattice/coarse_springs.h"
#include "isochor/lattice/model.h"
#include "isochor/solve/split_cholesky.h"

namespace isochor::lattice {

/// How the stiffness matrix of a small model is factorised: which nodes touch each other, in which
/// order they are eliminated, and which columns one product with the operator can give at once.
struct DirectPlan {
  std::vector<std::int32_t> first_neighbour{0};    ///< node i: neighbours [i], [i + 1]
  std::vector<std::int32_t> neighbours;            ///< itself among them
  std::vector<std::int32_t> place;                 ///< per node, in the order of elimination
  solve::SplitEnvelope envelope;                   ///< of unknowns in that order
  std::vector<std::vector<std::int32_t>> colours;  ///< nodes of one have no neighbour in common

  bool empty() const { return place.empty(); }
  std::size_t bytes() const;
};

/// In the cheapest of four orders: by reversed Cuthill and McKee, front by front through each part
/// of the body, which for limbs is cheap, or plane by plane along an axis, which for compact bodies
/// is: the fronts of a cube are as wide as three of its faces. From both ends towards a joint.
DirectPlan plan_direct(const Model& model, const BlockMatrix& springs);

/// Assembles and factorises the matrix that multiply() applies to x, with the product in `image`.
/// One product gives a column of every node that shares no neighbour with another. Unknowns for
/// which fixed(node, axis) holds get neither row nor column.
template <class Fixed, class Multiply>
void factorise(const DirectPlan& plan, solve::SplitCholesky& cholesky, std::span<Vec3f> x,
               std::span<const Vec3f> image, Fixed&& fixed, Multiply&& multiply,
               ThreadArena& arena) {
  cholesky.fill(0);
  const auto store = [&](std::int32_t column, int a) {
    const std::int32_t end = plan.first_neighbour[column + 1];
    for (std::int32_t k = plan.first_neighbour[column]; k < end; ++k) {
      const std::int32_t row = plan.neighbours[k];
      for (int b = 0; b < 3; ++b) {
        const std::int32_t i = 3 * plan.place[row] + b, j = 3 * plan.place[column] + a;
        if (i >= j && !fixed(column, a) && !fixed(row, b)) cholesky.entry(i, j) = image[row][b];
      }
    }
  };
  for (const auto& nodes : plan.colours) {
    for (int a = 0; a < 3; ++a) {
      std::ranges::fill(x, Vec3f{0, 0, 0});
      for (const std::int32_t n : nodes) x[n][a] = 1;
      multiply();
      for (const std::int32_t n : nodes) store(n, a);
    }
  }
  cholesky.factorise(arena);
}

}  // namespace isochor::lattice
