/// The twisting column of Gil, Lee and Bonet (2014): 1 x 1 x 6 m, its foot held, set spinning about
/// its axis by w0 sin(pi x / 12). It twists and swings back. Total energy must
/// not drift with the midpoint rule, and never grow with backward Euler. On a coarser column
/// errors must fall with the step as the order of each scheme says.
#include <algorithm>
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

constexpr std::string_view kId = "verify/column";
constexpr double kSpin = 105;                  // rad/s
constexpr double kKineticEnergy = 3.031875e6;  // J, in closed form

Bar make_column(int across, solve::Integrator integrator, double tolerance, Context& context,
                lattice::Preconditioner preconditioner = lattice::Preconditioner::Multigrid) {
  return make_bar({.cells = {6 * across, across, across},
                   .height = 1,
                   .law = materials::law_index("neo_hookean"),
                   .young = 1.7e7,
                   .poisson = 0.45,
                   .both_ends = false,
                   .density = 1100,
                   .params = {.preconditioner = preconditioner,
                              .integrator = integrator,
                              .newton = {.tolerance = tolerance}}},
                  context);
}

void set_spinning(Flight& flight) {
  flight.start([](const Vec3d& rest, Vec3d&, Vec3d& v) {
    const double spin = kSpin * std::sin(std::numbers::pi * rest[0] / 12);
    v = cross(Vec3d{spin, 0, 0}, rest - Vec3d{0, 0.5, 0.5});
  });
}

/// By how much the free end has turned, from one step to the next.
class Twist {
 public:
  explicit Twist(const Bar& bar) : bar_(bar) {}

  double follow(std::span<const Vec3d> positions) {
    double sine = 0, cosine = 0;
    for (std::size_t n = 0; n < positions.size(); ++n) {
      const Vec3d& rest = bar_.model.rest_positions[n];
      if (rest[0] < 0.999 * bar_.size[0]) continue;
      const Vec3d from = rest - Vec3d{rest[0], 0.5, 0.5};
      const Vec3d to = positions[n] - Vec3d{positions[n][0], 0.5, 0.5};
      sine += cross(from, to)[0];
      cosine += dot(from, to);
    }
    const double angle = std::atan2(sine, cosine), turn = 2 * std::numbers::pi;
    angle_ += std::remainder(angle - angle_, turn);
    return angle_;
  }

 private:
  const Bar& bar_;
  double angle_ = 0;
};

struct Way {
  std::vector<double> time, energy, twist;
  double largest_gain = 0;   ///< of energy in a step, of the first
  double drift = 0;          ///< largest difference from the first energy, of that
  double worst_volume = 0;   ///< largest |volume / rest volume - 1|
  double off_axis = 0;       ///< largest distance of the middle line from the axis, m
  double largest_twist = 0;  ///< before it first turns back, rad
  double half_period = 0;    ///< s; 0: the twist did not come back
  int inverted = 0;
};

Way follow(const Bar& bar, double dt, double end, const std::filesystem::path& picture,
           Context& context) {
  Flight flight(bar.model, context);
  set_spinning(flight);
  Twist twist(bar);
  Way way;
  const double first = flight.energy();
  double last = first, widest = 0;
  while (flight.time < end - 0.5 * dt) {
    flight.step(dt);
    const double energy = flight.energy(), angle = twist.follow(flight.state.positions);
    way.largest_gain = std::max(way.largest_gain, (energy - last) / first);
    way.drift = std::max(way.drift, std::abs(energy - first) / first);
    if (way.half_period == 0 && !way.twist.empty() && angle < 0 && way.twist.back() > 0) {
      way.half_period = flight.time - dt * angle / (angle - way.twist.back());
    }
    last = energy;
    way.time.push_back(flight.time);
    way.energy.push_back(energy / first);
    way.twist.push_back(angle / (2 * std::numbers::pi));
    const lattice::CellFields fields =
        lattice::cell_fields(bar.model, flight.state.positions, context.arena);
    double volume = 0;
    for (const double j : fields.J) {
      volume += j / double(fields.J.size());
      way.inverted += j <= 0;
    }
    way.worst_volume = std::max(way.worst_volume, std::abs(volume - 1));
    for (std::size_t n = 0; n < bar.model.node_count(); ++n) {
      const Vec3d& rest = bar.model.rest_positions[n];
      if (std::abs(rest[1] - 0.5) + std::abs(rest[2] - 0.5) > 1e-9) continue;
      const Vec3d& p = flight.state.positions[n];
      way.off_axis = std::max(way.off_axis, std::hypot(p[1] - 0.5, p[2] - 0.5));
    }
    if (!picture.empty() && way.largest_twist == 0 && angle < widest) {
      draw_bar(bar, flight.state.positions, fmt::format("after {:.3f} s", flight.time), picture,
               context);
    }
    if (way.largest_twist == 0 && angle < widest) way.largest_twist = widest;
    widest = std::max(widest, angle);
  }
  return way;
}

double rms_distance(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i] - b[i], a[i] - b[i]);
  return std::sqrt(sum / double(a.size()));
}

