/// Incompressible bodies in motion, with a pressure in every cell.
///
/// A neo-Hookean cylinder that spins between two planes on which it slides keeps its shape, has the
/// tension rho w^2 (A^2 - r^2) / 2 in all directions, and pulls at its ends with
/// pi rho w^2 A^4 / 4. Released with the spin W and free ends it grows shorter and thicker and
/// turns more slowly; damping brings it to rest in its own frame and must leave angular momentum
/// alone: mu (1 - lambda^3) = rho lambda^2 W^2 A^2 / 4, w = lambda W, radius A / sqrt(lambda).
///
/// A block that was stretched tumbles through the air: whatever the scheme, linear momentum follows
/// its weight and blocks keep their volume; the midpoint rule keeps angular momentum and energy.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <numbers>
#include <random>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/mixed_fields.h"
#include "isochor/run/plot.h"
#include "reproduce/embedded_body.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/mixed_block.h"
#include "reproduce/mixed_flight.h"

namespace isochor::reproduce {
namespace {

namespace mixed = lattice::mixed;
constexpr std::string_view kId = "verify/dynamics";
constexpr double kMu = 1e4, kDensity = 1000, kRadius = 0.1;
constexpr double kSpin = 20;  ///< between planes, rad/s

/// A cylinder about the z axis, its ends on cell walls.
struct CylinderSpec {
  int per_radius = 4, long_cells = 4;
  Boundary boundary = Boundary::Cut;  ///< how cells at its side count
  bool between_planes = false;
  double damping = 0;  ///< s
  solve::Integrator integrator = solve::Integrator::Midpoint;
};
mixed::Model make_cylinder(const CylinderSpec& spec, Context& context) {
  const double h = kRadius / spec.per_radius, length = spec.long_cells * h;
  // The surface is finer than cells: a coarse one would lack some of the volume.
  lattice::BodySpec body =
      make_embedded(geometry::make_cylinder({0, 0, 0}, {0, 0, 1}, kRadius, length, 0.25 * h), h,
                    spec.boundary, "neo_hookean", kMu, 0.5, context);
  body.density = kDensity;
  body.stiffness_damping = spec.damping;
  for (const double side : {-1.0, 1.0}) {
    if (!spec.between_planes) continue;
    lattice::HoldSpec hold{.name = side < 0 ? "low" : "high", .slide = lattice::Slide::InPlane};
    for (std::size_t n = 0; n < body.lattice.rest_positions.size(); ++n) {
      const double z = body.lattice.rest_positions[n][2];
      if (side * z > 0.5 * length - 0.1 * h) hold.nodes.push_back(static_cast<std::int32_t>(n));
    }
    body.holds.push_back(std::move(hold));
  }
  return mixed::build_model({body}, {.integrator = spec.integrator}, {});
}

std::string_view name_of(Boundary boundary) { return kBoundaryNames[std::size_t(boundary)]; }

struct Pictures {
  std::vector<run::Series> pull, pressure, release, energy;
};

/// Tension by radius of all cells, and its error: root mean square over the volume, relative to
/// what there is on the axis.
double compare_pressures(const mixed::Model& model, const mixed::State& state, double spin,
                         Context& context, run::Series& dots) {
  const mixed::Configuration at{state.positions, state.pressure, {}};
  const lattice::CellFields fields = mixed::cell_fields(model, at, context.arena);
  const double most = 0.5 * kDensity * spin * spin * kRadius * kRadius;
  double error = 0, whole = 0;
  for (std::size_t c = 0; c < model.base.cells.size(); ++c) {
    const std::int32_t cell = model.base.cells[c], block = cell / 8;
    Vec3d middle{0, 0, 0};
    for (int k = 0; k < 8; ++k) middle += 0.125 * state.positions[model.base.corner(cell, k)];
    const double r2 = middle[0] * middle[0] + middle[1] * middle[1];
    const double expected = most * (1 - r2 / (kRadius * kRadius));
    const double W = model.volumes[std::size_t(block / lattice::kGroupBlocks)]
                         .volume[cell % 8][block % lattice::kGroupBlocks];
    dots.x.push_back(100 * std::sqrt(r2));
    dots.y.push_back(-fields.pressure[c]);
    // Of a cell at the side the middle may be outside.
    error += W * std::pow(-fields.pressure[c] - std::max(0.0, expected), 2);
    whole += W;
  }
  return std::sqrt(error / whole) / most;
}

void spin_between_planes(Boundary boundary, const ExperimentOptions& options,
                         std::vector<Row>& rows, Pictures& pictures, Context& context) {
  constexpr double kStep = 1e-3;
  const double expected = 0.25 * std::numbers::pi * kDensity * kSpin * kSpin * std::pow(kRadius, 4);
  const double end = std::numbers::pi / kSpin;
  for (const int per_radius : {4, 8, 12}) {
    if (per_radius == 12 && !options.full) continue;
    const mixed::Model model = make_cylinder({.per_radius = per_radius,
                                              .long_cells = per_radius,
                                              .boundary = boundary,
                                              .between_planes = true,
                                              .integrator = solve::Integrator::Bdf2},
                                             context);
    MixedFlight flight(model, context);
    flight.start([](const Vec3d& rest, Vec3d&, Vec3d& v) { v = cross(Vec3d{0, 0, kSpin}, rest); });
    const std::vector<Vec3d> directions(2, Vec3d{0, 0, 1});
    const double first = flight.momenta().angular[2];
    const std::string where = fmt::format("{} cells per radius, {}", per_radius, name_of(boundary));
    run::Series& line = pictures.pull.emplace_back(run::Series{.name = where});
    double sum = 0;
    int count = 0;
    while (flight.time < end) {
      flight.step(kStep, {0, 0, 0}, directions);
      double pull = 0;
      for (std::size_t k = 0; k < flight.state.pushes.size(); ++k) {
        const bool high = k >= model.base.holds[0].nodes.size();
        pull += (high ? 0.5 : -0.5) * flight.state.pushes[k][2];
      }
      line.x.push_back(flight.time);
      line.y.push_back(pull / expected);
      if (flight.time < 0.5 * end) continue;
      sum += pull;
      ++count;
    }
    run::Series& dots = pictures.pressure.emplace_back(run::Series{.name = where, .points = true});
    const double error = compare_pressures(model, flight.state, kSpin, context, dots);
    const auto row = [&](std::string quantity) {
      Row r = verification_row(kId, quantity + ", " + where, "bdf2", "closed form");
      r.note = fmt::format("half a turn in {} steps; GMRES {}", int(std::round(end / kStep)),
                           flight.krylov_iterations);
      return r;
    };
    Row pull = row("pull at its ends");
    pull.paper = expected;
    pull.ours = sum / count;
    pull.unit = "N";
    pull.note = "mean of the second half of the time";
    rows.push_back(pull);
    const bool fine = per_radius >= 8;
    rows.push_back(claim(row("pull at its ends, error"), 100 * std::abs(sum / count / expected - 1),
                         "%", fine ? Relation::AtMost : Relation::Shown, 2));
    rows.push_back(claim(row("tension within, root mean square error"), 100 * error,
                         "% of that on the axis", fine ? Relation::AtMost : Relation::Shown, 5));
    rows.push_back(claim(row("volume of a block, largest error"), flight.worst_block(), "",
                         Relation::AtMost, 1e-6));
    rows.push_back(claim(row("angular momentum lost"),
                         100 * (1 - flight.momenta().angular[2] / first), "%", Relation::AtMost,
                         0.1));
  }
}

/// What compare_pressures() compares with.
run::Series exact_tension(double spin) {
  run::Series exact{.name = "closed form", .dashed = true};
  for (int k = 0; k <= 40; ++k) {
    const double r = kRadius * k / 40;
    exact.x.push_back(100 * r);
    exact.y.push_back(0.5 * kDensity * spin * spin * (kRadius * kRadius - r * r));
  }
  return exact;
}

void spin_freely(Boundary boundary, const ExperimentOptions& options, std::vector<Row>& rows,
                 Pictures& pictures, Context& context) {
  constexpr double kReleased = 40, kStretch = 0.88288802, kSlow = 35.315521, kThick = 0.10642586;
  constexpr double kStep = 1e-3, kEnd = 0.4, kDamping = 0.02;
  const int per_radius = options.full ? 8 : 4;
  const mixed::Model model = make_cylinder({.per_radius = per_radius,
                                            .long_cells = 4 * per_radius,
                                            .boundary = boundary,
                                            .damping = kDamping},
                                           context);
  MixedFlight flight(model, context);
  flight.start([&](const Vec3d& rest, Vec3d&, Vec3d& v) {
    v = cross(Vec3d{0, 0, kReleased}, rest);
  });
  /// Mean over nodes within half a radius of the middle of what f says, where it says something.
  const auto mean_of = [&](auto&& f) {
    double sum = 0;
    int count = 0;
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      const Vec3d& rest = model.base.rest_positions[n];
      if (std::abs(rest[2]) > 0.5 * kRadius + 1e-6) continue;
      const double value = f(rest, flight.state.positions[n]);
      if (value == 0) continue;
      sum += value;
      ++count;
    }
    return sum / count;
  };
  const auto stretch = [&] {
    return mean_of([](const Vec3d& rest, const Vec3d& x) {
      return std::abs(std::abs(rest[2]) - 0.5 * kRadius) < 1e-6 ? x[2] / rest[2] : 0;
    });
  };
  const auto radius = [&] {
    return kRadius * mean_of([](const Vec3d& rest, const Vec3d& x) {
             const double R = std::hypot(rest[0], rest[1]);
             return R > 0.4 * kRadius && R < kRadius ? std::hypot(x[0], x[1]) / R : 0;
           });
  };
  const auto spin = [&] {
    double inertia = 0;
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      const Vec3d& x = flight.state.positions[n];
      inertia += model.base.mass[n] * (x[0] * x[0] + x[1] * x[1]);
    }
    return flight.momenta().angular[2] / inertia;
  };
  const double first = flight.momenta().angular[2], energy = flight.energy();
  double lost = 0;
  run::Series shorter{.name = fmt::format("stretch of the middle, {}", name_of(boundary))},
      thicker{.name = fmt::format("radius of the middle, {}", name_of(boundary))},
      slower{.name = fmt::format("angular velocity, {}", name_of(boundary))};
  while (flight.time < kEnd) {
    lost += flight.step(kStep).balance.damping_loss;
    for (run::Series* s : {&shorter, &thicker, &slower}) s->x.push_back(flight.time);
    shorter.y.push_back(stretch() / kStretch);
    thicker.y.push_back(radius() / kThick);
    slower.y.push_back(spin() / kSlow);
  }
  const auto row = [&](std::string_view quantity) {
    Row r = verification_row(kId, fmt::format("{}, {}", quantity, name_of(boundary)), "midpoint",
                             "closed form, released at 40 rad/s");
    r.note = fmt::format("free ends, {} cells per radius, {:g} s", per_radius, kEnd);
    return r;
  };
  const auto compare = [&](const char* what, double ours, double expected, const char* unit,
                           const char* note = "") {
    Row r = row(what);
    r.paper = expected;
    r.ours = ours;
    r.unit = unit;
    rows.push_back(r);
    Row error = claim(row(fmt::format("{}, error", what)), 100 * std::abs(ours / expected - 1), "%",
                      Relation::AtMost, 2);
    error.note += note;
    rows.push_back(error);
  };
  compare("stretch of the middle along the axis", stretch(), kStretch, "");
  compare("angular velocity", spin(), kSlow, "rad/s");
  compare("radius of the middle", radius(), kThick, "m");
  rows.push_back(claim(row("angular momentum lost"),
                       100 * std::abs(1 - flight.momenta().angular[2] / first), "%",
                       Relation::AtMost, 1));
  rows.push_back(claim(row("energy missing beside what damping took"),
                       100 * std::abs(energy - flight.energy() - lost) / lost, "% of that",
                       Relation::AtMost, 1));
  rows.push_back(claim(row("volume of a block, largest error"), flight.worst_block(), "",
                       Relation::AtMost, 1e-6));
  for (run::Series* s : {&shorter, &thicker, &slower}) pictures.release.push_back(std::move(*s));
}

