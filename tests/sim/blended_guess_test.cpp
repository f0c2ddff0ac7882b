#include "isochor/sim/blended_guess.h"

#include <gtest/gtest.h>

#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

/// A limb with two bones, the second of which turns by 30 degrees a frame.
const std::string kLimb = R"(format = 1
[time]
frames = 2
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
ease = "linear"
key = [{ frame = 0 }, { frame = 2, angle = "60 deg" }]
[[body]]
name = "limb"
cell_size = "3 cm"
[body.shape]
kind = "box"
size = ["60 cm", "9 cm", "9 cm"]
center = ["30 cm", 0, 0]
[body.material]
young = "20 kPa"
poisson = 0.4
[[body.hold]]
name = "upper"
where = "inside"
inside = { kind = "box", size = ["20 cm", "3 cm", "3 cm"], center = ["12 cm", 0, 0] }
select = "surface"
stiffness = 1e8
joint = "shoulder"
[[body.hold]]
name = "lower"
where = "inside"
inside = { kind = "box", size = ["20 cm", "3 cm", "3 cm"], center = ["48 cm", 0, 0] }
select = "surface"
stiffness = 1e8
joint = "elbow"
)";

TEST(BlendedGuess, FleshGoesAlongWithTheBonesNextToIt) {
  Context context(2);
  const LatticeScene scene = build_lattice_scene(parse_scene(kLimb, "limb.toml"), {}, context);
  const BlendedGuess guess(scene);
  const std::span<const Vec3d> rest = scene.model().rest_positions;
  const Guides guides(scene.driver_count());
  // Nothing moves.
  EXPECT_TRUE(guess.at(scene, guides, 0, 0, rest, context.arena).empty());
  const std::vector<Vec3d> x = guess.at(scene, guides, 0, 1, rest, context.arena);
  ASSERT_EQ(x.size(), rest.size());
  const Mat3d turn = rotation_from_vector({0, 0, 0.5235987755982988});
  const Vec3d elbow{0.3, 0, 0};
  int near_upper = 0, near_lower = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const Vec3d& r = rest[n];
    if (std::abs(r[1]) > 0.02 || std::abs(r[2]) > 0.02) continue;
    if (r[0] > 0.04 && r[0] < 0.2) {
      ++near_upper;
      EXPECT_LT(norm(x[n] - r), 1e-12);
    }
    if (r[0] > 0.4 && r[0] < 0.56) {
      ++near_lower;
      EXPECT_LT(norm(x[n] - (elbow + turn * (r - elbow))), 1e-12);
    }
  }
  EXPECT_GT(near_upper, 0);
  EXPECT_GT(near_lower, 0);
}

TEST(BlendedGuess, SavesIterations) {
  const auto most_of = [](const std::vector<std::string>& settings) {
    Context context(2);
    Simulation limb(parse_scene(kLimb, "limb.toml", settings), context);
    int most = 0;
    while (limb.frame() < 2) {
      const auto report = limb.advance();
      if (!report) return -1;
      most = std::max(most, report->newton_iterations);
    }
    return most;
  };
  EXPECT_LE(most_of({}), 8);
  // Five without it.
  EXPECT_LE(most_of({"method.volume=\"mixed\"", "body[0].material.poisson=0.49",
                     "body[0].material.law=\"stable_neo_hookean\""}),
            4);
}

}  // namespace
}  // namespace isochor::sim
