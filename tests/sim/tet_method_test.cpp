#include "isochor/sim/tet_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/sim/body_builder.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using files::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kTets = kBarScene + "\n[method]\nname = \"tets\"\n";

std::vector<std::byte> run_to(Simulation& simulation, int frame, bool poison = false) {
  while (simulation.frame() < frame) {
    if (poison) simulation.poison_scratch();
    EXPECT_TRUE(simulation.advance());
  }
  return simulation.checkpoint();
}

SceneSpec bar(const std::vector<std::string>& settings = {}) {
  return parse_scene(kTets, "scene.toml", settings);
}

/// A unit cube of six tets about a diagonal, those with x > y in a region of their own.
const std::string kCubeFile = R"(MeshVersionFormatted 2
Dimension 3
Vertices
8
0 0 0 0
1 0 0 0
0 1 0 0
1 1 0 0
0 0 1 0
1 0 1 0
0 1 1 0
1 1 1 0
Tetrahedra
6
1 2 4 8 1
1 4 3 8 2
1 3 7 8 2
1 7 5 8 2
1 5 6 8 1
1 6 2 8 1
End
)";
const std::string kCubeScene = R"(format = 1
[time]
frames = 1
[method]
name = "tets"
[[body]]
name = "cube"
tets = "cube.mesh"
[body.material]
young = "20 kPa"
poisson = 0.3
[[body.hold]]
name = "left"
where = "x-"
)";

std::filesystem::path write_cube(const TemporaryFolder& folder,
                                 const std::string& scene = kCubeScene) {
  files::write_quickly(folder / "cube.mesh", kCubeFile);
  return write_scene(folder, scene);
}

TEST(TetMethod, HoldsCarryTheWeightOfABarThatSags) {
  Context context(1);
  Simulation simulation(bar(), context);
  run_to(simulation, 0);
  const auto [frame, m] = simulation.snapshot();
  EXPECT_GT(m.elastic_energy, 0);
  EXPECT_LT(m.gravity_energy, 0);
  const double weight = simulation.summary().mass * 9.81;
  ASSERT_EQ(m.reactions.size(), 2u);
  EXPECT_NEAR(m.reactions[0].force[1] + m.reactions[1].force[1], weight, 1e-5 * weight);
  EXPECT_EQ(simulation.summary().elements, "tets");
  EXPECT_TRUE(simulation.topology().bodies[0].cells.empty());
  EXPECT_EQ(simulation.topology().bodies[0].tets.size(), simulation.summary().cells);
}

TEST(TetMethod, HoldsTakeTheirNodesAlongRigidly) {
  Context context(1);
  Simulation simulation(bar(), context);
  run_to(simulation, 4);
  const files::BodyTopology& body = simulation.topology().bodies[0];
  const auto [frame, m] = simulation.snapshot();
  // A quarter turn about x, and 10 cm along it; nodes up to half a cell from the end are held.
  int held = 0;
  Vec3d center{0, 0, 0};
  for (const Vec3d& rest : body.rest_nodes) {
    if (rest[0] > 0.25 - 1e-9) center += rest, ++held;
  }
  center *= 1.0 / held;
  for (std::size_t n = 0; n < body.rest_nodes.size(); ++n) {
    const Vec3d rest = body.rest_nodes[n] - center;
    if (body.rest_nodes[n][0] <= 0.25 - 1e-9) continue;
    const Vec3d turned = center + Vec3d{0.1 + rest[0], -rest[2], rest[1]};
    EXPECT_LT(norm(frame.bodies[0].nodes[n] - turned), 1e-12);
  }
  EXPECT_GT(held, 4);
  EXPECT_GT(m.min_j, 0);
  EXPECT_EQ(m.inverted_cells, 0);
}

TEST(TetMethod, SameBitsForAnyThreadCountAndAfterARestore) {
  for (const char* integrator : {"static", "bdf2", "midpoint"}) {
    const SceneSpec scene =
        bar({std::string("time.integrator=") + integrator, "time.substeps=2", "time.frames=3"});
    std::vector<std::byte> reference;
    for (const int threads : {1, 3}) {
      Context context(threads);
      Simulation simulation(scene, context);
      const auto middle = run_to(simulation, 1, threads == 3);
      const auto end = run_to(simulation, 3, threads == 3);
      if (threads == 1) reference = end;
      EXPECT_EQ(end, reference) << threads << " threads, " << integrator;
      Simulation resumed(scene, context);
      resumed.restore("checkpoint", middle);
      EXPECT_EQ(run_to(resumed, 3), reference) << integrator;
    }
  }
}

