/// The compressed block of Reese, Wriggers and Reddy (2000): a quarter of a block on a smooth
/// plane, its top free to sink but not to spread, pressed on the inner quarter of the top by a dead
/// load of up to 320 MPa, four times its shear modulus. Poisson's ratio is 0.4999. It is judged by
/// how far the middle of its top sinks, against quadratic elements with linear pressures on up to
/// 10^3 cells, extrapolated.
///
/// All walls follow the lattice: cells at the surface are whole, and the scheme that weighs them is
/// the same as "best".
#include <array>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/mixed_fields.h"
#include "reproduce/flight.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/block";
constexpr double kMu = 80.194, kPoisson = 0.4999, kUnit = 4;  // N/mm^2; lengths are in mm
constexpr std::array kLoads{20.0, 40.0, 60.0, 80.0};          // in multiples of kUnit
constexpr std::array kSinks{0.220, 0.425, 0.586, 0.694};      // mm

struct Outcome {
  std::array<double, kLoads.size()> sinks{};  ///< mm; 0: not reached
  double volume = 1;                          ///< at the last load that was reached, of the first
  int solves = 0, iterations = 0, cuts = 0;
};

lattice::BodySpec make_quarter(int cells, const Discretisation& scheme, Context& context) {
  const double h = 1.0 / cells;
  lattice::BodySpec spec =
      make_embedded(geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.5), h, scheme.boundary,
                    "neo_hookean_isochoric", kMu, kPoisson, context, Vec3d{0, 0, 0});
  const Placement placement(false, h);
  for (int axis = 0; axis < 3; ++axis) {
    spec.holds.push_back(hold_where(
        spec, placement, std::string(1, "xyz"[axis]),
        [axis](const Vec3d& p) { return p[axis] < 1e-9; }, lattice::Slide::InPlane));
  }
  spec.holds.push_back(hold_where(
      spec, placement, "top", [](const Vec3d& p) { return p[2] > 1 - 1e-9; },
      lattice::Slide::AlongLine));
  return spec;
}

/// Nodal forces of a pressure of 1 on the inner quarter of the top.
std::vector<Vec3d> unit_loads(const StaticBody& body, Context& context) {
  geometry::SurfaceMesh patch;
  patch.positions = {{0, 0, 1}, {0.5, 0, 1}, {0.5, 0.5, 1}, {0, 0.5, 1}};
  patch.add_face(std::array<std::int32_t, 4>{0, 1, 2, 3});
  std::vector<Vec3d> loads(body.model.node_count(), Vec3d{0, 0, 0});
  add_traction(
      body.lattice(), patch, Placement(false, 1),
      [](const Vec3d&, const Vec3d& normal) { return -normal; }, loads, context);
  return loads;
}

Outcome press(int cells, const Discretisation& scheme, Context& context) {
  StaticBody body(make_quarter(cells, scheme, context), scheme, context);
  const std::vector<Vec3d> unit = unit_loads(body, context);
  const std::vector<Vec3d> held = body.held([](const Vec3d& p) { return p; });
  const std::array<Vec3d, 4> directions{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}}};
  std::size_t corner = 0;
  for (std::size_t n = 0; n < body.model.node_count(); ++n) {
    const Vec3d away = body.model.base.rest_positions[n] - Vec3d{0, 0, 1};
    if (norm(away) < 1e-9) corner = n;
  }
  Outcome outcome;
  double load = 0, step = 10;
  std::vector<Vec3d> loads(unit.size());
  for (std::size_t k = 0; k < kLoads.size() && step > 0.1;) {
    const double next = std::min(load + step, kLoads[k]);
    for (std::size_t n = 0; n < unit.size(); ++n) loads[n] = (next * kUnit) * unit[n];
    if (!body.advance({.held_positions = held, .slide_directions = directions, .loads = loads})) {
      step *= 0.5;
      ++outcome.cuts;
      continue;
    }
    load = next;
    if (load == kLoads[k]) outcome.sinks[k++] = 1 - body.state.positions[corner][2];
  }
  const lattice::CellFields fields = lattice::mixed::cell_fields(
      body.model, {body.state.positions, body.state.pressure, {}}, context.arena);
  outcome.volume = 0;
  for (const double j : fields.J) outcome.volume += j / double(fields.J.size());
  outcome.solves = body.solves;
  outcome.iterations = body.iterations;
  return outcome;
}

constexpr int kJudged = 16;  // cells per edge for which the limit is meant

void add_rows(const Discretisation& scheme, int cells, bool judged, std::vector<Row>& rows,
              std::vector<run::Series>& lines, Context& context) {
  const Outcome o = press(cells, scheme, context);
  run::Series& line =
      lines.emplace_back(run::Series{.name = fmt::format("{}, {} cells", scheme.name, cells)});
  line.dashed = cells != kJudged;
  line.colour = scheme.name == "best" ? 0 : scheme.name == "paper" ? 1 : 2;
  for (std::size_t k = 0; k < kLoads.size(); ++k) {
    const double error = 100 * (o.sinks[k] / kSinks[k] - 1);
    Row row = claim(
        verification_row(
            kId,
            fmt::format("p = {:g} p0, {} cells per edge: error of the sinking", kLoads[k], cells),
            scheme.name, "Q2/P1 elements, extrapolated"),
        std::abs(error), "%", Relation::AtMost, 1);
    if (!judged) row.relation = Relation::Shown;
    if (o.sinks[k] > 0) {
      row.note = fmt::format("{:.4f} mm for {:.3f} mm: {:+.2f} %", o.sinks[k], kSinks[k], error);
      line.x.push_back(kLoads[k]);
      line.y.push_back(error);
    } else {
      row.ours.reset();
      row.note = "not reached";
    }
    rows.push_back(row);
  }
  Row volume = verification_row(kId, fmt::format("change of volume, {} cells per edge", cells),
                                scheme.name, "Q2/P1 elements");
  volume.paper = -0.002;
  volume.ours = 100 * (o.volume - 1);
  volume.unit = "%";
  volume.note =
      fmt::format("{} linear systems, {} iterations, {} steps cut", o.solves, o.iterations, o.cuts);
  rows.push_back(volume);
}

}  // namespace

std::vector<Row> verify_block(const ExperimentOptions& options, Context& context) {
  static constexpr Discretisation kSpread{"best, spread of edges", Boundary::Cut,
                                          lattice::Quadrature::OnePoint,
                                          lattice::mixed::Hourglass::Spread};
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  for (const Discretisation& scheme : schemes().first(2)) {
    add_rows(scheme, kJudged / 2, false, rows, lines, context);
    add_rows(scheme, kJudged, true, rows, lines, context);
    if (options.full) add_rows(scheme, 2 * kJudged, false, rows, lines, context);
  }
  add_rows(kSpread, kJudged, false, rows, lines, context);
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "verify_block.svg",
                      run::plot_svg(lines, {.title = "Compressed block",
                                            .x_label = "pressure [4 MPa]",
                                            .y_label = "error of the sinking [%]",
                                            .width = 720,
                                            .height = 360}));
  }
  return rows;
}

}  // namespace isochor::reproduce
