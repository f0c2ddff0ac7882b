#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/solve/envelope.h"

namespace isochor::solve {

/// A = L D L^T of a symmetric positive semi-definite matrix, of which each row has entries from its
/// first column on: those of L lie there too. Given row by row, and overwritten. Directions without
/// stiffness are left alone: a solution is zero in them. Solutions are as good as single precision,
/// in which L is kept: made for coarse levels. Allocates nothing after construction.
/// The last rows may be left for another to eliminate (add_rest()): forward() then leaves what
/// remains of b for it, and backward() takes its solution.
class EnvelopeCholesky {
 public:
  EnvelopeCholesky() = default;
  /// `first` is the first column of each row, at most the row's own number.
  explicit EnvelopeCholesky(std::span<const std::int32_t> first, std::size_t rest = 0);

  std::size_t size() const { return first_.size(); }
  /// Sets all entries.
  void fill(double value);
  /// Of the lower triangle, within the envelope.
  double& entry(std::size_t i, std::size_t j) {
    return i == j ? diagonal_[i] : entries_[start_[i] - first_[i] + std::ptrdiff_t(j)];
  }
  std::size_t bytes() const;

  /// Multiplications of factorise(): what it costs.
  static double cost(std::span<const std::int32_t> first);
  /// Multiplications of solve(), each with an entry that is read.
  static double solve_cost(std::span<const std::int32_t> first);

  /// What factorise() of `part` left between its last rows, which are those of this matrix.
  void add_rest(const EnvelopeCholesky& part);
  void factorise();
  /// Solves in place.
  void solve(std::span<double> b) const;
  void forward(std::span<double> b) const;
  void backward(std::span<double> b) const;

 private:
  Envelope envelope() const { return {size(), first_.data(), start_.data(), rest_}; }

  std::size_t rest_ = 0;
  std::vector<std::int32_t> first_;
  std::vector<std::ptrdiff_t> start_;
  std::vector<double> entries_, diagonal_, by_pivot_;
  std::vector<double> change_;  ///< of the diagonal, by add_rest(); pivots count by what it was
  std::vector<float> factors_;
};

}  // namespace isochor::solve
