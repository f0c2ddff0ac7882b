/// Two equal bars meet end to end (Saint-Venant): a wave goes through each and back, after which
/// they part with their velocities exchanged. They touch for 2 L / c, c = sqrt(E / rho). Without
/// Poisson's ratio a bar has no other motion. Bars that keep their volume have, and only thin ones
/// come near to that law.
#include <cmath>
#include <fmt/core.h>
#include <functional>

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

/// Two bars of so many cells along them, two across.
struct Bars {
  int cells;
  int steps;  ///< in 2 L / c; of explicit ones, looks at them

  double edge() const { return kLength / cells; }
  double wave() const { return std::sqrt(kBarYoung / 1000); }
  double through() const { return 2 * kLength / wave(); }
  double dt() const { return through() / steps; }
  /// How near they come before they push: a tenth of what they go meanwhile.
  double reach() const { return 0.1 * kBarSpeed * through(); }
  /// Of a plane wave, N.
  double force() const { return 0.5 * kBarSpeed / wave() * kBarYoung * 4 * edge() * edge(); }

  std::vector<tets::BodySpec> bodies(const materials::Material& material) const {
    std::vector<tets::BodySpec> bodies(2);
    for (int b = 0; b < 2; ++b) {
      bodies[b].name = b == 0 ? "first" : "second";
      bodies[b].mesh = box_of_tets({cells, 2, 2}, edge());
      // Nodes of the ends do not meet.
      for (Vec3d& x : bodies[b].mesh.positions) {
        x += b == 0 ? Vec3d{-kLength - reach(), 0, 0} : Vec3d{0, 0.21 * edge(), 0.13 * edge()};
      }
      bodies[b].materials = {material};
    }
    return bodies;
  }
};

struct BarImpact {
  double duration = 0;  ///< s, from the first to the last force
  double force = 0;     ///< over the middle half of it, of that of a plane wave
  std::array<double, 2> speed{};
  double momentum_error = 0;  ///< relative
  std::int64_t crossings = 0;
  double volume_error = 0;  ///< relative, of a bar, at most
  int steps = 0;            ///< in 2 L / c
};

/// Along the bars, m/s.
double mean_speed(const tets::Model& model, const tets::State& state, int bar) {
  const tets::BodyRange& body = model.bodies[bar];
  double sum = 0, mass = 0;
  for (std::int32_t i = body.first_node; i < body.first_node + body.node_count; ++i) {
    sum += model.mass[i] * state.velocities[i][0];
    mass += model.mass[i];
  }
  return sum / mass;
}

/// Lets the first bar fly at the other for 4 L / c. `step` takes both on and returns the force
/// between them, N; what it returns is looked at as the mean over so many of them.
BarImpact watch(const Bars& bars, const tets::Model& model, tets::State& state, int width,
                const std::function<double()>& step, Context& context) {
  for (std::int32_t i = 0; i < model.bodies[0].node_count; ++i) {
    state.velocities[i] = {kBarSpeed, 0, 0};
  }
  state.last_velocities = state.velocities;
  BarImpact impact;
  std::vector<double> force;
  int first = -1, last = -1;
  for (int k = 0; k < 2 * bars.steps && !context.cancelled; ++k) {
    force.push_back(step() / bars.force());
    double mean = 0;
    for (int i = std::max(0, k + 1 - width); i <= k; ++i) mean += force[i] / width;
    // It comes and goes over a few steps: half of it is the begin and the end.
    if (mean > 0.5) {
      if (first < 0) first = k;
      last = k;
    }
    const bool middle = first >= 0 && k > first + bars.steps / 4 && k <= first + 3 * bars.steps / 4;
    if (middle) impact.force += force[k] / (0.5 * bars.steps);
  }
  impact.duration = (last - first + 1) * bars.dt() / bars.through();
  for (int b = 0; b < 2; ++b) impact.speed[b] = mean_speed(model, state, b) / kBarSpeed;
  impact.momentum_error = std::abs(impact.speed[0] + impact.speed[1] - 1);
  return impact;
}

BarImpact collide_tets(const Bars& bars, Context& context) {
  tets::Params params{.integrator = solve::Integrator::Bdf2};
  const tets::Model model =
      tets::build_model(bars.bodies(elastic_flesh(kBarYoung, 0)), params, context.arena);
  const double dt = bars.dt();
  contact::ContactEnergy contact = tets::make_contact(model, {.reach = bars.reach()}, dt);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  StepCount count;
  const auto step = [&] {
    contact.place({}, dt);
    count.add(tets::advance(model, state, {.contact = &contact, .dt = dt}, scratch, context), dt);
    double force = 0;
    for (const contact::Term& term : contact.terms()) {
      for (int i = 0; i < term.count; ++i) {
        if (term.points[i] < model.bodies[0].node_count) force += term.gradient[i][0];
      }
    }
    return force;
  };
  BarImpact impact = watch(bars, model, state, 1, step, context);
  impact.crossings =
      contact::find_crossings(contact.surface(), state.positions, context.arena).count();
  return impact;
}

