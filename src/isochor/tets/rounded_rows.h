#pragma once

#include <span>

#include "isochor/math/half.h"
#include "isochor/tets/elasticity.h"

namespace isochor::tets {

/// A symmetric matrix S H S with S diagonal, one number a node, and H in half precision: a quarter
/// of the bytes of doubles, which is what products with matrices that are in no cache wait for.
/// Blocks of H on the diagonal are no less than about one. Entries are as good as eleven bits.
class RoundedRows {
 public:
  RoundedRows() = default;
  explicit RoundedRows(const solve::BlockPattern& pattern);
  void poison();
  std::size_t bytes() const;

  void round(const solve::BlockPattern& pattern, const solve::Blocks<double>& blocks,
             ThreadArena& arena);
  /// Of the stiffness of tets and what inertia adds to the diagonal, `inertia`, a positive number a
  /// node, N/m: row by row, so that the matrix is nowhere whole in more than half precision. Leaves
  /// its diagonal. Returns by how much that is more than `most` times inertia, traces of nodes that
  /// move added up; infinite where half precision does not do, and then there is no matrix.
  double assemble(const Model& model, const Stiffnesses& stiffnesses,
                  std::span<const double> inertia, double most, std::span<Mat3d> diagonal,
                  ThreadArena& arena);
  /// y = A x, multiplied and added up in single precision.
  void multiply(const solve::BlockPattern& pattern, std::span<const Vec3d> x, std::span<Vec3d> y,
                ThreadArena& arena);

  const Half* entries() const { return entries_.data(); }
  std::span<const float> scale() const { return scale_; }
  std::span<const float> by_scale() const { return by_scale_; }

 private:
  std::vector<Half> entries_;            ///< of H, blocks by columns; some more at the end
  std::vector<float> scale_, by_scale_;  ///< S and its inverse
  std::vector<float> scaled_;            ///< S x, four numbers a node
};

/// What kernels see of it.
struct RoundingView {
  const solve::BlockPattern& pattern;
  const double* blocks = nullptr;
  const float* by_scale = nullptr;
  Half* entries = nullptr;
};
struct AssemblyView {
  const Model& model;
  const TetStiffness* stiffnesses = nullptr;
  const double* inertia = nullptr;
  double most = 0;
  const float* by_scale = nullptr;
  Mat3d* diagonal = nullptr;
  Half* entries = nullptr;
  double* more = nullptr;  ///< out: what assemble() returns, of these rows
};
struct RoundedView {
  const solve::BlockPattern& pattern;
  const Half* entries = nullptr;
  const float* x = nullptr;  ///< four numbers a node
  const float* scale = nullptr;
  Vec3d* y = nullptr;
};

}  // namespace isochor::tets
