#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using ::testing::HasSubstr;

/// A bar of tets.
const std::string kBar = R"(format = 1
[time]
frames = 2
[world]
gravity = [0, -2, 0]
[method]
name = "tets"
[[body]]
name = "bar"
cell_size = "5 cm"
[body.shape]
kind = "box"
size = ["40 cm", "20 cm", "20 cm"]
[body.material]
law = "stable_neo_hookean"
young = "20 kPa"
poisson = 0.3
)";

/// A rod along its axis that reaches out of it at both ends.
const std::string kRod = R"([[body.hold]]
name = "rod"
where = "inside"
inside = { kind = "capsule", axis = [1, 0, 0], length = "60 cm", radius = "4 cm", edge = "1.3 cm" }
select = "surface"
stiffness = 1e8
slide = "surface"
key = [{ frame = 0 }, { frame = 2, translate = [0, "3 cm", 0], rotate = [0, 0, "30 deg"] }]
)";

/// Without the second the bar could turn about the rod.
const std::string kWalls = R"([[body.hold]]
name = "left"
where = "x-"
slide = "plane"
direction = [1, 0, 0]
[[body.hold]]
name = "back"
where = "z-"
slide = "plane"
direction = [0, 0, 1]
)";

const std::vector<std::string> kInTime{"time.integrator=\"backward-euler\"", "time.start=\"rest\"",
                                       "time.frame_rate=10"};

Simulation simulation_of(const std::string& text, Context& context,
                         std::vector<std::string> settings = {}) {
  return Simulation(parse_scene(text, "s.toml", settings), context);
}

std::vector<std::string> with(std::vector<std::string> some, const std::string& more) {
  some.push_back(more);
  return some;
}

/// Each way to keep volumes, static where it can be.
struct Way {
  const char* name;
  std::vector<std::string> settings;
};
std::vector<Way> ways() {
  return {{"static", {}},
          {"bdf2", {"time.integrator=\"bdf2\"", "time.start=\"rest\"", "time.frame_rate=10"}},
          {"zones", {"method.volume=\"zones\""}},
          {"zones in time", with(kInTime, "method.volume=\"zones\"")},
          {"one-rings", with(kInTime, "method.volume=\"one-ring\"")},
          {"beside colliders", with(kInTime, "method.self_contact=true")}};
}

TEST(TetSlidingBones, FleshIsPulledAlongARodAsIfThereWereNone) {
  Context context(1);
  std::string bar = replaced(kBar, "frames = 2", "frames = 0");
  bar = replaced(bar, "gravity = [0, -2, 0]", "gravity = [0, 0, 0]");
  bar = replaced(bar, "law = \"stable_neo_hookean\"", "law = \"linear\"");
  bar = replaced(bar, "poisson = 0.3", "poisson = 0");
  const std::string pulled = kWalls + R"([[body.hold]]
name = "bottom"
where = "y-"
slide = "plane"
direction = [0, 1, 0]
[[body.load]]
name = "pull"
where = "x+"
kind = "traction"
traction = ["2 kPa", 0, 0]
)";
  const auto end_of = [&](const std::string& text) {
    Simulation simulation = simulation_of(text, context);
    EXPECT_TRUE(simulation.advance());
    return simulation.snapshot().first.bodies[0].vertices;
  };
  const auto furthest = [](const std::vector<Vec3d>& vertices) {
    double far = 0;
    for (const Vec3d& x : vertices) far = std::max(far, x[0]);
    return far - 0.2;
  };
  const std::vector<Vec3d> alone = end_of(bar + pulled), slides = end_of(bar + kRod + pulled);
  // A strain of 2 kPa / 20 kPa over 40 cm; springs across the rod have no part in it.
  EXPECT_NEAR(furthest(slides), 0.04, 2e-3);
  for (std::size_t v = 0; v < alone.size(); ++v) EXPECT_LT(norm(slides[v] - alone[v]), 4e-4);
  // Held along the rod, the flesh hardly goes anywhere.
  const std::string held = replaced(kRod, "slide = \"surface\"", "slide = \"none\"");
  EXPECT_LT(furthest(end_of(bar + held + pulled)), 0.5 * furthest(slides));
}

TEST(TetSlidingBones, ABoneThatMovesTakesTheFleshAlongAcrossItsSurface) {
  for (const auto& [name, settings] : ways()) {
    Context context(1);
    Simulation simulation = simulation_of(kBar + kRod + kWalls, context, settings);
    while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance()) << name;
    const auto [frame, m] = simulation.snapshot();
    EXPECT_EQ(m.reactions.back().name, "bar.rod");
    // What the rod pushes with has no part along it but for what its springs give way.
    const Vec3d along{std::cos(M_PI / 6), std::sin(M_PI / 6), 0};
    const Vec3d force = m.reactions.back().force;
    EXPECT_GT(norm(force), 1) << name;
    EXPECT_LT(std::abs(dot(force, along)), 0.05 * norm(force)) << name;
    // The far end went up with it, by the sine of what it turned and what it moved.
    double highest = 0;
    for (const Vec3d& x : frame.bodies[0].vertices) highest = std::max(highest, x[1]);
    EXPECT_GT(highest, 0.18) << name;
    if (simulation.scene().time.moves()) continue;
    // It carries the weight, across itself alone; the plane does the rest.
    const double weight = 2 * simulation.summary().mass;
    EXPECT_NEAR(force[1], weight, 1e-3 * weight) << name;
    EXPECT_NEAR(force[0], -std::tan(M_PI / 6) * weight, 0.03 * weight) << name;
    Vec3d all{0, -weight, 0};
    for (const NamedReaction& r : m.reactions) all += r.force;
    EXPECT_LT(norm(all), 1e-3 * weight) << name;
  }
}

