/// A ball pressed between two rigid plates, against Hertz (1882): each contact carries
/// F = 4/3 E* sqrt(R) d^(3/2), E* = E / (1 - nu^2), where its plate has come nearer to the middle
/// of the ball by d. One half of it is enough; its tets are small where it touches and grow from
/// there.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kBallRadius = 0.05;
constexpr double kBallYoung = 1e5;
constexpr double kBallPoisson = 0.3;
constexpr double kContactRadius = 0.03;  ///< Hertz's, of that of the ball: sqrt(d / R)
/// Small: the ball is no half space, see `by_both_plates`.
constexpr double kApproach = kContactRadius * kContactRadius * kBallRadius;

struct Contact {
  double force = 0;   ///< N, of the plate
  double radius = 0;  ///< m, of the farthest node that it pushes
  int rounds = 0;
  std::size_t tets = 0;
  bool converged = true;
};

/// Places from 0 to 1: `spacing` apart up to `even`, then further and further.
std::vector<double> graded_places(double spacing, double even) {
  constexpr double kGrowth = 1.3;
  std::vector<double> places{0};
  double step = spacing;
  while (places.back() < 1) {
    if (places.back() >= even) step *= kGrowth;
    places.push_back(places.back() + step);
  }
  // The last may be too far: what is beyond the even part gives way.
  const double last = places.back();
  for (double& x : places) {
    if (x > even) x = even + (x - even) * (1 - even) / (last - even);
  }
  places.back() = 1;
  return places;
}

/// The lower half of the ball, bent from half a cube: cells of `spacing` radii at its lowest point.
geometry::TetMesh graded_half_ball(double spacing) {
  // A little beyond the contact, and as deep: stresses are largest there.
  const double around = 1.3 * kContactRadius, below = kContactRadius;
  const std::vector<double> half = graded_places(spacing, around);
  std::vector<double> across;
  for (std::size_t i = half.size() - 1; i > 0; --i) across.push_back(-half[i]);
  across.insert(across.end(), half.begin(), half.end());
  const std::vector<double> up = graded_places(spacing, below);
  const int n = int(across.size()) - 1, m = int(up.size()) - 1;
  geometry::TetMesh mesh = box_of_tets({n, m, n}, 1);
  for (Vec3d& x : mesh.positions) {
    x = {across[std::lround(x[0])], up[std::lround(x[1])] - 1, across[std::lround(x[2])]};
    const double longest = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    // Towards the middle as it was, towards the surface on spheres.
    if (longest > 0) x *= 1 - longest + longest * longest / norm(x);
    x *= kBallRadius;
  }
  return mesh;
}

Contact press_ball(double spacing, Context& context) {
  tets::BodySpec body{.name = "ball"};
  body.mesh = graded_half_ball(spacing);
  body.materials = {elastic_flesh(kBallYoung, kBallPoisson)};
  // A small core that stays: far from the contact, where next to nothing happens.
  body.holds = {hold_where(body.mesh, "core", [](const Vec3d& x) {
    return dot(x, x) < 0.01 * kBallRadius * kBallRadius;
  })};
  tets::Params params;
  params.newton.tolerance = 1e-5;
  const tets::Model model = tets::build_model({body}, params, context.arena);
  std::vector<Vec3d> held;
  for (const std::int32_t n : model.holds[0].nodes) held.push_back(model.rest_positions[n]);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  Contact contact{.tets = model.tets.size()};
  // The other half is a plane on which this one slides.
  std::vector<tets::Slide> middle;
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    if (model.rest_positions[n][1] == 0 && !model.held[n]) {
      middle.push_back({std::int32_t(n), {0, -1, 0}, 0});
    }
  }
  const double plate = kApproach - kBallRadius;
  // What rounding leaves of a node on the plate is not beyond it.
  const auto beyond = [&](std::int32_t n, double part) {
    return state.positions[n][1] < plate * (1 - part);
  };
  std::vector<std::int32_t> touches;
  // What comes to touch is added, what would have to be pulled is let go.
  for (bool changed = true; changed && contact.rounds < 12; ++contact.rounds) {
    const std::size_t before = touches.size();
    for (std::int32_t n = 0; n < std::int32_t(model.node_count()); ++n) {
      if (beyond(n, -1e-12)) touches.push_back(n);
    }
    // Once more at least: nodes of the middle that the first contacts let go are held again.
    changed = touches.size() > before || contact.rounds < 2;
    if (!changed) break;
    std::vector<tets::Slide> slides = middle;
    for (const std::int32_t n : touches) slides.push_back({n, {0, 1, 0}, plate});
    const tets::StepReport report =
        tets::advance(model, state, {.held_positions = held, .slides = slides}, scratch, context);
    contact.converged = report.converged();
    if (!contact.converged) return contact;
    std::erase_if(touches, [&](std::int32_t n) { return !beyond(n, 1e-12); });
  }
  std::vector<Vec3d> force(model.node_count());
  tets::elastic_force(model, {state.positions}, force, scratch.elastic, context.arena);
  for (const std::int32_t n : touches) {
    const Vec3d& x = state.positions[n];
    contact.force -= force[n][1];
    contact.radius = std::max(contact.radius, std::hypot(x[0], x[2]));
  }
  return contact;
}