mixed::Model make_tumbler(std::array<int, 3> cells, solve::Integrator integrator,
                          Context& context) {
  lattice::BodySpec body = make_block(cells, "neo_hookean", 0.5, context);
  body.holds.clear();
  body.density = 1;
  return mixed::build_model({body}, {.integrator = integrator}, {.tolerance = 1e-10});
}

/// In units of the block: height, density and mu are 1.
void throw_block(MixedFlight& flight) {
  constexpr double kLonger = 1.2;
  const double across = 1 / std::sqrt(kLonger);
  flight.start([&](const Vec3d& rest, Vec3d& x, Vec3d& v) {
    x = {kLonger * rest[0], across * rest[1], across * rest[2]};
    v = Vec3d{2, 1, 4} + cross(Vec3d{0.6, 1.2, -0.8}, x);
  });
}

void tumble(std::vector<Row>& rows, Pictures& pictures, Context& context) {
  const Vec3d gravity{0, 0, -3};
  constexpr double kStep = 0.05;
  constexpr int kSteps = 100;
  for (const auto& [name, integrator] : integrators()) {
    const mixed::Model model = make_tumbler({8, 6, 4}, integrator, context);
    MixedFlight flight(model, context);
    throw_block(flight);
    const lattice::Momenta start = flight.momenta();
    // What the flight as a whole has is no measure of what goes on within.
    const auto energy_within = [&] {
      const Vec3d p = flight.momenta().linear;
      return flight.energy() - 0.5 * dot(p, p) / start.mass;
    };
    const double inner = energy_within();
    double linear = 0, angular = 0, volume = 0, drift = 0;
    run::Series& line = pictures.energy.emplace_back(run::Series{.name = std::string(name)});
    for (int k = 0; k < kSteps; ++k) {
      flight.step(kStep, gravity);
      const lattice::Momenta now = flight.momenta();
      const Vec3d momentum = start.linear + start.mass * flight.time * gravity;
      linear = std::max(linear, norm(now.linear - momentum) / norm(start.linear));
      angular = std::max(angular, norm(now.angular - start.angular) / norm(start.angular));
      volume = std::max(volume, flight.worst_block());
      drift = std::max(drift, std::abs(energy_within() / inner - 1));
      line.x.push_back(flight.time);
      line.y.push_back(energy_within() / inner);
    }
    const auto row = [&](std::string quantity) {
      Row r = verification_row(kId, "tumbling block: " + quantity, name, "conservation");
      r.note = fmt::format(
          "{} steps of a twentieth of what shear needs for the height; linear "
          "systems {}, GMRES {}",
          kSteps, flight.newton_iterations, flight.krylov_iterations);
      return r;
    };
    const bool keeps = integrator == solve::Integrator::Midpoint;
    rows.push_back(claim(row("linear momentum, largest error"), linear, "of the first",
                         Relation::AtMost, 1e-10));
    rows.push_back(
        claim(row("volume of a block, largest error"), volume, "", Relation::AtMost, 1e-8));
    rows.push_back(claim(row("angular momentum, largest error"), angular, "of the first",
                         keeps ? Relation::AtMost : Relation::Shown, 1e-9));
    rows.push_back(claim(row("energy within, largest change"), 100 * drift, "%",
                         keeps ? Relation::AtMost : Relation::Shown, 1));
  }
}

