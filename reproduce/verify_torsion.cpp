/// Rivlin's torsion of an incompressible cylinder, with and without extension. Its end discs follow
///     r = R / sqrt(lambda), theta = Theta + tau z, z = lambda Z,
/// its side is free; then that is the motion of the whole, and with a = A / sqrt(lambda)
///     M = pi tau a^4 (c1 lambda^2 + c2 lambda),
///     N = 2 pi a^2 (lambda - lambda^-2) (c1 lambda + c2) - pi tau^2 a^4 (c1 lambda^2 / 2 + c2
///     lambda).
/// Without extension N is negative: the ends must be pushed together, by a force of second order.
///
/// Aligned, the ends are in walls of cells. Turned, they are not: the cylinder is then longer, and
/// all its nodes beyond the ends are held in the same motion continued.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/run/plot.h"
#include "reproduce/flight.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/torsion";
constexpr double kRadius = 1, kHalf = 1;  // m; mu is 1 Pa

struct Torsion {
  std::string_view name, law;
  double second;   ///< c2 / mu
  double stretch;  ///< lambda
  double twist;    ///< tau, rad/m of deformed length

  Vec3d map(const Vec3d& rest) const {
    const double z = stretch * rest[2], angle = twist * z, thin = 1 / std::sqrt(stretch);
    const double c = thin * std::cos(angle), s = thin * std::sin(angle);
    return {c * rest[0] - s * rest[1], s * rest[0] + c * rest[1], z};
  }
  double moment() const {
    const double c1 = 0.5 - second, a2 = kRadius * kRadius / stretch;
    return std::numbers::pi * twist * a2 * a2 * (c1 * stretch * stretch + second * stretch);
  }
  double pull() const {
    const double c1 = 0.5 - second, a2 = kRadius * kRadius / stretch;
    return std::numbers::pi *
           (2 * a2 * (stretch - 1 / (stretch * stretch)) * (c1 * stretch + second) -
            twist * twist * a2 * a2 * (0.5 * c1 * stretch * stretch + second * stretch));
  }
};

struct Outcome {
  bool arrived = false;
  double moment = 0, pull = 0;  ///< relative errors
  double distance = 0;          ///< rms of positions from the exact ones, m
  int solves = 0, iterations = 0;
};

geometry::SurfaceMesh cylinder(double half, double edge) {
  return geometry::make_cylinder({0, 0, 0}, {0, 0, 1}, kRadius, 2 * half, edge);
}

Outcome twist(const Torsion& torsion, const Discretisation& scheme, bool turned, int across,
              Context& context) {
  const double h = 2 * kRadius / across, edge = h / 6;
  const Placement placement(turned, h);
  const geometry::SurfaceMesh surface =
      placement.surface(cylinder(turned ? kHalf + 2 * h : kHalf, edge));
  lattice::BodySpec spec =
      make_embedded(surface, h, scheme.boundary, torsion.law, 1, 0.5, context, Vec3d{0, 0, 0});
  if (torsion.second != 0) spec.shape[0] = torsion.second;
  spec.holds = {hold_where(spec, placement, "ends",
                           [](const Vec3d& p) { return std::abs(p[2]) > kHalf - 1e-9; })};
  StaticBody body(std::move(spec), scheme, context);
  const std::vector<Vec3d> held = body.held(
      [&](const Vec3d& p) { return placement.point(torsion.map(placement.point_back(p))); });
  Outcome outcome;
  outcome.arrived = body.advance({.held_positions = held});
  outcome.solves = body.solves;
  outcome.iterations = body.iterations;
  if (!outcome.arrived) return outcome;
  const std::vector<Vec3d> pushes = body.pushes();
  double moment = 0, pull = 0;
  for (const std::int32_t n : body.model.base.holds[0].nodes) {
    const Vec3d at = placement.point_back(body.state.positions[n]);
    if (at[2] < 0) continue;
    const Vec3d push = placement.direction_back(pushes[n]);
    moment += cross(at, push)[2];
    pull += push[2];
  }
  outcome.moment = moment / torsion.moment() - 1;
  outcome.pull = pull / torsion.pull() - 1;
  const BodySamples samples = sample_body(placement.surface(cylinder(kHalf, edge)), h, context);
  outcome.distance =
      errors_of(body, samples, placement, [&](const Vec3d& p) { return torsion.map(p); }).position;
  return outcome;
}

/// What experiments with one motion and one scheme, aligned or turned, found.
struct Study {
  const Torsion& torsion;
  const Discretisation& scheme;
  bool turned;
  std::vector<int> across;
  std::vector<Outcome> outcomes;
};

