/// One linear solve of the lattice beside those that others would do: of the same system,
/// assembled.
#include <algorithm>
#include <fmt/core.h>
#include <memory>

#include "bench/assembled.h"
#include "bench/benchmark.h"
#include "bench/held_cube.h"
#include "bench/peer.h"

namespace isochor::bench {
namespace {

using reproduce::Relation;
constexpr double kTolerance = 1e-6;

Peer jacobi(const HeldCube& cube, Context& context) {
  ThreadArena one(1);
  const BlockRows A = assemble(cube.model(), cube.tangents(), cube.free(), context.arena);
  const std::vector<double> b = cube.load();
  JacobiSolve solve;
  const double seconds =
      fastest(1, one, [&] { solve = solve_with_diagonal(A, b, kTolerance, 20000); });
  return {"Jacobi-CG, assembled 3x3 blocks", 1e6 * seconds / cube.unknowns(),
          fmt::format("{} iterations, residual {:.1e}", solve.iterations, solve.true_residual)};
}

/// Bytes that a solve moves at least, as kernels count them: per iteration the cycle's applications
/// in single precision and one in double, W-cycles adding a third below the finest level.
double least_seconds(const HeldCube& cube, int iterations, ThreadArena& arena) {
  constexpr double kNumbers = lattice::kPrincipalNumbers + 1;
  constexpr double kIndices = 27 * sizeof(std::int32_t) / 8.0;
  constexpr double kSingle = kNumbers * sizeof(Half) + kIndices + 2 * sizeof(Vec3f);
  constexpr double kDouble = kNumbers * sizeof(float) + kIndices + 2 * sizeof(Vec3d);
  const double bytes = cube.cells() * iterations * (6 * kSingle * 4 / 3 + kDouble);
  return bytes / bandwidth(std::size_t(cube.cells() * kSingle), arena);
}

void add_rows(int n, double poisson, Context& context, std::vector<BenchRow>& rows) {
  ThreadArena one(1);
  HeldCube cube(n, poisson, {.preconditioner = lattice::Preconditioner::Multigrid}, context);
  solve::KrylovReport report;
  const int repeats = n <= 64 ? 3 : 2;
  const double set_up = fastest(repeats, one, [&] { cube.set_up(one); });
  const double solve = fastest(repeats, one, [&] { report = cube.solve(kTolerance); });
  const double residual = cube.true_residual();
  const double per_unknown = 1e6 / cube.unknowns();

  // They take minutes each: for one Poisson's ratio.
  std::vector<Peer> peers;
  if (poisson == 0.3) {
    context.log(LogLevel::Info, fmt::format("linear-solve: others at N={}, some minutes", n));
    peers = run_peers(fmt::format("elastic {} {}", n, poisson), cube.unknowns());
    peers.push_back(jacobi(cube, context));
  }

  const std::string name = fmt::format("linear-solve/nu={}/N={}", poisson, n);
  BenchRow row{
      .name = name,
      .value = per_unknown * (set_up + solve),
      .unit = "us/DoF",
      .limit = per_unknown * least_seconds(cube, report.iterations, one),
      .limit_kind = "memory traffic of the operator applications, a triad of their size",
      .note = fmt::format("{} iterations, true residual {:.1e}, set-up {:.3f} s, solve "
                          "{:.3f} s, one core; coarser models {:.2f} s once per body",
                          report.iterations, residual, set_up, solve, cube.hierarchy_seconds())};
  if (poisson == 0.3 && n == 64) {
    row.relation = Relation::AtMost;
    row.bound = 2;
  }
  if (!(residual <= 2 * kTolerance)) row.value.reset();
  if (!peers.empty()) {
    const Peer& best = *std::ranges::min_element(peers, {}, &Peer::microseconds);
    row.peer = best.microseconds;
    row.peer_name = best.name;
  }
  rows.push_back(row);
  for (const Peer& peer : peers) {
    rows.push_back({.name = name + "/" + peer.name,
                    .value = peer.microseconds,
                    .unit = "us/DoF",
                    .note = peer.note});
  }
}

}  // namespace

std::vector<BenchRow> linear_solve(Context& context) {
  std::vector<BenchRow> rows;
  for (const double poisson : {0.3, 0.45, 0.49}) {
    for (const int n : {32, 64, 96}) add_rows(n, poisson, context, rows);
  }
  return rows;
}

std::vector<BenchRow> vcycle(Context& context) {
  std::vector<BenchRow> rows;
  ThreadArena one(1), two(2);
  // As published: ten sweeps of damped Jacobi before and after each transfer, five levels.
  for (const int n : {32, 64}) {
    HeldCube cube(n, 0.3,
                  {.preconditioner = lattice::Preconditioner::Multigrid,
                   .cycle = lattice::Cycle::Published,
                   .sweeps = 10,
                   .least_levels = n == 64 ? 5 : 1},
                  context);
    cube.set_up(two);
    const double seconds = fastest(10, two, [&] { cube.cycle(); });
    BenchRow row{.name = fmt::format("vcycle/published/N={}", n),
                 .value = seconds,
                 .unit = "s",
                 .note = fmt::format("V(10,10), {} levels, two cores; {:.1f} ns per cell",
                                     cube.model().hierarchy->levels.size() + 1,
                                     1e9 * seconds / cube.cells())};
    if (n == 64) {
      row.peer = 0.56;
      row.peer_name = "the paper, eight cores (0.086 s on its GPU)";
      row.relation = Relation::AtMost;
      row.bound = 0.25;
    }
    rows.push_back(row);
  }
  // Ours, and whether its cost grows with the cells alone.
  double least = 1e9, most = 0, slowest_memory = 1e30, fastest_memory = 0;
  constexpr int kSizes[] = {32, 64, 128, 256};
  std::vector<std::unique_ptr<HeldCube>> cubes;
  for (const int n : kSizes) {
    cubes.push_back(std::make_unique<HeldCube>(
        n, 0.3, lattice::Params{.preconditioner = lattice::Preconditioner::Multigrid}, context));
    cubes.back()->set_up(two);
  }
  const std::vector<double> fastest_cycle = fastest_in_turn(cubes.size(), [&](std::size_t i) {
    const int n = kSizes[i];
    return fastest(n > 128 ? 2 : n > 64 ? 5 : 20, two, [&] { cubes[i]->cycle(); });
  });
  for (std::size_t i = 0; i < cubes.size(); ++i) {
    const int n = kSizes[i];
    const HeldCube& cube = *cubes[i];
    const double seconds = fastest_cycle[i], ns = 1e9 * seconds / cube.cells();
    const double rate = bandwidth(std::size_t(cube.cells() * 200), two);
    least = std::min(least, ns);
    most = std::max(most, ns);
    slowest_memory = std::min(slowest_memory, rate);
    fastest_memory = std::max(fastest_memory, rate);
    rows.push_back({.name = fmt::format("vcycle/best/N={}", n),
                    .value = ns,
                    .unit = "ns per cell",
                    .note = fmt::format("{:.4f} s, two cores; a triad of this size runs at {:.0f} "
                                        "GB/s",
                                        seconds, 1e-9 * rate)});
  }
  rows.push_back({.name = "vcycle/best/most over least, N=32 to 256",
                  .value = most / least,
                  .unit = "",
                  .limit = fastest_memory / slowest_memory,
                  .limit_kind = "the same ratio of a triad's rates at these sizes",
                  .relation = Relation::AtMost,
                  .bound = 1.2});
  return rows;
}

}  // namespace isochor::bench
