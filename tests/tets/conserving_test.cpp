#include "isochor/tets/conserving.h"

#include <gtest/gtest.h>

#include "isochor/contact/crossings.h"
#include "reproduce/tet_motion.h"
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

TEST(Conserving, StaticModelsAreRefused) {
  Context context(1);
  const Model model = build_model({ball({0, 0, 0}, context.arena)}, {}, context.arena);
  EXPECT_ANY_THROW(Conserving(model, {}, {}, context));
}

}  // namespace
}  // namespace isochor::tets
