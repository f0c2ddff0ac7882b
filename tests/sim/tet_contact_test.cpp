#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/sim/inputs.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using files::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kMethod = R"(format = 1
[time]
frames = 6
integrator = "backward-euler"
substeps = 4
[method]
name = "tets"
volume = "one-ring"
preconditioner = "jacobi"
)";

/// A ball of 20 cm that falls on the ground from 2 cm above.
const std::string kBall = kMethod + R"([[body]]
name = "ball"
cell_size = "6 cm"
velocity = [0, -1, 0]
[body.shape]
kind = "sphere"
radius = "10 cm"
center = [0, "12 cm", 0]
[body.material]
young = "10 kPa"
poisson = 0
[[collider]]
name = "ground"
kind = "plane"
friction = 0.3
)";

/// Where the first body is lowest along an axis, m.
double lowest(const Simulation& simulation, int axis) {
  const files::Frame frame = simulation.snapshot().first;
  double low = std::numeric_limits<double>::infinity();
  for (const Vec3d& x : frame.bodies[0].nodes) low = std::min(low, x[axis]);
  return low;
}

std::vector<std::byte> run_to(Simulation& simulation, int frame, bool poison = false) {
  while (simulation.frame() < frame) {
    if (poison) simulation.poison_scratch();
    EXPECT_TRUE(simulation.advance());
  }
  return simulation.checkpoint();
}

TEST(TetContact, ABallThatFallsOnThePlaneKeepsItsVolumeAndStaysAbove) {
  for (const char* variant : {"best", "paper"}) {
    Context context(1);
    Simulation simulation(
        parse_scene(kBall, "s.toml",
                    std::vector{std::string("method.variant=\"") + variant + "\""}),
        context);
    double flattest = 1;
    std::size_t most = 0;
    while (simulation.frame() < 6) {
      ASSERT_TRUE(simulation.advance()) << variant;
      const Measures m = simulation.snapshot().second;
      ASSERT_TRUE(m.contact);
      EXPECT_LT(std::abs(m.volume_error), 0.01) << variant;
      EXPECT_LT(m.contact->deepest, 1e-3) << variant;
      EXPECT_GT(lowest(simulation, 1), -1e-3) << variant;
      EXPECT_FALSE(m.contact->crossings);
      if (variant == std::string("best")) {
        EXPECT_LE(*m.contact->worst_ring_volume_error, 0.0101);
      }
      most = std::max(most, m.contact->collider_contacts);
      flattest = std::min(flattest, m.min_j);
    }
    EXPECT_GT(most, 0u) << variant;
    EXPECT_LT(flattest, 0.99) << variant;
  }
}

TEST(TetContact, WithoutOneRingsCollidersHoldToo) {
  Context context(1);
  Simulation simulation(
      parse_scene(kBall, "s.toml", std::vector<std::string>{"method.volume=\"penalty\""}), context);
  run_to(simulation, 6);
  const Measures m = simulation.snapshot().second;
  EXPECT_GT(lowest(simulation, 1), -1e-3);
  EXPECT_GT(m.contact->collider_contacts, 0u);
  EXPECT_FALSE(m.contact->worst_ring_volume_error);
  EXPECT_GT(std::abs(m.volume_error), 1e-3);  // nothing keeps it
}

TEST(TetContact, AColliderPushesWhereItsKeysGo) {
  Context context(1);
  const std::string pushed = replaced(
      replaced(kBall, "velocity = [0, -1, 0]", ""), "kind = \"plane\"",
      "kind = \"box\"\nsize = [\"10 cm\", \"1 m\", \"1 m\"]\ncenter = [\"-16 cm\", 0, 0]\n"
      "[[collider.key]]\nframe = 0\n[[collider.key]]\nframe = 6\ntranslate = [\"20 cm\", 0, 0]\n"
      "#");
  Simulation simulation(parse_scene(replaced(pushed, "#\nfriction = 0.3", ""), "s.toml",
                                    std::vector<std::string>{"world.gravity=[0,0,0]"}),
                        context);
  run_to(simulation, 6);
  EXPECT_GT(lowest(simulation, 0), 0.09 - 1e-3);  // the face of the box: -16 + 5 + 20 cm
  EXPECT_GT(simulation.snapshot().second.motion->momentum[0], 0);
}

