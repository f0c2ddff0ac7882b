/// Contact of a ball, against Hertz (1882): F = 4/3 E* sqrt(R) d^(3/2), E* = E / (1 - nu^2).
///
/// *A rigid ball on soft ground* is the law's own case: a half space into which the ball goes by d.
/// The ground ends in a half ball whose outside moves as under a point force (Boussinesq), so that
/// nothing is missing beyond it.
///
/// *A soft ball between two rigid plates*: each plate has come nearer to the middle of the ball by
/// d. That is the law's case for small contacts alone. For larger ones there is the law of a ball
/// (`force_between_plates`), as far as strains are small. One half of the ball is enough. Balls of
/// one-rings, which keep their volume, are held to it at Poisson's ratio 1/2.
///
/// Tets are small where they touch and grow from there, the less the smaller they are: meshes are
/// refined everywhere.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <numbers>

#include "isochor/materials/registry.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/pressed_ball.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kBallRadius = 0.05;
constexpr double kBallYoung = 1e5;
constexpr double kBallPoisson = 0.3;

/// How far a plate or a rigid ball comes.
struct Press {
  bool soft_ball;  ///< between plates; else soft ground under a rigid ball
  double part;     ///< radius of the contact by Hertz, of the ball's: sqrt(d / R)
  std::string_view law = "stable_neo_hookean";
  bool is_claimed = true;              ///< of the law that is named; else only shown beside it
  std::vector<double> cells{2, 4, 8};  ///< in the contact's radius

  /// Beyond small contacts Hertz's law is not that of a ball.
  bool by_ball() const { return soft_ball && part > 0.1; }
  materials::Material flesh() const {
    materials::Material m = elastic_flesh(kBallYoung, kBallPoisson);
    m.law = materials::law_index(law);
    return m;
  }
  double approach() const { return part * part * kBallRadius; }
  double radius() const { return part * kBallRadius; }
};

struct Contact {
  double force = 0;   ///< N, of the plate or the rigid ball
  double radius = 0;  ///< m, of the farthest node that it pushes
  int rounds = 0;
  std::size_t tets = 0;
  bool converged = true;
};

