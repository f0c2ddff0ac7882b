#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace isochor::solve {

/// The tridiagonal matrix that conjugate gradients make of an operator while they solve with it
/// (Lanczos 1950): its extreme eigenvalues are close to those of M^-1 A after few iterations.
class Tridiagonal {
 public:
  static constexpr std::size_t kMost = 32;  ///< iterations

  /// With p the direction of an iteration: rho = r . M^-1 r before it, p . A p, and rho after it.
  void add(double rho, double curvature, double next_rho) {
    const double value = curvature / rho, ratio = next_rho / rho;
    diagonal_[size_] = value + carried_;
    beside_[size_++] = std::abs(value) * std::sqrt(std::max(ratio, 0.0));
    carried_ = value * ratio;
  }

  /// The largest eigenvalue, and how far from one of the operator it may be.
  struct Eigenvalue {
    double value = 0, error = 0;
  };
  Eigenvalue largest() const {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      high = std::max(high, diagonal_[i] + beside_[i] + (i > 0 ? beside_[i - 1] : 0));
    }
    if (!(high < INFINITY)) return {high, 0};
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      (exceeds(middle) ? low : high) = middle;
    }
    return {high, size_ > 0 ? std::abs(beside_[size_ - 1] * last_component(high)) : 0};
  }

 private:
  /// Whether some eigenvalue is above x: a pivot of x - T is then negative (Sylvester).
  bool exceeds(double x) const {
    double pivot = 1;
    for (std::size_t i = 0; i < size_; ++i) {
      const double coupling = i > 0 ? beside_[i - 1] * beside_[i - 1] / pivot : 0;
      pivot = x - diagonal_[i] - coupling;
      if (pivot <= 0) return true;
    }
    return false;
  }

  /// Of the unit eigenvector that belongs to an eigenvalue.
  double last_component(double eigenvalue) const {
    double before = 0, component = 1, squares = 1;
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      const double coupled = i > 0 ? beside_[i - 1] * before : 0;
      const double next = ((eigenvalue - diagonal_[i]) * component - coupled) / beside_[i];
      before = component;
      component = next;
      squares += next * next;
    }
    return component / std::sqrt(squares);
  }

  std::size_t size_ = 0;
  std::array<double, kMost> diagonal_, beside_;
  double carried_ = 0;
};

}  // namespace isochor::solve