TEST(TetSlidingBones, SameBitsForAnyThreadCountAndAfterARestore) {
  for (const auto& [name, settings] : ways()) {
    if (name == std::string("zones in time")) continue;
    const SceneSpec scene =
        parse_scene(replaced(kBar, "5 cm", "8 cm") + kRod + kWalls, "s.toml", settings);
    std::vector<std::byte> reference;
    Vec3d force{0, 0, 0};
    for (const int threads : {1, 2}) {
      Context context(threads);
      Simulation simulation(scene, context);
      while (simulation.frame() < 1) ASSERT_TRUE(simulation.advance()) << name;
      if (threads == 1) {
        while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance()) << name;
        reference = simulation.checkpoint();
        force = simulation.snapshot().second.reactions.back().force;
        continue;
      }
      simulation.poison_scratch();
      Simulation resumed(scene, context);
      resumed.restore("checkpoint", simulation.checkpoint());
      while (resumed.frame() < 2) ASSERT_TRUE(resumed.advance()) << name;
      EXPECT_EQ(resumed.checkpoint(), reference) << name;
      const Vec3d again = resumed.snapshot().second.reactions.back().force;
      for (int a = 0; a < 3; ++a) EXPECT_EQ(again[a], force[a]) << name;
    }
  }
}

TEST(TetSlidingBones, GoOnlyAsFarAsPartsOfAStepThatIsCut) {
  // Far away, but so fast that steps are cut into eight.
  const std::string far = R"([[collider]]
name = "far"
kind = "plane"
normal = [0, 1, 0]
center = [0, -5, 0]
key = [{ frame = 0 }, { frame = 2, translate = [0, -0.6, 0] }]
)";
  const auto end_of = [](const std::string& text, const char* substeps) {
    Context context(1);
    Simulation simulation = simulation_of(text, context, with(kInTime, substeps));
    while (simulation.frame() < 2) EXPECT_TRUE(simulation.advance());
    return simulation.snapshot().first.bodies[0].vertices;
  };
  const auto difference = [](const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double largest = 0;
    for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, norm(a[v] - b[v]));
    return largest;
  };
  const std::string text =
      kBar + replaced(kRod, "slide = \"surface\"", "slide = \"surface\"\nease = \"linear\"") +
      kWalls;
  const auto cut = end_of(text + far, "time.substeps=1");
  EXPECT_LT(difference(cut, end_of(text, "time.substeps=8")), 1e-4);
  EXPECT_GT(difference(cut, end_of(text, "time.substeps=1")), 1e-3);
}

TEST(TetSlidingBones, WorkOfBonesThatMoveIsPartOfTheBalanceOfEnergies) {
  Context context(1);
  Simulation simulation =
      simulation_of(kBar + kRod + kWalls, context,
                    {"time.integrator=\"bdf2\"", "time.start=\"rest\"", "time.substeps=16"});
  while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance());
  const Measures m = simulation.snapshot().second;
  EXPECT_GT(m.motion->hold_work, 1);
  EXPECT_LT(std::abs(m.motion->integrator_loss), 0.1 * m.motion->hold_work);
}

TEST(TetSlidingBones, ACallerMovesABone) {
  Context context(1);
  Simulation simulation =
      simulation_of(kBar + kRod + kWalls, context, {"body[0].hold[0].key=[{ frame = 0 }]"});
  while (simulation.frame() < 0) ASSERT_TRUE(simulation.advance());
  simulation.move_hold("bar.rod", {.translation = {0, 0.05, 0}});
  ASSERT_TRUE(simulation.advance());
  double middle = 0;
  const auto vertices = simulation.snapshot().first.bodies[0].vertices;
  for (const Vec3d& x : vertices) middle += x[1] / double(vertices.size());
  EXPECT_NEAR(middle, 0.05, 0.01);
}

TEST(TetSlidingBones, NeedForcesAtTheEndOfAStep) {
  const std::vector<std::string> midpoint{"time.integrator=\"midpoint\"", "time.start=\"rest\""};
  EXPECT_THAT(
      files::error_of([&] { parse_scene(kBar + kRod + kWalls, "s.toml", midpoint); }).what(),
      HasSubstr("bdf2"));
}

}  // namespace
}  // namespace isochor::sim
