/// What keeping volumes leaves of momenta: corrections alone, which push every tet without force
/// and moment [Irving07 sec 3], and whole steps, which do more than that.
#include <cmath>
#include <fmt/core.h>
#include <random>

#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "irving/conservation";
constexpr double kFlight = kFrame / 4;

/// A ball as if it were hitting the ground: positions and velocities.
struct Impact {
  tets::BodySpec body{.name = "ball"};
  tets::Model model;
  std::vector<Vec3d> positions, velocities;
};

Impact make_impact(double spacing, Context& context) {
  constexpr double kRadius = 0.5;
  Impact impact;
  impact.body.mesh = stuffed_ball({0, kRadius, 0}, kRadius, spacing, context.arena);
  impact.body.materials = {elastic_flesh(3e4, 0)};
  impact.model = tets::build_model({impact.body}, {.preconditioner = tets::Preconditioner::Jacobi},
                                   context.arena);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-0.02 * spacing, 0.02 * spacing);
  for (const Vec3d& x : impact.model.rest_positions) {
    // Flattened below, bulging to the sides, a tenth of the volume too small.
    const double low = std::exp(-3 * x[1] / kRadius);
    impact.positions.push_back(
        {x[0] * (1 + 0.1 * low) + noise(random), x[1] * (1 - 0.3 * low), x[2] + noise(random)});
    impact.velocities.push_back({0, -6 * (1 - low), 0});
  }
  return impact;
}

/// Of a body, about the origin.
struct Momenta {
  double mass = 0;
  Vec3d centre{0, 0, 0}, linear{0, 0, 0}, angular{0, 0, 0};
  double pushes = 0, turns = 0;  ///< the sums of the sizes of what single nodes have
};

Momenta momenta_of(const tets::Model& model, std::span<const Vec3d> positions,
                   std::span<const Vec3d> velocities) {
  Momenta m;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    const Vec3d push = model.mass[i] * velocities[i], turn = cross(positions[i], push);
    m.mass += model.mass[i];
    m.centre += model.mass[i] * positions[i];
    m.linear += push;
    m.angular += turn;
    m.pushes += norm(push);
    m.turns += norm(turn);
  }
  m.centre *= 1 / m.mass;
  return m;
}

void add_corrections(const Impact& impact, std::vector<Row>& rows, Context& context) {
  tets::OneRings rings(impact.model, context.arena);
  rings.measure(impact.positions);
  std::vector<double> wanted(impact.model.node_count()), pressures(impact.model.node_count());
  // The paper's pressures are not preconditioned, and volumes do not give way to them.
  const tets::OneRingParams ours, paper{.compliance = 0, .precondition = false};
  for (const auto& [variant, positions] :
       {std::pair{"paper", true}, {"paper", false}, {"best", true}, {"best", false}}) {
    const tets::OneRingParams& params = variant == std::string_view("paper") ? paper : ours;
    std::vector<Vec3d> v = impact.velocities;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      pressures[i] = 0;
      wanted[i] = positions ? (rings.rest_volumes()[i] - rings.volumes()[i]) / kFrame : 0;
    }
    rings.correct(
        v, wanted, pressures, [](std::span<Vec3d>) {}, params, context.cancelled);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] -= impact.velocities[i];
    const Momenta given = momenta_of(impact.model, impact.positions, v);
    const auto add = [&, variant = variant, positions = positions](std::string_view what,
                                                                   const Vec3d& sum, double size) {
      Row row = verification_row(kId,
                                 fmt::format("{} given by a correction of {} by masses", what,
                                             positions ? "positions" : "velocities"),
                                 variant, "section 3");
      row.note = "of the sum of what nodes get, whatever the tolerance of the solve";
      rows.push_back(claim(row, norm(sum) / size, "", Relation::AtMost, 1e-13));
    };
    add("momentum", given.linear, given.pushes);
    add("angular momentum", given.angular, given.turns);
  }
}