TEST(TetContact, AnAxisTurnsCylindersAndCapsules) {
  for (const char* kind : {"cylinder", "capsule"}) {
    Context context(1);
    const std::string lying = replaced(
        kBall, "kind = \"plane\"",
        std::string("kind = \"") + kind +
            "\"\naxis = [0, 0, -2]\nradius = \"30 cm\"\nlength = 2\ncenter = [0, \"-30 cm\", 0]");
    Simulation simulation(parse_scene(lying, "s.toml"), context);
    run_to(simulation, 4);
    const Measures m = simulation.snapshot().second;
    EXPECT_GT(m.contact->collider_contacts, 0u) << kind;
    EXPECT_LT(m.contact->deepest, 1e-3) << kind;
    EXPECT_NEAR(lowest(simulation, 1), 0, 0.03) << kind;
  }
}

TEST(TetContact, PressureInAColumnThatStandsIsAThirdOfWhatIsAboveIt) {
  Context context(1);
  Simulation simulation(parse_scene(kMethod + R"([[body]]
name = "column"
cell_size = "4 cm"
[body.shape]
kind = "box"
size = ["12 cm", "24 cm", "12 cm"]
center = [0, "12.1 cm", 0]
[body.material]
young = "20 kPa"
poisson = 0
density = 1000
[body.damping]
mass = 30
[[collider]]
name = "ground"
kind = "plane"
friction = 0
)",
                                    "s.toml", std::vector<std::string>{"time.frames=24"}),
                        context);
  run_to(simulation, 24);
  const auto [frame, measures] = simulation.snapshot();
  const files::BodyFrame& column = frame.bodies[0];
  const auto field = std::ranges::find_if(column.fields, [](const files::Field& f) {
    return f.name == "pressure" && f.support == files::Support::Cell;
  });
  ASSERT_NE(field, column.fields.end());
  double sum = 0;
  for (const float p : field->values) sum += p;
  // Half of the height is above the middle; tets at the surface are smaller than others. Their own
  // law, which loses no volume, has none of it.
  const double expected = 1000 * 9.81 * 0.12 / 3;
  EXPECT_NEAR(sum / double(field->values.size()), expected, 0.1 * expected);
}

const std::string kSecond = R"(
[[body]]
name = "second"
cell_size = "6 cm"
velocity = [0, -2, 0]
[body.shape]
kind = "sphere"
radius = "10 cm"
center = ["3 cm", "33 cm", 0]
[body.material]
young = "10 kPa"
poisson = 0
)";

TEST(TetContact, ARunGoesOnWithTheSameBitsWhateverIsLookedAt) {
  const SceneSpec scene =
      parse_scene(kBall + kSecond, "s.toml",
                  std::vector<std::string>{"method.self_contact=true", "method.friction=0.2"});
  Context context(1);
  Simulation whole(scene, context), looked_at(scene, context), resumed(scene, context);
  const auto half = run_to(whole, 2);
  const auto end = run_to(whole, 4);
  while (looked_at.frame() < 4) {
    run_to(looked_at, looked_at.frame() + 1, true);
    const Measures m = looked_at.snapshot().second;
    EXPECT_EQ(m.contact->crossings, 0);
  }
  EXPECT_EQ(looked_at.checkpoint(), end);
  resumed.restore("checkpoint", half);
  EXPECT_EQ(run_to(resumed, 4), end);
}

TEST(TetContact, AMeshIsReadFromItsFileInItsUnit) {
  const TemporaryFolder folder;
  files::write_quickly(folder / "plate.obj",
                       "v -100 -50 -100\nv 100 -50 -100\nv 100 0 -100\nv -100 0 -100\n"
                       "v -100 -50 100\nv 100 -50 100\nv 100 0 100\nv -100 0 100\n"
                       "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n");
  Context context(1);
  Simulation simulation(
      load_scene(write_scene(folder, replaced(kBall, "kind = \"plane\"",
                                              "kind = \"mesh\"\nfile = \"plate.obj\"\n"
                                              "scale = 0.01\nthickness = \"1 cm\""))),
      context);
  run_to(simulation, 3);
  EXPECT_GT(simulation.snapshot().second.contact->collider_contacts, 0u);
  EXPECT_GT(lowest(simulation, 1), 0.01 - 1e-3);
}

const files::Field& field_of(const files::BodyFrame& body, const std::string& name) {
  const auto found = std::ranges::find(body.fields, name, &files::Field::name);
  EXPECT_NE(found, body.fields.end()) << name;
  return *found;
}

Vec3d sum_of(const files::Field& field) {
  Vec3d sum{0, 0, 0};
  for (std::size_t i = 0; i < field.values.size(); ++i) sum[int(i % 3)] += field.values[i];
  return sum;
}

