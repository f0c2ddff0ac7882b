#include "isochor/tets/touching.h"

#include <gtest/gtest.h>
#include <numbers>

#include "isochor/contact/crossings.h"
#include "isochor/tets/solver.h"
#include "reproduce/tet_motion.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

BodySpec cube(std::string name, const Vec3d& corner, double young) {
  BodySpec body{.name = std::move(name)};
  body.mesh = box_of_tets(2, 2, 0.05, 0);
  for (Vec3d& x : body.mesh.positions) x += corner;
  body.materials = {reproduce::elastic_flesh(young, 0.3)};
  return body;
}

Vec3d momentum(const Model& model, const State& state) {
  Vec3d sum{0, 0, 0};
  for (std::size_t i = 0; i < model.node_count(); ++i) sum += model.mass[i] * state.velocities[i];
  return sum;
}

class Colliding : public ::testing::TestWithParam<Preconditioner> {};

TEST_P(Colliding, CubesPartWithoutCrossingAndKeepMomentum) {
  Context context(2);
  Params params{.preconditioner = GetParam(), .integrator = solve::Integrator::BackwardEuler};
  const Model model = build_model({cube("a", {0, 0, 0}, 1e5), cube("b", {0.13, 0.021, 0.013}, 1e5)},
                                  params, context.arena);
  contact::ContactEnergy contact = make_contact(model, {.friction = 0.3}, 2e-3);
  State state = make_state(model);
  for (std::int32_t i = 0; i < model.bodies[0].node_count; ++i) state.velocities[i] = {3, 0, 0};
  const Vec3d before = momentum(model, state);
  Scratch scratch(model);
  std::size_t touched = 0;
  for (int k = 0; k < 24; ++k) {
    contact.place({}, 2e-3);
    ASSERT_TRUE(
        advance(model, state, {.contact = &contact, .dt = 2e-3}, scratch, context).converged());
    touched = std::max(touched, contact.pairs().size());
    EXPECT_EQ(contact::find_crossings(contact.surface(), state.positions, context.arena).count(),
              0);
  }
  EXPECT_GT(touched, 0U);
  const Vec3d change = momentum(model, state) - before;
  EXPECT_LT(norm(change), 1e-6 * norm(before));
  // The second has most of it now.
  double second = 0;
  for (std::size_t i = model.bodies[1].first_node; i < model.node_count(); ++i) {
    second += model.mass[i] * state.velocities[i][0];
  }
  EXPECT_GT(second, 0.6 * before[0]);
}

INSTANTIATE_TEST_SUITE_P(Preconditioners, Colliding,
                         ::testing::Values(Preconditioner::Jacobi, Preconditioner::Lattice),
                         [](const auto& p) {
                           return p.param == Preconditioner::Jacobi ? "Jacobi" : "Lattice";
                         });

TEST(Touching, CubeOnTheFloorWeighsWhatItWeighs) {
  Context context(2);
  const Model model = build_model({cube("a", {0, 0.0005, 0}, 1e5)}, {}, context.arena);
  contact::ContactEnergy contact = make_contact(model, {.reach = 0.001}, 0);
  const contact::Colliders floor(
      {{.name = "floor", .shape = contact::HalfSpace{}, .friction = 0.3}}, context.arena);
  contact.place(floor.at(0, context.arena), 0);
  State state = make_state(model);
  Scratch scratch(model);
  // Rigid motions along the floor are held by friction alone.
  ASSERT_TRUE(advance(model, state, {.gravity = {0, -10, 0}, .contact = &contact}, scratch, context)
                  .converged());
  double carried = 0, mass = 0;
  for (const contact::Term& term : contact.terms()) carried -= term.gradient[0][1];
  for (const double m : model.mass) mass += m;
  EXPECT_NEAR(carried, 10 * mass, 1e-5 * 10 * mass);
  for (const Vec3d& x : state.positions) EXPECT_GT(x[1], 0);
}