/// Positions and pressures after a short flight in steps of a length and a half and a quarter of
/// it.
void find_orders(std::vector<Row>& rows, Context& context) {
  constexpr double kTime = 0.4, kStep = 0.01;
  for (const auto& [name, integrator] : integrators()) {
    std::array<mixed::State, 3> ends;
    const mixed::Model model = make_tumbler({4, 4, 2}, integrator, context);
    for (std::size_t k = 0; k < ends.size(); ++k) {
      MixedFlight flight(model, context);
      throw_block(flight);
      const int steps = int(std::round(kTime / kStep)) << k;
      for (int s = 0; s < steps; ++s) flight.step(kTime / steps);
      ends[k] = flight.state;
    }
    const auto apart = [&](std::size_t k) {
      double sum = 0;
      for (std::size_t n = 0; n < model.node_count(); ++n) {
        const Vec3d way = ends[k].positions[n] - ends[k + 1].positions[n];
        sum += model.base.mass[n] * dot(way, way);
      }
      return std::sqrt(sum);
    };
    Row r = verification_row(kId, "order of positions in time", name, "theory");
    r.note = fmt::format("steps of {:g}, {:g}, {:g}", kStep, kStep / 2, kStep / 4);
    const double expected = integrator == solve::Integrator::BackwardEuler ? 0.9 : 1.8;
    rows.push_back(claim(r, std::log2(apart(0) / apart(1)), "", Relation::AtLeast, expected));
  }
}

