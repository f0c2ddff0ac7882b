/// What stabilising pressures costs in accuracy and buys in iterations. One pressure per cell, as
/// in [Patterson12 sec 2.2], allows for checkerboards; a penalty delta / (2 mu) on how pressures
/// jump within blocks of 2x2x2 cells takes them away (Silvester and Kechkar 1990). The paper has
/// none.
///
/// Poisson's ratio is 0.5. A cube that follows its lattice is twisted by 45 degrees between held
/// faces, against a lattice three times as fine; a tube that does not is compressed and twisted,
/// against its closed form.
#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/shapes.h"
#include "reproduce/experiment.h"
#include "reproduce/order_study.h"
#include "reproduce/twisted_tube.h"

namespace isochor::reproduce {
namespace {

constexpr double kDeltas[] = {0, 0.05, 0.1, 0.25};

ConvergenceCase twisted_cube() {
  ConvergenceCase cube{.surface = geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.25)};
  cube.holds = [](const grid::Lattice& lattice) {
    lattice::HoldSpec ends{.name = "ends"};
    for (std::size_t i = 0; i < lattice.rest_positions.size(); ++i) {
      const double x = lattice.rest_positions[i][0], h = lattice.spacing;
      if (x < 0.5 * h || x > 1 - 0.5 * h) ends.nodes.push_back(static_cast<std::int32_t>(i));
    }
    return std::vector{ends};
  };
  cube.holding = [](const lattice::Model& model, double t) {
    Holding out;
    const Vec3d middle{1, 0.5, 0.5};
    const Mat3d turn = rotation_from_vector({t * std::atan(1.0), 0, 0});
    for (const std::int32_t n : model.holds[0].nodes) {
      const Vec3d& p = model.rest_positions[n];
      out.positions.push_back(p[0] > 0.5 ? middle + turn * (p - middle) : p);
    }
    return out;
  };
  constexpr int kPerAxis = 20;
  for (int i = 0; i < kPerAxis * kPerAxis * kPerAxis; ++i) {
    const int at[3] = {i % kPerAxis, i / kPerAxis % kPerAxis, i / (kPerAxis * kPerAxis)};
    cube.points.push_back(
        {(at[0] + 0.5) / kPerAxis, (at[1] + 0.5) / kPerAxis, (at[2] + 0.5) / kPerAxis});
  }
  return cube;
}

/// One body by all deltas. Errors are shown beside that without a penalty, and may be a quarter
/// more.
void add_body(const char* name, ConvergenceCase body, int cells, std::span<const Vec3d> expected,
              std::optional<double> energy, Context& context, std::vector<Row>& rows) {
  std::optional<double> bare;
  for (const double delta : kDeltas) {
    if (context.cancelled) return;
    body.jumps = delta;
    const Level level = solve_level(body, kCut, cells, context);
    const char* variant = delta == 0 ? "paper" : delta == 0.1 ? "best" : "comparator";
    const std::string how =
        fmt::format("{} cells, {} cut; {} systems, {} iterations of GMRES", level.cells, level.cut,
                    level.way.solves, level.way.iterations);
    const auto add = [&](const char* quantity, std::optional<double> ours, const char* unit,
                         Relation relation, std::optional<double> bound) {
      rows.push_back({.id = "patterson/jumps",
                      .quantity = fmt::format("{}, {}, delta {}", name, quantity, delta),
                      .variant = variant,
                      .source = "ours",
                      .ours = ours,
                      .unit = unit,
                      .relation = relation,
                      .bound = bound,
                      .note = how});
    };
    if (!level.way.arrived) {
      add("error of positions", {}, "m", Relation::Shown, {});
      rows.back().note = "no equilibrium: " + how;
      continue;
    }
    const double error = rms_difference(level.at_points, expected);
    if (delta == 0) bare = error;
    const bool judged = delta == 0.1 && bare.has_value();
    add("error of positions", error, "m", judged ? Relation::AtMost : Relation::Shown,
        judged ? std::optional(1.25 * *bare) : std::nullopt);
    if (energy) {
      add("error of the energy", 100 * std::abs(level.energy / *energy - 1), "%", Relation::Shown,
          {});
    }
    add("worst cell", 100 * level.volumes.worst_cell, "%", Relation::Shown, {});
    add("worst block", 100 * level.volumes.worst_block, "%", Relation::AtMost, 1e-3);
    add("iterations of GMRES", level.way.iterations, "", Relation::Shown, {});
  }
}

}  // namespace

std::vector<Row> patterson_jumps(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const int cells = options.full ? 16 : 8;
  const ConvergenceCase cube = twisted_cube();
  const Level fine = solve_level(cube, kCut, 3 * cells, context);
  if (!fine.way.arrived) return rows;
  add_body("cube", cube, cells, fine.at_points, fine.energy, context, rows);
  const ConvergenceCase tube = twisted_tube();
  std::vector<Vec3d> expected;
  for (const Vec3d& p : tube.points) expected.push_back(tube.exact(p));
  add_body("tube", tube, 2 * cells, expected, {}, context, rows);
  return rows;
}

}  // namespace isochor::reproduce
