#include "isochor/sim/tet_muscles.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A bar along x with a box of muscle in it.
const std::string kMuscleScene = R"(format = 1
[time]
frames = 2
[method]
name = "tets"
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
cell_size = "10 cm"
shape = { kind = "box", size = [1.2, 0.4, 0.4] }
material = { law = "stable_neo_hookean", mu = "50 kPa", kappa = "500 kPa" }
[[body.muscle]]
name = "core"
shape = { kind = "box", size = [0.85, 0.2, 0.2] }
fibres = "constant"
direction = [1, 0, 0]
material = { law = "muscle", mu = "100 kPa", kappa = "1 MPa", k1 = "10 kPa", active_stress = "200 kPa" }
activation = [{ frame = 0, value = 0 }, { frame = 2, value = 1 }]
[[body.hold]]
name = "left"
where = "x-"
)";

SceneSpec scene_of(const std::vector<std::string>& settings = {}) {
  return parse_scene(kMuscleScene, "scene.toml", settings);
}

/// How much shorter the bar is after its frames.
double shortening(Simulation& simulation) {
  while (simulation.frame() < simulation.scene().time.frames) EXPECT_TRUE(simulation.advance());
  double far = -1;
  const files::Frame frame = simulation.snapshot().first;
  for (const Vec3d& p : frame.bodies[0].vertices) far = std::max(far, p[0]);
  return 0.6 - far;
}
double shortening(const SceneSpec& scene) {
  Context context(2);
  Simulation simulation(scene, context);
  return shortening(simulation);
}

TEST(TetMuscles, FibresActByTheirShareOfATet) {
  const SceneSpec scene = scene_of();
  Context context(2);
  const TetBody body = build_tet_body(scene.bodies[0], scene.file, context);
  ASSERT_EQ(body.spec.materials.size(), 2u);
  const materials::Material& muscle = body.spec.materials[1];
  EXPECT_EQ(muscle.law, materials::law_index("muscle"));
  EXPECT_EQ(muscle.density, body.spec.materials[0].density);
  int whole = 0, partial = 0;
  for (std::size_t t = 0; t < body.spec.mu.size(); ++t) {
    const double mu = body.spec.mu[t];
    if (body.spec.tet_materials[t] == 0) {
      EXPECT_DOUBLE_EQ(mu, 50e3);
      EXPECT_DOUBLE_EQ(body.spec.fibres[t], 1);
      continue;
    }
    const double share = (mu - 50e3) / 50e3;
    ++(share > 1 - 1e-9 ? whole : partial);
    const double kappa = body.spec.lambda[t] + 2 * mu / 3;
    EXPECT_NEAR(1 / kappa, share / 1e6 + (1 - share) / 5e5, 1e-14);
    EXPECT_NEAR(body.spec.fibres[t] * mu * muscle.shape[2], share * 200e3, 1e-3);
    EXPECT_LT(norm(body.spec.axes[t].column[0] - Vec3d{1, 0, 0}), 1e-12);
  }
  EXPECT_GT(whole, 10);
  EXPECT_GT(partial, 10);
  ASSERT_EQ(body.parts.size(), 1u);
  EXPECT_NEAR(body.parts[0].in_cells, 0.85 * 0.2 * 0.2, 0.01 * body.parts[0].enclosed);
  const std::vector<Vec3d> fibres = fibres_of(body.spec);
  for (std::size_t t = 0; t < fibres.size(); ++t) {
    EXPECT_DOUBLE_EQ(fibres[t][0], body.spec.tet_materials[t]);
  }
}

TEST(TetMuscles, ABodyContractsAsOneOfCellsDoes) {
  const double tets = shortening(scene_of({"body[0].cell_size=5 cm"}));
  const double cells = shortening(scene_of({"body[0].cell_size=5 cm", "method.name=lattice"}));
  EXPECT_GT(cells, 0.05);
  EXPECT_NEAR(tets, cells, 0.04 * cells);
}

TEST(TetMuscles, PaintAndActivationScaleWhatFibresPullWith) {
  const double full = shortening(scene_of({"time.frames=2"}));
  const double half = shortening(scene_of({"time.frames=1"}));
  EXPECT_LT(half, full - 0.01);
  EXPECT_GT(half, 0.01);
  EXPECT_THAT(activations_at(scene_of().bodies, 1), ElementsAre(0, 0.5));
  SceneSpec idle = scene_of();
  idle.bodies[0].muscles[0].activations.clear();
  EXPECT_TRUE(activations_at(idle.bodies, 1).empty());
}

