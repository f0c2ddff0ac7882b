#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "reproduce/row.h"

namespace isochor::bench {

using reproduce::BenchRow;

/// A benchmark: measures rates and returns them beside the machine's limits.
struct Benchmark {
  std::string_view name;
  std::string_view title;
  std::vector<BenchRow> (*run)(Context&);
  std::vector<BenchRow> (*run_full)(Context&) = nullptr;  ///< at its largest size; none: as run
};
std::span<const Benchmark> benchmarks();

/// What this machine can do with the given threads, measured now, best of ten.
struct MachineLimits {
  double bytes_per_second = 0;         ///< triad, arrays far larger than the last-level cache
  double cached_bytes_per_second = 0;  ///< triad, arrays that fit the last-level cache
  double flops_per_second = 0;         ///< double precision multiply-adds
  double single_flops_per_second = 0;  ///< the same in single precision
};
MachineLimits measure_limits(ThreadArena& arena);

/// Bytes per second of a triad that goes through as much memory as something else does, so that
/// both have it from the same level of caches.
double bandwidth(std::size_t working_set, ThreadArena& arena);

/// Double precision operations per second of all threads of the arena, best of ten.
double peak_flops(ThreadArena& arena);
/// The same in single precision.
double peak_flops_single(ThreadArena& arena);

/// Seconds of the fastest of `repeats` calls.
double fastest(int repeats, FunctionRef<void()> body);
/// The same for work by the threads of an arena. One thread alone is measured by the time that it
/// had a processor, so that other programs on the machine do not count.
double fastest(int repeats, const ThreadArena& arena, FunctionRef<void()> body);
/// The least of what seconds(i) returns, i < count, in several rounds: things that are compared are
/// measured in turn, so that a slow moment of the machine hits all alike.
std::vector<double> fastest_in_turn(std::size_t count, FunctionRef<double(std::size_t)> seconds);

}  // namespace isochor::bench
