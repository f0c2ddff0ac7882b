#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

#include "bench/benchmark.h"
#include "isochor/base/file.h"

namespace isochor::bench {
namespace {

/// a = b + s c: 24 bytes read and written per item, not counting the fetch of a before it is
/// overwritten.
double triad(std::size_t bytes, ThreadArena& arena) {
  constexpr std::size_t kGrain = 1 << 15;
  const std::size_t n = std::max<std::size_t>(bytes / sizeof(double), kGrain);
  const auto a = std::make_unique_for_overwrite<double[]>(n);
  const auto b = std::make_unique_for_overwrite<double[]>(n);
  const auto c = std::make_unique_for_overwrite<double[]>(n);
  parallel_for(arena, n, kGrain, [&](std::size_t i) {
    a[i] = 0;
    b[i] = double(i);
    c[i] = 1;
  });
  const double seconds = fastest(10, arena, [&] {
    arena.for_chunks(n, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + 0.5 * c[i];
    });
  });
  return 3.0 * double(n) * sizeof(double) / seconds;
}

/// Independent chains of multiply-adds with the widest instructions this processor has: twelve
/// registers of the widest.
template <class S>
inline constexpr int kChains = 768 / int(sizeof(S));

template <class S>
[[gnu::always_inline]] inline double run_chains(int rounds) {
  S x[kChains<S>];
  for (int i = 0; i < kChains<S>; ++i) x[i] = S(i);
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < kChains<S>; ++i) x[i] = x[i] * S(0.999) + S(0.001);
  }
  double sum = 0;
  for (int i = 0; i < kChains<S>; ++i) sum += double(x[i]);
  return sum;
}
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"),
  gnu::optimize("O3", "fast-math")]] double
multiply_adds_double(int rounds) {
  return run_chains<double>(rounds);
}
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"),
  gnu::optimize("O3", "fast-math")]] double
multiply_adds_float(int rounds) {
  return run_chains<float>(rounds);
}

double flops_of(ThreadArena& arena, double (*chains)(int), int chain_count) {
  constexpr int kRounds = 200000;
  volatile double sink = 0;
  const auto threads = static_cast<std::size_t>(arena.threads());
  const double seconds = fastest(10, arena, [&] {
    arena.for_chunks(threads, 1, [&](std::size_t, std::size_t) { sink = chains(kRounds); });
  });
  return 2.0 * chain_count * kRounds * double(threads) / seconds;
}

}  // namespace

double peak_flops(ThreadArena& arena) {
  return flops_of(arena, multiply_adds_double, kChains<double>);
}
double peak_flops_single(ThreadArena& arena) {
  return flops_of(arena, multiply_adds_float, kChains<float>);
}

std::vector<double> fastest_in_turn(std::size_t count, FunctionRef<double(std::size_t)> seconds) {
  constexpr int kRounds = 6;
  std::vector<double> best(count, std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) best[i] = std::min(best[i], seconds(i));
  }
  return best;
}

double fastest(int repeats, FunctionRef<void()> body) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

double fastest(int repeats, const ThreadArena& arena, FunctionRef<void()> body) {
  if (arena.threads() > 1) return fastest(repeats, body);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const std::clock_t start = std::clock();
    body();
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

double bandwidth(std::size_t working_set, ThreadArena& arena) {
  return triad(working_set / 3, arena);
}

MachineLimits measure_limits(ThreadArena& arena) {
  const std::size_t cache = std::max<std::size_t>(last_level_cache_bytes(), 1 << 23);
  return {.bytes_per_second = triad(4 * cache, arena),
          .cached_bytes_per_second = triad(std::min<std::size_t>(cache / 8, 1 << 23), arena),
          .flops_per_second = peak_flops(arena),
          .single_flops_per_second = peak_flops_single(arena)};
}

}  // namespace isochor::bench