/// A part of a frame in which nothing acts on the ball from outside: it flies and turns.
struct FreeFlight {
  Momenta before, after;
  FrameReport report;
};

FreeFlight fly(const Impact& impact, const MotionSetup& setup, Context& context) {
  constexpr Vec3d kSpin{3, 6, -4};
  TetMotion motion({impact.body}, setup, {}, {}, context);
  const tets::Model& model = motion.model();
  tets::State& state = motion.state();
  state.positions = impact.positions;
  state.velocities = impact.velocities;
  const Vec3d centre = momenta_of(model, state.positions, state.velocities).centre;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    state.velocities[i] += cross(kSpin, state.positions[i] - centre);
  }
  FreeFlight flight{.before = momenta_of(model, state.positions, state.velocities)};
  flight.report = motion.frame({0, 0, 0}, kFlight);
  flight.after = momenta_of(model, state.positions, state.velocities);
  return flight;
}

Row flight_row(std::string quantity, std::string_view variant, const FreeFlight& flight,
               double value, std::string unit, std::string_view note) {
  Row row = verification_row(kId, std::move(quantity) + ", free flight", variant, "section 2");
  row.ours = value;
  row.unit = std::move(unit);
  row.note = fmt::format("a fourth of a frame, steps: {}, recoveries of volumes: {}; {}",
                         flight.report.steps, flight.report.sum.recovery_steps, note);
  return row;
}

/// The published scheme goes by masses throughout. Ours recovers volumes with another response of
/// light nodes and rounded slopes, and moves nodes by that without changing velocities.
void add_flights(const Impact& impact, std::vector<Row>& rows, Context& context) {
  const FreeFlight published = fly(impact, {.scheme = tets::Scheme::Published}, context);
  const FreeFlight ours = fly(impact, {.substeps = 1}, context);
  const FreeFlight elastic = fly(impact, {.keep_volumes = false, .substeps = 1}, context);
  const auto add = [&](std::string_view variant, const FreeFlight& flight, bool exact,
                       std::string_view linear, std::string_view angular, std::string_view centre) {
    const Momenta &before = flight.before, &after = flight.after;
    const auto add_row = [&](Row row, double most) {
      if (exact) row = claim(row, *row.ours, row.unit, Relation::AtMost, most);
      rows.push_back(std::move(row));
    };
    add_row(flight_row("momentum lost", variant, flight,
                       norm(after.linear - before.linear) / before.pushes, "of all nodes'", linear),
            1e-10);
    const Vec3d way = after.centre - before.centre;
    add_row(flight_row("centre of mass off its way", variant, flight,
                       1000 * norm(way - (kFlight / before.mass) * before.linear), "mm",
                       fmt::format("goes {:.1f} mm; {}", 1000 * norm(way), centre)),
            1e-8);
    rows.push_back(flight_row("angular momentum lost", variant, flight,
                              norm(after.angular - before.angular) / norm(before.angular),
                              "of the first", angular));
  };
  const std::string_view by_masses = "corrections go by masses",
                         by_tolerance = "as far as the elastic system is solved",
                         apart = "positions are corrected apart from velocities";
  add("paper", published, true, by_masses, apart, by_masses);
  add("best", ours, false, by_tolerance, apart, "recoveries do not go by masses");
  add("no volumes kept", elastic, false, by_tolerance, "backward Euler", by_tolerance);
  rows.push_back(claim(flight_row("momentum that keeping volumes takes", "best", ours, 0, "",
                                  "beside the same step without"),
                       norm(ours.after.linear - elastic.after.linear) / ours.before.pushes,
                       "of all nodes'", Relation::AtMost, 1e-13));
}

}  // namespace

std::vector<Row> irving_conservation(const ExperimentOptions&, Context& context) {
  const Impact impact = make_impact(0.08, context);
  std::vector<Row> rows;
  add_corrections(impact, rows, context);
  add_flights(impact, rows, context);
  return rows;
}

}  // namespace isochor::reproduce
