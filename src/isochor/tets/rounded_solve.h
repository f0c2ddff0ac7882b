#pragma once

#include "isochor/base/function_ref.h"
#include "isochor/contact/contact_matrix.h"
#include "isochor/solve/conjugate_gradient.h"
#include "isochor/tets/restraint.h"
#include "isochor/tets/rounded_rows.h"

namespace isochor::tets {

/// Conjugate gradients for A = S H S in single precision, preconditioned by the diagonal: about
/// S x, so that products are with H alone. Iterations wait for memory, so that vectors are short,
/// four numbers a node of which the last is zero, and each is read as seldom as can be: three
/// passes an iteration. The same bits for any number of threads and any instructions.
class RoundedSolve {
 public:
  RoundedSolve() = default;
  explicit RoundedSolve(std::size_t nodes);
  void poison();
  std::size_t bytes() const;

  /// u = A^-1 b as solve::conjugate_gradient finds it, and as far. `inverse_diagonal` is that of
  /// A, blocks per node; `contact`, if any, is part of A beside `rows`. b is restrained.
  solve::KrylovReport solve(const Model& model, const RoundedRows& rows,
                            std::span<const Mat3d> inverse_diagonal, const Restraint& restraint,
                            const contact::ContactMatrix* contact, std::span<const Vec3d> b,
                            std::span<Vec3d> u, const solve::Accuracy& accuracy, int max_iterations,
                            FunctionRef<bool()> stop, ThreadArena& arena);

 private:
  std::vector<float> x_, r_, p_;
  std::vector<float> image_;    ///< H p, then M^-1 r
  std::vector<float> inverse_;  ///< of the diagonal of H, nine numbers a node and some more
};

/// What kernels see of an iteration.
struct RoundedIteration {
  const solve::BlockPattern& pattern;
  const Half* entries = nullptr;
  const std::uint8_t* held = nullptr;
  const float* scale = nullptr;
  const float* inverse = nullptr;
  float *x = nullptr, *r = nullptr, *p = nullptr, *image = nullptr;
};
struct RoundedSums {
  double preconditioned = 0;  ///< r M^-1 r
  double squared = 0;         ///< |S r|^2
  RoundedSums& operator+=(const RoundedSums& other) {
    preconditioned += other.preconditioned;
    squared += other.squared;
    return *this;
  }
};

}  // namespace isochor::tets
