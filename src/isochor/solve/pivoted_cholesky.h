#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace isochor::solve {

/// P A P^T = L L^T of a dense, symmetric, positive semi-definite matrix, largest pivots first: rows
/// that depend on others come last and have no part in solutions. Constant once made.
class PivotedCholesky {
 public:
  PivotedCholesky() = default;

  /// `a` by rows. Rows of which elimination leaves less than `least` of their diagonal count as
  /// dependent: rounding leaves some 1e-15 times their number.
  PivotedCholesky(std::vector<double> a, std::size_t size, double least)
      : factor_(std::move(a)), size_(size), order_(size) {
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<double> whole(size), rest(size);
    for (std::size_t i = 0; i < size; ++i) whole[i] = rest[i] = at(i, i);
    for (rank_ = 0; rank_ < size; ++rank_) {
      std::size_t pivot = rank_;
      for (std::size_t i = rank_ + 1; i < size; ++i) {
        if (rest[i] * whole[pivot] > rest[pivot] * whole[i]) pivot = i;
      }
      if (!(rest[pivot] > least * whole[pivot])) break;
      exchange(rank_, pivot);
      std::swap(whole[rank_], whole[pivot]);
      std::swap(rest[rank_], rest[pivot]);
      const double diagonal = std::sqrt(rest[rank_]);
      at(rank_, rank_) = diagonal;
      for (std::size_t i = rank_ + 1; i < size; ++i) {
        double sum = at(i, rank_);
        for (std::size_t j = 0; j < rank_; ++j) sum -= at(i, j) * at(rank_, j);
        at(i, rank_) = sum / diagonal;
        rest[i] -= at(i, rank_) * at(i, rank_);
      }
    }
  }

  std::size_t size() const { return size_; }
  std::size_t rank() const { return rank_; }
  std::size_t bytes() const {
    return factor_.capacity() * sizeof(double) + order_.capacity() * sizeof order_[0];
  }

  /// q = L^-1 P c, `rank` numbers: c in coordinates in which A is the identity.
  void forward(std::span<const double> c, std::span<double> q) const {
    for (std::size_t i = 0; i < rank_; ++i) {
      double sum = c[order_[i]];
      for (std::size_t j = 0; j < i; ++j) sum -= at(i, j) * q[j];
      q[i] = sum / at(i, i);
    }
  }

  /// x = P^T L^-T q, the transpose: zero in rows that depend on others. `q` is lost.
  void backward(std::span<double> q, std::span<double> x) const {
    for (std::size_t i = rank_; i < size_; ++i) x[order_[i]] = 0;
    for (std::size_t i = rank_; i-- > 0;) {
      q[i] /= at(i, i);
      for (std::size_t j = 0; j < i; ++j) q[j] -= at(i, j) * q[i];
      x[order_[i]] = q[i];
    }
  }

  /// c less what it has to be by what other rows have, per row that depends on others: calls
  /// f(row, difference). `q` is forward(c).
  template <class F>
  void dependent(std::span<const double> c, std::span<const double> q, F&& f) const {
    for (std::size_t i = rank_; i < size_; ++i) {
      double sum = c[order_[i]];
      for (std::size_t j = 0; j < rank_; ++j) sum -= at(i, j) * q[j];
      f(std::size_t(order_[i]), sum);
    }
  }

 private:
  double& at(std::size_t i, std::size_t j) { return factor_[i * size_ + j]; }
  double at(std::size_t i, std::size_t j) const { return factor_[i * size_ + j]; }

  /// Rows and columns of A that are still to come, and the rows of L.
  void exchange(std::size_t k, std::size_t other) {
    if (k == other) return;
    std::swap(order_[k], order_[other]);
    for (std::size_t j = 0; j < k; ++j) std::swap(at(k, j), at(other, j));
    // Of A the lower triangle alone is read.
    for (std::size_t i = k + 1; i < other; ++i) std::swap(at(i, k), at(other, i));
    for (std::size_t i = other + 1; i < size_; ++i) std::swap(at(i, k), at(i, other));
  }

  std::vector<double> factor_;
  std::size_t size_ = 0, rank_ = 0;
  std::vector<std::int32_t> order_;
};

}  // namespace isochor::solve
