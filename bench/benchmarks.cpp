#include <array>

#include "bench/benchmark.h"

namespace isochor::bench {

std::vector<BenchRow> lattice_differential(Context& context);

std::span<const Benchmark> benchmarks() {
  static constexpr std::array kBenchmarks{
      Benchmark{"lattice", "Applying the stiffness of a deformed, inhomogeneous lattice",
                lattice_differential},
  };
  return kBenchmarks;
}

}  // namespace isochor::bench
