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

/// A bar with a rod along its axis that reaches out of it at both ends, pulled along it.
const std::string kBarOnRod = R"(format = 1
[time]
frames = 2
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
cell_size = "5 cm"
[body.shape]
kind = "box"
size = ["40 cm", "20 cm", "20 cm"]
[body.material]
law = "linear"
young = "20 kPa"
poisson = 0
[[body.hold]]
name = "rod"
where = "inside"
inside = { kind = "capsule", axis = [1, 0, 0], length = "60 cm", radius = "4 cm", edge = "1.3 cm" }
select = "surface"
stiffness = 1e8
slide = "surface"
key = [{ frame = 0 }, { frame = 2, translate = [0, "3 cm", 0], rotate = [0, 0, "30 deg"] }]
[[body.hold]]
name = "left"
where = "x-"
slide = "plane"
direction = [1, 0, 0]
)";

Simulation simulation_of(const std::string& text, Context& context,
                         std::vector<std::string> settings = {}) {
  return Simulation(parse_scene(text, "s.toml", settings), context);
}

TEST(SlidingBones, FleshIsPulledAlongARodAsIfThereWereNone) {
  Context context(1);
  const std::string pulled = replaced(replaced(kBarOnRod, "frames = 2", "frames = 0"),
                                      "[[body.hold]]\nname = \"left\"", R"([[body.load]]
name = "pull"
where = "x+"
kind = "traction"
traction = ["2 kPa", 0, 0]
[[body.hold]]
name = "left")");
  const auto end_of = [&](const std::string& text) {
    Simulation simulation = simulation_of(text, context);
    EXPECT_TRUE(simulation.advance());
    const auto frame = simulation.snapshot().first;
    struct {
      double furthest = 0, aside = 0;
    } end;
    for (std::size_t v = 0; v < frame.bodies[0].vertices.size(); ++v) {
      const Vec3d way =
          frame.bodies[0].vertices[v] - simulation.topology().bodies[0].surface.positions[v];
      end.furthest = std::max(end.furthest, way[0]);
      end.aside = std::max(end.aside, std::hypot(way[1], way[2]));
    }
    return end;
  };
  // A strain of 2 kPa / 20 kPa over 40 cm; springs across the rod have no part in it.
  const auto slides = end_of(pulled);
  EXPECT_NEAR(slides.furthest, 0.04, 1e-4);
  EXPECT_LT(slides.aside, 1e-4);
  // Held along the rod, the flesh hardly goes anywhere.
  EXPECT_LT(end_of(replaced(pulled, "slide = \"surface\"", "slide = \"none\"")).furthest, 0.015);
}

TEST(SlidingBones, ABoneThatMovesTakesTheFleshAlongAcrossItsSurface) {
  for (const char* volume : {"penalty", "mixed"}) {
    Context context(1);
    Simulation simulation =
        simulation_of(replaced(kBarOnRod, "law = \"linear\"", "law = \"stable_neo_hookean\""),
                      context, {std::string("method.volume=\"") + volume + "\""});
    while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance()) << volume;
    const auto [frame, m] = simulation.snapshot();
    EXPECT_EQ(m.reactions.back().name, "bar.rod");
    // What the rod pushes with has no part along it but for what its springs give way.
    const Vec3d along{std::cos(M_PI / 6), std::sin(M_PI / 6), 0};
    const Vec3d force = m.reactions.back().force;
    EXPECT_LT(std::abs(dot(force, along)), 0.05 * norm(force) + 1e-6) << volume;
    // The far end went up with it, by the sine of what it turned and what it moved.
    double highest = 0;
    for (const Vec3d& x : frame.bodies[0].vertices) highest = std::max(highest, x[1]);
    EXPECT_GT(highest, 0.18) << volume;
  }
}

TEST(SlidingBones, AreTheSameForAnyNumberOfThreads) {
  std::vector<std::vector<Vec3d>> ends;
  for (const int threads : {1, 3}) {
    Context context(threads);
    Simulation simulation = simulation_of(kBarOnRod, context, {"time.frames=1"});
    while (simulation.frame() < 1) ASSERT_TRUE(simulation.advance());
    ends.push_back(simulation.snapshot().first.bodies[0].vertices);
  }
  for (std::size_t v = 0; v < ends[0].size(); ++v) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(ends[0][v][a], ends[1][v][a]);
  }
}

TEST(SlidingBones, OnlySpringsAtABoneSlideAlongASurface) {
  const auto problem = [](const std::string& from, const std::string& to) {
    return std::string(
        error_of([&] { parse_scene(replaced(kBarOnRod, from, to), "s.toml"); }).what());
  };
  EXPECT_THAT(problem("stiffness = 1e8\n", ""), HasSubstr("slide"));
  EXPECT_THAT(problem("direction = [1, 0, 0]\n", "select = \"surface\"\nstiffness = 1e6\n"),
              AllOf(HasSubstr("slide"), HasSubstr("surface")));
  EXPECT_THAT(problem("frames = 2", "frames = 2\nintegrator = \"bdf2\""),
              HasSubstr("backward-euler"));
}

}  // namespace
}  // namespace isochor::sim
