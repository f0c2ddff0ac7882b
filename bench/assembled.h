#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/base/function_ref.h"
#include "isochor/base/parallel.h"
#include "isochor/lattice/state.h"

/// The stiffness matrix of a lattice as others keep it, for comparison.
namespace isochor::bench {

/// Rows of 3x3 blocks; row i has the entries [first[i], first[i + 1]).
struct BlockRows {
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> columns;
  std::vector<std::array<double, 9>> blocks;  ///< each by rows

  std::size_t rows() const { return first.size() - 1; }
};

/// y = A x, without a matrix, for vectors of all nodes.
using Product = FunctionRef<void(std::span<const Vec3d> x, std::span<Vec3d> y)>;

/// Among the nodes that `free` names, in their order, from products with vectors on nodes that are
/// so far apart that no two of them share a cell. All cells of a model have one size.
BlockRows assemble(const lattice::Model& model, Product product, std::span<const std::int32_t> free,
                   ThreadArena& arena);
/// Of tangents alone.
BlockRows assemble(const lattice::Model& model, const lattice::Tangents& tangents,
                   std::span<const std::int32_t> free, ThreadArena& arena);

/// y = A x, on one thread.
void multiply(const BlockRows& A, std::span<const double> x, std::span<double> y);

/// Conjugate gradients with the diagonal as preconditioner, on one thread, to a relative residual.
struct JacobiSolve {
  int iterations = 0;
  double true_residual = 1;  ///< recomputed from the solution
};
JacobiSolve solve_with_diagonal(const BlockRows& A, std::span<const double> b, double tolerance,
                                int most);

}  // namespace isochor::bench
