#include "isochor/tets/conserving.h"

#include <gtest/gtest.h>

#include "isochor/contact/crossings.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

BodySpec ball(const Vec3d& centre, ThreadArena& arena) {
  BodySpec body{.name = "ball"};
  body.mesh = reproduce::stuffed_ball(centre, 0.5, 0.17, arena);
  body.materials = {reproduce::elastic_flesh(3e4, 0)};
  return body;
}

contact::Collider ground() {
  return {.name = "ground", .shape = contact::HalfSpace{}, .friction = 0.3};
}

class Dropped : public ::testing::TestWithParam<Scheme> {};

TEST_P(Dropped, BallKeepsItsVolumeAndStaysAboveTheGround) {
  Context context(2);
  reproduce::TetMotion motion({ball({0, 0.52, 0}, context.arena)}, {.scheme = GetParam()},
                              {.recovery_time = GetParam() == Scheme::Published ? 0.008 : 0.0},
                              {ground()}, context);
  for (Vec3d& v : motion.state().velocities) v = {0, -6, 0};
  double flattest = 1;
  for (int f = 0; f < 4; ++f) {
    const reproduce::FrameReport report = motion.frame({0, -9.8, 0});
    EXPECT_LT(std::abs(report.volume_error), 0.01);
    EXPECT_GT(report.low, -1e-9);
    EXPECT_EQ(report.inverted, 0);
    flattest = std::min(flattest, report.high - report.low);
  }
  EXPECT_LT(flattest, 0.6);
}

TEST_P(Dropped, FreeFlightKeepsMomenta) {
  Context context(2);
  reproduce::TetMotion motion({ball({0, 5, 0}, context.arena)},
                              {.scheme = GetParam(), .stiffness_damping = 0}, {}, {}, context);
  const auto& model = motion.model();
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    motion.state().velocities[i] = cross(Vec3d{0, 3, 1}, model.rest_positions[i] - Vec3d{0, 5, 0});
    motion.state().velocities[i][0] += 2;
  }
  const auto momentum = [&] {
    Vec3d p{0, 0, 0};
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      p += model.mass[i] * motion.state().velocities[i];
    }
    return p;
  };
  const Vec3d before = momentum();
  motion.frame({0, 0, 0});
  const Vec3d change = momentum() - before;
  // Newton's method ends at a hundredth of the forces, whose sum is zero to rounding.
  EXPECT_LT(std::sqrt(dot(change, change)), 1e-3 * std::sqrt(dot(before, before)));
}

INSTANTIATE_TEST_SUITE_P(Schemes, Dropped, ::testing::Values(Scheme::Published, Scheme::Implicit),
                         [](const auto& p) {
                           return p.param == Scheme::Published ? "Published" : "Implicit";
                         });

TEST(Conserving, SameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<Vec3d>> ends;
  for (const int threads : {1, 3}) {
    Context context(threads);
    reproduce::TetMotion motion({ball({0, 0.51, 0}, context.arena)}, {}, {}, {ground()}, context);
    for (Vec3d& v : motion.state().velocities) v = {1, -6, 0};
    motion.frame({0, -9.8, 0});
    ends.push_back(motion.state().positions);
  }
  for (std::size_t i = 0; i < ends[0].size(); ++i) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(ends[0][i][a], ends[1][i][a]);
  }
}

// All of the way to the right volumes, linearised about rings that the ground has flattened, would.
TEST(Conserving, AnImpactOfThreeCellsAStepTurnsHardlyAnythingInsideOut) {
  Context context(2);
  BodySpec body = ball({0, 0.52, 0}, context.arena);
  body.mesh = reproduce::stuffed_ball({0, 0.52, 0}, 0.5, 0.087, context.arena);
  reproduce::TetMotion motion({body}, {.substeps = 1}, {}, {ground()}, context);
  for (Vec3d& v : motion.state().velocities) v = {0, -6, 0};
  const reproduce::FrameReport report = motion.frame({0, -9.8, 0});
  EXPECT_LE(report.inverted, 4);  // of 10320; none where nodes go by their masses
  EXPECT_EQ(report.sum.cuts, 0);
  EXPECT_LT(report.worst_ring, 0.01);
}