/// Iterations to 1e-6 on a block of 16^3 cells that nothing holds, by the length of the step.
void count_iterations(std::vector<Row>& rows, Context& context) {
  constexpr int kCells = 16;
  for (const double poisson : {0.3, 0.49, 0.5}) {
    lattice::BodySpec body = make_block({kCells, kCells, kCells}, "neo_hookean", poisson, context);
    body.holds.clear();
    body.density = 1;
    const mixed::Model model =
        mixed::build_model({body}, {.integrator = solve::Integrator::BackwardEuler}, {});
    const mixed::State state = mixed::make_state(model);
    mixed::Scratch scratch(model);
    for (const double dt : {1.0, 0.1, 0.01, 0.001}) {
      lattice::Inertia inertia(model.base,
                               solve::make_time_step(solve::Integrator::BackwardEuler, dt, 0),
                               scratch.motion, context.arena, model.cycle_spread());
      mixed::VolumeHistory history(model, inertia, scratch.history, context.arena);
      inertia.begin(state);
      history.begin(state);
      mixed::LinearSystem system(model, scratch.slides, scratch.linear, context.arena, &inertia,
                                 history.weight());
      const mixed::Configuration at{state.positions, state.pressure, {}, history.softness()};
      system.linearise(at, mixed::Fix::None);
      system.prepare(at);
      std::vector<double> b(mixed::unknowns(model), 0.0), x(b.size());
      const auto load = mixed::positions_of(model, std::span(b));
      std::mt19937 random(3);
      std::normal_distribution<double> normal;
      for (std::size_t n = 0; n < load.size(); ++n) {
        const Vec3d& p = model.base.rest_positions[n];
        const Vec3d rough{normal(random), normal(random), normal(random)};
        load[n] = model.base.mass[n] *
                  (Vec3d{0.3 + p[1], 3 * std::sin(5 * p[0]) - 1, 0.6 - p[0]} + 0.3 * rough);
      }
      const solve::KrylovReport report = solve::gmres(
          context.arena,
          [&](std::span<const double> p, std::span<double> q) { system.apply(p, q); },
          [&](std::span<const double> r, std::span<double> z) { system.precondition(r, z); },
          [&] { return bool(context.cancelled); }, b, x, 1e-6, 200, scratch.krylov);
      Row row = verification_row(
          kId, fmt::format("iterations/nu={}/N={}/dt={:g}", poisson, kCells, dt), "best", "ours");
      row.note = "dt in units of what shear needs for the height; residual 1e-6";
      rows.push_back(claim(row, report.iterations, "", Relation::AtMost, 20));
    }
  }
}