/// Places from 0 to 1: `spacing` apart up to `even`, then further and further, each `growth` times
/// the one before.
std::vector<double> graded_places(double spacing, double even, double growth) {
  std::vector<double> places{0};
  double step = spacing;
  while (places.back() < 1) {
    if (places.back() >= even) step *= growth;
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

/// The lower half of a ball of `radius`, bent from half a cube: so many `cells` in `part` radii
/// around the lowest point or, with `above`, around the middle of the flat side.
geometry::TetMesh graded_half_ball(double radius, double part, double cells, bool above) {
  const double spacing = part / cells;
  // Twice the cells are half as large far away, too.
  const double growth = std::pow(1.5, 4 / cells);
  // A little beyond the contact, and as deep: stresses are largest there.
  const std::vector<double> half = graded_places(spacing, 1.3 * part, growth);
  std::vector<double> across;
  for (std::size_t i = half.size() - 1; i > 0; --i) across.push_back(-half[i]);
  across.insert(across.end(), half.begin(), half.end());
  const std::vector<double> deep = graded_places(spacing, part, growth);
  const int n = int(across.size()) - 1, m = int(deep.size()) - 1;
  geometry::TetMesh mesh = box_of_tets({n, m, n}, 1);
  for (Vec3d& x : mesh.positions) {
    const long layer = std::lround(x[1]);
    x = {across[std::lround(x[0])], above ? -deep[m - layer] : deep[layer] - 1,
         across[std::lround(x[2])]};
    const double longest = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    // Towards the middle as it was, towards the surface on spheres.
    if (longest > 0) x *= 1 - longest + longest * longest / norm(x);
    x *= radius;
  }
  return mesh;
}

/// Hertz's law, N.
double force_of(double approach) {
  const double stiffness = kBallYoung / (1 - kBallPoisson * kBallPoisson);
  return 4.0 / 3 * stiffness * std::sqrt(kBallRadius) * std::pow(approach, 1.5);
}

/// By differences of doubled cells: what strains do that no law knows stays.
std::string order_of(double coarse, double finer, double finest) {
  return fmt::format("; order {:.1f}", std::log2(std::abs((coarse - finer) / (finer - finest))));
}

/// Where a point of a half space below y = 0 goes under a force, N, that pushes down at the origin
/// (Boussinesq 1885).
Vec3d under_point_force(const Vec3d& x, double force) {
  const double shear = kBallYoung / (2 * (1 + kBallPoisson));
  const double depth = -x[1], distance = norm(x);
  const double scale = force / (4 * std::numbers::pi * shear * distance);
  const double outward =
      depth / (distance * distance) - (1 - 2 * kBallPoisson) / (distance + depth);
  const double down = 2 * (1 - kBallPoisson) + depth * depth / (distance * distance);
  return x + scale * Vec3d{outward * x[0], -down, outward * x[2]};
}

Contact press_ground(const Press& press, double cells, Context& context) {
  // So many radii of the contact: what a point force leaves out is a hundredth there of its own.
  constexpr double kWide = 10;
  const double wide = kWide * press.radius();
  tets::BodySpec body{.name = "ground"};
  body.mesh = graded_half_ball(wide, 1 / kWide, cells, true);
  body.materials = {press.flesh()};
  body.holds = {hold_where(body.mesh, "far",
                           [&](const Vec3d& x) { return dot(x, x) > (1 - 1e-9) * wide * wide; })};
  tets::Params params;
  params.newton.tolerance = 1e-5;
  const tets::Model model = tets::build_model({body}, params, context.arena);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  std::vector<Vec3d> held(model.holds[0].nodes.size()), force(model.node_count());
  const Vec3d middle{0, kBallRadius - press.approach(), 0};
  Contact contact{.force = force_of(press.approach()), .tets = model.tets.size()};
  std::vector<tets::Slide> slides, next;
  std::vector<char> touches(model.node_count(), 0);
  // What comes to touch is added, what would have to be pulled is let go; planes in which nodes
  // slide follow them on the ball, and the far side the force.
  for (bool changed = true; changed && contact.rounds < 30; ++contact.rounds) {
    next.clear();
    for (std::int32_t n = 0; n < std::int32_t(model.node_count()); ++n) {
      const Vec3d from = state.positions[n] - middle;
      if (model.held[n] || (!touches[n] && norm(from) >= kBallRadius * (1 - 1e-9))) continue;
      const Vec3d normal = (1 / norm(from)) * from;
      next.push_back({n, normal, dot(normal, middle) + kBallRadius});
    }
    changed = next.size() > slides.size();
    slides = next;
    std::ranges::fill(touches, 0);
    for (std::size_t k = 0; k < held.size(); ++k) {
      held[k] = under_point_force(model.rest_positions[model.holds[0].nodes[k]], contact.force);
    }
    const tets::StepReport report =
        tets::advance(model, state, {.held_positions = held, .slides = slides}, scratch, context);
    contact.converged = report.converged();
    if (!contact.converged) return contact;
    changed |= 0 < std::erase_if(slides, [&](const tets::Slide& s) {
                 return dot(s.normal, state.positions[s.node]) > s.place + 1e-12 * kBallRadius;
               });
    tets::elastic_force(model, {state.positions}, force, scratch.elastic, context.arena);
    const double before = contact.force;
    contact.force = contact.radius = 0;
    for (const tets::Slide& s : slides) {
      const Vec3d& x = state.positions[s.node];
      contact.force += force[s.node][1];
      touches[s.node] = 1;
      contact.radius = std::max(contact.radius, std::hypot(x[0], x[2]));
    }
    changed |= std::abs(contact.force - before) > 1e-4 * contact.force;
  }
  return contact;
}

Contact press_ball(const Press& press, double cells, Context& context) {
  tets::BodySpec body{.name = "ball"};
  body.mesh = graded_half_ball(kBallRadius, press.part, cells, false);
  body.materials = {press.flesh()};
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

/// A half ball of one-rings at rest.
struct Rest {
  double force = 0, middle = 0;  ///< N, of the plate and the plane that is the other half
  double radius = 0;             ///< m, of the farthest node on the plate
  int steps = 0;
  std::int64_t left = 0;  ///< nodes of the middle that left it
  double worst_ring = 0;  ///< relative
  std::vector<Vec3d> positions;
};

/// How long a ball is left to itself.
struct Wait {
  tets::Scheme scheme;
  double look;  ///< s; a step of the implicit scheme
  int looks;
  int last;  ///< of them, over which forces are means
};

/// From positions or, where there are none, those without load. The plate and the middle only push.
Rest rest_rings(const Wait& wait, const Press& press, const tets::BodySpec& body,
                std::span<const Vec3d> from, Context& context) {
  const double plate = press.approach() - kBallRadius;
  TetMotion motion(
      {body},
      {.scheme = wait.scheme, .substeps = 1, .newton_tolerance = 1e-4, .stiffness_damping = 1e-3},
      // As published for a ball between plates [Irving07 sec 5].
      {.restrain_both = true, .contact_distance = 0.02 * press.approach()},
      {{.name = "plate", .shape = contact::HalfSpace{}, .keys = {{0, {0, plate, 0}}}},
       {.name = "middle", .shape = contact::HalfSpace{{0, -1, 0}}}},
      context);
  std::ranges::copy(from, motion.state().positions.begin());
  Rest rest;
  for (int k = 0; k < wait.looks && !context.cancelled; ++k) {
    const FrameReport report = motion.frame({0, 0, 0}, wait.look);
    rest.steps += report.steps;
    rest.worst_ring = report.worst_ring;
    if (k < wait.looks - wait.last) continue;
    rest.force -= report.forces.colliders[0].force[1] / wait.last;
    rest.middle += report.forces.colliders[1].force[1] / wait.last;
  }
  rest.positions = motion.state().positions;
  const double rounding = 1e-9 * kBallRadius;
  for (std::size_t n = 0; n < rest.positions.size(); ++n) {
    const Vec3d& x = rest.positions[n];
    rest.left += motion.model().rest_positions[n][1] == 0 && x[1] < -rounding;
    if (x[1] < plate + rounding) rest.radius = std::max(rest.radius, std::hypot(x[0], x[2]));
  }
  return rest;
}

/// The law's ball without change of volume: its Young's modulus is three times the shear modulus.
void press_rings(const Press& press, Context& context, std::vector<Row>& rows) {
  const double stiffness = kBallYoung * kBallRadius * kBallRadius;
  const double law = stiffness * force_between_plates(press.part * press.part, 0.5);
  std::map<std::string_view, std::vector<double>> found;
  for (const double count : press.cells) {
    tets::BodySpec body{.name = "ball"};
    body.mesh = graded_half_ball(kBallRadius, press.part, count, false);
    body.materials = {elastic_flesh(2 * kBallYoung / 3, 0)};
    Rest rest;
    for (const auto& [variant, scheme] :
         {std::pair{"best", tets::Scheme::Implicit}, {"paper", tets::Scheme::Published}}) {
      if (context.cancelled) return;
      const bool ours = scheme == tets::Scheme::Implicit;
      // Ours needs some number of steps, however long they are. The published ones, as short as
      // they are, begin where ours end.
      rest = ours ? rest_rings({scheme, 1e-2, 60, 1}, press, body, {}, context)
                  : rest_rings({scheme, 1e-3, 10, 5}, press, body, rest.positions, context);
      const auto row = [&](const std::string& quantity) {
        Row r = verification_row(
            "verify/hertz",
            fmt::format(
                "{}, one-rings between plates, contact of {:.0f} % of its radius{}", quantity,
                100 * press.part,
                quantity == "force" ? fmt::format(", {:.0f} cells in the contact's", count) : ""),
            variant, "Lur'e 1964");
        r.note = fmt::format("{} tets, {} steps", body.mesh.tets.size(), rest.steps);
        if (!ours) r.note += " from where ours rest";
        return r;
      };
      Row force = row("force");
      force.paper = law;
      force.ours = rest.force;
      force.unit = "N";
      std::vector<double>& forces = found[variant];
      forces.push_back(rest.force);
      force.note += fmt::format(
          ", {:+.2f} % off the law of a ball at Poisson's ratio 1/2; the other half pushes with "
          "{:+.2f} % of it more, {} of its nodes left; radius {:.4f} m (Hertz {:.4f}), volumes of "
          "rings within {:.2g} %",
          100 * (rest.force / law - 1), 100 * (rest.middle / rest.force - 1), rest.left,
          rest.radius, press.radius(), 100 * rest.worst_ring);
      if (const std::size_t n = forces.size(); n > 2) {
        force.note += order_of(forces[n - 3], forces[n - 2], forces[n - 1]);
      }
      rows.push_back(std::move(force));
      if (count != press.cells.back()) continue;
      Row error = row("error of the force on the finest mesh");
      rows.push_back(claim(error, 100 * std::abs(rest.force / law - 1), "%", Relation::AtMost, 3));
    }
  }
}

/// A rigid ball in place of Hertz's paraboloid (Sneddon 1965), N: with a the contact's radius,
/// d = a/2 ln((R + a) / (R - a)) and F = E* ((a^2 + R^2) / 2 ln((R + a) / (R - a)) - a R).
double by_rigid_ball(double approach) {
  const double stiffness = kBallYoung / (1 - kBallPoisson * kBallPoisson);
  double low = 0, high = 0.9;  // a / R
  for (int k = 0; k < 60; ++k) {
    const double a = (low + high) / 2;
    (a / 2 * std::log((1 + a) / (1 - a)) * kBallRadius < approach ? low : high) = a;
  }
  return stiffness * kBallRadius * kBallRadius *
         ((low * low + 1) / 2 * std::log((1 + low) / (1 - low)) - low);
}

void press_by(const Press& press, Context& context, std::vector<Row>& rows) {
  const double hertz = force_of(press.approach());
  // What the geometry asks for beyond Hertz's law.
  const double finer = press.soft_ball
                           ? kBallYoung * kBallRadius * kBallRadius *
                                 force_between_plates(press.part * press.part, kBallPoisson)
                           : by_rigid_ball(press.approach());
  const double law = press.by_ball() ? finer : hertz;
  const std::string how =
      fmt::format("{}{}, contact of {:.0f} % of its radius",
                  press.soft_ball ? "ball between plates" : "rigid ball on soft ground",
                  press.law == "linear" ? ", strains taken as small" : "", 100 * press.part);
  const std::string source = press.by_ball() ? "Lur'e 1964" : "Hertz 1882";
  std::vector<double> found;
  for (const double count : press.cells) {
    if (context.cancelled) return;
    const Contact contact =
        press.soft_ball ? press_ball(press, count, context) : press_ground(press, count, context);
    Row row = verification_row("verify/hertz",
                               fmt::format("force, {}, {:.0f} cells in the contact's", how, count),
                               "best", source);
    row.paper = law;
    row.ours = contact.force;
    row.unit = "N";
    row.note = fmt::format(
        "{} tets, pressed by {:.3g} mm, {} rounds; {:+.2f} % off Hertz, {:+.2f} % off {}; radius "
        "{:.4f} m (Hertz {:.4f})",
        contact.tets, 1e3 * press.approach(), contact.rounds, 100 * (contact.force / hertz - 1),
        100 * (contact.force / finer - 1), press.soft_ball ? "the law of a ball" : "Sneddon's",
        contact.radius, press.radius());
    found.push_back(contact.force);
    const std::size_t n = found.size();
    if (n > 2) {
      row.note += order_of(found[n - 3], found[n - 2], found[n - 1]);
    }
    if (!contact.converged) row.ours.reset();
    rows.push_back(row);
    if (count != press.cells.back()) continue;
    Row error = verification_row("verify/hertz", "error of the force on the finest mesh, " + how,
                                 "best", source);
    error.ours = 100 * std::abs(contact.force / law - 1);
    error.unit = "%";
    error.note = fmt::format(
        "{:.0f} cells in the contact's radius; the finer law is {:+.1f} % off "
        "Hertz",
        count, 100 * (finer / hertz - 1));
    if (press.is_claimed) {
      error = claim(error, *error.ours, "%", Relation::AtMost, 3);
    } else {
      error.note += "; not claimed: the law takes strains as small, and these are not";
    }
    if (!contact.converged) error.ours.reset();
    rows.push_back(std::move(error));
  }
}

}  // namespace

std::vector<Row> verify_hertz(const ExperimentOptions& options, Context& context) {
  const std::vector<Press> presses{{.soft_ball = false, .part = 0.05},
                                   {.soft_ball = false, .part = 0.2},
                                   {.soft_ball = true, .part = 0.05},
                                   {.soft_ball = true, .part = 0.2, .law = "linear"},
                                   {.soft_ball = true, .part = 0.2, .is_claimed = false}};
  std::vector<Row> rows;
  for (Press press : presses) {
    if (options.full && !press.soft_ball) press.cells.push_back(2 * press.cells.back());
    press_by(press, context, rows);
  }
  Press rings{.soft_ball = true, .part = 0.2, .cells = {2, 4}};
  if (options.full) rings.cells.push_back(8);
  press_rings(rings, context, rows);
  return rows;
}

}  // namespace isochor::reproduce
