/// A block on an inclined plane: it stays where friction is above the slope's tangent, and slides
/// with g (sin - mu cos) where it is below. Of tets, barriers and friction are in the elastic step;
/// of one-rings that keep their volume, contact and friction are as published, and ours.
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
constexpr double kStep = 0.01;  ///< s, between looks at the block
constexpr double kReach = 0.001;

struct Slope {
  double angle, friction;
  Vec3d normal{std::sin(angle), std::cos(angle), 0}, down{std::cos(angle), -std::sin(angle), 0};

  bool holds() const { return friction > std::tan(angle); }
  double acceleration() const { return kGravity * (std::sin(angle) - friction * std::cos(angle)); }
  contact::Collider collider() const {
    return {.name = "slope", .shape = contact::HalfSpace{normal}, .friction = friction};
  }
  /// A cube that lies on it, so far above.
  tets::BodySpec block(double gap, const materials::Material& material) const {
    tets::BodySpec body{.name = "block"};
    body.mesh = box_of_tets({4, 4, 4}, kEdge / 4);
    body.materials = {material};
    for (Vec3d& x : body.mesh.positions) {
      x = x[0] * down + (x[1] + gap) * normal + Vec3d{0, 0, x[2]};
    }
    return body;
  }
};

struct BlockSlide {
  double acceleration = 0;  ///< m/s^2, along the slope, over the second half
  double speed = 0;         ///< m/s, at the end
  double way = 0;           ///< m, in all
  double lowest = 0;        ///< m, of a node above the plane
  double slip_speed = 0;    ///< m/s, of what sticks, at most
  int steps = 0;
};

/// What a block does that begins to slide from rest; `step(time)` takes it on by kStep.
template <class F>
BlockSlide watch(const Slope& slope, const tets::Model& model, const tets::State& state,
                 double duration, F&& step) {
  double mass = 0;
  for (const double m : model.mass) mass += m;
  const auto mean = [&](std::span<const Vec3d> of) {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < of.size(); ++i) sum += (model.mass[i] / mass) * of[i];
    return dot(sum, slope.down);
  };
  BlockSlide slide{.lowest = 1};
  const double start = mean(state.positions);
  double half = 0;
  const int steps = int(std::lround(duration / kStep));
  for (int k = 0; k < steps; ++k) {
    if (k == steps / 2) half = mean(state.velocities);
    slide.steps += step(k * kStep);
    for (const Vec3d& x : state.positions) {
      slide.lowest = std::min(slide.lowest, dot(x, slope.normal));
    }
  }
  slide.speed = mean(state.velocities);
  slide.acceleration = (slide.speed - half) / ((steps - steps / 2) * kStep);
  slide.way = mean(state.positions) - start;
  return slide;
}

BlockSlide slide_tets(const Slope& slope, double duration, Context& context) {
  const tets::TouchParams touch{.reach = kReach, .pairs = false};
  tets::Params params{.integrator = solve::Integrator::BackwardEuler};
  const tets::Model model = tets::build_model(
      {slope.block(0.9 * touch.reach, elastic_flesh(1e6, 0.3))}, params, context.arena);
  contact::ContactEnergy contact = tets::make_contact(model, touch, kStep);
  const contact::Colliders colliders({slope.collider()}, context.arena);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  StepCount count;
  BlockSlide slide = watch(slope, model, state, duration, [&](double time) {
    contact.place(colliders.at(time + kStep, context.arena), kStep);
    count.add(tets::advance(model, state,
                            {.gravity = {0, -kGravity, 0}, .contact = &contact, .dt = kStep},
                            scratch, context),
              kStep);
    return 1;
  });
  slide.slip_speed = contact.params().slip_speed;
  return slide;
}

BlockSlide slide_rings(tets::Scheme scheme, const Slope& slope, double duration, Context& context) {
  // Of ours what it is told; the published scheme has no such speed, and is held to the same.
  constexpr double kSlip = 2e-4;
  // The shear modulus of the tets above.
  TetMotion motion({slope.block(0, elastic_flesh(1e6 / 1.3, 0))},
                   {.scheme = scheme, .substeps = 1, .newton_tolerance = 1e-6},
                   {.contact_distance = kReach, .slip_speed = kSlip}, {slope.collider()}, context);
  BlockSlide slide = watch(slope, motion.model(), motion.state(), duration, [&](double) {
    return motion.frame({0, -kGravity, 0}, kStep).steps;
  });
  slide.slip_speed = kSlip;
  return slide;
}

}  // namespace

std::vector<Row> verify_slope(const ExperimentOptions& options, Context& context) {
  struct Way {
    std::string_view body, variant;
    BlockSlide (*slide)(const Slope&, double duration, Context&);
    std::string_view why_slides = "", why_creeps = "";  ///< otherwise than the law says
  };
  const auto published = [](const Slope& slope, double duration, Context& c) {
    return slide_rings(tets::Scheme::Published, slope, duration, c);
  };
  const auto ours = [](const Slope& slope, double duration, Context& c) {
    return slide_rings(tets::Scheme::Implicit, slope, duration, c);
  };
  const double angle = std::atan(0.5), duration = options.full ? 2.5 : 0.5;
  std::vector<Row> rows;
  const Way ways[] = {
      {"", "best", slide_tets},
      {"one-rings: ", "best", ours},
      {"one-rings: ", "paper", published,
       "contacts pull, too, in steps 6 and 7, and those that press rub by as much more",
       "step 1, by which positions go, knows no friction: half as fast in half as long steps"}};
  for (const Way& way : ways) {
    double lowest = 1;
    const auto named = [&](const std::string& quantity) {
      return verification_row("verify/slope", std::string(way.body) + quantity, way.variant,
                              "Coulomb");
    };
    for (const double friction : {0.0, 0.3, 0.49, 0.51}) {
      if (context.cancelled) return rows;
      const Slope slope{angle, friction};
      const BlockSlide slide = way.slide(slope, duration, context);
      lowest = std::min(lowest, slide.lowest);
      Row row = named(fmt::format("{}, friction {:.2f}, slope 1/2",
                                  slope.holds() ? "speed at the end" : "error of the acceleration",
                                  friction));
      row.note = fmt::format(
          "{:.1f} s in {} steps, acceleration {:.4f} m/s^2{}, way {:.5f} m", duration, slide.steps,
          slide.acceleration,
          slope.holds() ? "" : fmt::format(" (exact {:.4f})", slope.acceleration()), slide.way);
      if (slope.holds()) {
        row = claim(row, 1000 * std::abs(slide.speed), "mm/s", Relation::AtMost,
                    1000 * slide.slip_speed);
      } else {
        row = claim(row, 100 * std::abs(slide.acceleration / slope.acceleration() - 1), "%",
                    Relation::AtMost, 2);
      }
      if (holds(row.relation, row.ours, row.bound) == false) {
        row.note += fmt::format("; {}", slope.holds() ? way.why_creeps : way.why_slides);
      }
      rows.push_back(std::move(row));
    }
    if (way.body.empty()) {
      rows.push_back(claim(named("least gap of a node"), 1000 * lowest, "mm", Relation::Above, 0));
    } else {
      // Nodes of one-rings lie on the plane itself.
      rows.push_back(claim(named("deepest node"), -1000 * lowest, "mm", Relation::AtMost, 1e-9));
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