TEST(TetContact, TheGroundCarriesWhatABodyAtRestWeighsOnItsVerticesTogether) {
  for (const char* setting : {"method.volume=\"one-ring\"", "method.volume=\"penalty\"",
                              "method.volume=\"zones\"", "method.variant=\"paper\""}) {
    // The published scheme knows no damping by mass, zones none by stiffness.
    const bool zones = std::string(setting).find("zones") != std::string::npos;
    const std::string damping = zones ? "mass = 10" : "stiffness = 0.02";
    Context context(1);
    Simulation simulation(
        parse_scene(replaced(replaced(kBall, "velocity = [0, -1, 0]", ""), "[[collider]]",
                             "[body.damping]\n" + damping + "\n[[collider]]"),
                    "s.toml", std::vector<std::string>{setting, "time.frames=36"}),
        context);
    run_to(simulation, 36);
    const auto [frame, m] = simulation.snapshot();
    const double weight = simulation.summary().mass * 9.81;
    ASSERT_EQ(m.reactions.size(), 1u) << setting;
    EXPECT_EQ(m.reactions[0].name, "ground");
    EXPECT_NEAR(m.reactions[0].force[1], weight, 0.05 * weight) << setting;
    const Vec3d on_vertices = sum_of(field_of(frame.bodies[0], "contact_force"));
    EXPECT_LT(norm(on_vertices - m.reactions[0].force), 0.01 * weight) << setting;
    double least = 1;
    for (const float gap : field_of(frame.bodies[0], "contact_gap").values) {
      least = std::min(least, double(gap));
    }
    EXPECT_LT(least, 0.003) << setting;
    ASSERT_TRUE(m.contact && m.contact->smallest_gap);
    EXPECT_NEAR(*m.contact->smallest_gap, 0, 0.003) << setting;
    field_of(frame.bodies[0], "contact_pressure");
  }
}

TEST(TetContact, TwoBodiesThatMeetDoNotBlowUpInThePublishedScheme) {
  Context context(1);
  Simulation simulation(
      parse_scene(kBall + kSecond, "s.toml",
                  std::vector<std::string>{"method.self_contact=true", "method.variant=\"paper\"",
                                           "body[1].velocity=[0,-4,0]", "time.frames=4"}),
      context);
  while (simulation.frame() < 4) {
    ASSERT_TRUE(simulation.advance());
    const Measures m = simulation.snapshot().second;
    EXPECT_LT(std::abs(m.volume_error), 0.01);
    EXPECT_EQ(m.inverted_cells, 0);
    EXPECT_EQ(m.contact->crossings, 0);
  }
}

// What parts two bodies pushes the lower one into the ground.
TEST(TetContact, BodiesThatArePartedStayOutOfColliders) {
  for (const char* volume : {"one-ring", "penalty"}) {
    Context context(1);
    Simulation simulation(
        parse_scene(kBall + kSecond, "s.toml",
                    std::vector<std::string>{"method.self_contact=true",
                                             "body[1].velocity=[0,-6,0]", "time.frames=8",
                                             std::string("method.volume=\"") + volume + "\""}),
        context);
    std::int64_t near = 0;
    while (simulation.frame() < 8) {
      ASSERT_TRUE(simulation.advance()) << volume;
      const Measures m = simulation.snapshot().second;
      EXPECT_LT(m.contact->deepest, 1e-9) << volume << " " << simulation.frame();
      EXPECT_EQ(m.contact->crossings, 0) << volume;
      near = std::max(near, *m.contact->pair_contacts);
    }
    EXPECT_GT(near, 0) << volume;
  }
}

TEST(TetContact, NothingPassesAThinFastPlateWhateverKeepsVolumes) {
  const std::string plate = replaced(
      replaced(kBall, "velocity = [0, -1, 0]", ""), "kind = \"plane\"",
      "kind = \"box\"\nsize = [\"5 mm\", \"1 m\", \"1 m\"]\ncenter = [\"-12 cm\", \"12 cm\", 0]\n"
      "[[collider.key]]\nframe = 0\n[[collider.key]]\nframe = 6\ntranslate = [\"60 cm\", 0, 0]\n#");
  for (const char* setting : {"method.volume=\"one-ring\"", "method.volume=\"penalty\"",
                              "method.volume=\"zones\"", "method.variant=\"paper\""}) {
    Context context(1);
    Simulation simulation(parse_scene(replaced(plate, "#\nfriction = 0.3", ""), "s.toml",
                                      std::vector<std::string>{"world.gravity=[0,0,0]", setting,
                                                               "body[0].material.young=30e3"}),
                          context);
    run_to(simulation, 6);
    EXPECT_GT(lowest(simulation, 0), 0.48 - 1e-3) << setting;
  }
}

