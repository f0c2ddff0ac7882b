#include "isochor/sim/lattice_scene.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using files::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Keys of the first hold of the bar.
std::string with_hold_keys(const std::string& keys) {
  return replaced(kBarScene, "where = \"x-\"\n", "where = \"x-\"\n" + keys);
}

std::string message(const std::string& text) {
  const TemporaryFolder folder;
  return error_of([&] { load_scene(write_scene(folder, text)); }).what();
}

Measures at_frame(const SceneSpec& scene, int frame, Context& context) {
  Simulation simulation(scene, context);
  while (simulation.frame() < frame) EXPECT_TRUE(simulation.advance());
  return simulation.snapshot().second;
}

TEST(LatticeScene, SoftHoldCarriesWhatARigidOneDoes) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string soft = with_hold_keys("select = \"surface\"\nstiffness = \"100 kPa/mm\"\n");
  const Measures held = at_frame(load_scene(write_scene(folder)), 2, context);
  const Measures bedded = at_frame(load_scene(write_scene(folder, soft)), 2, context);
  ASSERT_EQ(bedded.reactions.size(), 2u);
  EXPECT_EQ(bedded.reactions[0].name, "bar.right");
  EXPECT_EQ(bedded.reactions[1].name, "bar.left");
  EXPECT_GT(bedded.spring_energy, 0);
  EXPECT_EQ(held.spring_energy, 0);
  // Springs a thousand times stiffer than the bar hold it as a wall does.
  const Vec3d wall = held.reactions[0].force, springs = bedded.reactions[1].force;
  EXPECT_LT(norm(wall - springs), 0.02 * norm(wall));
}

TEST(LatticeScene, SoftHoldIsAsStiffHoweverFineTheSurfaceIs) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string soft = with_hold_keys("select = \"surface\"\nstiffness = \"20 kPa/m\"\n");
  double force[2];
  int k = 0;
  for (const char* edge : {"10 cm", "2.5 cm"}) {
    const std::vector<std::string> settings{fmt::format("body[0].shape.edge={}", edge),
                                            "body[0].hold[0].depth=1 mm"};
    SceneSpec scene = load_scene(write_scene(folder, soft), settings);
    force[k++] = norm(at_frame(scene, 4, context).reactions[1].force);
  }
  EXPECT_NEAR(force[0], force[1], 0.03 * force[0]);
}

TEST(LatticeScene, TiedBodiesPullAtEachOther) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string text = kBarScene + R"(
[[body]]
name = "load"
cell_size = "10 cm"
shape = { kind = "box", size = ["60 cm", "20 cm", "20 cm"], center = [0, "-21 cm", 0] }
material = { young = "20 kPa", poisson = 0.3 }

[[tie]]
name = "glue"
first = "load"
second = "bar"
distance = "2 cm"
stiffness = "1 kPa/mm"
)";
  const SceneSpec scene = load_scene(write_scene(folder, text));
  const Measures m = at_frame(scene, 0, context);
  ASSERT_EQ(m.reactions.size(), 3u);
  EXPECT_EQ(m.reactions[2].name, "glue");
  const double weight = 0.6 * 0.2 * 0.2 * 1000 * 9.81;
  EXPECT_NEAR(m.reactions[2].force[1], weight, 1e-4 * weight);
  EXPECT_NEAR(m.reactions[0].force[1] + m.reactions[1].force[1], 2 * weight, 1e-4 * weight);
}

TEST(LatticeScene, EndThatSlidesInAPlaneLetsTheBarShorten) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string text = replaced(kBarScene, "where = \"x+\"\n",
                                    "where = \"x+\"\nslide = \"line\"\ndirection = [1, 0, 0]\n");
  const Measures m = at_frame(load_scene(write_scene(folder, text)), 4, context);
  // It follows the turn, but nothing pulls along x.
  EXPECT_GT(m.reactions[1].moment[0], 0);
  EXPECT_LT(std::abs(m.reactions[0].force[0]), 1e-4 * norm(m.reactions[0].force));
}

