#include "isochor/sim/lattice_contact.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A ball of 20 cm that falls on the ground from 5 mm above.
const std::string kLatticeBall = R"(format = 1
[time]
frames = 16
integrator = "backward-euler"
[method]
self_contact = true
[[body]]
name = "ball"
cell_size = "7 cm"
[body.shape]
kind = "sphere"
radius = "10 cm"
center = [0, "10.5 cm", 0]
[body.material]
young = "20 kPa"
poisson = 0.3
[body.damping]
mass = "3 1/s"
stiffness = "20 ms"
[[collider]]
name = "ground"
kind = "plane"
friction = 0.3
)";

/// A cube between a floor that stays and a lid that comes down, in equilibrium.
const std::string kPressedCube = R"(format = 1
[time]
frames = 2
[world]
gravity = [0, 0, 0]
[[body]]
name = "cube"
cell_size = "10 cm"
[body.shape]
kind = "box"
size = ["20 cm", "20 cm", "20 cm"]
[body.material]
young = "20 kPa"
poisson = 0
[[body.hold]]
name = "floor"
where = "y-"
[[collider]]
name = "lid"
kind = "box"
size = ["1 m", "10 cm", "1 m"]
center = [0, "16 cm", 0]
[[collider.key]]
frame = 0
[[collider.key]]
frame = 2
translate = [0, "-3 cm", 0]
)";

const files::Field* field_of(const files::BodyFrame& body, const std::string& name) {
  for (const files::Field& f : body.fields) {
    if (f.name == name && f.support == files::Support::Vertex) return &f;
  }
  return nullptr;
}

TEST(LatticeContact, ABallComesToRestOnTheGroundWhichCarriesItsWeight) {
  for (const char* volume : {"penalty", "mixed"}) {
    Context context(1);
    Simulation simulation(parse_scene(kLatticeBall, "s.toml",
                                      std::vector{std::string("time.frames=16"),
                                                  std::string("method.volume=\"") + volume + "\""}),
                          context);
    const double weight = 9.81 * simulation.summary().mass;
    while (simulation.frame() < 16) {
      ASSERT_TRUE(simulation.advance()) << volume;
      const Measures m = simulation.snapshot().second;
      ASSERT_TRUE(m.contact);
      EXPECT_EQ(m.contact->deepest, 0);
      EXPECT_EQ(m.contact->crossings, 0);
    }
    const auto [frame, m] = simulation.snapshot();
    EXPECT_GT(m.contact->collider_contacts, 0u);
    EXPECT_EQ(m.reactions.back().name, "ground");
    EXPECT_NEAR(m.reactions.back().force[1], weight, 0.02 * weight) << volume;
    const files::Field* force = field_of(frame.bodies[0], "contact_force");
    const files::Field* pressure = field_of(frame.bodies[0], "contact_pressure");
    const files::Field* gap = field_of(frame.bodies[0], "contact_gap");
    ASSERT_TRUE(force && pressure && gap);
    double sum = 0, least = 1;
    for (std::size_t v = 0; v < frame.bodies[0].vertices.size(); ++v) {
      sum += force->values[3 * v + 1];
      least = std::min<double>(least, gap->values[v]);
      if (pressure->values[v] > 0) {
        EXPECT_NEAR(gap->values[v], frame.bodies[0].vertices[v][1], 1e-6) << "gap to the plane";
      }
    }
    EXPECT_NEAR(sum, m.reactions.back().force[1], 1e-4 * weight);
    EXPECT_GT(least, 0);
  }
}

TEST(LatticeContact, ABallThrownAtTheGroundRubsThereInFewIterations) {
  std::string scene = replaced(kLatticeBall, "friction = 0.3", "friction = 0.5");
  scene = replaced(scene, "cell_size = \"7 cm\"", "cell_size = \"4 cm\"\nvelocity = [2, -3, 0]");
  scene = replaced(scene, "self_contact = true", "");
  for (const char* volume : {"penalty", "mixed"}) {
    Context context(1);
    Simulation simulation(
        parse_scene(scene, "s.toml", std::vector{std::string("method.volume=\"") + volume + "\""}),
        context);
    for (int f = 0; f <= 2; ++f) {
      const auto report = simulation.advance();
      ASSERT_TRUE(report) << volume;
      EXPECT_LT(report->newton_iterations, 35) << volume << ", without duals 60";
    }
    const Measures m = simulation.snapshot().second;
    EXPECT_LT(m.reactions.back().force[0], 0) << "against the way that it goes";
  }
}

