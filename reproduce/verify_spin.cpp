/// Incompressible neo-Hookean cylinders that spin about their axis.
///
/// Between two planes on which it slides freely, a cylinder keeps its shape, and its ends are
/// pulled with pi rho w^2 A^4 / 4 each. With free ends it grows shorter and thicker, by
/// lambda^3 = 1 - rho w^2 A^2 / (4 mu) far from them.
///
/// The second one starts from that solution, which must stay: Rayleigh damping, by which
/// it could settle from another state, slows the spin itself at the rate b w^2, and is no help
/// here. BDF2 takes away the sound waves that the sudden pressure sends out, and hardly any spin.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/spin";
constexpr double kMu = 1e4, kDensity = 1000, kRadius = 0.1, kPoisson = 0.499;
constexpr double kStep = 5e-4;

/// A cylinder about the z axis, its ends on cell walls.
lattice::Model make_cylinder(int per_radius, int long_cells, bool between_planes,
                             Context& context) {
  const double h = kRadius / per_radius, length = long_cells * h;
  lattice::BodySpec body{.name = "cylinder", .law = materials::law_index("neo_hookean")};
  body.lattice =
      grid::build_lattice(geometry::make_cylinder({0, 0, 0}, {0, 0, 1}, kRadius, length, 0.25 * h),
                          {.spacing = h, .subdivision = 16}, "cylinder", context.arena);
  const std::size_t cells = body.lattice.cell_count();
  body.mu.assign(cells, kMu);
  body.lambda.assign(cells, 2 * kMu * kPoisson / (1 - 2 * kPoisson));
  for (const float part : body.lattice.fractions) body.fill.push_back(std::max(0.01f, part));
  body.density = kDensity;
  if (between_planes) {
    for (const double side : {-1.0, 1.0}) {
      lattice::HoldSpec hold{.name = side < 0 ? "low" : "high", .slide = lattice::Slide::InPlane};
      for (std::size_t n = 0; n < body.lattice.rest_positions.size(); ++n) {
        const double z = body.lattice.rest_positions[n][2];
        if (side * z > 0.5 * length - 0.1 * h) hold.nodes.push_back(static_cast<std::int32_t>(n));
      }
      body.holds.push_back(std::move(hold));
    }
  }
  return lattice::build_model({body}, {.preconditioner = lattice::Preconditioner::Multigrid,
                                       .integrator = solve::Integrator::Bdf2,
                                       .newton = {.tolerance = 1e-7}});
}

/// Moment of inertia of the nodes about z, kg m^2.
double inertia_about_axis(const lattice::Model& model, std::span<const Vec3d> x) {
  double sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += model.mass[n] * (x[n][0] * x[n][0] + x[n][1] * x[n][1]);
  }
  return sum;
}

void spin_between_planes(const ExperimentOptions& options, std::vector<Row>& rows,
                         std::vector<run::Series>& lines, Context& context) {
  constexpr double kSpin = 20;
  const double expected = 0.25 * std::numbers::pi * kDensity * kSpin * kSpin * std::pow(kRadius, 4);
  const double end = (options.full ? 2 : 1) * std::numbers::pi / kSpin;
  double coarser = 0;
  for (const int per_radius : {4, 8, 12}) {
    if (per_radius == 12 && !options.full) continue;
    const lattice::Model model = make_cylinder(per_radius, per_radius, true, context);
    Flight flight(model, context);
    flight.start([](const Vec3d& rest, Vec3d&, Vec3d& v) { v = cross(Vec3d{0, 0, kSpin}, rest); });
    const std::vector<Vec3d> directions(2, Vec3d{0, 0, 1});
    const double first = flight.momenta().angular[2];
    run::Series& line = lines.emplace_back(
        run::Series{.name = fmt::format("between planes, {} cells per radius", per_radius)});
    double sum = 0;
    int count = 0;
    while (flight.time < end) {
      flight.step(kStep, {0, 0, 0}, directions);
      double pull = 0;
      for (std::size_t k = 0; k < flight.state.pushes.size(); ++k) {
        const bool high = k >= model.holds[0].nodes.size();
        pull += (high ? 0.5 : -0.5) * flight.state.pushes[k][2];
      }
      line.x.push_back(flight.time);
      line.y.push_back(pull / expected);
      if (flight.time < 0.5 * end) continue;
      sum += pull;
      ++count;
    }
    const double error = sum / count / expected - 1;
    Row pull =
        verification_row(kId, fmt::format("pull at its ends, {} cells per radius", per_radius),
                         "bdf2", "closed form");
    pull.paper = expected;
    pull.ours = sum / count;
    pull.unit = "N";
    pull.note = fmt::format("{:+.2f} %, mean of the second half of the time", 100 * error);
    rows.push_back(pull);
    if (coarser != 0) {
      Row row =
          verification_row(kId, fmt::format("error of the pull, {} cells per radius", per_radius),
                           "bdf2", "closed form");
      rows.push_back(claim(row, 100 * std::abs(error), "%", Relation::AtMost, 2));
    }
    Row kept =
        verification_row(kId, fmt::format("angular momentum lost, {} cells per radius", per_radius),
                         "bdf2", "closed form");
    rows.push_back(
        claim(kept, 100 * (1 - flight.momenta().angular[2] / first), "%", Relation::AtMost, 0.1));
    coarser = error;
  }
}

