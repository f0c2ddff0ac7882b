/// One cycle of the staggered multigrid method: time and memory, beside memory traffic and the
/// paper.
#include <chrono>
#include <ctime>
#include <fmt/core.h>
#include <limits>
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

/// As `fastest` measures: what one thread had of a processor, else what passed.
double processor_time() { return double(std::clock()) / CLOCKS_PER_SEC; }
double wall_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct PhaseRow {
  Phase phase;
  const char* name;
  double bytes;       ///< per cell that it moves at least; 0: nothing to compare with
  double printed[3];  ///< s for 32^3, 64^3, 128^3 [Zhu10 fig 22]
};
constexpr PhaseRow kPhaseRows[] = {
    {Phase::Boundary, "boundary smoothing", 4 * 3 * 16, {0.052, 0.197, 0.711}},
    {Phase::Interior, "interior smoothing", 2 * (kResidual + kDistribute), {0.034, 0.235, 1.328}},
    {Phase::Residual, "residual", kResidual, {0.015, 0.097, 0.686}},
    {Phase::Restriction, "restriction", 24, {0.001, 0.012, 0.088}},
    {Phase::Prolongation, "prolongation", 40, {0.007, 0.040, 0.240}},
    {Phase::Direct, "coarsest level", 0, {0.004, 0.005, 0.006}}};

/// The parts of a cycle, each the least of several. `band` is how many cells the bands of all
/// levels have, which are read and written in each of four passes.
void add_phases(int n, int threads, int repeats, double bandwidth, double band,
                Multigrid<3>& multigrid, std::vector<BenchRow>& rows) {
  std::array<double, kPhases> least;
  least.fill(std::numeric_limits<double>::infinity());
  double whole = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    PhaseTimes times{threads > 1 ? wall_time : processor_time, {}};
    multigrid.watch(&times);
    const double start = times.now();
    multigrid.cycle();
    whole = std::min(whole, times.now() - start);
    for (int k = 0; k < kPhases; ++k) least[k] = std::min(least[k], times.seconds[k]);
  }
  multigrid.watch(nullptr);
  for (const PhaseRow& phase : kPhaseRows) {
    const double seconds = least[std::size_t(phase.phase)];
    BenchRow row{.name = fmt::format("staggered/{}/N={}/threads={}", phase.name, n, threads),
                 .value = seconds,
                 .unit = "s",
                 .note = fmt::format("{:.0f} % of a V-cycle", 100 * seconds / whole)};
    if (phase.bytes > 0) {
      const double cells = phase.phase == Phase::Boundary ? band : 8.0 / 7 * double(n) * n * n;
      row.limit = cells * phase.bytes / bandwidth;
      row.limit_kind = "its memory traffic, a triad of the cycle's size";
    }
    if (threads == 1 && n <= 128) {
      row.peer = phase.printed[n == 32 ? 0 : n == 64 ? 1 : 2];
      row.peer_name = "the paper, one core of 2007 (fig. 22)";
    }
    rows.push_back(std::move(row));
  }
}

/// Seconds of a V-cycle [Zhu10 fig 23].
double printed(int n, int threads) {
  const double seconds[4][2] = {{0.114, 0.0986}, {0.588, 0.447}, {3.06, 1.99}, {18.27, 10.8}};
  return seconds[n == 32 ? 0 : n == 64 ? 1 : n == 128 ? 2 : 3][threads - 1];
}

/// Bytes per cell of the working set, of which a MB is a million [Zhu10 fig 23].
double printed_memory(int n) {
  const double bytes = n == 32 ? 26e6 : n == 64 ? 45e6 : n == 128 ? 180e6 : 1.2e9;
  return bytes / (double(n) * n * n);
}

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
    const int repeats = n <= 64 ? 10 : 4;
    const double seconds = fastest(repeats, arena, [&] { multigrid.cycle(); });
    const double levels = v ? 8.0 / 7 : 4.0 / 3, rate = bandwidth(memory.bytes(), arena);
    rows.push_back({.name = fmt::format("staggered/{}N={}/threads={}", v ? "" : "W/", n, threads),
                    .value = seconds,
                    .unit = "s",
                    .limit = levels * cells * kBytesPerCell / rate,
                    .limit_kind = "memory traffic of the interior, a triad of the cycle's size",
                    .note = fmt::format("{:.1f} ns per cell", 1e9 * seconds / cells)});
    BenchRow& row = rows.back();
    if (!v) continue;
    row.peer = printed(n, threads);
    row.peer_name =
        fmt::format("the paper, {} of 2007 (fig. 23)", threads == 1 ? "one core" : "two cores");
    if (n == 128 && threads == 1) {
      row.relation = Relation::AtMost;
      row.bound = 0.4;
    }
    double band = 0;
    for (const auto& level : model.levels) band += double(level.band.count);
    add_phases(n, threads, repeats, rate, band, multigrid, rows);
    if (threads > 1) continue;
    rows.push_back({.name = fmt::format("staggered/memory/N={}", n),
                    .value = double(model.bytes() + memory.bytes()) / cells,
                    .unit = "B/cell",
                    .limit = 48.0 * 8 / 7,
                    .limit_kind = "u, b and r of all levels in single precision",
                    .peer = printed_memory(n),
                    .peer_name = "the paper (fig. 23)",
                    .relation = n >= 128 ? Relation::AtMost : Relation::Shown,
                    .bound = n >= 128 ? std::optional(72.0) : std::nullopt,
                    .note = fmt::format("{} levels, {} cells in the band", model.levels.size(),
                                        model.levels[0].band.count)});
  }
}

}  // namespace

std::vector<BenchRow> staggered_cycle(Context& context) {
  std::vector<BenchRow> rows;
  for (const int threads : {1, 2}) {
    for (const int n : {32, 64, 128, 256}) add_rows(n, threads, context, rows);
  }
  return rows;
}

}  // namespace isochor::bench