TEST(LatticeContact, ALidThatComesDownIsPushedBackByWhatItCompresses) {
  Context context(1);
  Simulation simulation(parse_scene(kPressedCube, "s.toml"), context);
  while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance());
  const auto [frame, m] = simulation.snapshot();
  const std::vector<Vec3d>& rest = simulation.topology().bodies[0].surface.positions;
  double top = -1, lowest = 1;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (rest[v][1] < 0.0999) continue;
    top = std::max(top, frame.bodies[0].vertices[v][1]);
    lowest = std::min(lowest, frame.bodies[0].vertices[v][1]);
  }
  EXPECT_LT(top, 0.08) << "the lid is at 8 cm";
  EXPECT_GT(lowest, 0.07) << "and its barrier reaches 1 cm";
  // Without Poisson's effect columns of corotated cells are springs: force = E A strain.
  const auto force = [](double y) { return 2e4 * 0.04 * (0.1 - y) / 0.2; };
  EXPECT_LT(m.reactions.back().force[1], -force(top));
  EXPECT_GT(m.reactions.back().force[1], -force(lowest));
}

TEST(LatticeContact, WhatHoldsABodyAndWhatItStandsOnCarryItsWeight) {
  // A ball pressed on the ground and dragged along: light nodes at its surface, some of them held,
  // have braces, and holds bear what those pull.
  std::string scene = kLatticeBall.substr(0, kLatticeBall.find("[body.damping]"));
  scene = replaced(scene, "integrator = \"backward-euler\"", "");
  scene = replaced(scene, "7 cm", "5 cm");
  scene += R"([[body.hold]]
name = "top"
where = "y+"
depth = "5 cm"
key = [{ frame = 0 }, { frame = 1, translate = ["1 cm", "-2 cm", 0] }]
[[collider]]
name = "ground"
kind = "plane"
friction = 0.3
)";
  Context context(1);
  Simulation simulation(parse_scene(scene, "s.toml"), context);
  while (simulation.frame() < 1) ASSERT_TRUE(simulation.advance());
  const Measures m = simulation.snapshot().second;
  const double weight = 9.81 * simulation.summary().mass;
  Vec3d sum{0, -weight, 0};
  for (const auto& reaction : m.reactions) sum += reaction.force;
  EXPECT_GT(m.reactions.back().force[1], 0.5 * weight);
  EXPECT_LT(norm(sum), 1e-4 * weight);
}

TEST(LatticeContact, ResumedRunsContinueWithTheSameBitsOnAnyNumberOfThreads) {
  std::vector<std::byte> whole;
  for (const int threads : {1, 2}) {
    Context context(threads);
    Simulation simulation(parse_scene(kLatticeBall, "s.toml"), context);
    while (simulation.frame() < 4) ASSERT_TRUE(simulation.advance());
    const std::vector<std::byte> half = simulation.checkpoint();
    while (simulation.frame() < 6) ASSERT_TRUE(simulation.advance());
    if (threads == 1) whole = simulation.checkpoint();
    EXPECT_EQ(simulation.checkpoint(), whole) << threads;
    Simulation resumed(parse_scene(kLatticeBall, "s.toml"), context);
    resumed.restore("half", half);
    resumed.poison_scratch();
    while (resumed.frame() < 6) ASSERT_TRUE(resumed.advance());
    EXPECT_EQ(resumed.checkpoint(), whole) << threads;
  }
}

TEST(LatticeContact, IntegratorsThatEvaluateForcesHalfWayAreRefused) {
  const std::string midpoint =
      replaced(kLatticeBall, "integrator = \"backward-euler\"", "integrator = \"midpoint\"");
  EXPECT_THAT(error_of([&] { parse_scene(midpoint, "s.toml"); }).what(),
              AllOf(HasSubstr("collider"), HasSubstr("midpoint"), HasSubstr("static")));
}

}  // namespace
}  // namespace isochor::sim
