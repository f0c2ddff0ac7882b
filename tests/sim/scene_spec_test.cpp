#include "isochor/sim/scene_spec.h"

#include <cmath>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/sim/body_builder.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using files::TemporaryFolder;
using ::testing::HasSubstr;

std::string message(const std::string& scene) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { load_scene(write_scene(folder, scene)); });
  EXPECT_EQ(error.fault(), Fault::Input);
  return error.what();
}

SceneSpec loaded(const std::string& scene) {
  const TemporaryFolder folder;
  return load_scene(write_scene(folder, scene));
}

TEST(SceneSpec, ValuesAndUnitsArriveInSi) {
  const TemporaryFolder folder;
  const SceneSpec scene = load_scene(write_scene(folder));
  ASSERT_EQ(scene.bodies.size(), 1u);
  const BodySpec& body = scene.bodies[0];
  EXPECT_EQ(body.cell_size, 0.1);
  EXPECT_EQ(body.shape.size[0], 0.6);
  EXPECT_EQ(*body.material.young, 20000);
  ASSERT_EQ(body.holds.size(), 2u);
  ASSERT_EQ(body.holds[1].keys.size(), 2u);
  EXPECT_NEAR(body.holds[1].keys[1].rotate[0], 1.5707963267948966, 1e-15);
  EXPECT_EQ(scene.time.frames, 4);
  EXPECT_EQ(scene.world.gravity[1], -9.81) << "the default";
}

TEST(SceneSpec, ResolvedSceneReadsBackAsItself) {
  const TemporaryFolder folder;
  const std::string once = resolved_scene(load_scene(write_scene(folder)));
  EXPECT_EQ(resolved_scene(load_scene(write_scene(folder, once, "again.toml"))), once);
}

TEST(SceneSpec, SettingsOverrideTheFile) {
  const TemporaryFolder folder;
  const std::vector<std::string> settings{"time.frames=7", "body[0].material.young=1 MPa"};
  const SceneSpec scene = load_scene(write_scene(folder), settings);
  EXPECT_EQ(scene.time.frames, 7);
  EXPECT_EQ(*scene.bodies[0].material.young, 1e6);
}

TEST(SceneSpec, WrongKeyIsRefusedWithPlaceAndSuggestion) {
  const std::string text = message(replaced(kBarScene, "poisson = 0.3", "poison = 0.3"));
  EXPECT_THAT(text, HasSubstr("scene.toml:17:1"));
  EXPECT_THAT(text, HasSubstr("did you mean 'poisson'?"));
}

TEST(SceneSpec, OtherFormatIsRefused) {
  EXPECT_THAT(message(replaced(kBarScene, "format = 1", "format = 2")), HasSubstr("format"));
}

TEST(SceneSpec, NegativeModulusIsRefused) {
  EXPECT_THAT(message(replaced(kBarScene, "20 kPa", "-20 kPa")), HasSubstr("young"));
}

TEST(SceneSpec, HalfAStiffnessIsRefused) {
  EXPECT_THAT(message(replaced(kBarScene, "poisson = 0.3\n", "")),
              HasSubstr("give young and poisson, mu and lambda, or mu and kappa"));
}

TEST(SceneSpec, EveryShapeBecomesABody) {
  for (const char* kind : {"sphere", "ellipsoid", "cylinder", "capsule", "puck", "tube", "torus",
                           "bow_tie", "stairs", "arm", "hand", "figure"}) {
    const bool grown = std::string_view("arm hand figure").find(kind) != std::string_view::npos;
    const std::string length = std::string_view(kind) == "puck" ? "length = 0.2\n" : std::string();
    const SceneSpec scene =
        loaded(replaced(kBarScene, "kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]\n",
                        fmt::format("kind = \"{}\"\n{}{}", kind, length,
                                    grown ? "edge = 0.02\n" : "edge = 0.1\n")));
    const geometry::SurfaceMesh mesh = build_surface(scene.bodies[0], "scene.toml").mesh;
    const auto triangles = geometry::triangulate(mesh);
    EXPECT_GT(geometry::enclosed_volume(mesh.positions, triangles), 1e-4) << kind;
  }
}

TEST(SceneSpec, OnlyMusclesAreActivated) {
  const std::string activated = kBarScene +
                                "[[body.activation]]\nframe = 0\nvalue = 0\n"
                                "[[body.activation]]\nframe = 2\nvalue = 1\n";
  EXPECT_THAT(message(activated), HasSubstr("'bar' is not a muscle"));
  const std::string muscle =
      replaced(activated, "poisson = 0.3\n", "poisson = 0.3\nlaw = \"muscle\"\n");
  EXPECT_EQ(loaded(muscle).bodies[0].activations.size(), 2u);
  EXPECT_THAT(message(replaced(muscle, "frame = 2", "frame = 0")),
              HasSubstr("activation[1].frame"));
}

