/// One cycle of the staggered multigrid method: time and memory, beside memory traffic and the
/// paper.
#include <fmt/core.h>
#include <random>

#include "bench/benchmark.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/multigrid.h"
#include "reproduce/zhu_bodies.h"

namespace isochor::bench {
namespace {

using namespace staggered;
using reproduce::Relation;

/// Bytes per cell that a cycle moves at least: u, b and r of D + 1 numbers and the weights; two
/// sweeps of three passes over the interior, one for the residual, transfers.
constexpr double kResidual = 3 * 16 + 9, kDistribute = 2 * (2 * 16 + 16 + 2);
constexpr double kBytesPerCell = 3 * kResidual + 2 * kDistribute + 24 + 40;

void add_rows(int n, int threads, Context& context, std::vector<BenchRow>& rows) {
  const Domain<3> domain = reproduce::elastic_box<3>(n, false);
  const double cells = double(n) * n * n;
  ThreadArena arena(threads);
  for (const Cycle cycle : {Cycle::V, Cycle::W}) {
    if (context.cancelled) return;
    const Model<3> model =
        build_model<3>(domain, Material::from_poisson(1, 0.48), {.cycle = cycle}, "box");
    MultigridMemory<3> memory(model);
    Multigrid<3> multigrid(model, memory, arena);
    std::mt19937 generator(1);
    for_each_unknown<3>(model, [&](const Index<3>&, int, std::size_t place) {
      memory.levels[0].b[place] = float(generator() % 2001) / 1000 - 1;
    });
    const bool v = cycle == Cycle::V;
    const double seconds = fastest(n <= 64 ? 10 : 4, arena, [&] { multigrid.cycle(); });
    const double levels = v ? 8.0 / 7 : 4.0 / 3;
    rows.push_back({.name = fmt::format("staggered/{}N={}/threads={}", v ? "" : "W/", n, threads),
                    .value = seconds,
                    .unit = "s",
                    .limit = levels * cells * kBytesPerCell / bandwidth(memory.bytes(), arena),
                    .limit_kind = "memory traffic of the interior, a triad of the cycle's size",
                    .note = fmt::format("{:.1f} ns per cell", 1e9 * seconds / cells)});
    BenchRow& row = rows.back();
    if (v && threads == 1) {
      row.peer = n == 32 ? 0.114 : n == 64 ? 0.588 : n == 128 ? 3.06 : 18.27;
      row.peer_name = "the paper, one core of 2007 (fig. 23)";
      if (n == 128) {
        row.relation = Relation::AtMost;
        row.bound = 0.4;
      }
    }
    if (!v || threads > 1) continue;
    rows.push_back({.name = fmt::format("staggered/memory/N={}", n),
                    .value = double(model.bytes() + memory.bytes()) / cells,
                    .unit = "B/cell",
                    .limit = 48.0 * 8 / 7,
                    .limit_kind = "u, b and r of all levels in single precision",
                    .relation = n >= 128 ? Relation::AtMost : Relation::Shown,
                    .bound = n >= 128 ? std::optional(72.0) : std::nullopt,
                    .note = fmt::format("{} levels, {} cells in the band", model.levels.size(),
                                        model.levels[0].band.cells.size())});
  }
}

}  // namespace

std::vector<BenchRow> staggered_cycle(Context& context) {
  std::vector<BenchRow> rows;
  for (const int n : {32, 64, 128, 256}) add_rows(n, 1, context, rows);
  for (const int n : {64, 128}) add_rows(n, 2, context, rows);
  return rows;
}

}  // namespace isochor::bench
