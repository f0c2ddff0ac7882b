#include "isochor/sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using files::TemporaryFolder;
using ::testing::HasSubstr;

std::vector<std::byte> run_to(Simulation& simulation, int frame, bool poison = false) {
  while (simulation.frame() < frame) {
    if (poison) simulation.poison_scratch();
    EXPECT_TRUE(simulation.advance());
  }
  return simulation.checkpoint();
}

TEST(Simulation, FrameZeroIsTheStateOfRestUnderGravity) {
  const TemporaryFolder folder;
  Context context(1);
  Simulation simulation(load_scene(write_scene(folder)), context);
  EXPECT_EQ(simulation.frame(), -1);
  run_to(simulation, 0);
  const auto [frame, measures] = simulation.snapshot();
  EXPECT_EQ(frame.index, 0);
  EXPECT_GT(measures.elastic_energy, 0);
  EXPECT_LT(measures.gravity_energy, 0) << "it sags";
  ASSERT_EQ(measures.reactions.size(), 2u);
  const double weight = simulation.summary().mass * 9.81;
  EXPECT_NEAR(measures.reactions[0].force[1] + measures.reactions[1].force[1], weight,
              1e-5 * weight);
}

TEST(Simulation, TwistedBarHasTheMomentAtBothEnds) {
  const TemporaryFolder folder;
  Context context(1);
  const std::vector<std::string> settings{"world.gravity=[0,0,0]"};
  Simulation simulation(load_scene(write_scene(folder), settings), context);
  run_to(simulation, 4);
  const auto [frame, m] = simulation.snapshot();
  EXPECT_GT(m.reactions[1].moment[0], 0) << "turned about +x";
  EXPECT_NEAR(m.reactions[0].moment[0], -m.reactions[1].moment[0], 1e-5 * m.reactions[1].moment[0]);
  EXPECT_NEAR(m.reactions[0].force[0], -m.reactions[1].force[0], 1e-5 * m.reactions[1].force[0]);
}

TEST(Simulation, SameBitsForAnyThreadCountAndWithPoisonedScratch) {
  const TemporaryFolder folder;
  const SceneSpec scene = load_scene(write_scene(folder));
  std::vector<std::byte> reference;
  for (const int threads : {1, 2, 5}) {
    Context context(threads);
    Simulation simulation(scene, context);
    const auto state = run_to(simulation, 4, threads == 2);
    if (threads == 1) reference = state;
    EXPECT_EQ(state, reference) << threads << " threads";
  }
}

TEST(Simulation, EverySolverEndsAtTheSameShape) {
  const TemporaryFolder folder;
  const auto path = write_scene(folder);
  std::vector<Vec3d> best;
  for (const char* setting : {"method.variant=best", "method.variant=paper", "method.solver=fas",
                              "method.preconditioner=jacobi"}) {
    Context context(1);
    const std::vector<std::string> settings{setting, "body[0].cell_size=4 cm"};
    Simulation simulation(load_scene(path, settings), context);
    run_to(simulation, 2);
    const std::vector<Vec3d> nodes = simulation.snapshot().first.bodies[0].nodes;
    if (best.empty()) best = nodes;
    double most = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) most = std::max(most, norm(nodes[n] - best[n]));
    EXPECT_LT(most, 1e-5) << setting;
  }
}

TEST(Simulation, RestoredRunContinuesWithTheSameBits) {
  const TemporaryFolder folder;
  const SceneSpec scene = load_scene(write_scene(folder));
  Context context(1);
  Simulation whole(scene, context), resumed(scene, context);
  const auto middle = run_to(whole, 2);
  resumed.restore("checkpoint", middle);
  EXPECT_EQ(resumed.frame(), 2);
  EXPECT_EQ(run_to(resumed, 4), run_to(whole, 4));
}

/// The bar of the test scene in time, with all that State has to keep.
SceneSpec moving_bar(const TemporaryFolder& folder, const std::string& integrator) {
  const std::vector<std::string> settings{"time.integrator=" + integrator, "time.substeps=3",
                                          "body[0].damping.stiffness=2 ms",
                                          "method.preconditioner=jacobi"};
  return load_scene(write_scene(folder), settings);
}

TEST(Simulation, MotionHasTheSameBitsForAnyThreadCountAndAfterARestore) {
  const TemporaryFolder folder;
  for (const char* integrator : {"backward-euler", "bdf2", "midpoint"}) {
    const SceneSpec scene = moving_bar(folder, integrator);
    std::vector<std::byte> reference;
    for (const int threads : {1, 2, 5}) {
      Context context(threads);
      Simulation simulation(scene, context);
      const auto middle = run_to(simulation, 2, threads == 2);
      const auto end = run_to(simulation, 4, threads == 2);
      if (threads == 1) reference = end;
      EXPECT_EQ(end, reference) << threads << " threads, " << integrator;
      Simulation resumed(scene, context);
      resumed.restore("checkpoint", middle);
      EXPECT_EQ(run_to(resumed, 4), reference);
      EXPECT_EQ(resumed.snapshot().second.motion->integrator_loss,
                simulation.snapshot().second.motion->integrator_loss);
    }
  }
}