TEST(LatticeScene, CellsOfARegionAreHeldWithAllTheirNodes) {
  const TemporaryFolder folder;
  Context context(1);
  const SceneSpec scene =
      load_scene(write_scene(folder, with_hold_keys("select = \"cells\"\ndepth = \"10 cm\"\n")));
  EXPECT_EQ(build_lattice_scene(scene, {}, context).model().holds[0].nodes.size(), 2u * 9);
}

/// The energy that a cantilever gains by sagging does not depend on its square section, by the
/// theory of beams: a section that is not a whole number of cells can be compared with one that is.
TEST(LatticeScene, WeightedCellsMakeABodyAsSoftAsItsSurfaceSays) {
  const TemporaryFolder folder;
  Context context(1);
  const std::string text =
      replaced(replaced(kBarScene, "20 kPa", "2 MPa"),
               kBarScene.substr(kBarScene.find("[[body.hold]]\nname = \"right\"")), "");
  const auto sag = [&](int width, const char* boundary, int padding) {
    const std::vector<std::string> settings{
        fmt::format("body[0].shape.size=[0.6, 0.{}, 0.{}]", width, width),
        "body[0].shape.edge=0.05", "body[0].cell_size=0.05",
        fmt::format("body[0].boundary={}", boundary), fmt::format("body[0].padding={}", padding)};
    return -at_frame(load_scene(write_scene(folder, text), settings), 0, context).gravity_energy;
  };
  const double aligned = sag(20, "whole", 0);
  const double whole = sag(17, "whole", 0), weighted = sag(17, "weighted", 0);
  EXPECT_EQ(sag(20, "weighted", 0), aligned);
  EXPECT_LT(whole, 0.6 * aligned);
  EXPECT_GT(weighted, 0.75 * aligned);
  EXPECT_LT(weighted, aligned);
  // Padding carries the surface and is not felt.
  EXPECT_NEAR(sag(17, "weighted", 1), weighted, 0.01 * weighted);
}

TEST(LatticeScene, PartsThatNothingHoldsAreHeldWithAWarning) {
  const TemporaryFolder folder;
  geometry::SurfaceMesh mesh = geometry::make_box({0, 0, 0}, {0.6, 0.2, 0.2}, 0.1);
  const geometry::SurfaceMesh crumb = geometry::make_box({0, 0.4, 0}, {0.1, 0.1, 0.1}, 0.1);
  std::string obj;
  std::size_t first = 1;
  for (const geometry::SurfaceMesh& part : {mesh, crumb}) {
    for (const Vec3d& p : part.positions) obj += fmt::format("v {} {} {}\n", p[0], p[1], p[2]);
    for (const auto& t : geometry::triangulate(part)) {
      obj += fmt::format("f {} {} {}\n", first + t[0], first + t[1], first + t[2]);
    }
    first += part.positions.size();
  }
  files::write_quickly(folder / "parts.obj", obj);
  std::vector<std::string> log;
  Context context(1);
  context.log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::Warning) log.emplace_back(text);
  };
  const std::string text =
      replaced(kBarScene, "kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]\n",
               "kind = \"mesh\"\nfile = \"parts.obj\"\n");
  Simulation simulation(load_scene(write_scene(folder, text)), context);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], AllOf(HasSubstr("nothing holds"), HasSubstr("'bar'")));
  EXPECT_TRUE(simulation.advance());
  // The other way round it is an error.
  const std::string only_crumb =
      replaced(replaced(text, "where = \"x-\"\n",
                        "where = \"box\"\nlow = [-1, 0.3, -1]\nhigh = [1, 1, 1]\n"),
               text.substr(text.find("[[body.hold]]\nname = \"right\"")), "");
  EXPECT_THAT(error_of([&] {
                Context own(1);
                Simulation(load_scene(write_scene(folder, only_crumb)), own);
              }).what(),
              AllOf(HasSubstr("nothing holds the largest part"), HasSubstr("[[body.hold]]")));
}

TEST(LatticeScene, HoldsThatContradictThemselvesAreRefused) {
  EXPECT_THAT(message(with_hold_keys("stiffness = \"1 kPa/mm\"\n")), HasSubstr("held rigidly"));
  EXPECT_THAT(message(with_hold_keys("slide = \"plane\"\ndirection = [0, 0, 0]\n")),
              HasSubstr("without length"));
  EXPECT_THAT(message(with_hold_keys(
                  "select = \"surface\"\nstiffness = \"1 kPa/mm\"\nslide = \"plane\"\n")),
              HasSubstr("does not slide"));
}

