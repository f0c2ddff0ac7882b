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
  Motion sum;
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
  }
  return sum;
}

/// One size, and what its turns took.
struct Size {
  tets::BodySpec body{.name = "ball"};
  Motion motion;
  std::vector<double> seconds;  ///< per frame, a turn each

  std::size_t tets() const { return body.mesh.tets.size(); }
};

/// A turn is the mean of as many runs as it takes for some seconds: one of a small mesh is soon
/// disturbed.
std::size_t runs_per_turn(const Size& size) {
  constexpr std::size_t kTets = 300'000;
  return std::max<std::size_t>(1, kTets / size.tets());
}

/// Seconds per frame.
double take_turn(Size& size, Context& context) {
  const std::size_t runs = runs_per_turn(size);
  double seconds = 0;
  for (std::size_t run = 0; run < runs && !context.cancelled; ++run) {
    size.motion = run_motion(size.body, context);
    seconds += size.motion.seconds / double(kFrames * runs);
  }
  context.log(LogLevel::Info, fmt::format("one-ring: {} tets, turn {}, {:.3g} s per frame",
                                          size.tets(), size.seconds.size() + 1, seconds));
  return size.seconds.emplace_back(seconds);
}

BenchRow row_of(const Size& size, double seconds, Context& context) {
  const Motion& motion = size.motion;
  BenchRow row{
      .name = fmt::format("one-ring/tets={}k", (size.tets() + 500) / 1000),
      .value = seconds,
      .unit = "s",
      .note = fmt::format(
          "per frame of {} steps, {} frames from the impact on, fastest of {} turns of {} runs "
          "(slowest {:.3g} s), {} threads; largest error of the volume {:.2g} % (paper 1 %); {} "
          "systems of elasticity with {} iterations, {} iterations for pressures in all; {} steps "
          "cut in two, at most {} tets inside out at the end of a frame; {:.4f} m high at the end",
          kSteps, kFrames, size.seconds.size(), runs_per_turn(size), std::ranges::max(size.seconds),
          context.arena.threads(), 100 * motion.error, motion.newton, motion.krylov,
          motion.pressures, motion.cuts, motion.inverted, motion.height)};
  if (size.tets() > 90'000 && size.tets() < 120'000) {
    row.relation = Relation::AtMost;
    row.bound = 3;
    row.peer = 18;
    row.peer_name = "the paper, one core of 2007";
  }
  // Without the volume it is worth nothing.
  if (!(motion.error <= 0.01)) row.value.reset();
  return row;
}

/// Sizes take turns: what disturbs a machine for a while disturbs all of them alike. Others who use
/// it make nothing faster, so that the fastest turn of a size is nearest to what it costs.
std::vector<BenchRow> run_sizes(std::initializer_list<double> spacings, Context& context) {
  constexpr double kRadius = 0.5;
  std::vector<Size> sizes(spacings.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].body.mesh = reproduce::stuffed_ball({0, kRadius + 0.02, 0}, kRadius,
                                                 std::data(spacings)[i], context.arena);
    sizes[i].body.materials = {reproduce::elastic_flesh(3e4, 0)};
  }
  const std::vector<double> seconds =
      fastest_in_turn(sizes.size(), [&](std::size_t i) { return take_turn(sizes[i], context); });
  if (context.cancelled) return {};
  std::vector<BenchRow> rows;
  double least = 1e9, most = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    rows.push_back(row_of(sizes[i], seconds[i], context));
    const double cost = seconds[i] / double(sizes[i].tets());
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
