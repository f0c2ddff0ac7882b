#include "isochor/isochor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/frame.h"
#include "isochor/run/runner.h"
#include "tests/sim/test_scene.h"

namespace isochor {
namespace {

using testing::HasSubstr;

/// A cube that holds take at its bottom and its top, as arrays.
const std::string kCubeScene = R"(format = 1
[time]
frames = 2
[[body]]
name = "cube"
cell_size = 0.05
shape = {kind = "mesh", file = "cube"}
material = {young = "20 kPa", poisson = 0.45}
hold = [{name = "bottom", where = "y-"}, {name = "top", where = "y+"}]
)";
const std::vector<int> kCubeTriangles{0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

std::vector<double> cube_vertices() {
  std::vector<double> vertices;
  for (int corner = 0; corner < 8; ++corner) {
    for (int axis = 0; axis < 3; ++axis) vertices.push_back(0.2 * ((corner >> axis) & 1));
  }
  return vertices;
}

Scene cube_scene() {
  Scene scene(kCubeScene);
  scene.set_mesh("cube", cube_vertices(), kCubeTriangles);
  return scene;
}

Scene bar_scene() { return Scene(sim::kBarScene); }

template <class F>
std::string failure_of(F&& f, Failure::Kind kind = Failure::Kind::Input) {
  try {
    f();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), kind) << failure.what();
    return failure.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(PublicApi, VersionIsThatOfTheBuild) { EXPECT_STREQ(version(), ISOCHOR_VERSION); }

TEST(PublicApi, SceneIsSteppedAndReadBack) {
  Scene scene = bar_scene();
  scene.set("time.frames", "2");
  Simulation simulation(scene, 1);
  EXPECT_EQ(simulation.frame_count(), 2);
  EXPECT_EQ(simulation.frame(), -1);
  ASSERT_EQ(simulation.body_count(), 1);
  EXPECT_EQ(simulation.body_name(0), "bar");
  EXPECT_EQ(simulation.find_body("bar"), 0);
  const std::vector<double>& positions = simulation.positions();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_NEAR(positions[i], simulation.rest_positions()[i], 1e-15);
  }
  EXPECT_TRUE(simulation.step());
  EXPECT_EQ(simulation.frame(), 0);
  const std::vector<double> before = simulation.positions();
  EXPECT_TRUE(simulation.step());
  EXPECT_EQ(simulation.report().frame, 1);
  EXPECT_GT(simulation.report().newton_iterations, 0);
  EXPECT_EQ(&simulation.positions(), &positions) << "vectors stay where they are";
  EXPECT_NE(positions, before);
  EXPECT_EQ(positions.size(), before.size());
  EXPECT_LT(std::abs(simulation.measures().volume_error), 0.1);
  const std::vector<int>& triangles = simulation.triangles();
  EXPECT_EQ(triangles.size(), 3 * 2 * 2 * (6 * 2 + 6 * 2 + 2 * 2));
  EXPECT_LT(*std::max_element(triangles.begin(), triangles.end()), int(before.size() / 3));
  EXPECT_EQ(simulation.cells().size(), 8 * 6 * 2 * 2);
  EXPECT_EQ(simulation.node_positions().size(), 3 * 7 * 3 * 3);
  const auto& fields = simulation.fields();
  const auto j = std::find_if(fields.begin(), fields.end(), [](const Field& f) {
    return f.name == "J" && f.on == Field::On::Cell;
  });
  ASSERT_NE(j, fields.end());
  EXPECT_EQ(j->values.size(), 6 * 2 * 2);
}

TEST(PublicApi, FailureCarriesTheWholeMessage) {
  EXPECT_THAT(failure_of([] { Scene::load("no-such-scene.toml"); }),
              HasSubstr("no-such-scene.toml"));
  EXPECT_THAT(failure_of([] { Scene("format = 1\ntitel = 3\n", "", "mine"); }),
              HasSubstr("mine:2:1"));
  Scene scene = bar_scene();
  EXPECT_THAT(failure_of([&] { scene.set("body[0].cell_size", "-1"); }),
              HasSubstr("body[0].cell_size"));
  Simulation simulation(scene, 1);
  EXPECT_THAT(failure_of([&] { simulation.positions(7); }), HasSubstr("body 7"));
  EXPECT_THAT(failure_of([&] { simulation.find_body("ba"); }), HasSubstr("bar"));
  EXPECT_THAT(failure_of([&] {
                simulation.move_hold("bar.lift", {0, 0, 0});
              }),
              HasSubstr("bar.left, bar.right"));
  EXPECT_THAT(failure_of([&] {
                simulation.move_hold("bar.left", {NAN, 0, 0});
              }),
              HasSubstr("finite"));
  EXPECT_THAT(failure_of([&] {
                simulation.push_surface(0, {1, 2, 3});
              }),
              HasSubstr("one per surface vertex"));
  EXPECT_THAT(failure_of([&] { simulation.reaction("bar.lift"); }),
              HasSubstr("bar.left, bar.right"));
  EXPECT_THAT(failure_of([&] { simulation.restore({'a', 'b'}); }), HasSubstr("checkpoint"));
}

TEST(PublicApi, MistakesInArraysAreNamed) {
  Scene scene(kCubeScene);
  const auto refused = [&](const std::string& name, std::vector<double> vertices,
                           std::vector<int> triangles) {
    return failure_of([&] { scene.set_mesh(name, vertices, triangles); });
  };
  EXPECT_THAT(refused("tube", cube_vertices(), kCubeTriangles), HasSubstr("no body"));
  EXPECT_THAT(refused("a/b", cube_vertices(), kCubeTriangles), HasSubstr("cannot name a file"));
  EXPECT_THAT(refused("cube", {0, 0}, kCubeTriangles), HasSubstr("three each"));
  EXPECT_THAT(refused("cube", cube_vertices(), {0, 1}), HasSubstr("triangles"));
  EXPECT_THAT(refused("cube", cube_vertices(), {0, 1, 8}), HasSubstr("no vertex 8"));
  std::vector<double> infinite = cube_vertices();
  infinite[4] = INFINITY;
  EXPECT_THAT(refused("cube", infinite, kCubeTriangles), HasSubstr("number 4 is inf"));
}

TEST(PublicApi, SavedSceneRunsToTheSameBits) {
  const files::TemporaryFolder folder;
  const Scene scene = cube_scene();
  const std::string file = (folder / "cube.toml").string();
  scene.save(file);
  isochor::Run run(scene, (folder / "run").string(), {.threads = 1, .pictures = false});
  EXPECT_TRUE(run.execute());
  EXPECT_EQ(run.frames(), 3);
  Context context(2);
  const run::RunResult other =
      run::run_scene(sim::load_scene(file), {.out = folder / "other", .pictures = false}, context,
                     [](const auto&, const auto&) {});
  for (int f = 0; f < 3; ++f) {
    EXPECT_EQ(files::frame_hash(run::RunDirectory{folder / "run"}.frame(f)),
              files::frame_hash(other.directory.frame(f)));
  }
}

TEST(PublicApi, SavedSceneFindsItsFilesFromElsewhere) {
  const files::TemporaryFolder folder;
  cube_scene().save((folder / "first.toml").string());
  std::filesystem::create_directory(folder / "below");
  const std::string file = (folder / "below" / "second.toml").string();
  Scene::load((folder / "first.toml").string()).save(file);
  EXPECT_THAT(Scene::load(file).text(), HasSubstr("\"../first_cube.ply\""));
  EXPECT_EQ(Simulation(Scene::load(file), 1).rest_positions(), cube_vertices());
}

TEST(PublicApi, HoldThatIsMovedFollowsTheSamePathAsByKeys) {
  const std::string still =
      sim::replaced(sim::kBarScene, "where = \"x+\"", "where = \"x+\"\nease = \"linear\"");
  const std::size_t keys = still.find("[[body.hold.key]]");
  Simulation scripted(
      Scene(still.substr(0, keys) + "key = [{frame = 0}, {frame = 1, translate = [0.1, 0, 0], "
                                    "rotate = [0.5, 0, 0]}]\n"),
      1);
  Simulation moved(Scene(still.substr(0, keys)), 1);
  for (Simulation* s : {&scripted, &moved}) s->step();
  EXPECT_EQ(scripted.positions(), moved.positions());
  moved.move_hold("bar.right", {0.1, 0, 0}, {0.5, 0, 0});
  for (int frame = 1; frame < 3; ++frame) {
    for (Simulation* s : {&scripted, &moved}) s->step();
    EXPECT_EQ(scripted.positions(), moved.positions());
  }
}

TEST(PublicApi, ReactionsBalanceWhatPushesABody) {
  Scene scene = cube_scene();
  scene.set("method.newton.tolerance", "1e-9");
  Simulation simulation(scene, 1);
  simulation.step();
  const auto resultant = [&] {
    std::array<double, 3> sum{};
    for (const Reaction& r : simulation.reactions()) {
      for (int a = 0; a < 3; ++a) sum[a] += r.force[a];
    }
    return sum;
  };
  constexpr double kWeight = 8 * 9.81;
  const std::vector<double> alone = simulation.positions();
  simulation.push_body(0, {3, 0, -2});
  EXPECT_NEAR(resultant()[0], 0, 1e-6) << "what pushes from the next frame on is not here yet";
  simulation.step();
  EXPECT_NEAR(resultant()[0], -3, 1e-6);
  EXPECT_NEAR(resultant()[1], kWeight, 1e-6);
  EXPECT_NEAR(resultant()[2], 2, 1e-6);
  // The forces on vertices replace those on the body.
  std::vector<double> forces(24, 0.0);
  forces[3 * 7] = 1;
  forces[3 * 5 + 1] = 4;
  simulation.push_surface(0, forces);
  simulation.step();
  EXPECT_NEAR(resultant()[0], -1, 1e-6);
  EXPECT_NEAR(resultant()[1], kWeight - 4, 1e-6);
  simulation.push_body(0, {0, 0, 0});
  simulation.step();
  EXPECT_NEAR(resultant()[1], kWeight, 1e-6);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_NEAR(simulation.positions()[i], alone[i], 1e-9);
  }
}