// Nodes on the ground find their equilibrium, and what rubs and lets go, by themselves.
TEST(Conserving, TheGroundCostsTheRestOfABallFewIterations) {
  Context context(2);
  BodySpec body = ball({0, 0.52, 0}, context.arena);
  body.mesh = reproduce::stuffed_ball({0, 0.52, 0}, 0.5, 0.06, context.arena);
  reproduce::TetMotion motion({body}, {.substeps = 8}, {}, {ground()}, context);
  for (Vec3d& v : motion.state().velocities) v = {0, -6, 0};
  const reproduce::FrameReport report = motion.frame({0, -9.8, 0});
  EXPECT_LE(report.sum.newton_iterations, 3 * report.steps);
  EXPECT_EQ(report.sum.cuts, 0);
  EXPECT_LT(report.worst_ring, 0.01);
}

/// How long a block is that hangs from its top, when it has come to rest, of its length before. It
/// has Poisson's ratio 0 but for its one-rings, and waves cross it in a step of 10 ms.
double hanging_length(int substeps, Context& context) {
  BodySpec body{.name = "block", .mesh = box_of_tets(4, 2, 0.05, 0.2)};
  body.materials = {reproduce::elastic_flesh(1e4, 0)};
  body.mass_damping = 30;
  HoldSpec top{.name = "top"};
  for (std::size_t i = 0; i < body.mesh.positions.size(); ++i) {
    if (body.mesh.positions[i][0] < 1e-9) top.nodes.push_back(std::int32_t(i));
  }
  body.holds = {top};
  reproduce::TetMotion motion({body}, {}, {.volume_tolerance = 1e-3}, {}, context);
  std::vector<Vec3d> held;
  for (const std::int32_t n : motion.model().holds[0].nodes) {
    held.push_back(motion.model().rest_positions[n]);
  }
  const double dt = 1.0 / 24 / substeps;
  for (int k = 0; k < 24 * substeps; ++k) {
    EXPECT_TRUE(motion.stepper().advance(motion.state(), {20, 0, 0}, k * dt, dt, held).converged);
  }
  return geometry::bounds_of(motion.state().positions).size()[0] /
         geometry::bounds_of(motion.model().rest_positions).size()[0];
}

TEST(Conserving, AtRestTheShapeDoesNotDependOnTheLengthOfSteps) {
  Context context(2);
  const double long_steps = hanging_length(4, context), short_steps = hanging_length(16, context);
  EXPECT_GT(short_steps, 1.1);
  // A fifth of it, were pressures not handed on.
  EXPECT_NEAR(long_steps, short_steps, 0.02 * (short_steps - 1));
}

class Touching : public ::testing::TestWithParam<Scheme> {};

// Two balls, one on the other, fall on the ground and roll.
TEST_P(Touching, ForcesOfContactsAreWhatChangesMomentumBesideGravity) {
  Context context(2);
  const bool published = GetParam() == Scheme::Published;
  reproduce::TetMotion motion(
      {ball({0, 0.52, 0}, context.arena), ball({0.1, 1.56, 0}, context.arena)},
      {.scheme = GetParam(), .newton_tolerance = 1e-4}, {.self_contact = true, .friction = 0.3},
      {ground()}, context);
  const Model& model = motion.model();
  for (Vec3d& v : motion.state().velocities) v = {0.5, -3, 0};
  const auto momentum = [&] {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      sum += model.mass[i] * motion.state().velocities[i];
    }
    return sum;
  };
  double mass = 0;
  for (const double m : model.mass) mass += m;
  const Vec3d gravity{0, -9.8, 0};
  const double dt =
      published ? 0.25 * motion.stepper().stable_step(motion.state().positions) : 1.0 / 96;
  Vec3d on_ground{0, 0, 0};
  double change = 0, missing = 0;
  for (double t = 0; t < 0.15; t += dt) {
    const Vec3d before = momentum();
    ASSERT_TRUE(motion.stepper().advance(motion.state(), gravity, t, dt).converged);
    Vec3d force{0, 0, 0};
    for (const Vec3d& f : motion.stepper().forces().points) force += f;
    const Vec3d now = momentum() - before;
    change = std::max(change, norm(now));
    missing = std::max(missing, norm(now - dt * (mass * gravity + force)));
    on_ground += dt * motion.stepper().forces().colliders[0].force;
    // What pairs push with has no sum; what sweeps leave of it is of no collider.
    EXPECT_LT(norm(force + motion.stepper().forces().colliders[0].force), 0.02 * change / dt);
  }
  EXPECT_LT(on_ground[1], -0.5 * 3 * mass);
  EXPECT_LT(missing, (published ? 1e-8 : 1e-3) * change);
}

