/// What solves for the pressures of one-rings [Irving07 sec 4]: MINRES and conjugate gradients,
/// preconditioned or not; and what corrections leave of momentum [Irving07 sec 3].
#include <cmath>
#include <fmt/core.h>
#include <random>

#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"

namespace isochor::reproduce {
namespace {

/// A ball as if it were hitting the ground: positions and velocities.
struct Impact {
  tets::Model model;
  std::vector<Vec3d> positions, velocities;
};

Impact make_impact(double spacing, Context& context) {
  constexpr double kRadius = 0.5;
  tets::BodySpec body{.name = "ball"};
  body.mesh = stuffed_ball({0, kRadius, 0}, kRadius, spacing, context.arena);
  body.materials = {elastic_flesh(3e4, 0)};
  Impact impact{.model = tets::build_model({body}, {.preconditioner = tets::Preconditioner::Jacobi},
                                           context.arena)};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-0.02 * spacing, 0.02 * spacing);
  for (const Vec3d& x : impact.model.rest_positions) {
    // Flattened below, bulging to the sides, a tenth of the volume too small.
    const double low = std::exp(-3 * x[1] / kRadius);
    impact.positions.push_back(
        {x[0] * (1 + 0.1 * low) + noise(random), x[1] * (1 - 0.3 * low), x[2] + noise(random)});
    impact.velocities.push_back({0, -6 * (1 - low), 0});
  }
  return impact;
}

}  // namespace

namespace {

/// Iterations per solve, on average over the first frames of a ball that falls on the ground.
double mean_iterations(double spacing, bool conjugate_gradient, bool precondition,
                       std::size_t& tets, Context& context) {
  constexpr double kRadius = 0.5;
  constexpr int kFrames = 4;
  tets::BodySpec body{.name = "ball"};
  body.mesh = stuffed_ball({0, kRadius + 0.02, 0}, kRadius, spacing, context.arena);
  body.materials = {elastic_flesh(3e4, 0)};
  tets::ConservingParams params{.recovery_time = kFrame / 5};
  params.rings.conjugate_gradient = conjugate_gradient;
  TetMotion motion({body}, {.scheme = tets::Scheme::Published, .precondition = precondition},
                   params, {{.name = "ground", .shape = contact::HalfSpace{}, .friction = 0.3}},
                   context);
  for (Vec3d& v : motion.state().velocities) v = {0, -6, 0};
  double iterations = 0, solves = 0;
  for (int f = 0; f < kFrames; ++f) {
    const FrameReport report = motion.frame({0, -9.8, 0});
    iterations += report.sum.position_iterations + report.sum.velocity_iterations;
    solves += 2 * report.steps;
  }
  tets = motion.model().tets.size();
  return iterations / solves;
}

}  // namespace

std::vector<Row> irving_minres(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const double spacing = options.full ? 0.04 : 0.1;
  double plain[2] = {0, 0};
  std::size_t tets = 0;
  for (const bool precondition : {false, true}) {
    for (const bool cg : {true, false}) {
      Row row = verification_row(
          "irving/minres",
          fmt::format("iterations per solve to 1 %, {}", cg ? "conjugate gradients" : "MINRES"),
          precondition ? "best" : "paper", "section 4");
      row.paper = cg ? 72 : 34;
      try {
        row.ours = mean_iterations(spacing, cg, precondition, tets, context);
        if (!precondition) plain[cg] = *row.ours;
        row.note = fmt::format(
            "{} tets, {}", tets,
            precondition ? "preconditioned by the diagonal and smooth pressures, in their norm"
                         : "not preconditioned");
      } catch (const std::exception& e) {
        row.note = e.what();
      }
      rows.push_back(std::move(row));
    }
  }
  Row ratio =
      verification_row("irving/minres", "conjugate gradients over MINRES", "paper", "section 4");
  ratio.paper = 72.0 / 34;
  if (plain[0] > 0 && plain[1] > 0) ratio.ours = plain[1] / plain[0];
  ratio.note = "both from the pressures of the step before, which the paper does not have";
  rows.push_back(std::move(ratio));
  return rows;
}

std::vector<Row> irving_conservation(const ExperimentOptions&, Context& context) {
  const Impact impact = make_impact(0.08, context);
  tets::OneRings rings(impact.model, context.arena);
  rings.measure(impact.positions);
  std::vector<double> wanted(impact.model.node_count()), pressures(impact.model.node_count());
  std::vector<Row> rows;
  // The paper's pressures are not preconditioned, and volumes do not give way to them.
  const tets::OneRingParams ours, paper{.compliance = 0, .precondition = false};
  for (const auto& [variant, positions] :
       {std::pair{"paper", true}, {"paper", false}, {"best", true}, {"best", false}}) {
    const tets::OneRingParams& params = variant == std::string_view("paper") ? paper : ours;
    std::vector<Vec3d> v = impact.velocities;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      pressures[i] = 0;
      wanted[i] = positions ? (rings.rest_volumes()[i] - rings.volumes()[i]) / kFrame : 0;
    }
    rings.correct(
        v, wanted, pressures, [](std::span<Vec3d>) {}, params, context.cancelled);
    Vec3d momentum{0, 0, 0}, angular{0, 0, 0};
    double pushes = 0, turns = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Vec3d push = impact.model.mass[i] * (v[i] - impact.velocities[i]);
      const Vec3d turn = cross(impact.positions[i], push);
      momentum += push;
      angular += turn;
      pushes += std::sqrt(dot(push, push));
      turns += std::sqrt(dot(turn, turn));
    }
    const auto add = [&, variant = variant, positions = positions](std::string_view what,
                                                                   const Vec3d& sum, double size) {
      Row row = verification_row("irving/conservation",
                                 fmt::format("{} given by a correction of {}", what,
                                             positions ? "positions" : "velocities"),
                                 variant, "section 3");
      row.note = "of the sum of what nodes get, whatever the tolerance of the solve";
      rows.push_back(claim(row, std::sqrt(dot(sum, sum)) / size, "", Relation::AtMost, 1e-13));
    };
    add("momentum", momentum, pushes);
    add("angular momentum", angular, turns);
  }
  return rows;
}

}  // namespace isochor::reproduce
