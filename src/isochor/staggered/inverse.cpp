#include "isochor/staggered/inverse.h"

#include <algorithm>
#include <cmath>

namespace isochor::staggered {

/// By Gauss and Jordan with exchange of rows.
std::vector<double> inverted(std::vector<double> matrix, int n) {
  constexpr double kNothing = 1e-10;
  std::vector<double> inverse(matrix.size()), largest(static_cast<std::size_t>(n));
  const auto a = [&](int i) { return matrix.data() + std::ptrdiff_t(n) * i; };
  const auto b = [&](int i) { return inverse.data() + std::ptrdiff_t(n) * i; };
  for (int i = 0; i < n; ++i) {
    b(i)[i] = 1;
    for (int j = 0; j < n; ++j) largest[j] = std::max(largest[j], std::abs(a(i)[j]));
  }
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k; i < n; ++i) {
      if (std::abs(a(i)[k]) > std::abs(a(best)[k])) best = i;
    }
    if (best != k) {
      std::swap_ranges(a(k), a(k) + n, a(best));
      std::swap_ranges(b(k), b(k) + n, b(best));
    }
    const double pivot = a(k)[k];
    const double by_pivot = std::abs(pivot) > kNothing * largest[k] ? 1 / pivot : 0;
    for (int j = 0; j < n; ++j) {
      a(k)[j] *= by_pivot;
      b(k)[j] *= by_pivot;
    }
    for (int i = 0; i < n; ++i) {
      const double factor = a(i)[k];
      if (i == k || factor == 0) continue;
      for (int j = 0; j < n; ++j) {
        a(i)[j] -= factor * a(k)[j];
        b(i)[j] -= factor * b(k)[j];
      }
    }
  }
  return inverse;
}

}  // namespace isochor::staggered