/// Volumes kept or not; Young's modulus is the same.
struct Rings {
  tets::Scheme scheme;
  bool keep_volumes;
};

BarImpact collide_rings(const Bars& bars, const Rings& rings, Context& context) {
  // With volumes kept it is three times the shear modulus.
  const materials::Material flesh =
      elastic_flesh(rings.keep_volumes ? 2 * kBarYoung / 3 : kBarYoung, 0);
  // Contacts of a step take what approaches within their distance: it is to be a small part of what
  // bars give way.
  TetMotion motion(bars.bodies(flesh),
                   {.scheme = rings.scheme,
                    .keep_volumes = rings.keep_volumes,
                    .substeps = 1,
                    .newton_tolerance = 1e-8,
                    .stiffness_damping = 0,
                    .step_part = 0.25},
                   {.contact_distance = 0.1 * bars.reach(), .self_contact = true}, {}, context);
  double volume_error = 0, mass = 0;
  int steps = 0;
  for (std::int32_t i = 0; i < motion.model().bodies[0].node_count; ++i) {
    mass += motion.model().mass[i];
  }
  const auto step = [&] {
    const double before = mean_speed(motion.model(), motion.state(), 0);
    const FrameReport report = motion.frame({0, 0, 0}, bars.dt());
    volume_error = std::max(volume_error, report.worst_body);
    steps += report.steps;
    return mass * (before - mean_speed(motion.model(), motion.state(), 0)) / bars.dt();
  };
  // Impulses come one by one: the force is a mean over a sixteenth of 2 L / c.
  BarImpact impact = watch(bars, motion.model(), motion.state(), bars.steps / 16, step, context);
  impact.volume_error = volume_error;
  impact.steps = steps / 2;
  impact.crossings =
      contact::find_crossings(motion.stepper().surface(), motion.state().positions, context.arena)
          .count();
  return impact;
}

/// What an impact was like; `is_sharp`: held to the law, else only shown beside it.
void add_rows(const BarImpact& impact, const std::string& body, std::string_view variant,
              const std::string& note, bool is_sharp, std::vector<Row>& rows) {
  const auto add = [&](std::string quantity, double ours, std::string unit, double bound,
                       bool is_claimed, std::string more = "") {
    Row row =
        verification_row("verify/bars", body + std::move(quantity), variant, "Saint-Venant 1867");
    row.note = note + more;
    row.ours = ours;
    row.unit = std::move(unit);
    if (is_claimed) {
      row = claim(row, ours, row.unit, Relation::AtMost, bound);
    } else {
      row.note += "; not claimed: backward Euler makes ends of waves less steep";
    }
    rows.push_back(std::move(row));
  };
  add("time of contact, of 2 L / c", 100 * std::abs(impact.duration - 1), "% off", 3, is_sharp,
      fmt::format("; {:.4f}", impact.duration));
  add("force in the middle half of it, of rho c v / 2 times the area",
      100 * std::abs(impact.force - 1), "% off", 2, true, fmt::format("; {:.4f}", impact.force));
  add("first bar's velocity after it, of that before", 100 * std::abs(impact.speed[0]), "%", 3,
      is_sharp);
  add("second bar's velocity after it, of the first's before", 100 * std::abs(impact.speed[1] - 1),
      "% off", 3, is_sharp);
  add("momentum lost", impact.momentum_error, "", 1e-8, true);
  add("crossing pairs at the end", double(impact.crossings), "", 0, true);
}

}  // namespace

std::vector<Row> verify_bars(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const Bars bars{.cells = options.full ? 80 : 32, .steps = options.full ? 800 : 256};
  const std::string cells = fmt::format("{} cells along each bar, ", bars.cells);
  add_rows(collide_tets(bars, context), "", "best",
           cells + fmt::format("{} steps of BDF2 in 2 L / c", bars.steps), true, rows);
  for (const bool keep_volumes : {false, true}) {
    for (const auto& [variant, scheme] :
         {std::pair{"paper", tets::Scheme::Published}, {"best", tets::Scheme::Implicit}}) {
      if (context.cancelled) return rows;
      const BarImpact impact = collide_rings(bars, {scheme, keep_volumes}, context);
      std::string note = cells + fmt::format("{} steps in 2 L / c", impact.steps);
      if (keep_volumes) {
        note += fmt::format(", volumes of bars within {:.2g} %", 100 * impact.volume_error);
      }
      add_rows(impact, keep_volumes ? "one-rings: " : "one-rings without volumes: ", variant, note,
               scheme == tets::Scheme::Published, rows);
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
