/// A block that was stretched and bent flies through the air, tumbling and vibrating. Whatever its
/// inside does, its linear momentum changes by its weight alone, and its centre of mass goes where
/// the integrator takes a point: along the parabola with the midpoint rule, g dt t / 2 beside it
/// with backward Euler. Angular momentum about the centre of mass is kept by the midpoint rule
/// exactly, by the others as far as their error goes.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/momentum";
const Vec3d kGravity{0, 0, -9.81};

/// Largest errors on the way, relative.
struct Errors {
  double linear = 0;    ///< of what it is at the start
  double parabola = 0;  ///< distance of the centre of mass from where it should be, of the way
  double angular = 0;   ///< of what it is at the start
};

}  // namespace

std::vector<Row> verify_momentum(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> series;
  // The midpoint rule loses its stability where steps are much longer than what cells vibrate with.
  const int across = options.full ? 6 : 2, steps = options.full ? 400 : 100;
  const double step = options.full ? 0.0025 : 0.01;
  for (const auto& [name, integrator] : integrators()) {
    const Bar bar = make_bar({.cells = {4 * across, 2 * across, across},
                              .height = 0.1,
                              .law = materials::law_index("stable_neo_hookean"),
                              .young = 5e4,
                              .poisson = 0.4,
                              .near_end = false,
                              .params = {.preconditioner = lattice::Preconditioner::Multigrid,
                                         .integrator = integrator,
                                         .newton = {.tolerance = 1e-11}}},
                             context);
    Flight flight(bar.model, context);
    flight.start([&](const Vec3d& rest, Vec3d& x, Vec3d& v) {
      x = {1.15 * rest[0], 0.95 * rest[1] + 0.5 * rest[0] * rest[0], rest[2]};
      v = Vec3d{2, 1, 4} + cross(Vec3d{3, 6, -4}, rest);
    });
    const lattice::Momenta start = flight.momenta();
    const Vec3d speed = start.linear * (1 / start.mass);
    const bool euler = integrator == solve::Integrator::BackwardEuler;
    Errors errors;
    run::Series& line = series.emplace_back(run::Series{.name = std::string(name)});
    for (int k = 0; k < steps; ++k) {
      flight.step(step, kGravity);
      const lattice::Momenta now = flight.momenta();
      const double t = flight.time;
      const Vec3d momentum = start.linear + start.mass * t * kGravity;
      // Backward Euler moves a point by the velocity at the end of each step.
      const Vec3d way = t * speed + 0.5 * t * (euler ? t + step : t) * kGravity;
      errors.linear = std::max(errors.linear, norm(now.linear - momentum) / norm(start.linear));
      errors.parabola =
          std::max(errors.parabola, norm(now.center - start.center - way) / norm(speed * t));
      errors.angular =
          std::max(errors.angular, norm(now.angular - start.angular) / norm(start.angular));
      line.x.push_back(t);
      line.y.push_back(norm(now.angular) / norm(start.angular));
    }
    const auto row = [&](std::string quantity) {
      Row r = verification_row(kId, std::move(quantity), name, "closed form");
      r.note = fmt::format("{} steps of {} s; Newton {}, CG {}", steps, step,
                           flight.newton_iterations, flight.krylov_iterations);
      return r;
    };
    rows.push_back(claim(row("linear momentum, largest error"), errors.linear, "of the first",
                         Relation::AtMost, 1e-10));
    if (integrator == solve::Integrator::Bdf2) {
      Row beside = row("centre of mass, beside the parabola");
      beside.ours = errors.parabola;
      beside.unit = "of the way";
      beside.note = "from its first step, which is one of backward Euler";
      rows.push_back(beside);
    } else {
      rows.push_back(claim(row(euler ? "centre of mass, beside g dt t / 2 off the parabola"
                                     : "centre of mass, beside the parabola"),
                           errors.parabola, "of the way", Relation::AtMost, 1e-10));
    }
    Row angular = row("angular momentum, largest error");
    if (integrator == solve::Integrator::Midpoint) {
      rows.push_back(claim(angular, errors.angular, "of the first", Relation::AtMost, 1e-9));
    } else {
      angular.ours = errors.angular;
      angular.unit = "of the first";
      rows.push_back(angular);
    }
    if (!options.pictures.empty() && integrator == solve::Integrator::Midpoint) {
      draw_bar(bar, flight.state.positions, fmt::format("after {:.1f} s of flight", flight.time),
               options.pictures / "verify_momentum.png", context);
    }
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "verify_momentum.svg",
                      run::plot_svg(series, {.title = "Angular momentum of a tumbling block",
                                             .x_label = "time [s]",
                                             .y_label = "angular momentum / the first",
                                             .width = 720,
                                             .height = 360}));
  }
  return rows;
}

}  // namespace isochor::reproduce