TEST(TetContact, WhatDoesNotFitIsNamedWithTheRemedy) {
  const auto problem = [](const std::string& from, const std::string& to) -> std::string {
    return error_of([&] { parse_scene(replaced(kBall, from, to), "s.toml"); }).what();
  };
  EXPECT_THAT(
      problem("name = \"tets\"\nvolume = \"one-ring\"", "solver = \"fas\""),
      AllOf(HasSubstr("no colliders (collider 'ground')"), HasSubstr("use one of: lattice")));
  EXPECT_THAT(problem("name = \"tets\"", ""),
              AllOf(HasSubstr("method.volume = \"one-ring\" does not go with lattice"),
                    HasSubstr("tets-one-ring (method.name = \"tets\"")));
  EXPECT_THAT(problem("backward-euler", "bdf2"),
              AllOf(HasSubstr("collider[0]"), HasSubstr("time.integrator = \"bdf2\""),
                    HasSubstr("choose time.integrator = \"backward-euler\"")));
  const std::string alone = kBall.substr(0, kBall.find("[[collider]]"));
  const Error refused =
      error_of([&] { parse_scene(replaced(alone, "backward-euler", "bdf2"), "s.toml"); });
  EXPECT_THAT(refused.what(), AllOf(HasSubstr("no time.integrator = \"bdf2\""),
                                    HasSubstr("use one of: lattice, ")));
  EXPECT_THAT(problem("kind = \"plane\"", "normal = [0, 0, 0]"),
              AllOf(HasSubstr("collider[0].normal"), HasSubstr("without length")));
  EXPECT_THAT(problem("kind = \"plane\"", "kind = \"capsule\"\naxis = [0, 0, 0]"),
              HasSubstr("collider[0].axis"));
  EXPECT_THAT(problem("kind = \"plane\"", "kind = \"mesh\"\nfile = \"a.obj\"\nsides = \"sheet\""),
              AllOf(HasSubstr("collider[0].thickness"), HasSubstr("sides = \"solid\"")));
  EXPECT_THAT(problem("friction = 0.3", "[[collider.key]]\nframe = 3\n[[collider.key]]\nframe = 3"),
              HasSubstr("list keys in the order of their frames"));
  EXPECT_THAT(problem("friction = 0.3", "radius = 1"), HasSubstr("radius"));
  EXPECT_THAT(problem("frames = 6", "frames = 6\nstart = \"equilibrium\""),
              HasSubstr("nothing holds 'ball'"));
}

TEST(TetContact, TheVariantPaperNamesTheDampingItDoesNotKnow) {
  Context context(1);
  const auto problem = [&](const std::string& damping) -> std::string {
    return error_of([&] {
             Simulation(parse_scene(replaced(kBall, "[[collider]]", damping + "\n[[collider]]"),
                                    "s.toml", std::vector<std::string>{"method.variant=\"paper\""}),
                        context);
           })
        .what();
  };
  EXPECT_THAT(problem("[body.damping]\nmass = 1"),
              AllOf(HasSubstr("body[0].damping.mass"), HasSubstr("no damping by mass")));
  EXPECT_THAT(problem("[body.damping]\nstiffness = 1e-3\n" + kSecond),
              AllOf(HasSubstr("body[1].damping.stiffness"), HasSubstr("one damping for all")));
}

TEST(TetContact, KeysOfCollidersAreMotionAndTheirShapesAreNot) {
  const SceneSpec rests = parse_scene(kBall, "s.toml");
  SceneSpec moves = rests;
  moves.colliders[0].keys = {{.frame = 2}, {.frame = 4, .translate = {0, 1, 0}}};
  EXPECT_EQ(frame_inputs(rests, 2), frame_inputs(moves, 2));
  EXPECT_NE(frame_inputs(rests, 3), frame_inputs(moves, 3));
  EXPECT_TRUE(changed_keys(resolved_scene(rests), "s.toml", moves).empty());
  moves.colliders[0].friction = 0.5;
  EXPECT_EQ(changed_keys(resolved_scene(rests), "s.toml", moves).size(), 1u);
}

}  // namespace
}  // namespace isochor::sim