// The plate is as thin as a tenth of a tet, and goes on by up to seven times as much in a step.
TEST_P(Touching, AThinFastColliderTakesABallAlongAsItDoesWhereTheBallFlies) {
  for (const double speed : {1.2, 7.2}) {
    std::vector<double> flattest;
    for (const bool flies : {false, true}) {
      Context context(2);
      const double place = -0.2;
      contact::Collider plate{.name = "plate", .shape = contact::Box{{0.0025, 0.5, 0.5}}};
      plate.keys = {{0, {place, 0, 0}}};
      if (!flies) plate.keys.push_back({1, {place + speed, 0, 0}});
      BodySpec body = ball({0, 0, 0}, context.arena);
      body.mesh = reproduce::stuffed_ball({0, 0, 0}, 0.15, 0.05, context.arena);
      reproduce::TetMotion motion({body}, {.scheme = GetParam(), .substeps = 8}, {}, {plate},
                                  context);
      for (Vec3d& v : motion.state().velocities) v = {flies ? -speed : 0, 0, 0};
      double least = 1;
      for (int f = 1; f <= 4; ++f) {
        motion.frame({0, 0, 0});
        const geometry::Bounds box = geometry::bounds_of(motion.state().positions);
        least = std::min(least, box.size()[0]);
        EXPECT_GT(box.low[0], place + (flies ? 0 : f * speed / 24)) << speed << " " << flies;
      }
      flattest.push_back(least);
    }
    EXPECT_NEAR(flattest[0], flattest[1], 0.02 * flattest[0]) << speed;
    EXPECT_LT(flattest[0], 0.295);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Touching, ::testing::Values(Scheme::Published, Scheme::Implicit),
                         [](const auto& p) {
                           return p.param == Scheme::Published ? "Published" : "Implicit";
                         });

/// A bar of 30 cm, one end of which is held.
BodySpec cantilever() {
  BodySpec body{.name = "bar", .mesh = reproduce::box_of_tets({6, 2, 2}, 0.05)};
  body.materials = {reproduce::elastic_flesh(3e4, 0)};
  body.holds = {reproduce::hold_where(body.mesh, "end", [](const Vec3d& x) { return x[0] == 0; })};
  return body;
}

class Held : public ::testing::TestWithParam<std::pair<double, double>> {};

TEST_P(Held, ThePublishedSchemeTakesWhatIsHeldAlongAndSaysWhatThatTakes) {
  Context context(2);
  // What systems with damping are left unsolved takes momentum, too.
  const auto [damping, tolerance] = GetParam();
  reproduce::TetMotion motion(
      {cantilever()}, {.scheme = Scheme::Published, .stiffness_damping = damping}, {}, {}, context);
  const Model& model = motion.model();
  State& state = motion.state();
  const auto momentum = [&] {
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < model.node_count(); ++i) sum += model.mass[i] * state.velocities[i];
    return sum;
  };
  double mass = 0;
  for (const double m : model.mass) mass += m;
  const Vec3d gravity{0, -9.8, 0}, way{0.02, 0.2, 0.1};  // m, m/s
  const double dt = 0.5 * motion.stepper().stable_step(state.positions);
  std::vector<Vec3d> held(model.holds[0].nodes.size());
  double missing = 0, most = 0;
  for (double t = 0; t < 0.2; t += dt) {
    for (std::size_t k = 0; k < held.size(); ++k) {
      held[k] = model.rest_positions[model.holds[0].nodes[k]] + (t + dt) * way;
    }
    const Vec3d before = momentum();
    ASSERT_TRUE(motion.stepper().advance(state, gravity, t, dt, held).converged);
    Vec3d push{0, 0, 0};
    for (const Vec3d& p : state.pushes) push += p;
    most = std::max(most, norm(dt * push));
    missing = std::max(missing, norm(momentum() - before - dt * (mass * gravity + push)));
    for (std::size_t k = 0; k < held.size(); ++k) {
      ASSERT_LT(norm(state.positions[model.holds[0].nodes[k]] - held[k]), 1e-12);
    }
    motion.stepper().rings().measure(state.positions);
    EXPECT_LT(motion.stepper().rings().largest_error(), 0.03);
  }
  EXPECT_GT(most, 0);
  EXPECT_LT(missing, tolerance * most);
  EXPECT_LT(geometry::bounds_of(state.positions).low[1], -0.01) << "it hangs down";
}

