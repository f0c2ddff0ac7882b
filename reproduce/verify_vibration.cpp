/// Free vibration of a cantilever of square section, clamped at one end: two bending modes and the
/// first axial one, against finite elements of second order (Q2/P1, 3D linear elasticity).
///
/// Each mode is set in motion by a velocity of nearly its shape and followed for ten periods by
/// the midpoint rule, which loses nothing. How far the bar has come along that shape crosses zero
/// twice a period. The rule is known to turn a mode of frequency w by 2 atan(w dt / 2) per step, so
/// that its own error is taken out exactly, and what remains is that of the cells.
///
/// One-point cells resist bending too much: their stabilisation takes the whole of it, with an
/// error of about 3.6 (h / height)^2 in stiffness, half of that in frequency, and more at the
/// clamped end. So 20 cells across are needed for 1 %. With 4 and 8, what is left after
/// Richardson's extrapolation must be within 1 %.
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/vibration";
constexpr double kLength = 0.5, kHeight = 0.1;
constexpr int kStepsPerPeriod = 16, kPeriods = 10;

struct Mode {
  const char* name;
  double wave;       ///< of the beam's shape, times its length; 0: axial
  double reference;  ///< Hz
};
constexpr Mode kModes[] = {{"first bending", 1.8751040687, 0.6409},
                           {"second bending", 4.6940911330, 3.396},
                           {"first axial", 0, 5.082}};

/// The displacement of a point at rest in the mode's shape: that of a slender beam, whose sections
/// stay plane and square to its axis.
Vec3d shape_of(const Mode& mode, const Vec3d& p) {
  const double s = p[0] / kLength;
  if (mode.wave == 0) return {std::sin(0.5 * std::numbers::pi * s), 0, 0};
  const double b = mode.wave;
  const double ratio = (std::cosh(b) + std::cos(b)) / (std::sinh(b) + std::sin(b));
  const double deflection =
      std::cosh(b * s) - std::cos(b * s) - ratio * (std::sinh(b * s) - std::sin(b * s));
  const double slope =
      b / kLength *
      (std::sinh(b * s) + std::sin(b * s) - ratio * (std::cosh(b * s) - std::cos(b * s)));
  return {-slope * (p[2] - 0.5 * kHeight), 0, deflection};
}

struct Measured {
  double frequency = 0;  ///< Hz
  double highest = 0;    ///< largest displacement of a node, m
  run::Series signal;
};

Measured measure(const Bar& bar, const Mode& mode, Context& context) {
  const double w = 2 * std::numbers::pi * mode.reference;
  const double dt = 1 / (mode.reference * kStepsPerPeriod);
  const double amplitude = 0.001 * kLength;
  Flight flight(bar.model, context);
  flight.start(
      [&](const Vec3d& rest, Vec3d&, Vec3d& v) { v = w * amplitude * shape_of(mode, rest); });
  Measured result{.signal = {.name = mode.name}};
  double last = 0, first_crossing = 0, last_crossing = 0;
  int crossings = 0;
  while (crossings < 2 * kPeriods + 1) {
    flight.step(dt);
    double now = 0, scale = 0;
    for (std::size_t n = 0; n < bar.model.node_count(); ++n) {
      const Vec3d& rest = bar.model.rest_positions[n];
      const Vec3d shape = shape_of(mode, rest), moved = flight.state.positions[n] - rest;
      now += bar.model.mass[n] * dot(shape, moved);
      scale += bar.model.mass[n] * dot(shape, shape);
      result.highest = std::max(result.highest, norm(moved));
    }
    now /= scale * amplitude;
    if (now * last < 0) {
      last_crossing = flight.time - dt * now / (now - last);
      if (crossings++ == 0) first_crossing = last_crossing;
    }
    last = now;
    result.signal.x.push_back(flight.time * mode.reference);
    result.signal.y.push_back(now);
  }
  const double by_steps = std::numbers::pi * (crossings - 1) / (last_crossing - first_crossing);
  result.frequency = 2 / dt * std::tan(0.5 * by_steps * dt) / (2 * std::numbers::pi);
  return result;
}

}  // namespace

std::vector<Row> verify_vibration(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> convergence;
  std::vector<run::Series> signals;
  for (const Mode& mode : kModes) {
    run::Series& line = convergence.emplace_back(run::Series{.name = mode.name});
    double coarser = 0;
    for (const int across : {4, 8, 20}) {
      if (across == 20 && !options.full) continue;
      const Bar bar = make_bar({.cells = {5 * across, across, across},
                                .height = kHeight,
                                .law = materials::law_index("corotated"),
                                .young = 1e5,
                                .poisson = 0.49,
                                .both_ends = false,
                                .params = {.preconditioner = lattice::Preconditioner::Multigrid,
                                           .integrator = solve::Integrator::Midpoint,
                                           .newton = {.tolerance = 1e-7}}},
                               context);
      Measured measured = measure(bar, mode, context);
      const double error = measured.frequency / mode.reference - 1;
      Row row =
          verification_row(kId, fmt::format("{} frequency, {} cells across", mode.name, across),
                           "one-point", "own finite elements, Q2/P1");
      row.paper = mode.reference;
      row.ours = measured.frequency;
      row.unit = "Hz";
      row.note = fmt::format("{:+.2f} %; largest displacement {:.2g} of the length", 100 * error,
                             measured.highest / kLength);
      rows.push_back(row);
      line.x.push_back(across);
      line.y.push_back(100 * std::abs(error));
      if (across == 8) {
        const double limit = measured.frequency + (measured.frequency - coarser) / 3;
        Row limit_row = verification_row(
            kId, fmt::format("{} frequency, error extrapolated from 4 and 8 cells", mode.name),
            "one-point", "own finite elements, Q2/P1");
        rows.push_back(
            claim(limit_row, 100 * std::abs(limit / mode.reference - 1), "%", Relation::AtMost, 1));
        signals.push_back(std::move(measured.signal));
      }
      if (across == 20) {
        Row fine = verification_row(
            kId, fmt::format("{} frequency, error with 20 cells across", mode.name), "one-point",
            "own finite elements, Q2/P1");
        rows.push_back(claim(fine, 100 * std::abs(error), "%", Relation::AtMost, 1));
      }
      coarser = measured.frequency;
    }
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "verify_vibration.svg",
                      run::plot_svg(signals, {.title = "A cantilever in three of its modes",
                                              .x_label = "periods",
                                              .y_label = "displacement / amplitude",
                                              .width = 720,
                                              .height = 360}));
    write_file_atomic(options.pictures / "verify_vibration_error.svg",
                      run::plot_svg(convergence, {.title = "Error of frequencies",
                                                  .x_label = "cells across the bar",
                                                  .y_label = "error [%]",
                                                  .log_y = true,
                                                  .width = 720,
                                                  .height = 360}));
  }
  return rows;
}

}  // namespace isochor::reproduce
