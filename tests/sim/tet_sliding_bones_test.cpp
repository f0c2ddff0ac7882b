#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using ::testing::HasSubstr;

/// A bar of tets with a rod along its axis that reaches out of it at both ends.
const std::string kBarOnRod = R"(format = 1
[time]
frames = 2
[world]
gravity = [0, 0, 0]
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
[[body.hold]]
name = "rod"
where = "inside"
inside = { kind = "capsule", axis = [1, 0, 0], length = "60 cm", radius = "4 cm", edge = "1.3 cm" }
select = "surface"
stiffness = 1e8
slide = "surface"
key = [{ frame = 0 }, { frame = 2, translate = [0, "3 cm", 0], rotate = [0, 0, "30 deg"] }]
)";

const std::string kLeft = R"([[body.hold]]
name = "left"
where = "x-"
slide = "plane"
direction = [1, 0, 0]
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
          {"in time", kInTime},
          {"bdf2", {"time.integrator=\"bdf2\"", "time.start=\"rest\"", "time.frame_rate=10"}},
          {"zones", {"method.volume=\"zones\""}},
          {"zones in time", with(kInTime, "method.volume=\"zones\"")},
          {"one-rings", with(kInTime, "method.volume=\"one-ring\"")},
          {"beside colliders", with(kInTime, "method.self_contact=true")}};
}

void expect_same(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(a[v][k], b[v][k]);
  }
}

TEST(TetSlidingBones, FleshIsPulledAlongARodAsIfThereWereNone) {
  Context context(1);
  std::string pulled = replaced(kBarOnRod, "frames = 2", "frames = 0");
  pulled = replaced(pulled, "law = \"stable_neo_hookean\"", "law = \"linear\"");
  pulled = replaced(pulled, "poisson = 0.3", "poisson = 0") + kLeft + R"([[body.load]]
name = "pull"
where = "x+"
kind = "traction"
traction = ["2 kPa", 0, 0]
[[body.hold]]
name = "bottom"
where = "y-"
slide = "plane"
direction = [0, 1, 0]
)";
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

TEST(TetSlidingBones, ABoneThatMovesTakesTheFleshAlongAcrossItsSurface) {
  for (const auto& [name, settings] : ways()) {
    Context context(1);
    Simulation simulation = simulation_of(kBarOnRod + kLeft, context, settings);
    while (simulation.frame() < 2) ASSERT_TRUE(simulation.advance()) << name;
    const auto [frame, m] = simulation.snapshot();
    EXPECT_EQ(m.reactions.back().name, "bar.rod");
    // What the rod pushes with has no part along it but for what its springs give way.
    const Vec3d along{std::cos(M_PI / 6), std::sin(M_PI / 6), 0};
    const Vec3d force = m.reactions.back().force;
    EXPECT_GT(norm(force), 0.1) << name;
    EXPECT_LT(std::abs(dot(force, along)), 0.05 * norm(force)) << name;
    // The far end went up with it, by the sine of what it turned and what it moved.
    double highest = 0;
    for (const Vec3d& x : frame.bodies[0].vertices) highest = std::max(highest, x[1]);
    EXPECT_GT(highest, 0.18) << name;
    if (name == std::string("static") || name == std::string("zones")) {
      // Nothing else is there to balance what the rod pushes with but the plane.
      Vec3d sum{0, 0, 0};
      for (const NamedReaction& r : m.reactions) sum += r.force;
      EXPECT_LT(norm(sum), 1e-4 * norm(force)) << name;
    }
  }
}

}  // namespace
}  // namespace isochor::sim