TEST(TetMuscles, WorkOfActivationIsPartOfTheBalanceOfEnergies) {
  Context context(2);
  Simulation simulation(scene_of({"time.integrator=midpoint", "time.substeps=16",
                                  "method.newton.tolerance=1e-9", "time.frame_rate=100"}),
                        context);
  shortening(simulation);
  const MotionMeasures m = *simulation.snapshot().second.motion;
  EXPECT_GT(m.hold_work, 1);
  EXPECT_LT(std::abs(m.integrator_loss), 0.01 * m.hold_work);
}

TEST(TetMuscles, OneRingsKeepTheVolumeOfWhatContracts) {
  for (const char* volume : {"one-ring", "zones"}) {
    SceneSpec scene =
        scene_of({std::string("method.volume=") + volume, "time.integrator=backward-euler",
                  "time.frames=8", "body[0].muscle[0].activation[1].frame=8"});
    Context context(2);
    Simulation simulation(scene, context);
    EXPECT_GT(shortening(simulation), 0.03) << volume;
    const Measures m = simulation.snapshot().second;
    EXPECT_LT(std::abs(m.volume_error), 2e-3) << volume;
    if (m.contact) {
      EXPECT_LT(*m.contact->worst_ring_volume_error, 0.0101);
    }
    // Checkpoints have all that activation needs.
    Simulation resumed(scene, context);
    Simulation again(scene, context);
    while (again.frame() < 4) EXPECT_TRUE(again.advance());
    resumed.restore("checkpoint", again.checkpoint());
    again.poison_scratch();
    for (Simulation* s : {&resumed, &again}) shortening(*s);
    EXPECT_EQ(resumed.checkpoint(), simulation.checkpoint()) << volume;
    EXPECT_EQ(again.checkpoint(), simulation.checkpoint()) << volume;
  }
}

TEST(TetMuscles, TheBodysOwnActivationIsThatOfItsRegions) {
  const files::TemporaryFolder folder;
  // Two tets; the one in region 2 has a single node that is free.
  files::write_quickly(folder / "one.mesh", R"(MeshVersionFormatted 2
Dimension 3
Vertices
5
0 0 0 0
0 1 0 0
0 0 1 0
1 0 0 0
-1 0 0 0
Tetrahedra
2
1 2 3 4 2
1 3 2 5 1
End
)");
  const std::string text = R"(format = 1
[time]
frames = 1
[world]
gravity = [0, 0, 0]
[method]
name = "tets"
[[body]]
name = "wedge"
tets = "one.mesh"
material = { young = "20 kPa", poisson = 0.3 }
activation = [{ frame = 0, value = 0 }, { frame = 1, value = 1 }]
[[body.region]]
name = "2"
material = { law = "muscle", mu = "5 kPa", kappa = "20 kPa", active_stress = "10 kPa", fibre = [1, 0, 0] }
[[body.hold]]
name = "left"
where = "x-"
depth = 1.1
)";
  const SceneSpec scene = load_scene(write_scene(folder, text));
  EXPECT_THAT(activations_at(scene.bodies, 1), ElementsAre(1, 1));
  Context context(1);
  Simulation simulation(scene, context);
  while (simulation.frame() < 1) ASSERT_TRUE(simulation.advance());
  EXPECT_LT(simulation.snapshot().first.bodies[0].nodes[3][0], 0.8);
  const std::string passive = replaced(text, "law = \"muscle\"", "law = \"stable_neo_hookean\"");
  EXPECT_THAT(
      error_of([&] {
        load_scene(write_scene(
            folder, replaced(passive, ", active_stress = \"10 kPa\", fibre = [1, 0, 0]", "")));
      }).what(),
      HasSubstr("'wedge' is not a muscle"));
}

TEST(TetMuscles, OneOutsideOfTheBodyIsRefused) {
  const std::vector<std::string> settings{"body[0].muscle[0].shape.center=[9,0,0]"};
  Context context(1);
  EXPECT_THAT(error_of([&] { Simulation(scene_of(settings), context); }).what(),
              AllOf(HasSubstr("body[0].muscle[0].shape"),
                    HasSubstr("no tet of the body has a part of the muscle 'core'")));
}

}  // namespace
}  // namespace isochor::sim
