#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace isochor::solve {

/// A = L L^T of a small symmetric positive semi-definite matrix, which it is given row by row and
/// overwrites. Directions without stiffness are left alone: a solution is zero in them. Allocates
/// nothing after construction.
class DenseCholesky {
 public:
  explicit DenseCholesky(std::size_t size = 0) : size_(size), L_(size * size) {}

  std::size_t size() const { return size_; }
  std::vector<double>& entries() { return L_; }
  const std::vector<double>& entries() const { return L_; }

  /// Reads the lower triangle.
  void factorise() {
    constexpr double kRounding = 1e-6;  // entries come from single precision
    for (std::size_t i = 0; i < size_; ++i) {
      double* const li = row(i);
      for (std::size_t j = 0; j <= i; ++j) {
        const double* const lj = row(j);
        const double rest = li[j] - dot(li, lj, j);
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
    for (std::size_t i = 0; i < size_; ++i) {
      const double* const li = row(i);
      b[i] = li[i] > 0 ? (b[i] - dot(li, b.data(), i)) / li[i] : 0;
    }
    for (std::size_t i = size_; i-- > 0;) {
      const double* const li = row(i);
      b[i] = li[i] > 0 ? b[i] / li[i] : 0;
      for (std::size_t j = 0; j < i; ++j) b[j] -= li[j] * b[i];
    }
  }

 private:
  /// Four sums side by side, so that one addition need not wait for the other.
  static double dot(const double* a, const double* b, std::size_t count) {
    double sum[4] = {};
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      for (int s = 0; s < 4; ++s) sum[s] += a[k + s] * b[k + s];
    }
    for (; k < count; ++k) sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  double* row(std::size_t i) { return L_.data() + i * size_; }
  const double* row(std::size_t i) const { return L_.data() + i * size_; }

  std::size_t size_;
  std::vector<double> L_;
};

}  // namespace isochor::solve
