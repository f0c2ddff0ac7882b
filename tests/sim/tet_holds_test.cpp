#include "isochor/sim/tet_holds.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::HasSubstr;

const std::string kTets = "\n[method]\nname = \"tets\"\n";
const std::string kBar = kBarScene + kTets;
const std::string kSoftBar = replaced(
    kBar, "where = \"x-\"\n", "where = \"x-\"\nselect = \"surface\"\nstiffness = \"100 kPa/mm\"\n");

/// A limb along x with two bones and an elbow that bends.
const std::string kLimb = R"(format = 1
[time]
frames = 4
[method]
name = "tets"
[world]
gravity = [0, 0, 0]
[[skeleton.joint]]
name = "shoulder"
position = [0, 0, 0]
[[skeleton.joint]]
name = "elbow"
parent = "shoulder"
position = ["30 cm", 0, 0]
axis = [0, 0, 1]
key = [{ frame = 0 }, { frame = 4, angle = "60 deg" }]
[[skeleton.joint]]
name = "wrist"
parent = "elbow"
position = ["60 cm", 0, 0]
[[body]]
name = "limb"
cell_size = "4 cm"
shape = { kind = "box", center = ["30 cm", 0, 0], size = ["60 cm", "12 cm", "12 cm"] }
material = { law = "stable_neo_hookean", young = "20 kPa", poisson = 0.3 }
[[body.hold]]
name = "upper"
where = "bone"
joint = "shoulder"
radius = "3 cm"
select = "surface"
stiffness = 1e7
[[body.hold]]
name = "fore"
where = "bone"
joint = "elbow"
to = "wrist"
radius = "3 cm"
select = "surface"
stiffness = 1e7
)";

SceneSpec parsed(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse_scene(text, "scene.toml", settings);
}

void run_to(Simulation& simulation, int frame) {
  while (simulation.frame() < frame) ASSERT_TRUE(simulation.advance());
}

Measures at_frame(const SceneSpec& scene, int frame) {
  Context context(2);
  Simulation simulation(scene, context);
  run_to(simulation, frame);
  return simulation.snapshot().second;
}

TEST(TetHolds, ASoftHoldCarriesWhatARigidOneDoes) {
  const Measures held = at_frame(parsed(kBar, {"body[0].hold[0].depth=1 mm"}), 2);
  const Measures bedded = at_frame(parsed(kSoftBar), 2);
  ASSERT_EQ(bedded.reactions.size(), 2u);
  EXPECT_EQ(bedded.reactions[0].name, "bar.right");
  EXPECT_EQ(bedded.reactions[1].name, "bar.left");
  EXPECT_GT(bedded.spring_energy, 0);
  EXPECT_EQ(held.spring_energy, 0);
  const Vec3d wall = held.reactions[0].force, springs = bedded.reactions[1].force;
  EXPECT_LT(norm(wall - springs), 0.05 * norm(wall));
  const double weight = 0.6 * 0.2 * 0.2 * 1000 * 9.81;
  EXPECT_NEAR(bedded.reactions[0].force[1] + springs[1], weight, 0.05 * weight)
      << "of what tets enclose";
}