TEST(LatticeScene, TieOfUnknownOrFarBodiesIsRefused) {
  const std::string tie = "\n[[tie]]\nname = \"glue\"\nfirst = \"bar\"\nstiffness = 1e6\n";
  EXPECT_THAT(message(kBarScene + tie + "second = \"arm\"\n"),
              AllOf(HasSubstr("no body 'arm'"), HasSubstr("use one of: bar")));
  EXPECT_THAT(message(kBarScene + tie + "second = \"bar\"\n"), HasSubstr("first body again"));
}

/// A bar along x in a mesh whose vertices beyond 0.4 m are painted red.
std::string painted_bar(const TemporaryFolder& folder, std::string_view group) {
  const geometry::SurfaceMesh mesh = geometry::make_box({0.25, 0, 0}, {0.5, 0.1, 0.1}, 0.05);
  std::string text;
  for (const Vec3d& p : mesh.positions) {
    text += fmt::format("v {} {} {} {} 0 0\n", p[0], p[1], p[2], p[0] > 0.4 ? 1 : 0.2);
  }
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    text += "f";
    for (const std::int32_t v : mesh.face(f)) text += fmt::format(" {}", v + 1);
    text += "\n";
  }
  write_file_atomic(folder / "bar.obj", text);
  return fmt::format(R"(format = 1
[time]
frames = 0
[[body]]
name = "bar"
cell_size = 0.05
shape = {{ kind = "mesh", file = "bar.obj" }}
material = {{ young = "100 kPa", poisson = 0.3 }}
[[body.hold]]
name = "painted"
where = "group"
group = "{}"
stiffness = 1e8
)",
                     group);
}

TEST(LatticeScene, WhatIsPaintedIsHeld) {
  const TemporaryFolder folder;
  Context context(1);
  Simulation simulation(parse_scene(painted_bar(folder, "paint:color.r"), folder / "scene.toml"),
                        context);
  ASSERT_TRUE(simulation.advance());
  EXPECT_TRUE(simulation.topology().bodies[0].groups.empty());
  const auto& rest = simulation.topology().bodies[0].surface.positions;
  const std::vector<Vec3d> now = simulation.snapshot().first.bodies[0].vertices;
  double free = 0, held = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    double& most = rest[v][0] > 0.4 ? held : free;
    most = std::max(most, norm(now[v] - rest[v]));
  }
  EXPECT_LT(20 * held, free);
  const std::string other = painted_bar(folder, "paint:color.g");
  EXPECT_THAT(
      error_of([&] { Simulation(parse_scene(other, folder / "scene.toml"), context); }).what(),
      AllOf(HasSubstr("group"), HasSubstr("more than a half")));
  const std::string unknown = painted_bar(folder, "paint:grip");
  EXPECT_THAT(
      error_of([&] { Simulation(parse_scene(unknown, folder / "scene.toml"), context); }).what(),
      AllOf(HasSubstr("'grip'"), HasSubstr("color.0")));
}

TEST(LatticeScene, BothLatticesHaveSkin) {
  const TemporaryFolder folder;
  Context context(1);
  for (const char* volume : {"penalty", "mixed"}) {
    double force[2];
    for (const int k : {0, 1}) {
      std::vector<std::string> settings{fmt::format("method.volume={}", volume)};
      if (k == 1) {
        settings.insert(settings.end(), {"body[0].skin.law=rubber", "body[0].skin.modulus=200 kPa",
                                         "body[0].skin.thickness=2 mm"});
      }
      const SceneSpec scene = load_scene(write_scene(folder), settings);
      force[k] = norm(at_frame(scene, 4, context).reactions[1].force);
    }
    EXPECT_GT(force[1], 1.02 * force[0]) << volume;
  }
  const std::vector<std::string> cycles{"body[0].skin.law=rubber", "method.solver=fas"};
  EXPECT_THAT(error_of([&] { load_scene(write_scene(folder), cycles); }).what(),
              AllOf(HasSubstr("no skin"), HasSubstr("lattice-mixed")));
}

}  // namespace
}  // namespace isochor::sim
