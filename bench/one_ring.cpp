/// A ball that falls on the ground and keeps the volume of its one-rings: seconds per frame.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "bench/benchmark.h"
#include "reproduce/tet_motion.h"

namespace isochor::bench {
namespace {

using reproduce::Relation;

/// Sums over the frames of a motion.
struct Motion {
  std::size_t tets = 0;
  double seconds = 0, error = 0, height = 0;
  int pressures = 0, newton = 0, krylov = 0, cuts = 0, inverted = 0;
};

constexpr int kSteps = 4;   // of any mesh: what they leave of the motion's error is the same
constexpr int kFrames = 4;  // the same for all sizes: the first costs most

Motion run_motion(const tets::BodySpec& body, Context& context) {
  constexpr double kSpeed = 6;
  reproduce::TetMotion motion({body}, {.substeps = kSteps}, {},
                              {{.name = "ground", .shape = contact::HalfSpace{}, .friction = 0.3}},
                              context);
  for (Vec3d& v : motion.state().velocities) v = {0, -kSpeed, 0};
  Motion sum{.tets = motion.model().tets.size()};
  for (int f = 0; f < kFrames && !context.cancelled; ++f) {
    const reproduce::FrameReport report = motion.frame({0, -9.8, 0});
    sum.seconds += report.seconds;
    sum.error = std::max(sum.error, std::abs(report.volume_error));
    sum.height = report.high - report.low;
    sum.pressures += report.sum.position_iterations + report.sum.velocity_iterations;
    sum.newton += report.sum.newton_iterations;
    sum.krylov += report.sum.krylov_iterations;
    sum.cuts += report.sum.cuts;
    sum.inverted = std::max(sum.inverted, report.inverted);
    context.log(LogLevel::Info, fmt::format("one-ring: {} tets, frame {} of {}, {:.2f} s", sum.tets,
                                            f + 1, kFrames, report.seconds));
  }
  return sum;
}

/// Returns us per tet.
double add_row(double spacing, Context& context, std::vector<BenchRow>& rows) {
  constexpr double kRadius = 0.5;
  tets::BodySpec body{.name = "ball"};
  body.mesh = reproduce::stuffed_ball({0, kRadius + 0.02, 0}, kRadius, spacing, context.arena);
  body.materials = {reproduce::elastic_flesh(3e4, 0)};
  // A mean of as many runs as it takes for some seconds: one of a small mesh is soon disturbed.
  constexpr std::size_t kTets = 300'000;
  const std::size_t runs = std::max<std::size_t>(1, kTets / body.mesh.tets.size());
  Motion motion;
  double seconds = 0;
  for (std::size_t run = 0; run < runs && !context.cancelled; ++run) {
    motion = run_motion(body, context);
    seconds += motion.seconds / double(kFrames * runs);
  }
  const std::size_t count = motion.tets;
  BenchRow row{
      .name = fmt::format("one-ring/tets={}k", (count + 500) / 1000),
      .value = seconds,
      .unit = "s",
      .note = fmt::format(
          "per frame of {} steps, {} frames from the impact on, mean of {} runs, {} threads; "
          "largest "
          "error of the volume {:.2g} % (paper 1 %); {} systems of "
          "elasticity with {} iterations, {} iterations for pressures in all; {} steps cut in two, "
          "at most {} tets "
          "inside out at the end of a frame; {:.4f} m high at the end",
          kSteps, kFrames, runs, context.arena.threads(), 100 * motion.error, motion.newton,
          motion.krylov, motion.pressures, motion.cuts, motion.inverted, motion.height)};
  if (count > 90'000 && count < 120'000) {
    row.relation = Relation::AtMost;
    row.bound = 3;
    row.peer = 18;
    row.peer_name = "the paper, one core of 2007";
  }
  // Without the volume it is worth nothing.
  if (!(motion.error <= 0.01)) row.value.reset();
  rows.push_back(row);
  return 1e6 * seconds / double(count);
}

std::vector<BenchRow> run_sizes(std::initializer_list<double> spacings, Context& context) {
  std::vector<BenchRow> rows;
  double least = 1e9, most = 0;
  for (const double spacing : spacings) {
    if (context.cancelled) return rows;
    const double cost = add_row(spacing, context, rows);
    least = std::min(least, cost);
    most = std::max(most, cost);
  }
  rows.push_back({.name = "one-ring/cost per tet, most over least",
                  .value = most / least,
                  .unit = "",
                  .relation = Relation::AtMost,
                  .bound = 1.3});
  return rows;
}

}  // namespace

/// 10 and 104 thousand tets, the latter as the paper's.
std::vector<BenchRow> one_ring(Context& context) { return run_sizes({0.087, 0.04}, context); }

/// A million beside.
std::vector<BenchRow> one_ring_full(Context& context) {
  return run_sizes({0.087, 0.04, 0.0187}, context);
}

}  // namespace isochor::bench
