#include "isochor/sim/muscles.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/inputs.h"
#include "isochor/sim/lattice_scene.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

/// A bar along x of 12 x 4 x 4 cells of 10 cm with a box of muscle in it.
const std::string kMuscleScene = R"(format = 1
[time]
frames = 2
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
cell_size = "10 cm"
shape = { kind = "box", size = [1.2, 0.4, 0.4] }
material = { law = "stable_neo_hookean", mu = "50 kPa", kappa = "1 MPa" }
[[body.muscle]]
name = "core"
shape = { kind = "box", size = [0.85, 0.2, 0.2] }
fibres = "constant"
direction = [1, 0, 0]
material = { law = "muscle", mu = "100 kPa", kappa = "3 MPa", k1 = "10 kPa", active_stress = "200 kPa" }
activation = [{ frame = 0, value = 0 }, { frame = 2, value = 1 }]
[[body.hold]]
name = "left"
where = "x-"
)";

struct Loaded {
  explicit Loaded(const std::string& text) : scene(load_scene(write_scene(folder, text))) {
    context.log = [this](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning) warnings.emplace_back(line);
    };
  }
  Body body() { return build_body(scene.bodies[0], scene.file, context); }
  std::string failure() {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  files::TemporaryFolder folder;
  SceneSpec scene;
  Context context{2};
  std::vector<std::string> warnings;
};

TEST(Muscles, FibresActByTheirShareOfACell) {
  Loaded loaded(kMuscleScene);
  const Body body = loaded.body();
  const lattice::BodySpec& spec = body.spec;
  ASSERT_EQ(spec.more_materials.size(), 1u);
  EXPECT_EQ(spec.more_materials[0].law, materials::law_index("muscle"));
  int whole = 0, partial = 0;
  for (std::size_t c = 0; c < spec.mu.size(); ++c) {
    if (spec.cell_materials[c] == 0) {
      EXPECT_DOUBLE_EQ(spec.mu[c], 50e3);
      continue;
    }
    // Two by two cells across, eight whole ones along and a quarter of one at each end.
    const double share = spec.mu[c] > 90e3 ? 1 : 0.25;
    (share == 1 ? whole : partial) += 1;
    EXPECT_NEAR(spec.mu[c], share * 100e3 + (1 - share) * 50e3, 1e-4);
    const double kappa = spec.lambda[c] + 2 * spec.mu[c] / 3;
    EXPECT_NEAR(1 / kappa, share / 3e6 + (1 - share) / 1e6, 1e-14);
    // Their stress is the share of the muscle's own.
    EXPECT_NEAR(spec.fibres[c] * spec.mu[c] * spec.more_materials[0].shape[2], share * 200e3, 1e-3);
    EXPECT_LT(norm(spec.axes[c].column[0] - Vec3d{1, 0, 0}), 1e-12);
    // In the middle of a whole cell, in that of the quarter next to the others at an end.
    const double off_middle = share == 1 ? 0 : 0.375;
    EXPECT_NEAR(std::abs(spec.fibre_points[c][0] - 0.5), off_middle, 1e-9);
    for (int a = 1; a < 3; ++a) EXPECT_NEAR(spec.fibre_points[c][a], 0.5, 1e-9);
  }
  EXPECT_EQ(whole, 8 * 4);
  EXPECT_EQ(partial, 2 * 4);
  EXPECT_THAT(loaded.warnings, testing::IsEmpty());
}

TEST(Muscles, ContractionShortensTheBody) {
  Loaded loaded(kMuscleScene);
  Simulation simulation(loaded.scene, loaded.context);
  const auto next_length = [&] {
    EXPECT_TRUE(simulation.advance().has_value());
    const files::Frame frame = simulation.snapshot().first;
    double far = -1;
    for (const Vec3d& p : frame.bodies[0].vertices) far = std::max(far, p[0]);
    return far + 0.6;
  };
  EXPECT_NEAR(next_length(), 1.2, 1e-6);
  const double half = next_length(), full = next_length();
  EXPECT_LT(half, 1.17);
  EXPECT_LT(full, half - 0.02);
}