TEST(PublicApi, CheckpointHoldsForcesAndMovedHolds) {
  Simulation one(cube_scene(), 1), other(cube_scene(), 2);
  one.step();
  one.move_hold("cube.top", {0.02, 0.03, 0}, {0, 0.3, 0});
  one.push_body(0, {0, 0, 2});
  other.restore(one.checkpoint());
  EXPECT_EQ(other.frame(), 0);
  for (int i = 0; i < 2; ++i) {
    one.step();
    other.step();
    EXPECT_EQ(one.positions(), other.positions());
    EXPECT_EQ(one.reaction("cube.top").force, other.reaction("cube.top").force);
  }
}

TEST(PublicApi, StepThatDoesNotEndLeavesTheFrameBefore) {
  enum { Nothing, Cancel, Throw } act = Nothing;
  Simulation* acting = nullptr;
  const Callbacks callbacks{.on_iteration = [&](const Iteration& iteration) {
    if (iteration.number < 1) return;
    if (act == Cancel) acting->cancel();
    if (act == Throw) throw std::runtime_error("enough");
  }};
  Simulation simulation(bar_scene(), 1, callbacks), calm(bar_scene(), 1);
  acting = &simulation;
  simulation.step();
  calm.step();
  const std::vector<double> before = simulation.positions();
  act = Cancel;
  EXPECT_FALSE(simulation.step());
  EXPECT_EQ(simulation.frame(), 0);
  EXPECT_EQ(simulation.positions(), before);
  act = Throw;
  EXPECT_THROW(simulation.step(), std::runtime_error);
  EXPECT_EQ(simulation.positions(), before);
  act = Nothing;
  EXPECT_TRUE(simulation.step());
  calm.step();
  EXPECT_EQ(simulation.positions(), calm.positions());
}

TEST(PublicApi, CallbacksTellOfIterationsAndWarnings) {
  std::vector<Iteration> iterations;
  std::vector<std::string> warnings;
  Scene scene = bar_scene();
  scene.set("method.newton.max_iterations", "1");
  Simulation simulation(scene, 1,
                        {.on_iteration = [&](const Iteration& i) { iterations.push_back(i); },
                         .on_log =
                             [&](const std::string& message, bool warning) {
                               if (warning) warnings.push_back(message);
                             }});
  EXPECT_THAT(failure_of([&] { simulation.step(); }, Failure::Kind::Simulation),
              HasSubstr("frame 0"));
  ASSERT_GE(iterations.size(), 2u);
  EXPECT_EQ(iterations[1].number, 1);
  EXPECT_LT(iterations[1].residual, iterations[0].residual);
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings[0], HasSubstr("the step is cut"));
}

}  // namespace
}  // namespace isochor