TEST(TetMethod, CheckpointOfAnotherSceneIsRefused) {
  Context context(1);
  Simulation coarse(bar(), context), fine(bar({"body[0].cell_size=7 cm"}), context);
  EXPECT_THAT(error_of([&] { fine.restore("file", coarse.checkpoint()); }).what(),
              HasSubstr("another number of nodes"));
}

TEST(TetMethod, MidpointLosesNoEnergyToTheIntegrator) {
  Context context(1);
  const std::vector<std::string> settings{"time.integrator=midpoint", "time.substeps=8",
                                          "method.newton.tolerance=1e-10"};
  Simulation simulation(bar(settings), context);
  run_to(simulation, 4);
  const auto [frame, m] = simulation.snapshot();
  EXPECT_GT(m.motion->hold_work, 0);
  EXPECT_LT(std::abs(m.motion->integrator_loss), 0.01 * m.motion->hold_work);
}

TEST(TetMethod, ABodyThatNothingHoldsFallsFreely) {
  std::string text = kTets.substr(0, kTets.find("[[body.hold]]")) + "[method]\nname = \"tets\"\n";
  const std::vector<std::string> settings{"time.integrator=midpoint",
                                          "body[0].angular_velocity=[1,0,0]",
                                          "method.newton.tolerance=1e-10"};
  Context context(1);
  Simulation simulation(parse_scene(text, "scene.toml", settings), context);
  run_to(simulation, 0);
  const MotionMeasures before = *simulation.snapshot().second.motion;
  run_to(simulation, 4);
  const MotionMeasures after = *simulation.snapshot().second.motion;
  const double t = 4.0 / 24;
  EXPECT_NEAR(after.center_of_mass[1] - before.center_of_mass[1], -0.5 * 9.81 * t * t, 1e-9);
  EXPECT_NEAR(norm(after.angular_momentum - before.angular_momentum), 0,
              1e-7 * norm(before.angular_momentum));
}

TEST(TetMethod, AStuffedBallHasTheVolumeOfItsSurface) {
  const std::string text =
      replaced(kTets, "kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
               "kind = \"sphere\"\nradius = 0.3\nedge = 0.02");
  double coarse = 0;
  for (const char* size : {"10 cm", "5 cm"}) {
    const std::vector<std::string> settings{std::string("body[0].cell_size=") + size};
    Context context(2);
    const Simulation simulation(parse_scene(text, "scene.toml", settings), context);
    const Summary s = simulation.summary();
    const double error = s.mass / 1000 / s.volume - 1;
    EXPECT_LT(std::abs(error), 0.05) << size;
    if (coarse != 0) {
      EXPECT_LT(std::abs(error), 0.4 * coarse) << "of second order";
    }
    coarse = std::abs(error);
  }
}

TEST(TetMethod, TheUsersSurfaceComesBackInItsTopology) {
  Context context(1);
  Simulation simulation(bar(), context), lattice(parse_scene(kBarScene, "scene.toml"), context);
  const files::BodyTopology &mine = simulation.topology().bodies[0],
                            &other = lattice.topology().bodies[0];
  EXPECT_EQ(mine.surface.corners, other.surface.corners);
  run_to(simulation, 2);
  run_to(lattice, 2);
  // Two discretisations of one body, at the same frame.
  const auto a = simulation.snapshot().first.bodies[0], b = lattice.snapshot().first.bodies[0];
  double apart = 0, way = 0;
  for (std::size_t v = 0; v < a.vertices.size(); ++v) {
    apart = std::max(apart, norm(a.vertices[v] - b.vertices[v]));
    way = std::max(way, norm(b.vertices[v] - other.surface.positions[v]));
  }
  EXPECT_LT(apart, 0.3 * way) << "in cells of half the bar's height";
}