TEST(TetHolds, AClampedSurfaceHoldsTheNodesOfTetsOnItAsCellsAreHeld) {
  // A ball that is held by a cap, and pulled by its weight.
  const std::string ball = R"(format = 1
[time]
frames = 1
[[body]]
name = "ball"
cell_size = "6 cm"
shape = { kind = "sphere", radius = 0.3, edge = 0.04 }
material = { law = "stable_neo_hookean", young = "20 kPa", poisson = 0.3 }
[[body.hold]]
name = "cap"
where = "y+"
depth = "15 cm"
select = "surface"
)";
  Context context(2);
  Simulation tets(parsed(ball + kTets), context), cells(parsed(ball), context);
  run_to(tets, 0);
  run_to(cells, 0);
  const Measures m = tets.snapshot().second;
  const double weight = tets.summary().mass * 9.81;
  ASSERT_EQ(m.reactions.size(), 1u);
  EXPECT_NEAR(m.reactions[0].force[1], weight, 1e-5 * weight);
  const auto hold = tets.setup().attachments[0];
  EXPECT_GT(hold.points.size(), 10u);
  for (const Vec3d& p : hold.points) {
    EXPECT_NEAR(norm(p), 0.3, 0.005) << "on the surface";
    EXPECT_GT(p[1], 0.13);
  }
  // How far it hangs, seen at the lowest point of the user's surface.
  const auto sag = [](const Simulation& simulation) {
    const auto& rest = simulation.topology().bodies[0].surface.positions;
    const auto lowest = std::ranges::min_element(rest, {}, [](const Vec3d& p) { return p[1]; });
    return simulation.snapshot().first.bodies[0].vertices[lowest - rest.begin()][1] - (*lowest)[1];
  };
  EXPECT_LT(sag(cells), -0.01);
  EXPECT_NEAR(sag(tets), sag(cells), 0.1 * std::abs(sag(cells)));
}

TEST(TetHolds, ClampedFacesShareTheirEdge) {
  const std::string text =
      replaced(replaced(kBar, "where = \"x-\"\n", "where = \"x-\"\nselect = \"surface\"\n"),
               "[[body.hold]]\nname = \"right\"",
               "[[body.hold]]\nname = \"floor\"\nwhere = \"y-\"\nselect = \"surface\"\n"
               "[[body.hold]]\nname = \"right\"");
  const Measures m =
      at_frame(parsed(replaced(text, "where = \"x+\"\n", "where = \"x+\"\nselect = \"surface\"\n"),
                      {"time.frames=1", "body[0].hold[2].key[1].frame=400"}),
               1);
  EXPECT_EQ(m.reactions.size(), 3u);
  EXPECT_EQ(m.inverted_cells, 0);
  EXPECT_THAT(
      error_of([&] { at_frame(parsed(replaced(kLimb, "stiffness = 1e7\n", "")), 0); }).what(),
      HasSubstr("tets do not follow the surface of a bone"));
}

/// A cube of 40 cm with a corner at the origin: three faces slide in their planes, a fourth is
/// pulled at.
const std::string kEighth = R"(format = 1
[time]
frames = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "cube"
cell_size = "10 cm"
shape = { kind = "box", center = [0.2, 0.2, 0.2], size = [0.4, 0.4, 0.4], edge = 0.05 }
material = { law = "linear", young = "20 kPa", poisson = 0.3 }
[[body.hold]]
name = "x"
where = "x-"
depth = "1 mm"
select = "surface"
slide = "plane"
direction = [1, 0, 0]
[[body.hold]]
name = "y"
where = "y-"
depth = "1 mm"
select = "surface"
slide = "plane"
direction = [0, 2, 0]
[[body.hold]]
name = "z"
where = "z-"
depth = "1 mm"
select = "surface"
slide = "plane"
[[body.load]]
name = "pull"
where = "x+"
depth = "1 mm"
kind = "traction"
traction = ["200 Pa", 0, 0]
)";

TEST(TetHolds, FacesThatSlideLetABodyStretchEvenly) {
  for (const char* settings : {"method.volume=penalty", "method.volume=zones"}) {
    Context context(2);
    Simulation simulation(parsed(kEighth + kTets, {settings, "method.newton.tolerance=1e-9"}),
                          context);
    run_to(simulation, 1);
    const auto [frame, m] = simulation.snapshot();
    ASSERT_EQ(m.reactions.size(), 3u);
    EXPECT_EQ(m.reactions[0].name, "cube.x");
    EXPECT_NEAR(m.reactions[0].force[0], -200 * 0.16, 1e-5);
    EXPECT_NEAR(m.reactions[1].force[1], 0, 1e-5) << "nothing pulls across";
    const auto& nodes = frame.bodies[0].nodes;
    const auto& rest = simulation.topology().bodies[0].rest_nodes;
    int on_edge = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Vec3d way = nodes[n] - rest[n];
      if (rest[n][0] < 1e-9) {
        EXPECT_NEAR(way[0], 0, 1e-15);
        on_edge += rest[n][1] < 1e-9;
      }
      if (std::string(settings) != "method.volume=penalty") continue;
      EXPECT_NEAR(way[0], 0.01 * rest[n][0], 6e-4);
      EXPECT_NEAR(way[1], -0.003 * rest[n][1], 3e-4);
    }
    EXPECT_GT(on_edge, 0) << "nodes that two faces hold";
  }
}

