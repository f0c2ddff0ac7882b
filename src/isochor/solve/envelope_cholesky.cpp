#include "isochor/solve/envelope_cholesky.h"

#include <algorithm>

namespace isochor::solve {

EnvelopeCholesky::EnvelopeCholesky(std::span<const std::int32_t> first)
    : first_(first.begin(), first.end()),
      start_(first.size() + 1, 0),
      diagonal_(first.size()),
      by_pivot_(first.size()) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    start_[i + 1] = start_[i] + (std::ptrdiff_t(i) - first[i]);
  }
  entries_.resize(start_.back());
  factors_.resize(start_.back());
}

void EnvelopeCholesky::fill(double value) {
  std::ranges::fill(entries_, value);
  std::ranges::fill(diagonal_, value);
}

std::size_t EnvelopeCholesky::bytes() const {
  const auto sum = [](const auto&... v) { return (... + (v.capacity() * sizeof v[0])); };
  return sum(first_, start_, entries_, diagonal_, by_pivot_, factors_);
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

void EnvelopeCholesky::factorise() {
  constexpr double kRounding = 1e-6;  // entries come from single precision
  factorise_envelope(envelope(), entries_.data(), diagonal_.data(), {.rounding = kRounding},
                     by_pivot_.data());
  std::ranges::transform(entries_, factors_.begin(), [](double l) { return float(l); });
}

void EnvelopeCholesky::solve(std::span<double> b) const {
  solve_envelope(envelope(), factors_.data(), by_pivot_.data(), b.data());
}

}  // namespace isochor::solve
