#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace isochor::solve {

/// A = L L^T of a symmetric positive semi-definite matrix, of which each row has entries from its
/// first column on: those of L lie there too. Given row by row, and overwritten. Directions without
/// stiffness are left alone: a solution is zero in them. Allocates nothing after construction.
class EnvelopeCholesky {
 public:
  EnvelopeCholesky() = default;
  /// `first` is the first column of each row, at most the row's own number.
  explicit EnvelopeCholesky(std::span<const std::int32_t> first)
      : first_(first.begin(), first.end()), start_(first.size() + 1, 0) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      start_[i + 1] = start_[i] + (std::ptrdiff_t(i) + 1 - first[i]);
    }
    entries_.resize(start_.back());
  }

  std::size_t size() const { return first_.size(); }
  /// Row after row, each up to its diagonal.
  std::vector<double>& entries() { return entries_; }
  const std::vector<double>& entries() const { return entries_; }
  /// Of the lower triangle, within the envelope.
  double& entry(std::size_t i, std::size_t j) { return row(i)[j]; }
  std::size_t bytes() const {
    return first_.capacity() * sizeof first_[0] + start_.capacity() * sizeof start_[0] +
           entries_.capacity() * sizeof entries_[0];
  }

  /// Multiplications of factorise(): what it costs.
  static double cost(std::span<const std::int32_t> first) {
    double sum = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double width = double(i) - first[i];
      sum += 0.5 * width * width;
    }
    return sum;
  }

  /// Multiplications of solve(), each with an entry that is read.
  static double solve_cost(std::span<const std::int32_t> first) {
    double sum = 0;
    for (std::size_t i = 0; i < first.size(); ++i) sum += 2 * (double(i) + 1 - first[i]);
    return sum;
  }

  void factorise() {
    constexpr double kRounding = 1e-6;  // entries come from single precision
    for (std::size_t i = 0; i < size(); ++i) {
      double* const li = row(i);
      for (std::size_t j = first_[i]; j <= i; ++j) {
        const double* const lj = row(j);
        const std::size_t begin = std::max(first_[i], first_[j]);
        const double rest = li[j] - dot(li + begin, lj + begin, j - begin);
        if (j < i) {
          li[j] = lj[j] > 0 ? rest / lj[j] : 0;
        } else {
          li[i] = rest > kRounding * li[i] ? std::sqrt(rest) : 0;
        }
      }
    }
  }

  /// Solves in place.
  void solve(std::span<double> b) const {
    for (std::size_t i = 0; i < size(); ++i) {
      const double* const li = row(i);
      const std::size_t begin = first_[i];
      b[i] = li[i] > 0 ? (b[i] - dot(li + begin, b.data() + begin, i - begin)) / li[i] : 0;
    }
    for (std::size_t i = size(); i-- > 0;) {
      const double* const li = row(i);
      b[i] = li[i] > 0 ? b[i] / li[i] : 0;
      for (std::size_t j = first_[i]; j < i; ++j) b[j] -= li[j] * b[i];
    }
  }

 private:
  /// Eight sums side by side, so that one addition need not wait for the other.
  static double dot(const double* a, const double* b, std::size_t count) {
    double sum[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= count; k += 8) {
      for (int s = 0; s < 8; ++s) sum[s] += a[k + s] * b[k + s];
    }
    for (; k < count; ++k) sum[0] += a[k] * b[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }
  /// Where column 0 of a row would be.
  double* row(std::size_t i) { return entries_.data() + (start_[i] - first_[i]); }
  const double* row(std::size_t i) const { return entries_.data() + (start_[i] - first_[i]); }

  std::vector<std::int32_t> first_;
  std::vector<std::ptrdiff_t> start_;
  std::vector<double> entries_;
};

}  // namespace isochor::solve