TEST(Simulation, AMotionStartsFromRestOrFromEquilibrium) {
  const TemporaryFolder folder;
  Context context(1);
  SceneSpec scene = moving_bar(folder, "bdf2");
  Simulation from_rest(scene, context);
  run_to(from_rest, 0);
  EXPECT_LT(from_rest.snapshot().second.elastic_energy, 1e-12);
  // Nothing moves a body that hangs in equilibrium.
  scene.time.start = "equilibrium";
  scene.bodies[0].holds[1].keys.clear();
  Simulation hanging(scene, context);
  run_to(hanging, 0);
  const auto before = hanging.snapshot();
  EXPECT_GT(before.second.elastic_energy, 1e-3);
  run_to(hanging, 3);
  const auto after = hanging.snapshot();
  EXPECT_LT(after.second.motion->kinetic_energy, 1e-9 * after.second.elastic_energy);
  EXPECT_NEAR(after.second.elastic_energy, before.second.elastic_energy,
              1e-5 * before.second.elastic_energy);
}

TEST(Simulation, AThrownBodyFliesAlongItsParabolaAndKeepsItsSpin) {
  const TemporaryFolder folder;
  Context context(1);
  SceneSpec scene = moving_bar(folder, "midpoint");
  BodySpec& body = scene.bodies[0];
  body.holds.clear();
  body.damping = {};
  body.velocity = {1, 3, 0};
  body.angular_velocity = {2, 0, 3};
  scene.method.newton.tolerance = 1e-10;
  Simulation simulation(scene, context);
  run_to(simulation, 0);
  const MotionMeasures start = *simulation.snapshot().second.motion;
  run_to(simulation, 4);
  const auto [frame, measures] = simulation.snapshot();
  const double t = 4 / 24.0;
  const Vec3d way{t, 3 * t - 0.5 * 9.81 * t * t, 0};
  EXPECT_LT(norm(measures.motion->center_of_mass - start.center_of_mass - way), 1e-10);
  EXPECT_LT(norm(measures.motion->angular_momentum - start.angular_momentum),
            1e-8 * norm(start.angular_momentum));
  EXPECT_NEAR(measures.motion->integrator_loss, 0, 1e-3 * start.kinetic_energy);
  EXPECT_TRUE(measures.reactions.empty());
}

TEST(Simulation, EnergyOfAMotionBalancesAsStepsGetShort) {
  const TemporaryFolder folder;
  Context context(1);
  for (const char* integrator : {"bdf2", "midpoint"}) {
    double missing[2];
    for (const int fine : {0, 1}) {
      SceneSpec scene = moving_bar(folder, integrator);
      scene.time.substeps = fine ? 16 : 8;
      Simulation simulation(scene, context);
      run_to(simulation, 4);
      const auto [frame, m] = simulation.snapshot();
      EXPECT_GT(m.motion->hold_work, 0);
      EXPECT_GT(m.motion->damping_loss, 0);
      missing[fine] = std::abs(m.motion->integrator_loss) / m.motion->hold_work;
    }
    EXPECT_LT(missing[1], 0.4 * missing[0]) << integrator;
    EXPECT_LT(missing[1], 5e-3) << integrator;
  }
}

TEST(Simulation, SoftHoldsAndMusclesDoWorkInTheBalance) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string scene_text =
      replaced(replaced(kBarScene, "name = \"right\"\nwhere = \"x+\"",
                        "name = \"right\"\nwhere = \"x+\"\nselect = \"surface\"\n"
                        "stiffness = \"2 MPa/m\""),
               "poisson = 0.3", "poisson = 0.3\nlaw = \"muscle\"\nactive_stress = \"5 kPa\"") +
      "[[body.activation]]\nframe = 0\nvalue = 0\n[[body.activation]]\nframe = 4\nvalue = 1\n";
  const std::vector<std::string> settings{"time.integrator=midpoint", "time.substeps=16",
                                          "method.preconditioner=jacobi"};
  Simulation simulation(load_scene(write_scene(folder, scene_text), settings), context);
  run_to(simulation, 4);
  const auto [frame, m] = simulation.snapshot();
  EXPECT_GT(std::abs(m.motion->hold_work), 0.1);
  EXPECT_LT(std::abs(m.motion->integrator_loss), 5e-3 * std::abs(m.motion->hold_work));
}