TEST(Touching, FrictionOfSlidingNodesStopsABlock) {
  Context context(2);
  // 2 m/s, friction 0.5: it stands after 0.4 s and 0.4 m.
  for (const bool barriers : {false, true}) {
    SCOPED_TRACE(barriers);
    Params params{.integrator = solve::Integrator::BackwardEuler};
    const Model model = build_model({cube("a", {0, 0.0045, 0}, 1e6)}, params, context.arena);
    contact::ContactEnergy contact =
        make_contact(model, {.reach = 0.005, .pairs = false, .collider_barriers = barriers}, 0.02);
    const contact::Colliders floor({{.name = "floor",
                                     .shape = contact::HalfSpace{},
                                     .keys = {{.translation = {0, barriers ? 0 : 0.0045, 0}}},
                                     .friction = 0.5}},
                                   context.arena);
    State state = make_state(model);
    for (Vec3d& v : state.velocities) v = {2, 0, 0};
    Scratch scratch(model);
    for (int k = 1; k <= 30; ++k) {
      contact.place(floor.at(k * 0.02, context.arena), 0.02);
      ASSERT_TRUE(advance(model, state, {.gravity = {0, -10, 0}, .contact = &contact, .dt = 0.02},
                          scratch, context)
                      .converged());
      if (k == 10) {
        double speed = 0, mass = 0;
        for (std::size_t i = 0; i < model.node_count(); ++i) {
          speed += model.mass[i] * state.velocities[i][0];
          mass += model.mass[i];
        }
        EXPECT_NEAR(speed / mass, 1, 0.06);
      }
    }
    for (const Vec3d& v : state.velocities) EXPECT_LT(norm(v), 0.02);
  }
}

TEST(Touching, MidpointIsRefused) {
  Context context(1);
  Params params{.integrator = solve::Integrator::Midpoint};
  const Model model = build_model({cube("a", {0, 0, 0}, 1e5)}, params, context.arena);
  contact::ContactEnergy contact = make_contact(model, {}, 0.01);
  State state = make_state(model);
  Scratch scratch(model);
  EXPECT_ANY_THROW(advance(model, state, {.contact = &contact, .dt = 0.01}, scratch, context));
}

/// A rod that swings lengthwise between stretched and pressed; its energy after a while.
double energy_left(double damping, Context& context) {
  BodySpec body{.name = "rod"};
  body.mesh = box_of_tets(1, 8, 0.05, 0);
  body.materials = {reproduce::elastic_flesh(1e5, 0)};
  body.stiffness_damping = damping;
  Params params{.integrator = solve::Integrator::Bdf2};
  params.newton.tolerance = 1e-8;
  const Model model = build_model({body}, params, context.arena);
  State state = make_state(model);
  const double length = 0.4;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    state.velocities[i][2] = 0.1 * std::cos(std::numbers::pi * model.rest_positions[i][2] / length);
  }
  state.last_velocities = state.velocities;
  Scratch scratch(model);
  // Two periods of the first mode: w = pi c / L.
  const double w = std::numbers::pi * 10 / length, dt = 2 * std::numbers::pi / w / 100;
  double start = 0, loss = 0, end = 0;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    start += 0.5 * model.mass[i] * dot(state.velocities[i], state.velocities[i]);
  }
  for (int k = 0; k < 200; ++k) {
    const StepReport report = advance(model, state, {.dt = dt}, scratch, context);
    EXPECT_TRUE(report.converged());
    loss += report.balance.damping_loss;
  }
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    end += 0.5 * model.mass[i] * dot(state.velocities[i], state.velocities[i]);
  }
  end += elastic_energy(model, {state.positions}, scratch.elastic, context.arena);
  // What is missing was lost to damping, but for what the integrator loses.
  EXPECT_NEAR(loss / start, 1 - end / start, 0.02);
  return end / start;
}

TEST(Touching, StiffnessDampingTakesAwayWhatRayleighSays) {
  Context context(2);
  const double w = std::numbers::pi * 10 / 0.4;
  // The ratio of damping is b w / 2: energy falls with exp(-b w^2 t) in t = 4 pi / w.
  const double damping = 0.05 / w;
  EXPECT_GT(energy_left(0, context), 0.97);
  EXPECT_NEAR(energy_left(damping, context), std::exp(-damping * w * 4 * std::numbers::pi), 0.03);
}

}  // namespace
}  // namespace isochor::tets