void draw(const Pictures& pictures, const std::filesystem::path& folder) {
  make_directory(folder);
  const auto plot = [&](const char* name, const std::vector<run::Series>& lines, const char* title,
                        const char* x, const char* y) {
    write_file_atomic(
        folder / name,
        run::plot_svg(lines,
                      {.title = title, .x_label = x, .y_label = y, .width = 720, .height = 360}));
  };
  plot("verify_dynamics_pull.svg", pictures.pull,
       "Pull at the ends of a cylinder that spins between planes", "time [s]",
       "measured / closed form");
  plot("verify_dynamics_release.svg", pictures.release,
       "A cylinder with free ends, released at 40 rad/s", "time [s]", "measured / closed form");
  plot("verify_dynamics_pressure.svg", pictures.pressure,
       "Tension in a cylinder that spins at 20 rad/s", "radius [cm]", "tension [Pa]");
  plot("verify_dynamics_energy.svg", pictures.energy, "Energy of a tumbling incompressible block",
       "time [height / speed of shear]", "energy within / the first");
}

}  // namespace

std::vector<Row> verify_dynamics(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  Pictures pictures;
  for (const Boundary boundary : {Boundary::Cut, Boundary::Weighted}) {
    spin_between_planes(boundary, options, rows, pictures, context);
    spin_freely(boundary, options, rows, pictures, context);
  }
  pictures.pressure.push_back(exact_tension(kSpin));
  tumble(rows, pictures, context);
  find_orders(rows, context);
  count_iterations(rows, context);
  if (!options.pictures.empty()) draw(pictures, options.pictures);
  return rows;
}

}  // namespace isochor::reproduce