/// Shapes after a short time in steps of several lengths, against one in very short steps.
void add_orders(std::vector<Row>& rows, std::vector<run::Series>& lines, Context& context) {
  constexpr double kEnd = 0.02;
  const auto end_of = [&](solve::Integrator integrator, int steps) {
    // Steps so short that inertia alone makes systems easy.
    const Bar bar = make_column(2, integrator, 1e-10, context, lattice::Preconditioner::Jacobi);
    Flight flight(bar.model, context);
    set_spinning(flight);
    for (int k = 0; k < steps; ++k) flight.step(kEnd / steps);
    return flight.state.positions;
  };
  const std::vector<Vec3d> exact = end_of(solve::Integrator::Midpoint, 5120);
  for (const auto& [name, integrator] : integrators()) {
    run::Series& line = lines.emplace_back(run::Series{.name = std::string(name)});
    double coarser = 0;
    for (const int steps : {80, 160, 320, 640}) {
      const double error = rms_distance(end_of(integrator, steps), exact);
      line.x.push_back(std::log2(steps));
      line.y.push_back(error);
      if (steps > 160) {
        Row row = verification_row(
            kId,
            fmt::format("order, steps of {:g} to {:g} us", 2e6 * kEnd / steps, 1e6 * kEnd / steps),
            name, "closed form for smooth motions");
        row.note = fmt::format("error {:.2g} m", error);
        const bool first_order = integrator == solve::Integrator::BackwardEuler;
        rows.push_back(
            claim(row, std::log2(coarser / error), "", Relation::AtLeast, first_order ? 0.9 : 1.8));
      }
      coarser = error;
    }
  }
}

}  // namespace

std::vector<Row> verify_column(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> energies, twists, errors;
  const int across = options.full ? 8 : 4;
  const double dt = options.full ? 5e-4 : 1e-3, end = options.full ? 0.4 : 0.2;
  const std::string source = "Gil, Lee and Bonet 2014, w0 = 105 rad/s";
  for (const auto& [name, integrator] : integrators()) {
    const Bar bar = make_column(across, integrator, 1e-8, context);
    const bool midpoint = integrator == solve::Integrator::Midpoint;
    if (energies.empty()) {
      Flight flight(bar.model, context);
      set_spinning(flight);
      Row row = verification_row(kId, "kinetic energy at the start", "lumped mass", source);
      row.paper = kKineticEnergy;
      row.ours = flight.momenta().kinetic_energy;
      row.unit = "J";
      row.note = "mass at the nodes is further out than mass in the cells";
      rows.push_back(row);
    }
    const auto picture = midpoint && !options.pictures.empty()
                             ? options.pictures / "verify_column.png"
                             : std::filesystem::path();
    const Way way = follow(bar, dt, end, picture, context);
    const auto row = [&](std::string quantity) {
      Row r = verification_row(kId, std::move(quantity), name, source);
      r.note = fmt::format("{} x {} x {} cells, steps of {:g} ms, {:g} s", 6 * across, across,
                           across, 1e3 * dt, end);
      return r;
    };
    if (midpoint) {
      rows.push_back(
          claim(row("drift of total energy"), 100 * way.drift, "%", Relation::AtMost, 1));
    } else {
      Row lost = row("total energy lost");
      lost.ours = 100 * (1 - way.energy.back());
      lost.unit = "%";
      rows.push_back(lost);
    }
    if (integrator == solve::Integrator::BackwardEuler) {
      rows.push_back(claim(row("largest growth of energy in a step"), way.largest_gain,
                           "of the first", Relation::AtMost, 0));
    }
    rows.push_back(claim(row("inverted cells"), way.inverted, "", Relation::AtMost, 0));
    rows.push_back(claim(row("middle line off the axis"), way.off_axis / 6, "of the length",
                         Relation::AtMost, 1e-6));
    Row volume = row("largest change of volume");
    volume.ours = 100 * way.worst_volume;
    volume.unit = "%";
    rows.push_back(volume);
    Row most = row("largest twist");
    most.ours = way.largest_twist / (2 * std::numbers::pi);
    most.unit = "turns";
    rows.push_back(most);
    Row back = row("the twist comes back to zero after");
    if (way.half_period > 0) back.ours = way.half_period;
    if (way.half_period == 0) back.note = "not within the time that was simulated";
    back.unit = "s";
    rows.push_back(back);
    energies.push_back({.name = std::string(name), .x = way.time, .y = way.energy});
    twists.push_back({.name = std::string(name), .x = way.time, .y = way.twist});
  }
  add_orders(rows, errors, context);
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    const auto plot = [&](const char* file, const std::vector<run::Series>& lines,
                          const run::PlotOptions& how) {
      write_file_atomic(options.pictures / file, run::plot_svg(lines, how));
    };
    plot("verify_column_energy.svg", energies,
         {.title = "Energy of a twisting column",
          .x_label = "time [s]",
          .y_label = "total energy / the first",
          .width = 720,
          .height = 360});
    plot("verify_column_twist.svg", twists,
         {.title = "Twist of its free end",
          .x_label = "time [s]",
          .y_label = "turns",
          .width = 720,
          .height = 360});
    plot("verify_column_order.svg", errors,
         {.title = "Error after 0.02 s",
          .x_label = "log2 of the number of steps",
          .y_label = "rms error [m]",
          .log_y = true,
          .width = 720,
          .height = 360});
  }
  return rows;
}

}  // namespace isochor::reproduce
