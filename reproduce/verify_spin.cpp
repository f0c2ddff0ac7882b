/// Incompressible neo-Hookean cylinders that spin about their axis.
///
/// Between two planes on which it slides freely, a cylinder keeps its shape, and its ends are
/// pulled with pi rho w^2 A^4 / 4 each. BDF2 takes away the sound waves that the sudden pressure
/// sends out, and hardly any spin.
///
/// With free ends, released with the spin W, it grows shorter and thicker and turns more slowly.
/// Damping brings it to rest in its own frame and must leave angular momentum alone: far from the
/// ends it is then shorter by lambda, mu (1 - lambda^3) = rho lambda^2 W^2 A^2 / 4, and turns with
/// w = lambda W. By the midpoint rule, which keeps angular momentum itself.
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

/// A cylinder about the z axis, its ends on cell walls.
lattice::Model make_cylinder(int per_radius, int long_cells, bool between_planes, double damping,
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
  body.stiffness_damping = damping;
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
  return lattice::build_model(
      {body}, {.preconditioner = lattice::Preconditioner::Multigrid,
               .integrator = between_planes ? solve::Integrator::Bdf2 : solve::Integrator::Midpoint,
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
  constexpr double kSpin = 20, kStep = 5e-4;
  const double expected = 0.25 * std::numbers::pi * kDensity * kSpin * kSpin * std::pow(kRadius, 4);
  const double end = (options.full ? 2 : 1) * std::numbers::pi / kSpin;
  double coarser = 0;
  for (const int per_radius : {4, 8, 12}) {
    if (per_radius == 12 && !options.full) continue;
    const lattice::Model model = make_cylinder(per_radius, per_radius, true, 0, context);
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
  constexpr double kReleased = 40, kStretch = 0.88288802, kSpin = 35.315521;
  constexpr double kStep = 1e-3, kEnd = 0.4, kDamping = 0.02;
  const int per_radius = options.full ? 8 : 4;
  const lattice::Model model = make_cylinder(per_radius, 4 * per_radius, false, kDamping, context);
  Flight flight(model, context);
  flight.start([&](const Vec3d& rest, Vec3d&, Vec3d& v) {
    v = cross(Vec3d{0, 0, kReleased}, rest);
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
  const auto spin = [&] {
    return flight.momenta().angular[2] / inertia_about_axis(model, flight.state.positions);
  };
  const double first = flight.momenta().angular[2];
  run::Series shorter{.name = "free: length"}, slower{.name = "free: spin"};
  while (flight.time < kEnd) {
    flight.step(kStep);
    shorter.x.push_back(flight.time);
    shorter.y.push_back(stretch() / kStretch);
    slower.x.push_back(flight.time);
    slower.y.push_back(spin() / kSpin);
  }
  const auto row = [&](std::string quantity, double expected) {
    Row r =
        verification_row(kId, std::move(quantity), "midpoint", "closed form, released at 40 rad/s");
    r.note =
        fmt::format("{:g}; free ends, {} cells per radius, {:g} s", expected, per_radius, kEnd);
    return r;
  };
  rows.push_back(claim(row("stretch of the middle along the axis, error", kStretch),
                       100 * std::abs(stretch() / kStretch - 1), "%", Relation::AtMost, 2));
  rows.push_back(claim(row("angular velocity, error", kSpin), 100 * std::abs(spin() / kSpin - 1),
                       "%", Relation::AtMost, 2));
  Row lost = row("angular momentum lost", 0);
  lost.ours = 100 * (1 - flight.momenta().angular[2] / first);
  lost.unit = "%";
  rows.push_back(lost);
  lines.push_back(std::move(shorter));
  lines.push_back(std::move(slower));
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