TEST(Muscles, ThePublishedVariantHasTheirFibresAtTheirCentroid) {
  const auto length = [](const std::string& variant) {
    Loaded loaded(replaced(kMuscleScene, "[world]",
                           "[method]\nvolume = \"mixed\"\nvariant = \"" + variant +
                               "\"\nquadrature = \"four-points\"\n[world]"));
    Simulation simulation(loaded.scene, loaded.context);
    while (simulation.frame() < 1) EXPECT_TRUE(simulation.advance().has_value());
    double far = -1;
    const auto snapshot = simulation.snapshot();
    for (const Vec3d& p : snapshot.first.bodies[0].vertices) far = std::max(far, p[0]);
    return far + 0.6;
  };
  const double ours = length("best"), published = length("paper");
  EXPECT_LT(ours, 1.17);
  EXPECT_NEAR(published, ours, 0.005);
  EXPECT_GT(std::abs(published - ours), 1e-6);
}

TEST(Muscles, EachHasItsOwnActivation) {
  Loaded loaded(replaced(kMuscleScene, "[[body.hold]]", R"([[body.muscle]]
name = "idle"
shape = { kind = "box", center = [0, 0.15, 0], size = [0.8, 0.1, 0.4] }
fibres = "constant"
[[body.hold]])"));
  std::vector<double> at;
  add_activations_at(loaded.scene.bodies[0], 1, at);
  EXPECT_THAT(at, testing::ElementsAre(0, 0.5, 0));
  // What the frames of a muscle depend on is part of what frames depend on.
  SceneSpec other = loaded.scene;
  other.bodies[0].muscles[0].activations[1].value = 0.5;
  EXPECT_NE(frame_inputs(loaded.scene, 2), frame_inputs(other, 2));
  EXPECT_THAT(changed_keys(resolved_scene(loaded.scene), loaded.scene.file, other),
              testing::IsEmpty());
}

TEST(Muscles, WhereTheyOverlapTheLaterOneCounts) {
  Loaded loaded(replaced(kMuscleScene, "[[body.hold]]", R"([[body.muscle]]
name = "second"
shape = { kind = "box", center = [0.2, 0, 0], size = [0.4, 0.2, 0.2] }
fibres = "constant"
direction = [0, 1, 0]
[[body.hold]])"));
  const Body body = loaded.body();
  const auto count = [&](int material) {
    return std::count(body.spec.cell_materials.begin(), body.spec.cell_materials.end(), material);
  };
  EXPECT_EQ(count(2), 4 * 4);
  EXPECT_EQ(count(1), 4 * 4 + 2 * 4);
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_THAT(loaded.warnings[0], testing::HasSubstr("take 47 % of 'core'"));
}

TEST(Muscles, FibresFollowTheSurfaceBetweenTheEnds) {
  Loaded loaded(replaced(replaced(kMuscleScene, "fibres = \"constant\"\ndirection = [1, 0, 0]\n",
                                  "fibres = \"harmonic\"\n"),
                         "size = [0.85, 0.2, 0.2]", "size = [0.2, 0.35, 0.2]"));
  const Body body = loaded.body();
  for (std::size_t c = 0; c < body.spec.mu.size(); ++c) {
    if (body.spec.cell_materials[c] == 0) continue;
    EXPECT_LT(norm(body.spec.axes[c].column[0] - Vec3d{0, 1, 0}), 0.2);
  }
}

TEST(Muscles, LinesMayStandInTheScene) {
  Loaded loaded(replaced(kMuscleScene, "fibres = \"constant\"\ndirection = [1, 0, 0]\n",
                         "fibres = \"polylines\"\n"
                         "line = [{ point = [{ at = [0, 0, -1] }, { at = [0, 0, 1] }] }]\n"));
  const Body body = loaded.body();
  for (std::size_t c = 0; c < body.spec.mu.size(); ++c) {
    if (body.spec.cell_materials[c] == 0) continue;
    EXPECT_LT(norm(body.spec.axes[c].column[0] - Vec3d{0, 0, 1}), 1e-12);
  }
  // Printed with all defaults it is the same scene.
  EXPECT_EQ(resolved_scene(parse_scene(resolved_scene(loaded.scene), loaded.scene.file)),
            resolved_scene(loaded.scene));
}

TEST(Muscles, MistakesAreNamedWithTheirRemedy) {
  const auto failure = [](const std::string& from, const std::string& to) {
    try {
      return Loaded(replaced(kMuscleScene, from, to)).failure();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(failure("size = [0.85, 0.2, 0.2]", "center = [5, 0, 0], size = [0.5, 0.2, 0.2]"),
              testing::AllOf(testing::HasSubstr("body[0].muscle[0].shape"),
                             testing::HasSubstr("no cell of the body has a part of the muscle")));
  EXPECT_THAT(failure("direction = [1, 0, 0]", "direction = [0, 0, 0]"),
              testing::HasSubstr("without length"));
  EXPECT_THAT(failure("fibres = \"constant\"\ndirection = [1, 0, 0]", "fibres = \"polylines\""),
              testing::HasSubstr("no lines to follow"));
  EXPECT_THAT(failure("fibres = \"constant\"\ndirection = [1, 0, 0]",
                      "fibres = \"harmonic\"\norigin = { from = \"group\", group = \"top\" }"),
              testing::HasSubstr("no group 'top'"));
  EXPECT_THAT(failure("fibres = \"constant\"\ndirection = [1, 0, 0]",
                      "fibres = \"harmonic\"\n"
                      "origin = { from = \"box\", low = [8, 8, 8], high = [9, 9, 9] }"),
              testing::HasSubstr("origin has no surface"));
  EXPECT_THAT(failure("law = \"muscle\", mu = \"100 kPa\", kappa = \"3 MPa\", k1 = \"10 kPa\", "
                      "active_stress = \"200 kPa\"",
                      "law = \"corotated\", young = 1e4, poisson = 0.3"),
              testing::HasSubstr("'corotated' has no fibres"));
}

TEST(Bones, HoldWhatIsInsideOfTheirSurfaceAndTurnAboutAJoint) {
  const std::string bone = R"([[body.hold]]
name = "bone"
where = "inside"
inside = { kind = "cylinder", center = [0.3, 0, 0], radius = 0.12, length = 0.5 }
turns_about = "point"
pivot = [0, 0, 0]
key = [{ frame = 0 }, { frame = 2, rotate = [0, 0, "20 deg"] }]
)";
  Loaded loaded(kMuscleScene + bone);
  const LatticeScene scene = build_lattice_scene(loaded.scene, {}, loaded.context);
  ASSERT_EQ(scene.holds.size(), 2u);
  // Nodes at x = 0.1 to 0.5 on the axis and beside it.
  EXPECT_EQ(scene.holds[1].points.size(), 5u * 5);
  const Demands demands = demands_at(scene, Guides(2), 2);
  const Mat3d turn = rotation_from_vector({0, 0, 20 * std::acos(-1.0) / 180});
  const std::size_t first = scene.holds[0].points.size();
  for (std::size_t i = 0; i < scene.holds[1].points.size(); ++i) {
    EXPECT_LT(norm(demands.held_positions[first + i] - turn * scene.holds[1].points[i]), 1e-12);
  }

  Loaded soft(replaced(kMuscleScene + bone, "turns_about",
                       "select = \"surface\"\nstiffness = 1e8\nturns_about"));
  const LatticeScene springs = build_lattice_scene(soft.scene, {}, soft.context);
  ASSERT_EQ(springs.soft_holds.size(), 1u);
  for (const Vec3d& p : springs.soft_holds[0].points) {
    EXPECT_LT(std::abs(p[0] - 0.3), 0.25 + 1e-9);
  }
  Loaded outside(replaced(kMuscleScene + bone, "center = [0.3, 0, 0]", "center = [9, 0, 0]"));
  EXPECT_THROW(build_lattice_scene(outside.scene, {}, outside.context), Error);
}

}  // namespace
}  // namespace isochor::sim