/// The same force where each plate also moves the other's contact, 2 R away, by what it does there
/// to a half space (Tatara 1991, J. Eng. Mater. Technol. 113): d = d_Hertz(F) - F f / (pi E). Of a
/// radius of 0.03 that is 1.6 % more than Hertz's.
double by_both_plates() {
  const double a = kContactRadius * kBallRadius;
  const double apart = std::hypot(a, 2 * kBallRadius);
  const double f = 2 * (1 + kBallPoisson) * kBallRadius * kBallRadius / (apart * apart * apart) +
                   (1 - kBallPoisson * kBallPoisson) / apart;
  const double stiffness = kBallYoung / (1 - kBallPoisson * kBallPoisson);
  const double per_force = f / (std::numbers::pi * kBallYoung);
  // d_Hertz grows a little with the force: a few rounds do.
  double force = 0;
  for (int round = 0; round < 20; ++round) {
    const double local = kApproach + per_force * force;
    force = 4.0 / 3 * stiffness * std::sqrt(kBallRadius) * std::pow(local, 1.5);
  }
  return force;
}

}  // namespace

std::vector<Row> verify_hertz(const ExperimentOptions& options, Context& context) {
  const double stiffness = kBallYoung / (1 - kBallPoisson * kBallPoisson);
  const double force = 4.0 / 3 * stiffness * std::sqrt(kBallRadius) * std::pow(kApproach, 1.5);
  const double both = by_both_plates();
  const double radius = std::sqrt(kBallRadius * kApproach);
  std::vector<double> cells{2, 3, 4};
  if (options.full) cells.insert(cells.end(), {6, 8});
  std::vector<Row> rows;
  double last_error = 0, last_count = 0;
  for (const double count : cells) {
    if (context.cancelled) break;
    const Contact contact = press_ball(radius / kBallRadius / count, context);
    const double error = contact.force / force - 1, beyond = contact.force / both - 1;
    Row row = verification_row("verify/hertz",
                               fmt::format("force, {:.0f} cells in the contact's radius", count),
                               "best", "Hertz 1882");
    row.paper = force;
    row.ours = contact.force;
    row.unit = "N";
    row.note = fmt::format(
        "{} tets, error {:+.2f} %, {} rounds; radius {:.4f} m (Hertz {:.4f}); with the other "
        "plate's part {:+.2f} %",
        contact.tets, 100 * error, contact.rounds, contact.radius, radius, 100 * beyond);
    if (last_error != 0) {
      row.note += fmt::format(
          "; order {:.1f}", std::log(std::abs(last_error / beyond)) / std::log(count / last_count));
    }
    if (!contact.converged) row.ours.reset();
    rows.push_back(row);
    last_error = beyond;
    last_count = count;
    if (count == cells.back()) {
      Row bound = verification_row("verify/hertz", "error of the force on the finest mesh", "best",
                                   "Hertz 1882");
      bound.note = "four cells in the contact's radius; --full has up to eight";
      rows.push_back(claim(bound, 100 * std::abs(error), "%", Relation::AtMost, 3));
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