void spin_freely(const ExperimentOptions& options, std::vector<Row>& rows,
                 std::vector<run::Series>& lines, Context& context) {
  // mu (1 - lambda^3) = rho lambda^2 W^2 A^2 / 4 and w = lambda W for W = 40 rad/s.
  constexpr double kStretch = 0.88288802, kSpin = 35.315521;
  const int per_radius = options.full ? 8 : 6;
  const lattice::Model model = make_cylinder(per_radius, 6 * per_radius, false, context);
  Flight flight(model, context);
  const double wide = 1 / std::sqrt(kStretch);
  flight.start([&](const Vec3d& rest, Vec3d& x, Vec3d& v) {
    x = {wide * rest[0], wide * rest[1], kStretch * rest[2]};
    v = cross(Vec3d{0, 0, kSpin}, x);
  });
  const auto stretch = [&] {
    // Of the two layers of nodes half a radius from the middle.
    double sum = 0;
    int count = 0;
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      const double z = model.rest_positions[n][2];
      if (std::abs(std::abs(z) - 0.5 * kRadius) > 1e-6) continue;
      sum += flight.state.positions[n][2] / z;
      ++count;
    }
    return sum / count;
  };
  const double first = flight.momenta().angular[2];
  run::Series& line = lines.emplace_back(run::Series{.name = "free: length / closed form"});
  double largest = 0, mean = 0;
  int count = 0;
  while (flight.time < 2 * std::numbers::pi / kSpin) {
    flight.step(kStep);
    const double now = stretch();
    largest = std::max(largest, std::abs(now / kStretch - 1));
    mean += now;
    ++count;
    line.x.push_back(flight.time);
    line.y.push_back(now / kStretch);
  }
  const lattice::Momenta momenta = flight.momenta();
  const auto row = [&](std::string quantity) {
    Row r = verification_row(kId, std::move(quantity), "bdf2", "closed form, released at 40 rad/s");
    r.note = fmt::format("free ends, {} cells per radius, one turn", per_radius);
    return r;
  };
  Row middle = row("stretch of the middle along the axis, mean");
  middle.paper = kStretch;
  rows.push_back(claim(middle, mean / count, "", Relation::Shown, 0));
  rows.back().bound.reset();
  rows.push_back(
      claim(row("stretch of the middle, largest error"), 100 * largest, "%", Relation::AtMost, 2));
  Row spin = row("angular velocity at the end");
  spin.paper = kSpin;
  spin.ours = momenta.angular[2] / inertia_about_axis(model, flight.state.positions);
  spin.unit = "rad/s";
  rows.push_back(spin);
  rows.push_back(claim(row("angular momentum lost"), 100 * (1 - momenta.angular[2] / first), "%",
                       Relation::AtMost, 0.1));
}

}  // namespace

std::vector<Row> verify_spin(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  spin_between_planes(options, rows, lines, context);
  spin_freely(options, rows, lines, context);
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "verify_spin.svg",
                      run::plot_svg(lines, {.title = "Spinning cylinders",
                                            .x_label = "time [s]",
                                            .y_label = "measured / closed form",
                                            .width = 720,
                                            .height = 360}));
  }
  return rows;
}

}  // namespace isochor::reproduce
