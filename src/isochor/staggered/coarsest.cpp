#include "isochor/staggered/coarsest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/math/isa.h"
#include "isochor/staggered/kernels.h"
#include "isochor/staggered/model.h"

namespace isochor::staggered {

template <int D>
Coarsest<D>::Coarsest(const Level<D>& level, const Material& material) {
  const Layout<D>& layout = level.layout;
  for (const auto& row : layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const std::size_t n = std::size_t(layout.base[row.number] + x);
      for (int k = 0; k <= D; ++k) {
        if (level.weights.flags[n] >> (kActive + k) & 1) {
          places_.push_back(std::uint32_t(k * layout.length + n));
        }
      }
    }
  }
  // Columns of the matrix are what its operator makes of unit vectors.
  const std::size_t size = places_.size();
  factors_.resize(size * size);
  std::vector<double> unit((D + 1) * layout.length), zero(unit.size()), image(unit.size());
  const ResidualPass<D, double> pass{level.template view<double>(material), unit.data(),
                                     zero.data(), image.data(), kActive};
  const RowRange all{0, std::int64_t(layout.rows.size())};
  for (std::size_t column = 0; column < size; ++column) {
    unit[places_[column]] = -1;
    ISOCHOR_CALL_KERNEL(best_isa(), residual_kernel(pass, all));
    unit[places_[column]] = 0;
    for (std::size_t i = 0; i < size; ++i) factors_[i * size + column] = image[places_[i]];
  }

  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0u);
  constexpr double kNothing = 1e-11;
  double largest = 0;
  for (const double entry : factors_) largest = std::max(largest, std::abs(entry));
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < size; ++i) {
      if (std::abs(factors_[i * size + k]) > std::abs(factors_[best * size + k])) best = i;
    }
    if (best != k) {
      std::swap_ranges(factors_.begin() + std::ptrdiff_t(k * size),
                       factors_.begin() + std::ptrdiff_t((k + 1) * size),
                       factors_.begin() + std::ptrdiff_t(best * size));
      std::swap(order_[k], order_[best]);
    }
    double& pivot = factors_[k * size + k];
    pivot = std::abs(pivot) > kNothing * largest ? 1 / pivot : 0;
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = factors_[i * size + k] *= pivot;
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < size; ++j) {
        factors_[i * size + j] -= factor * factors_[k * size + j];
      }
    }
  }
}

template <int D>
void Coarsest<D>::solve(const float* b, float* u, std::span<double> work) const {
  const std::size_t size = places_.size();
  for (std::size_t i = 0; i < size; ++i) {
    double sum = double(b[places_[order_[i]]]);
    for (std::size_t j = 0; j < i; ++j) sum -= factors_[i * size + j] * work[j];
    work[i] = sum;
  }
  for (std::size_t i = size; i-- > 0;) {
    double sum = work[i];
    for (std::size_t j = i + 1; j < size; ++j) sum -= factors_[i * size + j] * work[j];
    work[i] = sum * factors_[i * size + i];
  }
  for (std::size_t i = 0; i < size; ++i) u[places_[i]] = float(work[i]);
}

template <int D>
std::size_t Coarsest<D>::bytes() const {
  return (places_.capacity() + order_.capacity()) * sizeof(std::uint32_t) +
         factors_.capacity() * sizeof(double);
}

template class Coarsest<2>;
template class Coarsest<3>;

}  // namespace isochor::staggered
