/// One linear solve of the mixed lattice, at rest, beside what the paper would do.
#include <cmath>
#include <fmt/core.h>

#include "bench/benchmark.h"
#include "isochor/solve/symmetric_qmr.h"
#include "reproduce/mixed_block.h"

namespace isochor::bench {
namespace {

namespace mixed = lattice::mixed;
using reproduce::Relation;
constexpr double kTolerance = 1e-6;

/// A unit cube, two opposite faces held, a load on all other nodes.
mixed::Model make_cube(int n, double poisson, double jumps, Context& context) {
  return mixed::build_model({reproduce::make_block({n, n, n}, "neo_hookean", poisson, context)}, {},
                            {.measure = materials::VolumeMeasure::J, .jumps = jumps});
}

struct Solve {
  int iterations = 0;
  double set_up = 0, solve = 0;  ///< s
  double residual = 1;           ///< recomputed in double
  double unknowns = 0;
};

class MixedCube {
 public:
  MixedCube(int n, double poisson, double jumps, Context& context)
      : model_(make_cube(n, poisson, jumps, context)),
        memory_(model_),
        state_(mixed::make_state(model_)),
        system_(model_, {}, memory_, arena_),
        b_(mixed::unknowns(model_), 0.0),
        x_(b_.size()) {
    for (std::size_t i = 0; i < model_.node_count(); ++i) {
      const Vec3d& p = model_.base.rest_positions[i];
      mixed::positions_of(model_, std::span(b_))[i] =
          model_.base.mass[i] * Vec3d{0.3 + p[1], -1, 0.6 - p[0]};
    }
    system_.keep_free(b_);
  }

  Solve best(int repeats) {
    solve::GmresScratch scratch(b_.size(), mixed::kRestart);
    return measure(repeats, true, [&](auto&& apply) {
      return solve::gmres(
          arena_, apply,
          [&](std::span<const double> r, std::span<double> z) { system_.precondition(r, z); },
          [] { return false; }, b_, x_, kTolerance, 200, scratch);
    });
  }
  Solve published() {
    solve::QmrScratch scratch(b_.size());
    return measure(1, false, [&](auto&& apply) {
      return solve::symmetric_qmr(
          arena_, apply,
          [&](std::span<const double> r, std::span<double> z) { solve::copy(arena_, r, z); },
          [] { return false; }, b_, x_, kTolerance, 20000, scratch);
    });
  }
  double cells() const { return double(model_.base.cells.size()); }

 private:
  template <class Krylov>
  Solve measure(int repeats, bool cycles, Krylov&& krylov) {
    const mixed::Configuration at{state_.positions, state_.pressure, {}};
    const auto apply = [&](std::span<const double> p, std::span<double> q) { system_.apply(p, q); };
    Solve result;
    result.set_up = fastest(repeats, arena_, [&] {
      system_.linearise(at, mixed::Fix::None);
      if (cycles) system_.prepare(at);
    });
    result.solve = fastest(repeats, arena_, [&] { result.iterations = krylov(apply).iterations; });
    std::vector<double> image(b_.size());
    system_.apply(x_, image);
    solve::xpby(arena_, b_, -1, image);
    result.residual = std::sqrt(solve::dot(arena_, image, image) / solve::dot(arena_, b_, b_));
    for (const lattice::Freedom f : model_.base.freedom) {
      if (f != lattice::Freedom::Held) result.unknowns += 3;
    }
    result.unknowns += cells();
    return result;
  }

  ThreadArena arena_{1};
  mixed::Model model_;
  mixed::LinearMemory memory_;
  mixed::State state_;
  mixed::LinearSystem system_;
  std::vector<double> b_, x_;
};

/// Bytes that a solve moves at least: per iteration the cycle's applications in single precision,
/// W-cycles adding a third below the finest level, one in double, gradients, and half the basis
/// twice.
double least_seconds(const MixedCube& cube, const Solve& solve, ThreadArena& arena) {
  constexpr double kCells = 8.0 * lattice::kGroupBlocks;
  constexpr double kTangent = sizeof(lattice::PrincipalGroupTangent) / kCells;
  constexpr double kGradient = sizeof(mixed::GroupGradient<3>) / kCells;
  constexpr double kIndices = 27 * sizeof(std::int32_t) / 8.0;
  constexpr double kSingle = kTangent + kIndices + 2 * sizeof(Vec3f);
  constexpr double kDouble = kTangent + kGradient + kIndices + 2 * sizeof(Vec3d) + 16;
  constexpr double kTransposed = kGradient + kIndices + 32 + sizeof(Vec3d) + 8;
  const double vectors = solve.iterations * 8 * solve.unknowns / cube.cells();
  const double bytes =
      cube.cells() * solve.iterations * (6 * kSingle * 4 / 3 + kDouble + kTransposed + vectors);
  return bytes / bandwidth(std::size_t(cube.cells() * kSingle), arena);
}

void add_row(int n, double poisson, Context& context, std::vector<BenchRow>& rows) {
  ThreadArena one(1);
  MixedCube cube(n, poisson, mixed::Params{}.jumps, context);
  const Solve ours = cube.best(n <= 32 ? 3 : 2);
  const double per_unknown = 1e6 / ours.unknowns;
  BenchRow row{
      .name = fmt::format("mixed-solve/nu={}/N={}", poisson, n),
      .value = per_unknown * (ours.set_up + ours.solve),
      .unit = "us/DoF",
      .limit = per_unknown * least_seconds(cube, ours, one),
      .limit_kind = "memory traffic of operators and of the basis, a triad of the operators' size",
      .note = fmt::format("{} iterations, true residual {:.1e}, set-up {:.3f} s, solve {:.3f} s, "
                          "one core",
                          ours.iterations, ours.residual, ours.set_up, ours.solve)};
  if (n == 64) {
    row.relation = Relation::AtMost;
    row.bound = 5;
  }
  if (n <= 32) {
    const Solve paper = MixedCube(n, poisson, 0, context).published();
    row.peer = per_unknown * (paper.set_up + paper.solve);
    row.peer_name = "symmetric QMR, as published";
    row.note +=
        fmt::format("; QMR {} iterations, residual {:.1e}", paper.iterations, paper.residual);
  }
  if (!(ours.residual <= 2 * kTolerance)) row.value.reset();
  rows.push_back(std::move(row));
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
