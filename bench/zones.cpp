/// Bodies that keep their volume exactly as one zone: seconds per frame on one core, beside Ipopt
/// with exact Hessians, which the paper has.
#include <algorithm>
#include <fmt/core.h>

#include "bench/benchmark.h"
#include "bench/peer.h"
#include "bench/zonal_case.h"

namespace isochor::bench {
namespace {

using reproduce::Relation;
constexpr double kStationarity = 1e-6, kVolume = 1e-9;

struct Run {
  double seconds = 0;  ///< per frame
  int iterations = 0, krylov = 0;
  KktError worst;
  bool converged = true;
};

Run solve_frames(const ZonalCase& c, Context& context) {
  Context one(1);
  Run run;
  tets::State state = c.start();
  tets::Scratch scratch(c.model);
  for (int frame = 1; frame <= c.frames && run.converged && !context.cancelled; ++frame) {
    const tets::State before = state;
    const std::vector<Vec3d> held = c.held_at(frame);
    run.seconds +=
        fastest(1, one.arena,
                [&] {
                  const tets::StepReport report = tets::advance(
                      c.model, state, {.gravity = c.gravity, .held_positions = held, .dt = c.dt},
                      scratch, one);
                  run.converged = report.converged() && report.fallbacks == 0;
                  run.iterations += report.iterations;
                  run.krylov += report.krylov_iterations;
                }) /
        c.frames;
    const KktError error = kkt_error(c, before, state, context.arena);
    run.worst.stationarity = std::max(run.worst.stationarity, error.stationarity);
    run.worst.volume = std::max(run.worst.volume, error.volume);
  }
  return run;
}

/// Adds a row, and where `peer` times is given one of the peer's; returns the cost per tet.
double add_rows(std::string_view name, double spacing, std::optional<double> times,
                Context& context, std::vector<BenchRow>& rows) {
  const ZonalCase c =
      name == "puck" ? puck_case(spacing, context.arena) : ball_case(spacing, context.arena);
  // Growth is a ratio of times: each is the best of several, so that what disturbs one of them
  // does not count.
  constexpr int kRepeats = 3;
  Run run = solve_frames(c, context);
  for (int k = 1; k < kRepeats && !times && !context.cancelled; ++k) {
    run.seconds = std::min(run.seconds, solve_frames(c, context).seconds);
  }
  const bool right =
      run.converged && run.worst.stationarity <= kStationarity && run.worst.volume <= kVolume;
  BenchRow row{.name = fmt::format("zones/{}/tets={}k", name, (c.model.tets.size() + 500) / 1000),
               .value = right ? std::optional(run.seconds) : std::nullopt,
               .unit = "s",
               .note = fmt::format(
                   "per frame, one core; {:.1f} Newton and {:.0f} Krylov iterations "
                   "each, stationarity {:.1e}, volume {:.1e}{}",
                   double(run.iterations) / c.frames, double(run.krylov) / c.frames,
                   run.worst.stationarity, run.worst.volume, right ? "" : ": not a solution")};
  if (times) {
    row.note += name == "puck" ? "; the paper: 1.93 s, 22k tets" : "; the paper: 17.91 s, 64k tets";
    // Seconds, as if there were a million unknowns.
    const std::vector<Peer> peers =
        run_peers(fmt::format("{} {}", name, spacing), 1e6, "isochor_ipopt");
    for (const Peer& peer : peers) {
      row.peer = peer.microseconds;
      row.peer_name = peer.name;
      rows.push_back({.name = row.name + "/Ipopt over ours",
                      .value = peer.microseconds / run.seconds,
                      .unit = "",
                      .relation = Relation::AtLeast,
                      .bound = *times,
                      .note = peer.note});
    }
  }
  rows.push_back(std::move(row));
  return run.seconds / double(c.model.tets.size());
}

void add_growth(std::string_view name, std::initializer_list<double> spacings, Context& context,
                std::vector<BenchRow>& rows) {
  double least = 1e9, most = 0;
  for (const double spacing : spacings) {
    if (context.cancelled) return;
    const double cost = add_rows(name, spacing, std::nullopt, context, rows);
    least = std::min(least, cost);
    most = std::max(most, cost);
  }
  rows.push_back({.name = fmt::format("zones/{}/cost per tet, most over least", name),
                  .value = most / least,
                  .unit = "",
                  .relation = Relation::AtMost,
                  .bound = 1.5});
}

}  // namespace

std::vector<BenchRow> zones(Context& context) {
  std::vector<BenchRow> rows;
  add_rows("puck", 0.0028, 5, context, rows);
  add_rows("ball", 0.0935, 20, context, rows);
  // In steps of the same time a finer ball is hit harder: the ground moves by more of a tet.
  add_growth("ball", {0.224, 0.0935, 0.047}, context, rows);
  add_growth("puck", {0.0056, 0.0028, 0.00113}, context, rows);
  return rows;
}

}  // namespace isochor::bench
