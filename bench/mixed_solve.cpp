/// One linear solve of the mixed lattice, at rest, beside what the paper would do.
#include <algorithm>
#include <fmt/core.h>

#include "bench/benchmark.h"
#include "bench/mixed_cube.h"
#include "bench/peer.h"

namespace isochor::bench {
namespace {

namespace mixed = lattice::mixed;
using reproduce::Relation;
constexpr double kTolerance = 1e-6;

/// Bytes that a solve moves at least: per iteration the cycle's applications in single precision,
/// W-cycles adding a third below the finest level, one in double, gradients, and half the basis
/// twice.
double least_seconds(const MixedCube& cube, const MixedCube::Solve& solve, ThreadArena& arena) {
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

void add_row(int n, double poisson, Context& context, std::vector<BenchRow>& rows) {
  ThreadArena one(1);
  MixedCube cube(n, poisson, mixed::Params{}.jumps, context);
  const MixedCube::Solve ours = cube.best(n <= 32 ? 3 : 2);
  const double per_unknown = 1e6 / cube.unknowns();
  BenchRow row{
      .name = fmt::format("mixed-solve/nu={}/N={}", poisson, n),
      .value = per_unknown * (ours.set_up + ours.solve),
      .unit = "us/DoF",
      .limit = per_unknown * least_seconds(cube, ours, one),
      .limit_kind = "memory traffic of operators and of the basis, a triad of the operators' size",
      .note = fmt::format("{} iterations, true residual {:.1e}, set-up {:.3f} s, solve {:.3f} s, "
                          "one core; displacements off by {:.1e}",
                          ours.iterations, ours.residual, ours.set_up, ours.solve,
                          cube.displacement_error())};
  if (n == 64) {
    row.relation = Relation::AtMost;
    row.bound = 5;
  }
  std::vector<Peer> peers;
  if (poisson != 0.3) {
    context.log(LogLevel::Info, fmt::format("mixed-solve: others at N={}, some minutes", n));
    peers = run_peers(fmt::format("mixed {} {}", n, poisson), cube.unknowns());
  }
  if (n <= 32) {
    const MixedCube::Solve paper = MixedCube(n, poisson, 0, context).published();
    peers.push_back(
        {"symmetric-QMR-as-published", per_unknown * (paper.set_up + paper.solve),
         fmt::format("{} iterations, residual {:.1e}", paper.iterations, paper.residual)});
  }
  if (!peers.empty()) {
    const Peer& best = *std::ranges::min_element(peers, {}, &Peer::microseconds);
    row.peer = best.microseconds;
    row.peer_name = best.name;
  }
  if (!(ours.residual <= 2 * kTolerance)) row.value.reset();
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
      if (!context.cancelled) add_row(n, poisson, context, rows);
    }
  }
  return rows;
}

}  // namespace isochor::bench
