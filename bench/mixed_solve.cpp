/// One linear solve of the mixed lattice, beside what the paper and others would do: cubes at rest,
/// and an arm of cut cells that is flexed.
#include <algorithm>
#include <fmt/core.h>

#include "bench/benchmark.h"
#include "bench/mixed_case.h"
#include "bench/peer.h"
#include "reproduce/embedded_iterations.h"

namespace isochor::bench {
namespace {

namespace mixed = lattice::mixed;
using reproduce::Relation;
constexpr double kTolerance = 1e-6;

/// Bytes that a solve moves at least: per iteration the cycle's applications in single precision,
/// W-cycles adding a third below the finest level, one in double, gradients, and half the basis
/// twice.
double least_seconds(const MixedCase& cube, const MixedCase::Solve& solve, ThreadArena& arena) {
  constexpr double kCells = 8.0 * lattice::kGroupBlocks;
  constexpr double kTangent = sizeof(lattice::PrincipalGroupTangent) / kCells;
  constexpr double kGradient = sizeof(mixed::GroupGradient<3>) / kCells;
  constexpr double kIndices = 27 * sizeof(std::int32_t) / 8.0;
  constexpr double kSingle = kTangent + kIndices + 2 * sizeof(Vec3f);
  constexpr double kDouble = kTangent + kGradient + kIndices + 2 * sizeof(Vec3d) + 16;
  constexpr double kTransposed = kGradient + kIndices + 32 + sizeof(Vec3d) + 8;
  const double vectors = solve.iterations * 8 * cube.unknowns() / cube.cells();
  const double bytes =
      cube.cells() * solve.iterations * (6 * kSingle * 4 / 3 + kDouble + kTransposed + vectors);
  return bytes / bandwidth(std::size_t(cube.cells() * kSingle), arena);
}

BenchRow row_of(const std::string& name, MixedCase& body, int repeats) {
  const MixedCase::Solve ours = body.best(repeats);
  const double per_unknown = 1e6 / body.unknowns();
  ThreadArena one(1);
  BenchRow row{
      .name = "mixed-solve/" + name,
      .value = per_unknown * (ours.set_up + ours.solve),
      .unit = "us/DoF",
      .limit = per_unknown * least_seconds(body, ours, one),
      .limit_kind = "memory traffic of operators and of the basis, a triad of the operators' size",
      .note = fmt::format("{:.0f} cells, {} iterations, true residual {:.1e}, set-up {:.3f} s, "
                          "solve {:.3f} s, one core; displacements off by {:.1e}",
                          body.cells(), ours.iterations, ours.residual, ours.set_up, ours.solve,
                          body.displacement_error())};
  if (!(ours.residual <= 2 * kTolerance)) row.value.reset();
  return row;
}

void claim(BenchRow& row) {
  row.relation = Relation::AtMost;
  row.bound = 5;
}

void add_cube(int n, double poisson, Context& context, std::vector<BenchRow>& rows) {
  MixedCase cube = cube_at_rest(n, poisson, mixed::Params{}.jumps, context);
  BenchRow row = row_of(fmt::format("nu={}/N={}", poisson, n), cube, n <= 32 ? 3 : 2);
  if (n == 64) claim(row);
  std::vector<Peer> peers;
  if (poisson != 0.3) {
    context.log(LogLevel::Info, fmt::format("mixed-solve: others at N={}, some minutes", n));
    peers = run_peers(fmt::format("mixed {} {}", n, poisson), cube.unknowns());
  }
  if (n <= 32) {
    const MixedCase::Solve paper = cube_at_rest(n, poisson, 0, context).published();
    const double per_unknown = 1e6 / cube.unknowns();
    peers.push_back(
        {"symmetric-QMR-as-published", per_unknown * (paper.set_up + paper.solve),
         fmt::format("{} iterations, residual {:.1e}", paper.iterations, paper.residual)});
  }
  if (!peers.empty()) {
    const Peer& best = *std::ranges::min_element(peers, {}, &Peer::microseconds);
    row.peer = best.microseconds;
    row.peer_name = best.name;
  }
  const std::string name = row.name;
  rows.push_back(std::move(row));
  for (const Peer& peer : peers) {
    rows.push_back({.name = name + "/" + peer.name,
                    .value = peer.microseconds,
                    .unit = "us/DoF",
                    .note = peer.note});
  }
}

}  // namespace

std::vector<BenchRow> mixed_solve(Context& context) {
  std::vector<BenchRow> rows;
  for (const double poisson : {0.3, 0.4999, 0.5}) {
    for (const int n : {32, 64}) {
      if (!context.cancelled) add_cube(n, poisson, context, rows);
    }
  }
  for (const double poisson : {0.3, 0.5}) {
    if (context.cancelled) break;
    reproduce::Posed arm = reproduce::flexed_arm(128, poisson, context);
    const std::string name = fmt::format("flexed arm/nu={}/N=128", poisson);
    if (arm.arrived) {
      MixedCase flexed(std::move(arm.model), std::move(arm.state));
      rows.push_back(row_of(name, flexed, 2));
      // Matrices of cut cells are not in the limit.
      rows.back().limit.reset();
      rows.back().limit_kind.clear();
    } else {
      rows.push_back({.name = "mixed-solve/" + name, .unit = "us/DoF", .note = "no equilibrium"});
    }
    claim(rows.back());
  }
  return rows;
}

}  // namespace isochor::bench
