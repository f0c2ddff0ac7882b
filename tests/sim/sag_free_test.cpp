#include "isochor/sim/sag_free.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

/// A bar that bends by a good part of its length.
const std::string kSoftBar = R"(format = 1
[time]
frames = 2
[method]
newton.tolerance = 1e-10
[[body]]
name = "bar"
cell_size = "5 cm"
sag_free = true
shape = { kind = "box", size = [0.6, 0.1, 0.1] }
material = { law = "neo_hookean", young = "1 MPa", poisson = 0.4 }
[[body.hold]]
name = "wall"
where = "x-"
)";

double farthest(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, norm(a[i] - b[i]));
  return most;
}

std::vector<Vec3d> first_frame(const SceneSpec& scene, Context& context) {
  Simulation simulation(scene, context);
  EXPECT_TRUE(simulation.advance().has_value());
  return simulation.snapshot().first.bodies[0].vertices;
}

std::vector<Vec3d> drawn(SceneSpec scene, Context& context) {
  scene.bodies[0].sag_free = false;
  return Simulation(scene, context).topology().bodies[0].surface.positions;
}

TEST(SagFree, FrameZeroIsTheGivenShape) {
  Context context(2);
  for (const char* volume : {"penalty", "mixed"}) {
    SceneSpec scene = parse_scene(kSoftBar, "bar.toml");
    scene.method.volume = volume;
    const std::vector<Vec3d> given = drawn(scene, context);
    SceneSpec plain = scene;
    plain.bodies[0].sag_free = false;
    EXPECT_GT(farthest(first_frame(plain, context), given), 0.1) << "it would sag";
    EXPECT_LT(farthest(first_frame(scene, context), given), 1e-6) << volume;
  }
}

TEST(SagFree, TheRestShapeOfASaggedBarIsTheBar) {
  Context context(2);
  SceneSpec plain = parse_scene(kSoftBar, "bar.toml");
  plain.bodies[0].sag_free = false;
  Simulation forward(plain, context);
  ASSERT_TRUE(forward.advance().has_value());
  auto sagged = std::make_shared<files::SurfaceFile>();
  sagged->mesh = forward.topology().bodies[0].surface;
  const std::vector<Vec3d> bar = sagged->mesh.positions;
  sagged->mesh.positions = forward.snapshot().first.bodies[0].vertices;

  SceneSpec inverse = parse_scene(kSoftBar, "bar.toml");
  inverse.bodies[0].shape.kind = "mesh";
  inverse.bodies[0].shape.given = sagged;
  RestShapeReport report;
  const SceneSpec found = with_rest_shapes(inverse, context, &report);
  ASSERT_TRUE(found.bodies[0].rest);
  // Of a cell: what the way to it leaves, since the lattice of a bent guess is another one.
  EXPECT_LT(farthest(found.bodies[0].rest->vertices, bar), 0.02 * 0.05);
  EXPECT_LT(report.misfit, 1e-3);
  EXPECT_GT(report.moved, 0.1);
}

TEST(SagFree, WithoutLoadsTheRestShapeIsTheGivenOne) {
  Context context(2);
  SceneSpec scene = parse_scene(kSoftBar, "bar.toml");
  scene.world.gravity = {0, 0, 0};
  RestShapeReport report;
  const SceneSpec found = with_rest_shapes(scene, context, &report);
  EXPECT_EQ(report.rounds, 1);
  EXPECT_LT(farthest(found.bodies[0].rest->vertices, drawn(scene, context)), 1e-12);
}

TEST(SagFree, AMotionThatStartsThereStaysAndGoesOnFromACheckpoint) {
  Context context(2);
  const SceneSpec scene = parse_scene(
      replaced(kSoftBar, "frames = 2",
               "frames = 2\nintegrator = \"bdf2\"\nsubsteps = 2\nstart = \"equilibrium\""),
      "bar.toml");
  const std::vector<Vec3d> given = drawn(scene, context);
  Simulation simulation(scene, context);
  ASSERT_TRUE(simulation.advance().has_value());
  const std::vector<std::byte> checkpoint = simulation.save();
  ASSERT_TRUE(simulation.advance().has_value());
  const std::vector<Vec3d> next = simulation.snapshot().first.bodies[0].vertices;
  EXPECT_LT(farthest(next, given), 1e-5);

  Simulation resumed(scene, context);
  resumed.restore("checkpoint", checkpoint);
  ASSERT_TRUE(resumed.advance().has_value());
  EXPECT_EQ(resumed.snapshot().first.bodies[0].vertices, next);
}

TEST(SagFree, MusclesGoWithTheBody) {
  Context context(2);
  const std::string muscle = R"([[body.muscle]]
name = "core"
shape = { kind = "box", size = [0.4, 0.05, 0.05] }
fibres = "harmonic"
[[body.hold]])";
  const SceneSpec scene = parse_scene(replaced(kSoftBar, "[[body.hold]]", muscle), "bar.toml");
  const std::vector<Vec3d> given = drawn(scene, context);
  EXPECT_LT(farthest(first_frame(scene, context), given), 1e-6);
  const SceneSpec found = with_rest_shapes(scene, context);
  // What hangs down when it is given stands higher at rest.
  const auto& core = found.bodies[0].muscles[0].shape.given->mesh.positions;
  EXPECT_GT(std::ranges::max(core, {}, [](const Vec3d& p) { return p[1]; })[1], 0.04);
}

TEST(SagFree, AStartAtRestIsRefused) {
  try {
    parse_scene(replaced(kSoftBar, "frames = 2", "frames = 2\nintegrator = \"bdf2\""), "bar.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("sag_free"));
    EXPECT_THAT(error.what(), testing::HasSubstr("time.start = \"equilibrium\""));
  }
}

TEST(SagFree, TetsAreRefused) {
  EXPECT_THROW(
      parse_scene(replaced(kSoftBar, "[method]\n", "[method]\nname = \"tets\"\n"), "bar.toml"),
      Error);
}

}  // namespace
}  // namespace isochor::sim