TEST(TetHolds, WhatSlidesAlongALineIsTakenAcrossIt) {
  const std::string head = kEighth.substr(0, kEighth.find("[[body.hold]]"));
  const std::string text = head + R"([[body.hold]]
name = "rail"
where = "x-"
select = "surface"
slide = "line"
direction = [0, 0, 1]
key = [{ frame = 0 }, { frame = 2, translate = [0.02, 0.01, 0.5] }]
[[body.hold]]
name = "stop"
where = "z+"
slide = "plane"
direction = [0, 0, 1]
)" + kTets;
  for (const char* integrator : {"static", "midpoint", "bdf2"}) {
    Context context(2);
    Simulation simulation(
        parsed(text, {"time.frames=2", std::string("time.integrator=") + integrator,
                      "time.substeps=16", "method.newton.tolerance=1e-9"}),
        context);
    run_to(simulation, 2);
    const auto [frame, m] = simulation.snapshot();
    const auto& rest = simulation.topology().bodies[0].rest_nodes;
    for (std::size_t n = 0; n < rest.size(); ++n) {
      const Vec3d way = frame.bodies[0].nodes[n] - rest[n];
      if (rest[n][0] < 1e-9) {
        EXPECT_NEAR(way[0], 0.02, 1e-12);
        EXPECT_NEAR(way[1], 0.01, 1e-12);
      }
      EXPECT_LT(std::abs(way[2]), 0.1) << "nothing takes it along the line";
    }
    if (!m.motion) continue;
    EXPECT_GT(m.motion->hold_work, 0);
    EXPECT_LT(std::abs(m.motion->integrator_loss), 0.03 * m.motion->hold_work) << integrator;
  }
}

TEST(TetHolds, WhatKeepsOneRingsMovesNothingOutOfThePlaneOrOffTheLineItSlidesOn) {
  const std::string head = kEighth.substr(0, kEighth.find("[[body.hold]]"));
  const std::string text = head + R"([[body.hold]]
name = "wall"
where = "x-"
slide = "plane"
direction = [1, 0, 0]
[[body.hold]]
name = "rail"
where = "y-"
slide = "line"
direction = [0.6, 0, 0.8]
key = [{ frame = 0 }, { frame = 4, translate = [0, "3 cm", 0] }]
[[body.load]]
name = "squeeze"
where = "x+"
kind = "traction"
traction = ["-1 kPa", 0, 0]
)" + kTets;
  for (const std::string variant : {"best", "paper"}) {
    Context context(2);
    Simulation simulation(parsed(text, {"time.frames=4", "time.integrator=backward-euler",
                                        "time.frame_rate=50", "method.volume=one-ring",
                                        "method.self_contact=true", "method.variant=" + variant}),
                          context);
    run_to(simulation, 4);
    const auto [frame, m] = simulation.snapshot();
    const auto& rest = simulation.topology().bodies[0].rest_nodes;
    double furthest = 0;
    int in_plane = 0, on_rail = 0;
    for (std::size_t n = 0; n < rest.size(); ++n) {
      const Vec3d way = frame.bodies[0].nodes[n] - rest[n];
      furthest = std::max(furthest, norm(way));
      if (rest[n][1] < 1e-9) {
        ++on_rail;
        EXPECT_NEAR(way[1], 0.03, 1e-12) << variant;
        EXPECT_NEAR(0.8 * way[0] - 0.6 * way[2], 0, 1e-12) << variant;
      }
      if (rest[n][0] > 1e-9) continue;
      ++in_plane;
      EXPECT_NEAR(way[0], 0, 1e-12) << variant;
    }
    EXPECT_GT(in_plane, 8);
    EXPECT_GT(on_rail, 8);
    EXPECT_GT(furthest, 0.032) << "the load moves what the holds let go";
    EXPECT_LT(*m.contact->worst_ring_volume_error, variant == "best" ? 0.0101 : 0.05);
    // The wall stands against the load, and the rail lifts.
    EXPECT_GT(m.reactions[0].force[0] + m.reactions[1].force[0], 0.2 * 1000 * 0.16) << variant;
  }
}