Row row_of(const Study& study, std::string quantity) {
  const Placement placement(study.turned, 1);
  const Outcome& finest = study.outcomes.back();
  Row row = verification_row(
      kId, fmt::format("{}, {}, {}", study.torsion.name, placement.name(), quantity),
      study.scheme.name, "closed form (Rivlin)");
  row.note = finest.arrived
                 ? fmt::format("{} linear systems, {} iterations", finest.solves, finest.iterations)
                 : "no equilibrium was found";
  return row;
}

/// Errors of the finest cylinder, and how they fell.
void add_rows(const Study& study, std::vector<Row>& rows) {
  const int across = study.across.back();
  const Outcome& finest = study.outcomes.back();
  Refinement moments, pulls, places;
  for (std::size_t i = 0; i < study.across.size(); ++i) {
    const double h = 2 * kRadius / study.across[i];
    moments.add(h, study.outcomes[i].moment);
    pulls.add(h, study.outcomes[i].pull);
    places.add(h, study.outcomes[i].distance);
  }
  const bool compared = study.scheme.name != "best" && study.scheme.name != "paper";
  const auto add = [&](std::string quantity, double value, double limit, double good) {
    Row row = row_of(study, fmt::format("{}, {} cells across", quantity, across));
    row.note += fmt::format("; {:+.3f} %; good codes have {} %", 100 * value, good);
    row = claim(row, 100 * std::abs(value), "%", Relation::AtMost, limit);
    if (!finest.arrived) row.ours.reset();
    if (compared) row.relation = Relation::Shown;
    rows.push_back(row);
  };
  add("error of the moment", finest.moment, 0.5, 0.1);
  add("error of the pull", finest.pull, 3, 1);
  if (study.across.size() < 2) return;
  Row row = row_of(study, "order of the rms error of positions");
  row.note = fmt::format("{:.3g} m with {} cells across; of the moment {:.2f}, of the pull {:.2f}",
                         finest.distance, across, moments.order(), pulls.order());
  row = claim(row, places.order(), "", Relation::AtLeast, 1.8);
  if (!finest.arrived) row.ours.reset();
  if (compared) row.relation = Relation::Shown;
  rows.push_back(row);
}

void plot(const std::filesystem::path& folder, std::span<const Study> studies) {
  std::vector<run::Series> moments, places;
  for (const Study& study : studies) {
    if (study.across.size() < 2) continue;
    run::Series line = series_of(study.scheme, Placement(study.turned, 1));
    for (const int across : study.across) line.x.push_back(std::log2(across));
    run::Series& moment = moments.emplace_back(line);
    run::Series& place = places.emplace_back(line);
    for (const Outcome& o : study.outcomes) {
      moment.y.push_back(100 * std::abs(o.moment));
      place.y.push_back(o.distance);
    }
  }
  make_directory(folder);
  const run::PlotOptions options{.title = "Torsion of a cylinder",
                                 .x_label = "log2 of cells across",
                                 .y_label = "error of the moment [%]",
                                 .log_y = true,
                                 .width = 720,
                                 .height = 360};
  write_file_atomic(folder / "verify_torsion_moment.svg", run::plot_svg(moments, options));
  run::PlotOptions of_places = options;
  of_places.y_label = "rms error of positions [m]";
  write_file_atomic(folder / "verify_torsion_positions.svg", run::plot_svg(places, of_places));
}

}  // namespace

std::vector<Row> verify_torsion(const ExperimentOptions& options, Context& context) {
  static constexpr Torsion kPlain{"torsion", "neo_hookean", 0, 1, 0.5};
  static constexpr Torsion kPulled{"torsion and extension", "mooney_rivlin", 0.15, 1.2, 0.5};
  static constexpr Discretisation kSpread{"best, spread of edges", Boundary::Cut,
                                          lattice::Quadrature::OnePoint,
                                          lattice::mixed::Hourglass::Spread};
  std::vector<Study> studies;
  const auto run = [&](const Torsion& torsion, const Discretisation& scheme, bool turned,
                       std::vector<int> across) {
    Study study{torsion, scheme, turned, std::move(across), {}};
    for (const int n : study.across) {
      study.outcomes.push_back(twist(torsion, scheme, turned, n, context));
    }
    studies.push_back(std::move(study));
  };
  const std::vector<int> grids =
      options.full ? std::vector<int>{8, 12, 16, 24, 32} : std::vector<int>{8, 12, 16};
  for (const bool turned : {false, true}) {
    for (const Discretisation& scheme : schemes()) run(kPlain, scheme, turned, grids);
    run(kPlain, kSpread, turned, {16});
    run(kPulled, schemes()[1], turned, options.full ? grids : std::vector<int>{16});
  }
  std::vector<Row> rows;
  for (const Study& study : studies) add_rows(study, rows);
  if (!options.pictures.empty()) {
    std::vector<Study> plain;
    for (const Study& study : studies) {
      if (&study.torsion == &kPlain) plain.push_back(study);
    }
    plot(options.pictures, plain);
  }
  return rows;
}

}  // namespace isochor::reproduce
