#include <array>

#include "bench/benchmark.h"

namespace isochor::bench {

std::vector<BenchRow> cut_cells(Context& context);
std::vector<BenchRow> lattice_differential(Context& context);
std::vector<BenchRow> linear_solve(Context& context);
std::vector<BenchRow> mixed_solve(Context& context);
std::vector<BenchRow> material_rates(Context& context);
std::vector<BenchRow> one_ring(Context& context);
std::vector<BenchRow> one_ring_full(Context& context);
std::vector<BenchRow> report_page(Context& context);
std::vector<BenchRow> staggered_cycle(Context& context);
std::vector<BenchRow> svd_rates(Context& context);
std::vector<BenchRow> tet_solve(Context& context);
std::vector<BenchRow> tet_solve_full(Context& context);
std::vector<BenchRow> vcycle(Context& context);
std::vector<BenchRow> voxelise(Context& context);
std::vector<BenchRow> zones(Context& context);

std::span<const Benchmark> benchmarks() {
  static constexpr std::array kBenchmarks{
      Benchmark{"cut-cells", "Quadrature in the cells at a surface", cut_cells},
      Benchmark{"lattice-differential", "The operators of a deformed, inhomogeneous lattice",
                lattice_differential},
      Benchmark{"linear-solve",
                "One linear solve on one core, beside solvers of assembled matrices", linear_solve},
      Benchmark{"mixed-solve", "One linear solve with pressures on one core", mixed_solve},
      Benchmark{"materials", "Linearising every law on one core", material_rates},
      Benchmark{"one-ring", "A falling ball of tets that keeps its volume", one_ring,
                one_ring_full},
      Benchmark{"report", "A report with its viewer: size, time to write and to open", report_page},
      Benchmark{"staggered", "One cycle of the staggered method", staggered_cycle},
      Benchmark{"svd", "3x3 singular value decompositions on one core", svd_rates},
      Benchmark{"tet-solve", "One linear solve on tets on one core", tet_solve, tet_solve_full},
      Benchmark{"vcycle", "One cycle of multigrid", vcycle},
      Benchmark{"voxelise", "Building a lattice around a surface", voxelise},
      Benchmark{"zones", "Bodies that keep their volume exactly, beside Ipopt", zones},
  };
  return kBenchmarks;
}

}  // namespace isochor::bench