TEST(TetHolds, SameBitsForAnyThreadCountAndAfterARestore) {
  for (const char* settings :
       {"time.integrator=static", "time.integrator=bdf2", "time.integrator=midpoint",
        "body[0].hold[1].slide=plane", "method.volume=one-ring"}) {
    std::vector<std::string> all{settings};
    if (all[0] == "body[0].hold[1].slide=plane") {
      all.insert(all.end(), {"body[0].hold[1].direction=[1,0,0]", "time.integrator=bdf2"});
    }
    if (all[0] == "method.volume=one-ring") all.push_back("time.integrator=backward-euler");
    const SceneSpec scene = parsed(kSoftBar, all);
    std::vector<std::byte> reference;
    for (const int threads : {1, 3}) {
      Context context(threads);
      Simulation simulation(scene, context);
      run_to(simulation, 1);
      const auto middle = simulation.checkpoint();
      if (threads == 3) simulation.poison_scratch();
      run_to(simulation, 3);
      if (threads == 1) reference = simulation.checkpoint();
      EXPECT_EQ(simulation.checkpoint(), reference) << settings;
      Simulation resumed(scene, context);
      resumed.restore("checkpoint", middle);
      run_to(resumed, 3);
      EXPECT_EQ(resumed.checkpoint(), reference) << settings;
    }
  }
}

TEST(TetHolds, WorkOfSpringsThatMoveIsPartOfTheBalanceOfEnergies) {
  const std::string moved =
      replaced(kBar, "where = \"x+\"\n", "where = \"x+\"\nselect = \"surface\"\nstiffness = 1e6\n");
  const Measures m = at_frame(parsed(moved, {"time.integrator=midpoint", "time.substeps=16",
                                             "method.newton.tolerance=1e-10"}),
                              4);
  EXPECT_GT(m.motion->hold_work, 0);
  EXPECT_LT(std::abs(m.motion->integrator_loss), 0.02 * m.motion->hold_work);
}

TEST(TetHolds, ACallerMovesASoftHoldAndNoTie) {
  Context context(1);
  Simulation simulation(parsed(kSoftBar, {"body[0].hold[1].key[1].rotate=[0,0,0]"}), context);
  run_to(simulation, 4);
  const double before = simulation.snapshot().second.reactions[1].force[0];
  simulation.move_hold("bar.left", {.translation = {0.05, 0, 0}});
  run_to(simulation, 5);
  const double after = simulation.snapshot().second.reactions[1].force[0];
  EXPECT_NEAR(after, 0.5 * before, 0.15 * std::abs(before)) << "half of what it was stretched by";
}