TEST(TetMethod, AFileOfTetsIsItsOwnSurfaceOrCarriesAnother) {
  const TemporaryFolder folder;
  Context context(1);
  const Simulation own(load_scene(write_cube(folder)), context);
  EXPECT_EQ(own.summary().cells, 6u);
  EXPECT_EQ(own.topology().bodies[0].surface.face_count(), 12u);
  EXPECT_NEAR(own.summary().volume, 1, 1e-12);
  EXPECT_NEAR(own.summary().mass, 1000, 1e-9);

  const std::vector<std::string> settings{"body[0].tets_scale=0.1",
                                          "body[0].surface=shape",
                                          "body[0].shape.kind=sphere",
                                          "body[0].shape.radius=0.04",
                                          "body[0].shape.center=[0.05,0.05,0.05]",
                                          "body[0].shape.edge=0.01"};
  const Simulation ball(load_scene(write_cube(folder), settings), context);
  EXPECT_EQ(ball.summary().cells, 6u);
  EXPECT_NEAR(ball.summary().mass, 1, 1e-12);
  EXPECT_LT(ball.summary().volume, 3e-4);
}

TEST(TetMethod, RegionsOfAFileHaveTheirOwnMaterials) {
  const TemporaryFolder folder;
  Context context(1);
  const auto region = [](const std::string& name) {
    return kCubeScene + "[[body.region]]\nname = \"" + name +
           "\"\n[body.region.material]\nyoung = \"1 MPa\"\npoisson = 0.3\ndensity = 2000\n";
  };
  const Simulation two(load_scene(write_cube(folder, region("2"))), context);
  EXPECT_NEAR(two.summary().mass, 1500, 1e-9);
  const std::string problem =
      error_of([&] { Simulation(load_scene(write_cube(folder, region("9"))), context); }).what();
  EXPECT_THAT(problem, AllOf(HasSubstr("body[0].region[0].name"), HasSubstr("no region '9'"),
                             HasSubstr("use one of: 1, 2")));
  EXPECT_THAT(error_of([&] {
                load_scene(write_cube(
                    folder, replaced(region("2"), "name = \"tets\"", "name = \"lattice\"")));
              }).what(),
              AllOf(HasSubstr("no regions of tets (region '2' of 'cube')"),
                    HasSubstr("use one of: tets (method.name = \"tets\")")));
}

TEST(TetMethod, SliversOfAFileAreToldOnceAndFlatTetsAreRefused) {
  // A half of the upper side, with a fourth corner a tenth of a millimetre or not at all off
  // the plane of the others.
  const auto cube_with = [](const std::string& height) {
    std::string file = replaced(kCubeFile, "Vertices\n8\n", "Vertices\n9\n");
    file = replaced(file, "1 1 1 0\n", "1 1 1 0\n0.6 0.4 " + height + " 0\n");
    return replaced(replaced(file, "Tetrahedra\n6\n", "Tetrahedra\n7\n"), "End", "5 6 8 9 1\nEnd");
  };
  const auto warnings_of = [](const std::string& file) {
    TemporaryFolder folder;
    files::write_quickly(folder / "cube.mesh", file);
    const SceneSpec scene = load_scene(write_scene(folder, kCubeScene));
    Context context(1);
    std::vector<std::string> warnings;
    context.log = [&](LogLevel level, std::string_view text) {
      if (level == LogLevel::Warning) warnings.emplace_back(text);
    };
    Simulation simulation(scene, context);
    return warnings;
  };
  EXPECT_THAT(warnings_of(kCubeFile), ::testing::IsEmpty());
  EXPECT_THAT(warnings_of(cube_with("1.0001")),
              ::testing::ElementsAre(
                  AllOf(HasSubstr("cube.mesh: 1 sliver of 7 tets"), HasSubstr("slow to solve"))));
  const Error error = error_of([&] { warnings_of(cube_with("1")); });
  EXPECT_EQ(error.place(), "cube.mesh");
  EXPECT_THAT(error.problem(), HasSubstr("0 inverted and 1 flat tets of 7, one of them tet 6"));
}

TEST(TetMethod, ALatticeFillsTheBoundaryOfAFileOfTets) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string text = replaced(kCubeScene, "name = \"tets\"", "name = \"lattice\"");
  EXPECT_THAT(error_of([&] { load_scene(write_cube(folder, text)); }).what(),
              HasSubstr("no cells without cell_size"));
  const std::vector<std::string> settings{"body[0].cell_size=0.25"};
  const Simulation lattice(load_scene(write_cube(folder, text), settings), context);
  EXPECT_EQ(lattice.summary().cells, 64u);
  EXPECT_NEAR(lattice.summary().mass, 1000, 1e-6);
}