TEST(SceneSpec, LawsBringTheirOwnKeys) {
  const auto with = [](const std::string& keys) {
    return message(replaced(kBarScene, "poisson = 0.3\n", "poisson = 0.3\n" + keys));
  };
  const SceneSpec fibres = loaded(replaced(
      kBarScene, "poisson = 0.3\n",
      "poisson = 0.3\nlaw = \"holzapfel_gasser_ogden\"\nk1 = \"2 kPa\"\nangle = \"40 deg\"\n"));
  const materials::Material material = materials::resolve(fibres.bodies[0].material);
  EXPECT_NEAR(material.shape[1] * material.mu, 2000, 1e-9);
  EXPECT_NEAR(material.shape[4], std::cos(40 * std::numbers::pi / 180), 1e-15);
  EXPECT_THAT(with("k1 = \"2 kPa\"\n"), HasSubstr("k1"));
  EXPECT_THAT(with("law = \"ogden\"\nalpha1 = 0\n"), HasSubstr("alpha1"));
  EXPECT_THAT(with("law = \"mooney_rivlin\"\nc2 = \"10 MPa\"\n"), HasSubstr("c2"));
}

TEST(SceneSpec, UnheldBodyIsRefused) {
  const std::string text = kBarScene.substr(0, kBarScene.find("[[body.hold]]"));
  EXPECT_THAT(message(text), HasSubstr("nothing holds 'bar'"));
}

/// The bar in a scene with time.
std::string moving(const std::string& keys) {
  return replaced(kBarScene, "frames = 4\n", "frames = 4\nintegrator = \"bdf2\"\n" + keys);
}

TEST(SceneSpec, WhereTimePassesNothingNeedsToBeHeld) {
  const std::string text = moving("");
  const std::string loose = text.substr(0, text.find("[[body.hold]]"));
  const SceneSpec scene = loaded(replaced(
      loose, "cell_size = \"10 cm\"\n",
      "cell_size = \"10 cm\"\nvelocity = [0, \"2 m/s\", 0]\nangular_velocity = [0, 0, \"60 rpm\"]\n"
      "damping = { mass = \"0.5 1/s\", stiffness = \"2 ms\" }\n"));
  EXPECT_EQ(scene.bodies[0].velocity[1], 2);
  EXPECT_DOUBLE_EQ(scene.bodies[0].angular_velocity[2], 2 * std::numbers::pi);
  EXPECT_EQ(scene.bodies[0].damping.mass, 0.5);
  EXPECT_EQ(scene.bodies[0].damping.stiffness, 0.002);
  EXPECT_THAT(message(replaced(loose, "frames = 4\n", "frames = 4\nstart = \"equilibrium\"\n")),
              HasSubstr("nothing holds 'bar'"));
}

TEST(SceneSpec, DampingAndVelocityNeedTime) {
  for (const auto& [key, what] : {std::pair("velocity = [0, 1, 0]", "velocities"),
                                  std::pair("angular_velocity = [0, 1, 0]", "velocities"),
                                  std::pair("damping = { mass = 1 }", "damping"),
                                  std::pair("damping = { stiffness = 1 }", "damping")}) {
    const std::string text = message(
        replaced(kBarScene, "cell_size = \"10 cm\"\n", fmt::format("cell_size = 0.1\n{}\n", key)));
    EXPECT_THAT(text, HasSubstr(fmt::format("a static scene has no {}", what)));
    EXPECT_THAT(text, HasSubstr("time.integrator"));
  }
}

TEST(SceneSpec, AMotionFromRestHasItsHoldsAtRest) {
  const std::string jump =
      replaced(moving(""), "frame = 0\n", "frame = 0\ntranslate = [1, 0, 0]\n");
  EXPECT_THAT(message(jump), HasSubstr("moves the hold at frame 0"));
  loaded(replaced(jump, "frames = 4\n", "frames = 4\nstart = \"equilibrium\"\n"));
}

TEST(SceneSpec, SceneWithoutBodyIsRefused) {
  EXPECT_THAT(message("format = 1\n"), HasSubstr("has no body"));
}

TEST(SceneSpec, SameNameTwiceIsRefused) {
  EXPECT_THAT(message(replaced(kBarScene, "name = \"right\"", "name = \"left\"")),
              HasSubstr("'left' is taken already"));
}

TEST(SceneSpec, KeysOutOfOrderAreRefused) {
  EXPECT_THAT(message(replaced(kBarScene, "frame = 4\n", "frame = 0\n")),
              HasSubstr("list keys in the order of their frames"));
}

TEST(SceneSpec, ReferenceNamesEveryKindOfShapeAndHold) {
  const std::string text = scene_reference();
  for (const char* key : {"radius", "size", "file", "depth", "low", "max_krylov_iterations"}) {
    EXPECT_THAT(text, HasSubstr(key));
  }
}

}  // namespace
}  // namespace isochor::sim