TEST(TetHolds, TiedBodiesPullAtEachOther) {
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
)" + kTets;
  Context context(1);
  Simulation simulation(parsed(text), context);
  run_to(simulation, 0);
  const Measures m = simulation.snapshot().second;
  ASSERT_EQ(m.reactions.size(), 3u);
  EXPECT_EQ(m.reactions[2].name, "glue");
  const double weight = 0.5 * simulation.summary().mass * 9.81;
  EXPECT_NEAR(m.reactions[2].force[1], weight, 1e-4 * weight);
  EXPECT_NEAR(m.reactions[0].force[1] + m.reactions[1].force[1], 2 * weight, 1e-4 * weight);
  const auto attachments = simulation.setup().attachments;
  EXPECT_EQ(attachments.back().kind, Attachment::Kind::Tie);
  EXPECT_FALSE(attachments.back().points.empty());
  EXPECT_THAT(error_of([&] { simulation.move_hold("glue", {}); }).what(), HasSubstr("is a tie"));
  EXPECT_THAT(error_of([&] {
                at_frame(parsed(replaced(text, "distance = \"2 cm\"", "distance = \"2 mm\"")), 0);
              }).what(),
              HasSubstr("no vertex of 'load' is within"));
}

TEST(TetHolds, FleshFollowsTheBonesOfASkeletonAsThatOfALatticeDoes) {
  std::vector<Vec3d> vertices[2];
  int k = 0;
  for (const char* method : {"tets", "lattice"}) {
    Context context(2);
    Simulation simulation(parsed(kLimb, {std::string("method.name=") + method}), context);
    run_to(simulation, 4);
    const auto [frame, m] = simulation.snapshot();
    vertices[k++] = frame.bodies[0].vertices;
    ASSERT_EQ(m.reactions.size(), 2u);
    EXPECT_LT(norm(m.reactions[0].force + m.reactions[1].force), 1e-4 * norm(m.reactions[0].force))
        << "nothing else pulls";
    // Flesh beyond the elbow has turned with its bone.
    const auto& rest = simulation.topology().bodies[0].surface.positions;
    const Mat3d turn = rotation_from_vector({0, 0, std::numbers::pi / 3});
    const Vec3d elbow{0.3, 0, 0};
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (rest[v][0] < 0.5) continue;
      EXPECT_LT(norm(frame.bodies[0].vertices[v] - (elbow + turn * (rest[v] - elbow))), 0.01);
    }
  }
  for (std::size_t v = 0; v < vertices[0].size(); ++v) {
    EXPECT_LT(norm(vertices[0][v] - vertices[1][v]), 0.015);
  }
}

TEST(TetHolds, WhereBonesMeetFleshGoesWithTheNearest) {
  std::string text = kLimb;
  for (const std::string line : {"stiffness = 1e7\n", "select = \"surface\"\n"}) {
    for (std::size_t at = 0; (at = text.find(line)) != std::string::npos;) {
      text.erase(at, line.size());
    }
  }
  SceneSpec scene = parsed(text);
  auto& holds = scene.bodies[0].holds;
  for (HoldSpec& hold : holds) hold.inside.length += 0.08;  // 4 cm beyond the joint
  scene.bodies[0].cell_size = 0.02;
  Context context(2);
  std::vector<TetBody> bodies;
  bodies.push_back(build_tet_body(scene.bodies[0], scene.file, context));
  hold_bodies(scene, bodies, context);
  for (const int k : {0, 1}) {
    const std::vector<std::int32_t>& nodes = bodies[0].spec.holds[k].nodes;
    EXPECT_GT(nodes.size(), 10u);
    for (const std::int32_t n : nodes) {
      const double x = bodies[0].spec.mesh.positions[n][0];
      EXPECT_TRUE(k == 0 ? x < 0.31 + 1e-9 : x > 0.31 - 1e-9) << "as near to both from 29 cm on";
    }
  }
}

TEST(TetHolds, BonesOutsideOfTheBodyAreRefused) {
  const std::string away = replaced(kLimb, "center = [\"30 cm\"", "center = [9");
  EXPECT_THAT(error_of([&] { at_frame(parsed(away), 0); }).what(),
              HasSubstr("the bone 'upper' lies outside of 'limb'"));
}

}  // namespace
}  // namespace isochor::sim