TEST(TetMethod, PaintedStiffnessIsFelt) {
  Context context(1);
  const auto energy = [&](double factor) {
    SceneSpec scene = bar({"world.gravity=[0,-0.01,0]", "method.newton.tolerance=1e-10"});
    BodySpec& body = scene.bodies[0];
    auto surface = std::make_shared<files::SurfaceFile>(build_surface(body, {}));
    surface->attributes = {{"k", 1, std::vector<float>(surface->mesh.positions.size(), 1)}};
    body.shape.kind = "mesh";
    body.shape.given = surface;
    body.paints = {{.quantity = "stiffness", .from = "k", .high = factor}};
    Simulation simulation(scene, context);
    run_to(simulation, 0);
    return simulation.snapshot().second.elastic_energy;
  };
  EXPECT_NEAR(energy(4) / energy(1), 0.25, 1e-3);
}

TEST(TetMethod, WhatItLacksIsNamedWithMethodsThatHaveIt) {
  const auto problem = [](const std::string& from, const std::string& to) -> std::string {
    return error_of([&] { parse_scene(replaced(kTets, from, to), "scene.toml"); }).what();
  };
  const std::string chosen = "tets (method.name = \"tets\") has no ";
  EXPECT_THAT(problem("poisson = 0.3", "poisson = 0.5"),
              AllOf(HasSubstr(chosen + "incompressible bodies (poisson = 0.5 of 'bar')"),
                    HasSubstr("use one of: lattice-mixed (method.volume = \"mixed\")")));
  const std::string text =
      replaced(replaced(kTets, "[time]\nframes = 4\n", ""), "[method]\nname = \"tets\"\n", "");
  EXPECT_THAT(error_of([&] {
                parse_scene(
                    text +
                        "[[body.hold]]\nname = \"wall\"\nwhere = \"y-\"\nselect = \"surface\"\n"
                        "stiffness = 1e6\n[time]\nintegrator = \"backward-euler\"\n[method]\n"
                        "name = \"tets\"\nvolume = \"one-ring\"\nvariant = \"paper\"\n",
                    "scene.toml");
              }).what(),
              HasSubstr("no held surfaces (hold 'wall' of 'bar')"));
  EXPECT_THAT(problem("[[body.hold]]",
                      "[[body.load]]\nname = \"push\"\nwhere = \"y+\"\npressure = \"1 kPa\"\n"
                      "[[body.hold]]"),
              HasSubstr(chosen + "pressures (load 'push' of 'bar')"));
  EXPECT_THAT(problem("name = \"tets\"", "name = \"tets\"\nvolume = \"mixed\""),
              HasSubstr("method.volume = \"mixed\" does not go with tets"));
}

TEST(TetMethod, TwoHoldsOfANodeAreRefused) {
  Context context(1);
  const std::string text = replaced(kTets, "where = \"x+\"", "where = \"all\"");
  EXPECT_THAT(error_of([&] { Simulation(parse_scene(text, "s.toml"), context); }).what(),
              AllOf(HasSubstr("body[0].hold[1]"), HasSubstr("'left' holds already")));
}

TEST(TetMethod, TractionsAndPushesAreCarriedByTheHolds) {
  const std::string text =
      replaced(kTets, "[[body.hold]]",
               "[[body.load]]\nname = \"pull\"\nwhere = \"z+\"\nkind = \"traction\"\n"
               "traction = [0, 0, \"100 Pa\"]\n[[body.hold]]");
  const std::vector<std::string> settings{"world.gravity=[0,0,0]"};
  Context context(1);
  Simulation simulation(parse_scene(text, "s.toml", settings), context);
  run_to(simulation, 0);
  const auto held = [&] {
    const auto reactions = simulation.snapshot().second.reactions;
    return reactions[0].force + reactions[1].force;
  };
  const double pull = 100 * 0.6 * 0.2;
  EXPECT_NEAR(norm(held() - Vec3d{0, 0, -pull}), 0, 1e-5 * pull);
  simulation.push_mass(0, {3, 0, 0});
  simulation.move_hold("bar.right", {.translation = {0, 0.01, 0}});
  run_to(simulation, 1);
  EXPECT_NEAR(norm(held() - Vec3d{-3, 0, -pull}), 0, 1e-5 * pull);
}

}  // namespace
}  // namespace isochor::sim
