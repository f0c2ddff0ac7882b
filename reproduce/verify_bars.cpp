/// Two equal bars meet end to end (Saint-Venant): a wave goes through each and back, after which
/// they part with their velocities exchanged. They touch for 2 L / c, c = sqrt(E / rho). Without
/// Poisson's ratio a bar has no other motion.
#include <cmath>
#include <fmt/core.h>

#include "isochor/contact/crossings.h"
#include "isochor/tets/solver.h"
#include "isochor/tets/touching.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kLength = 1;
constexpr double kBarYoung = 1e6;
constexpr double kBarSpeed = 0.2;  ///< m/s, of the first; waves have 31.6

struct BarImpact {
  double duration = 0;  ///< s, from the first to the last force
  double force = 0;     ///< over the middle half of it, of that of a plane wave
  std::array<double, 2> speed{};
  double momentum_error = 0;  ///< relative
  std::int64_t crossings = 0;
};

BarImpact collide_bars(int cells, int steps, Context& context) {
  const double edge = kLength / cells, wave = std::sqrt(kBarYoung / 1000);
  const double through = 2 * kLength / wave, dt = through / steps;
  const double reach = 0.1 * kBarSpeed * through;
  std::vector<tets::BodySpec> bodies(2);
  for (int b = 0; b < 2; ++b) {
    bodies[b].name = b == 0 ? "first" : "second";
    bodies[b].mesh = box_of_tets({cells, 2, 2}, edge);
    // Nodes of the ends do not meet.
    for (Vec3d& x : bodies[b].mesh.positions) {
      x += b == 0 ? Vec3d{-kLength - reach, 0, 0} : Vec3d{0, 0.21 * edge, 0.13 * edge};
    }
    bodies[b].materials = {elastic_flesh(kBarYoung, 0)};
  }
  tets::Params params{.integrator = solve::Integrator::Bdf2};
  const tets::Model model = tets::build_model(bodies, params, context.arena);
  contact::ContactEnergy contact = tets::make_contact(model, {.reach = reach}, dt);
  tets::State state = tets::make_state(model);
  const auto mean_speed = [&](const tets::BodyRange& body) {
    double sum = 0, mass = 0;
    for (std::int32_t i = body.first_node; i < body.first_node + body.node_count; ++i) {
      sum += model.mass[i] * state.velocities[i][0];
      mass += model.mass[i];
    }
    return sum / mass;
  };
  for (std::int32_t i = 0; i < model.bodies[0].node_count; ++i) {
    state.velocities[i] = {kBarSpeed, 0, 0};
  }
  state.last_velocities = state.velocities;
  tets::Scratch scratch(model);
  StepCount count;
  BarImpact impact;
  int first = -1, last = -1;
  for (int k = 0; k < 2 * steps && !context.cancelled; ++k) {
    contact.place({}, dt);
    count.add(tets::advance(model, state, {.contact = &contact, .dt = dt}, scratch, context), dt);
    double force = 0;
    for (const contact::Term& term : contact.terms()) {
      for (int i = 0; i < term.count; ++i) {
        if (term.points[i] < model.bodies[0].node_count) force += term.gradient[i][0];
      }
    }
    // The force comes and goes over a few steps: half of it is the begin and the end.
    const double whole = 0.5 * kBarSpeed / wave * kBarYoung * 4 * edge * edge;
    if (force > 0.5 * whole) {
      if (first < 0) first = k;
      last = k;
    }
    const bool middle = first >= 0 && k > first + steps / 4 && k <= first + 3 * steps / 4;
    if (middle) impact.force += force / whole / (0.5 * steps);
  }
  impact.duration = (last - first + 1) * dt / through;
  for (int b = 0; b < 2; ++b) impact.speed[b] = mean_speed(model.bodies[b]) / kBarSpeed;
  impact.momentum_error = std::abs(impact.speed[0] + impact.speed[1] - 1);
  impact.crossings =
      contact::find_crossings(contact.surface(), state.positions, context.arena).count();
  return impact;
}

}  // namespace

std::vector<Row> verify_bars(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const int cells = options.full ? 80 : 32, steps = options.full ? 800 : 256;
  const BarImpact impact = collide_bars(cells, steps, context);
  const auto row = [&](std::string quantity) {
    Row r = verification_row("verify/bars", std::move(quantity), "best", "Saint-Venant 1867");
    r.note = fmt::format("{} cells along each bar, {} steps of BDF2 in 2 L / c", cells, steps);
    return r;
  };
  Row duration = row("time of contact, of 2 L / c");
  duration.note += fmt::format("; {:.4f}", impact.duration);
  rows.push_back(
      claim(duration, 100 * std::abs(impact.duration - 1), "% off", Relation::AtMost, 3));
  Row force = row("force in the middle half of it, of rho c v / 2 times the area");
  force.note += fmt::format("; {:.4f}", impact.force);
  rows.push_back(claim(force, 100 * std::abs(impact.force - 1), "% off", Relation::AtMost, 2));
  rows.push_back(claim(row("first bar's velocity after it, of that before"),
                       100 * std::abs(impact.speed[0]), "%", Relation::AtMost, 3));
  rows.push_back(claim(row("second bar's velocity after it, of the first's before"),
                       100 * std::abs(impact.speed[1] - 1), "% off", Relation::AtMost, 3));
  rows.push_back(claim(row("momentum lost"), impact.momentum_error, "", Relation::AtMost, 1e-8));
  rows.push_back(
      claim(row("crossing pairs at the end"), double(impact.crossings), "", Relation::AtMost, 0));
  return rows;
}

}  // namespace isochor::reproduce
