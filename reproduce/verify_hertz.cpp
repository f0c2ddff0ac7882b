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

/// How far a plate comes.
struct Press {
  double part;   ///< radius of the contact by Hertz, of that of the ball: sqrt(d / R)
  double bound;  ///< of the error, %
  std::string_view why;
  std::vector<double> cells;  ///< in the contact's radius

  double approach() const { return part * part * kBallRadius; }
  double radius() const { return part * kBallRadius; }
  bool is_large() const { return part > 0.1; }
};

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
geometry::TetMesh graded_half_ball(const Press& press, double spacing) {
  // A little beyond the contact, and as deep: stresses are largest there.
  const double around = 1.3 * press.part, below = press.part;
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

Contact press_ball(const Press& press, double cells, Context& context) {
  tets::BodySpec body{.name = "ball"};
  body.mesh = graded_half_ball(press, press.part / cells);
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
  const double plate = press.approach() - kBallRadius;
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

/// Hertz's law, N.
double force_of(double approach) {
  const double stiffness = kBallYoung / (1 - kBallPoisson * kBallPoisson);
  return 4.0 / 3 * stiffness * std::sqrt(kBallRadius) * std::pow(approach, 1.5);
}

/// The same where each plate also moves the other's contact, 2 R away, by what it does there to a
/// half space (Tatara 1991, J. Eng. Mater. Technol. 113): d = d_Hertz(F) - F f / (pi E). Of a
/// radius of 0.03 that is 1.6 % more than Hertz's.
double by_both_plates(const Press& press) {
  const double apart = std::hypot(press.radius(), 2 * kBallRadius);
  const double f = 2 * (1 + kBallPoisson) * kBallRadius * kBallRadius / (apart * apart * apart) +
                   (1 - kBallPoisson * kBallPoisson) / apart;
  const double per_force = f / (std::numbers::pi * kBallYoung);
  // d_Hertz grows a little with the force: a few rounds do.
  double force = 0;
  for (int round = 0; round < 20; ++round) force = force_of(press.approach() + per_force * force);
  return force;
}

void press_by(const Press& press, Context& context, std::vector<Row>& rows) {
  const double force = force_of(press.approach()), both = by_both_plates(press);
  const std::string how = fmt::format("contact of {:.0f} % of the ball's radius", 100 * press.part);
  double last_error = 0, last_count = 0;
  std::vector<double> found;
  for (const double count : press.cells) {
    if (context.cancelled) return;
    const Contact contact = press_ball(press, count, context);
    const double error = contact.force / force - 1, beyond = contact.force / both - 1;
    Row row = verification_row("verify/hertz",
                               fmt::format("force, {}, {:.0f} cells in the contact's", how, count),
                               "best", "Hertz 1882");
    row.paper = force;
    row.ours = contact.force;
    row.unit = "N";
    row.note = fmt::format(
        "{} tets, pressed by {:.3g} mm, error {:+.2f} %, {} rounds; radius {:.4f} m (Hertz "
        "{:.4f}); "
        "with the other plate's part {:+.2f} %",
        contact.tets, 1e3 * press.approach(), 100 * error, contact.rounds, contact.radius,
        press.radius(), 100 * beyond);
    found.push_back(contact.force);
    const std::size_t n = found.size();
    if (press.is_large() && n > 2) {
      // By differences of doubled cells: what strains do that the law does not know stays.
      row.note += fmt::format("; order {:.1f}", std::log2((found[n - 3] - found[n - 2]) /
                                                          (found[n - 2] - found[n - 1])));
    } else if (!press.is_large() && last_error != 0) {
      row.note += fmt::format(
          "; order {:.1f}", std::log(std::abs(last_error / beyond)) / std::log(count / last_count));
    }
    if (!contact.converged) row.ours.reset();
    rows.push_back(row);
    last_error = beyond;
    last_count = count;
    if (count != press.cells.back()) continue;
    Row bound = verification_row("verify/hertz", "error of the force on the finest mesh, " + how,
                                 "best", "Hertz 1882");
    bound.note = fmt::format(
        "{:.0f} cells in the contact's radius; {}: the other plate's part is {:+.1f} %, and what "
        "is "
        "left {:+.1f} %",
        count, press.why, 100 * (both / force - 1), 100 * beyond);
    bound = claim(bound, 100 * std::abs(error), "%", Relation::AtMost, press.bound);
    if (!contact.converged) bound.ours.reset();
    rows.push_back(std::move(bound));
  }
}

}  // namespace

std::vector<Row> verify_hertz(const ExperimentOptions& options, Context& context) {
  Press small{.part = 0.03,
              .bound = 3,
              .why = "so small that the ball is nearly the half space of the law",
              .cells = {2, 3, 4}};
  const Press large{.part = 0.2,
                    .bound = 5,
                    .why = "2 mm on 50 mm: strains are finite and the ball is no half space",
                    .cells = {2, 4, 8}};
  if (options.full) small.cells.insert(small.cells.end(), {6, 8});
  std::vector<Row> rows;
  for (const Press& press : {small, large}) press_by(press, context, rows);
  return rows;
}

}  // namespace isochor::reproduce
