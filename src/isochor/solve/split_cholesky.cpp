#include "isochor/solve/split_cholesky.h"

#include <algorithm>

namespace isochor::solve {
namespace {

std::vector<std::int32_t> full(std::size_t size) { return std::vector<std::int32_t>(size, 0); }

}  // namespace

std::size_t SplitEnvelope::bytes() const {
  return (halves[0].capacity() + halves[1].capacity()) * sizeof(std::int32_t);
}

// Halves have room for the joint's triangle, and do not eliminate it: it counts once.
double SplitEnvelope::cost() const {
  return EnvelopeCholesky::cost(halves[0]) + EnvelopeCholesky::cost(halves[1]) -
         EnvelopeCholesky::cost(full(joint));
}

double SplitEnvelope::solve_cost() const {
  return EnvelopeCholesky::solve_cost(halves[0]) + EnvelopeCholesky::solve_cost(halves[1]) -
         EnvelopeCholesky::solve_cost(full(joint));
}

SplitCholesky::SplitCholesky(const SplitEnvelope& envelope) : joint_(full(envelope.joint)) {
  for (int h = 0; h < 2; ++h) {
    halves_[h].begin = h == 0 ? 0 : envelope.own(0);
    halves_[h].own = envelope.own(h);
    halves_[h].cholesky = EnvelopeCholesky(envelope.halves[h], envelope.joint);
    halves_[h].x.resize(envelope.halves[h].size());
  }
  entries_ = std::size_t(envelope.solve_cost() / 2);
}

void SplitCholesky::fill(double value) {
  for (Half& half : halves_) {
    half.cholesky.fill(value);
    std::ranges::fill(half.x, value);
  }
  joint_.fill(value);
}

double& SplitCholesky::entry(std::size_t i, std::size_t j) {
  const std::size_t joint = halves_[1].begin + halves_[1].own;
  if (j >= joint) return joint_.entry(i - joint, j - joint);
  Half& half = halves_[j < halves_[1].begin ? 0 : 1];
  const std::size_t row = i >= joint ? half.own + (i - joint) : i - half.begin;
  return half.cholesky.entry(row, j - half.begin);
}

std::size_t SplitCholesky::bytes() const {
  std::size_t bytes = joint_.bytes();
  for (const Half& half : halves_) {
    bytes += half.cholesky.bytes() + half.x.capacity() * sizeof(double);
  }
  return bytes;
}

template <class F>
void SplitCholesky::for_halves(ThreadArena& arena, F&& f) {
  constexpr std::size_t kWorthAThread = 30'000;  // entries, which take about ten microseconds
  parallel_for(arena, 2, entries_ < kWorthAThread ? 2 : 1, [&](std::size_t h) { f(halves_[h]); });
}

void SplitCholesky::factorise(ThreadArena& arena) {
  for_halves(arena, [](Half& half) { half.cholesky.factorise(); });
  for (const Half& half : halves_) joint_.add_rest(half.cholesky);
  joint_.factorise();
}

void SplitCholesky::solve(std::span<double> b, ThreadArena& arena) {
  const std::span<double> rest = b.last(joint_.size());
  for_halves(arena, [&](Half& half) {
    std::ranges::copy(b.subspan(half.begin, half.own), half.x.begin());
    std::fill(half.x.begin() + std::ptrdiff_t(half.own), half.x.end(), 0.0);
    half.cholesky.forward(half.x);
  });
  for (const Half& half : halves_) {
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += half.x[half.own + i];
  }
  joint_.solve(rest);
  for_halves(arena, [&](Half& half) {
    const auto own = half.x.begin() + std::ptrdiff_t(half.own);
    std::ranges::copy(rest, own);
    half.cholesky.backward(half.x);
    std::copy(half.x.begin(), own, b.begin() + std::ptrdiff_t(half.begin));
  });
}

}  // namespace isochor::solve