TEST(Simulation, CheckpointOfAnotherSceneIsRefused) {
  const TemporaryFolder folder;
  Context context(1);
  Simulation coarse(load_scene(write_scene(folder)), context);
  const std::vector<std::string> settings{"body[0].cell_size=5 cm"};
  Simulation fine(load_scene(write_scene(folder), settings), context);
  const Error error = error_of([&] { fine.restore("some.state", coarse.checkpoint()); });
  EXPECT_THAT(error.what(), HasSubstr("some.state"));
  EXPECT_EQ(fine.frame(), -1);
}

TEST(Simulation, StepThatFailsIsCutAndRetried) {
  const TemporaryFolder folder;
  Context context(1);
  std::string log;
  context.log = [&](LogLevel, std::string_view text) { log += text; };
  const std::vector<std::string> settings{"method.newton.max_iterations=6",
                                          "body[0].hold[1].key[1].frame=1",
                                          "body[0].hold[1].key[1].rotate=[\"170 deg\", 0, 0]"};
  Simulation simulation(load_scene(write_scene(folder), settings), context);
  run_to(simulation, 0);
  const auto report = simulation.advance();
  ASSERT_TRUE(report);
  EXPECT_GT(report->cut_steps, 0);
  EXPECT_GT(report->steps, 1);
  EXPECT_LE(report->residual, 1e-6);
  EXPECT_THAT(log, HasSubstr("the step is cut"));
}

TEST(Simulation, UnsolvableFrameIsAnErrorAndKeepsTheLastOne) {
  const TemporaryFolder folder;
  Context context(1);
  const std::vector<std::string> settings{"method.newton.tolerance=1e-300"};
  SceneSpec scene = load_scene(write_scene(folder), settings);
  scene.method.newton.max_iterations = 2;
  Simulation simulation(scene, context);
  const auto before = simulation.checkpoint();
  const Error error = error_of([&] { simulation.advance(); });
  EXPECT_EQ(error.fault(), Fault::Simulation);
  EXPECT_THAT(error.what(), HasSubstr("frame 0"));
  EXPECT_EQ(simulation.frame(), -1);
  EXPECT_EQ(simulation.checkpoint(), before);
}

TEST(Simulation, CancelledFrameLeavesTheLastOne) {
  const TemporaryFolder folder;
  Context context(1);
  Simulation simulation(load_scene(write_scene(folder)), context);
  const auto before = run_to(simulation, 1);
  context.cancelled = true;
  EXPECT_FALSE(simulation.advance());
  context.cancelled = false;
  EXPECT_EQ(simulation.frame(), 1);
  Simulation fresh(load_scene(write_scene(folder)), context);
  EXPECT_EQ(run_to(simulation, 2), run_to(fresh, 2));
}

TEST(Simulation, HoldThatTouchesNothingIsRefused) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string scene =
      replaced(kBarScene, "where = \"x-\"", "where = \"box\"\nlow = [5, 5, 5]\nhigh = [6, 6, 6]");
  const Error error =
      error_of([&] { Simulation(load_scene(write_scene(folder, scene)), context); });
  EXPECT_EQ(error.fault(), Fault::Input);
  EXPECT_THAT(error.what(), HasSubstr("holds no node"));
  EXPECT_THAT(error.what(), HasSubstr("scene.toml:19"));
}

TEST(Simulation, OverlappingSurfacesAreNotWeighedTwice) {
  // A unit cube whose faces are listed twice encloses twice its volume, but is one cube.
  const TemporaryFolder folder;
  std::string obj;
  for (int v = 0; v < 8; ++v) {
    obj += "v " + std::to_string(v & 1) + " " + std::to_string(v >> 1 & 1) + " " +
           std::to_string(v >> 2) + "\n";
  }
  const std::string faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
  files::write_quickly(folder / "twice.obj", obj + faces + faces);
  const std::string scene =
      replaced(kBarScene, "kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
               "kind = \"mesh\"\nfile = \"twice.obj\"");
  Context context(1);
  const Simulation simulation(load_scene(write_scene(folder, scene)), context);
  EXPECT_NEAR(simulation.summary().mass, 1000, 1e-6);
}

TEST(Simulation, ScaledSceneGivesTheScaledShape) {
  // Lengths times s, stiffness times s under the same gravity: the same picture.
  const TemporaryFolder folder;
  std::vector<Vec3d> reference;
  for (const double s : {1.0, 0.01, 100.0}) {
    SceneSpec scene = load_scene(write_scene(folder));
    BodySpec& body = scene.bodies[0];
    body.cell_size *= s;
    body.shape.size *= s;
    *body.material.young *= s;
    for (KeySpec& key : body.holds[1].keys) key.translate *= s;
    Context context(1);
    Simulation simulation(scene, context);
    run_to(simulation, 4);
    const auto [frame, measures] = simulation.snapshot();
    const auto& vertices = frame.bodies[0].vertices;
    if (s == 1) reference = vertices;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      EXPECT_LT(norm(vertices[v] * (1 / s) - reference[v]), 1e-6);
    }
  }
}

}  // namespace
}  // namespace isochor::sim
