#include "isochor/solve/envelope_cholesky.h"

#include <algorithm>
#include <functional>

namespace isochor::solve {

EnvelopeCholesky::EnvelopeCholesky(std::span<const std::int32_t> first, std::size_t rest)
    : rest_(rest),
      first_(first.begin(), first.end()),
      start_(first.size() + 1, 0),
      diagonal_(first.size()),
      by_pivot_(first.size()),
      change_(first.size(), 0) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    start_[i + 1] = start_[i] + (std::ptrdiff_t(i) - first[i]);
  }
  entries_.resize(start_.back());
  factors_.resize(start_.back());
}

void EnvelopeCholesky::fill(double value) {
  std::ranges::fill(entries_, value);
  std::ranges::fill(diagonal_, value);
  std::ranges::fill(change_, 0);
}

std::size_t EnvelopeCholesky::bytes() const {
  const auto sum = [](const auto&... v) { return (... + (v.capacity() * sizeof v[0])); };
  return sum(first_, start_, entries_, diagonal_, by_pivot_, change_, factors_);
}

double EnvelopeCholesky::cost(std::span<const std::int32_t> first) {
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double width = double(i) - first[i];
    sum += 0.5 * width * width;
  }
  return sum;
}

double EnvelopeCholesky::solve_cost(std::span<const std::int32_t> first) {
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += 2 * (double(i) + 1 - first[i]);
  return sum;
}

void EnvelopeCholesky::add_rest(const EnvelopeCholesky& part) {
  const std::ptrdiff_t before = std::ptrdiff_t(part.size() - size());
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(size()); ++i) {
    const double* const left =
        part.entries_.data() + part.start_[before + i] - part.first_[before + i] + before;
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, part.first_[before + i] - before); j < i;
         ++j) {
      entry(i, j) += left[j];
    }
    change_[i] += part.by_pivot_[before + i];
  }
}

void EnvelopeCholesky::factorise() {
  constexpr double kRounding = 1e-6;  // entries come from single precision
  std::ranges::transform(diagonal_, change_, by_pivot_.begin(), std::plus());
  factorise_envelope(envelope(), entries_.data(), diagonal_.data(), {.rounding = kRounding},
                     by_pivot_.data());
  std::ranges::transform(entries_, factors_.begin(), [](double l) { return float(l); });
}

void EnvelopeCholesky::solve(std::span<double> b) const {
  solve_envelope(envelope(), factors_.data(), by_pivot_.data(), b.data());
}

void EnvelopeCholesky::forward(std::span<double> b) const {
  forward_envelope(envelope(), factors_.data(), b.data());
}

void EnvelopeCholesky::backward(std::span<double> b) const {
  backward_envelope(envelope(), factors_.data(), by_pivot_.data(), b.data());
}

}  // namespace isochor::solve
