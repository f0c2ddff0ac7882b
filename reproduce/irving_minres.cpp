/// What solves for the pressures of one-rings [Irving07 sec 4]: MINRES and conjugate gradients,
/// preconditioned or not.
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"

namespace isochor::reproduce {
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
  ratio.note = "both from the pressures of the step before, which the paper does not have";
  // "Significantly fewer", also where systems are not singular.
  ratio.relation = Relation::Above;
  ratio.bound = 1;
  if (plain[0] > 0 && plain[1] > 0) ratio.ours = plain[1] / plain[0];
  rows.push_back(std::move(ratio));
  return rows;
}

}  // namespace isochor::reproduce
