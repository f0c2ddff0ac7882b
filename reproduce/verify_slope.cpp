/// A block on an inclined plane: it stays where friction is above the slope's tangent, and slides
/// with g (sin - mu cos) where it is below. Barriers and friction are in the elastic step.
#include <cmath>
#include <fmt/core.h>

#include "isochor/tets/solver.h"
#include "isochor/tets/touching.h"
#include "reproduce/experiment.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

constexpr double kGravity = 9.81;
constexpr double kEdge = 0.1;

struct BlockSlide {
  double acceleration = 0;  ///< m/s^2, along the slope, over the second half
  double speed = 0;         ///< m/s, at the end
  double way = 0;           ///< m, in all
  double lowest = 0;        ///< m, of a node above the plane
  double slip_speed = 0;    ///< m/s, of what sticks, at most
};

/// A cube of tets that begins to slide from rest, in steps of 1/100 s.
BlockSlide slide_block(double slope, double friction, double duration, Context& context) {
  constexpr double kStep = 0.01;
  const Vec3d normal{std::sin(slope), std::cos(slope), 0},
      down{std::cos(slope), -std::sin(slope), 0};
  tets::BodySpec body{.name = "block"};
  body.mesh = box_of_tets({4, 4, 4}, kEdge / 4);
  body.materials = {elastic_flesh(1e6, 0.3)};
  tets::TouchParams touch{.reach = 0.001, .pairs = false};
  for (Vec3d& x : body.mesh.positions) {
    x = x[0] * down + (x[1] + 0.9 * touch.reach) * normal + Vec3d{0, 0, x[2]};
  }
  tets::Params params{.integrator = solve::Integrator::BackwardEuler};
  const tets::Model model = tets::build_model({body}, params, context.arena);
  contact::ContactEnergy contact = tets::make_contact(model, touch, kStep);
  const contact::Colliders colliders(
      {{.name = "slope", .shape = contact::HalfSpace{normal}, .friction = friction}},
      context.arena);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  StepCount count;
  double mass = 0;
  for (const double m : model.mass) mass += m;
  const auto mean = [&](std::span<const Vec3d> of) {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < of.size(); ++i) sum += (model.mass[i] / mass) * of[i];
    return dot(sum, down);
  };
  BlockSlide slide{.lowest = 1, .slip_speed = contact.params().slip_speed};
  const double start = mean(state.positions);
  double half = 0;
  const int steps = int(std::lround(duration / kStep));
  for (int k = 0; k < steps; ++k) {
    if (k == steps / 2) half = mean(state.velocities);
    contact.place(colliders.at((k + 1) * kStep, context.arena), kStep);
    count.add(tets::advance(model, state,
                            {.gravity = {0, -kGravity, 0}, .contact = &contact, .dt = kStep},
                            scratch, context),
              kStep);
    for (const Vec3d& x : state.positions) slide.lowest = std::min(slide.lowest, dot(x, normal));
  }
  slide.speed = mean(state.velocities);
  slide.acceleration = (slide.speed - half) / ((steps - steps / 2) * kStep);
  slide.way = mean(state.positions) - start;
  return slide;
}

}  // namespace

std::vector<Row> verify_slope(const ExperimentOptions& options, Context& context) {
  const double slope = std::atan(0.5), duration = options.full ? 2.5 : 0.5;
  std::vector<Row> rows;
  double lowest = 1;
  for (const double friction : {0.0, 0.3, 0.49, 0.51}) {
    if (context.cancelled) return rows;
    const BlockSlide slide = slide_block(slope, friction, duration, context);
    lowest = std::min(lowest, slide.lowest);
    const bool sticks = friction > 0.5;
    const double exact = kGravity * (std::sin(slope) - friction * std::cos(slope));
    Row row = verification_row(
        "verify/slope",
        fmt::format("{}, friction {:.2f}, slope 1/2",
                    sticks ? "speed at the end" : "error of the acceleration", friction),
        "best", "Coulomb");
    row.note = fmt::format("{:.1f} s, acceleration {:.4f} m/s^2{}, way {:.5f} m", duration,
                           slide.acceleration, sticks ? "" : fmt::format(" (exact {:.4f})", exact),
                           slide.way);
    if (sticks) {
      rows.push_back(claim(row, 1000 * std::abs(slide.speed), "mm/s", Relation::AtMost,
                           1000 * slide.slip_speed));
    } else {
      rows.push_back(
          claim(row, 100 * std::abs(slide.acceleration / exact - 1), "%", Relation::AtMost, 2));
    }
  }
  rows.push_back(claim(verification_row("verify/slope", "least gap of a node", "best", "Coulomb"),
                       1000 * lowest, "mm", Relation::Above, 0));
  return rows;
}

}  // namespace isochor::reproduce