INSTANTIATE_TEST_SUITE_P(Damping, Held,
                         ::testing::Values(std::pair(0.0, 1e-9), std::pair(2e-3, 1e-3)));

TEST(Conserving, StepsAreCutWhereACollidersMotionIsLongerThanATet) {
  Context context(2);
  contact::Collider plate{.name = "plate", .shape = contact::Box{{0.1, 2, 2}}};
  plate.keys = {{0, {-1, 0, 0}}, {1, {3, 0, 0}}};
  reproduce::TetMotion motion({ball({0, 0, 0}, context.arena)}, {.substeps = 1}, {}, {plate},
                              context);
  // 17 cm a frame and tets of about as much: in four, once the plate is near.
  for (int f = 0; f < 3; ++f) motion.frame({0, 0, 0});
  const reproduce::FrameReport near = motion.frame({0, 0, 0});
  EXPECT_EQ(near.sum.cuts, 0);
  EXPECT_LT(near.worst_ring, 0.01);
}

TEST(Conserving, TheRecoveryTimeBoundsHowFastVolumeComesBack) {
  Context context(1);
  // A ball that starts with half of its volume, and no elasticity to speak of.
  const auto growth = [&](double recovery_time) {
    BodySpec body = ball({0, 0, 0}, context.arena);
    body.materials = {reproduce::elastic_flesh(1, 0)};
    reproduce::TetMotion motion({body}, {.scheme = Scheme::Published},
                                {.recovery_time = recovery_time}, {}, context);
    for (Vec3d& x : motion.state().positions) x = std::cbrt(0.5) * x;
    const auto volume = [&] {
      double sum = 0;
      const std::vector<Vec3d>& x = motion.state().positions;
      for (const auto& t : motion.model().tets) {
        sum += dot(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]), x[t[3]] - x[t[0]]) / 6;
      }
      return sum;
    };
    const double before = volume(), dt = 1e-3;
    EXPECT_TRUE(motion.stepper().advance(motion.state(), {0, 0, 0}, 0, dt).converged);
    return (volume() - before) / (2 * before);  // of that at rest
  };
  EXPECT_GT(growth(0), 0.3);
  EXPECT_NEAR(growth(0.02), 0.05, 0.01);
  EXPECT_NEAR(growth(0.1), 0.01, 0.001);
}

TEST(Conserving, StaticModelsAreRefused) {
  Context context(1);
  const Model model = build_model({ball({0, 0, 0}, context.arena)}, {}, context.arena);
  EXPECT_ANY_THROW(Conserving(model, {}, {}, context));
}

}  // namespace
}  // namespace isochor::tets
