/// A ball pressed between two rigid plates, against Hertz (1882): each contact carries
/// F = 4/3 E* sqrt(R) d^(3/2), E* = E / (1 - nu^2), where its plate has come nearer to the middle
/// of the ball by d. For contacts that are small beside the ball; strains beneath them are not
/// quite.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"

namespace isochor::reproduce {
namespace {

constexpr double kBallRadius = 0.05;
constexpr double kBallYoung = 1e5;
constexpr double kBallPoisson = 0.3;
constexpr double kApproach = 0.001;

/// A node that a plate has to push.
struct Touch {
  std::int32_t node;
  double side;  ///< +1: the lower plate, -1: the upper one
};

struct Contact {
  double force = 0;   ///< N, of the lower plate
  double radius = 0;  ///< m, of the farthest node that it pushes
  int rounds = 0;
  std::size_t tets = 0;
  bool converged = true;
};

/// Nodes that are beyond a plate and do not slide on it yet.
bool add_touches(std::span<const Vec3d> positions, std::vector<Touch>& touches) {
  const double plate = kBallRadius - kApproach;
  const std::size_t before = touches.size();
  for (std::size_t n = 0; n < positions.size(); ++n) {
    // What rounding leaves of a node on the plate is not beyond it.
    if (std::abs(positions[n][1]) <= plate * (1 + 1e-12)) continue;
    touches.push_back({std::int32_t(n), positions[n][1] < 0 ? 1.0 : -1.0});
  }
  return touches.size() > before;
}

Contact press_ball(double spacing, Context& context) {
  tets::BodySpec body{.name = "ball"};
  body.mesh = stuffed_ball({0, 0, 0}, kBallRadius, spacing, context.arena, 2);
  body.materials = {elastic_flesh(kBallYoung, kBallPoisson)};
  // A small core that stays: far from the contacts, where next to nothing happens.
  body.holds = {{.name = "core", .nodes = {}}};
  for (std::size_t n = 0; n < body.mesh.positions.size(); ++n) {
    const Vec3d& x = body.mesh.positions[n];
    if (dot(x, x) < 0.01 * kBallRadius * kBallRadius) {
      body.holds[0].nodes.push_back(std::int32_t(n));
    }
  }
  const tets::Model model = tets::build_model({body}, {}, context.arena);
  std::vector<Vec3d> held;
  for (const std::int32_t n : model.holds[0].nodes) held.push_back(model.rest_positions[n]);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  Contact contact{.tets = model.tets.size()};
  std::vector<Touch> touches;
  // What comes to touch is added, what would have to be pulled is let go.
  while (add_touches(state.positions, touches) && contact.rounds < 6) {
    std::vector<tets::Slide> slides;
    for (const Touch& t : touches) {
      slides.push_back({t.node, {0, t.side, 0}, kApproach - kBallRadius});
    }
    const tets::StepReport report =
        tets::advance(model, state, {.held_positions = held, .slides = slides}, scratch, context);
    contact.converged = report.converged();
    if (!contact.converged) return contact;
    std::erase_if(touches, [&](const Touch& t) {
      return std::abs(state.positions[t.node][1]) < (kBallRadius - kApproach) * (1 - 1e-12);
    });
    ++contact.rounds;
  }
  std::vector<Vec3d> force(model.node_count());
  tets::elastic_force(model, {state.positions}, force, scratch.elastic, context.arena);
  for (const Touch& t : touches) {
    if (t.side < 0) continue;
    const Vec3d& x = state.positions[t.node];
    contact.force -= force[t.node][1];
    contact.radius = std::max(contact.radius, std::hypot(x[0], x[2]));
  }
  return contact;
}

}  // namespace

std::vector<Row> verify_hertz(const ExperimentOptions& options, Context& context) {
  const double stiffness = kBallYoung / (1 - kBallPoisson * kBallPoisson);
  const double force = 4.0 / 3 * stiffness * std::sqrt(kBallRadius) * std::pow(kApproach, 1.5);
  const double radius = std::sqrt(kBallRadius * kApproach);
  std::vector<double> spacings{0.008, 0.005, 0.0035};
  if (options.full) spacings.insert(spacings.end(), {0.0025, 0.0015});
  std::vector<Row> rows;
  double last_error = 0, last_spacing = 0;
  for (const double spacing : spacings) {
    if (context.cancelled) break;
    const Contact contact = press_ball(spacing, context);
    const double error = contact.force / force - 1;
    Row row = verification_row(
        "verify/hertz",
        fmt::format("force, cells of {:.1f} in the contact's radius", radius / spacing), "best",
        "Hertz 1882");
    row.paper = force;
    row.ours = contact.force;
    row.unit = "N";
    row.note = fmt::format("{} tets, error {:+.2f} %, {} rounds; radius {:.4f} m (Hertz {:.4f})",
                           contact.tets, 100 * error, contact.rounds, contact.radius, radius);
    if (last_error != 0) {
      row.note += fmt::format("; order {:.1f}", std::log(std::abs(last_error / error)) /
                                                    std::log(last_spacing / spacing));
    }
    if (!contact.converged) row.ours.reset();
    rows.push_back(row);
    last_error = error;
    last_spacing = spacing;
    if (spacing == spacings.back()) {
      Row bound = verification_row("verify/hertz", "error of the force on the finest mesh", "best",
                                   "Hertz 1882");
      bound.note = "two cells in the contact's radius; --full has up to five";
      rows.push_back(claim(bound, 100 * std::abs(error), "%", Relation::AtMost, 3));
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
