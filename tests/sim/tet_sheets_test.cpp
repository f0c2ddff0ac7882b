#include "isochor/sim/tet_sheets.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/sim/simulation.h"
#include "isochor/sim/tet_contact.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A rod along y with a core that is held, and a band of 4/5 of its girth.
const std::string kBandScene = R"(format = 1
[time]
frames = 1
[world]
gravity = [0, 0, 0]
[method]
name = "tets"
newton = { tolerance = 1e-4 }
[[body]]
name = "rod"
cell_size = 0.03
shape = { kind = "cylinder", axis = [0, 1, 0], radius = 0.05, length = 0.2 }
material = { law = "stable_neo_hookean", young = 2e5, poisson = 0.3, density = 1000 }
[[body.hold]]
name = "core"
where = "box"
low = [-0.02, -1, -0.02]
high = [0.02, 1, 0.02]
[[body.band]]
name = "band"
width = 0.04
girth = 0.25
young = 6e5
thickness = 5e-4
friction = 0.3
)";

SceneSpec band_scene(const std::vector<std::string>& settings = {}) {
  return parse_scene(kBandScene, "scene.toml", settings);
}

const files::Field& vertex_field(const files::BodyFrame& body, std::string_view name) {
  for (const files::Field& field : body.fields) {
    if (field.name == name && field.support == files::Support::Vertex) return field;
  }
  throw std::runtime_error("no such field");
}

TEST(TetSheetsScene, ABandPressesTheBodyBeneathItAndNothingElse) {
  Context context(2);
  // Pressures are means over triangles: these are to be smaller than the band is wide.
  Simulation simulation(band_scene({"body[0].cell_size=0.02"}), context);
  ASSERT_TRUE(simulation.advance());
  const files::Frame frame = simulation.snapshot().first;
  ASSERT_EQ(frame.bodies.size(), 2u);
  EXPECT_EQ(simulation.topology().bodies[1].name, "rod.band");
  const files::Field& pressure = vertex_field(frame.bodies[0], "contact_pressure");
  double most = 0;
  double elsewhere = 0;
  for (std::size_t v = 0; v < pressure.values.size(); ++v) {
    const bool far = std::abs(frame.bodies[0].vertices[v][1]) > 0.07;
    double& largest = far ? elsewhere : most;
    largest = std::max(largest, double(pressure.values[v]));
  }
  EXPECT_LT(elsewhere, 0.01 * most);
  // A strip of this rubber around the rod as it is at rest: 1.7 kPa.
  EXPECT_GT(most, 1000);
  double narrowest = 1;
  for (const Vec3d& x : frame.bodies[1].vertices) {
    narrowest = std::min(narrowest, std::hypot(x[0], x[2]));
  }
  EXPECT_LT(narrowest, 0.0505) << "it lies on the rod";
}

TEST(TetSheetsScene, ABandOnARigidRodHasItsGirthAndPressesByItsTension) {
  // All of the rod is held: T / r over 2 pi r, as measured of a body in a scene.
  Context context(2);
  Simulation simulation(band_scene({"body[0].cell_size=0.015", "body[0].hold[0].low=[-1,-1,-1]",
                                    "body[0].hold[0].high=[1,1,1]", "body[0].band[0].friction=0"}),
                        context);
  ASSERT_TRUE(simulation.advance());
  const auto [frame, measures] = simulation.snapshot();
  ASSERT_EQ(measures.bands.size(), 1u);
  const NamedBand& band = measures.bands[0];
  EXPECT_EQ(band.name, "rod.band");
  // The rod as meshed is a polygon in the circle.
  EXPECT_NEAR(band.rest_body_girth, 2 * M_PI * 0.05, 0.03 * band.rest_body_girth);
  EXPECT_NEAR(band.body_girth, band.rest_body_girth, 1e-3 * band.rest_body_girth);
  EXPECT_GT(band.girth, band.body_girth);
  EXPECT_LT(band.girth, 1.02 * band.body_girth);
  const double radius = band.girth / (2 * M_PI);
  EXPECT_NEAR(band.pressure, band.tension / radius, 0.03 * band.pressure);
  EXPECT_GE(band.most_pressure, band.pressure);
  // The same in other units, in the field that a report can show.
  const files::Field& pascal = vertex_field(frame.bodies[1], "contact_pressure");
  const files::Field& mercury = vertex_field(frame.bodies[1], "contact_pressure_mmhg");
  EXPECT_EQ(mercury.unit, "mmHg");
  for (std::size_t v = 0; v < pascal.values.size(); ++v) {
    EXPECT_NEAR(mercury.values[v], pascal.values[v] / 133.322f, 1e-5f * pascal.values[v]);
  }
}

TEST(TetSheetsScene, LooseBandsComeToRestAndPressNothing) {
  // Of the rod as meshed: 31 cm. One is longer, one so long that it lies on it at most.
  for (const std::string girth : {"0.34", "0.315"}) {
    Context context(2);
    Simulation simulation(band_scene({"body[0].band[0].girth=" + girth}), context);
    const std::optional<FrameReport> report = simulation.advance();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->cut_steps, 0) << girth;
    const files::Frame frame = simulation.snapshot().first;
    for (const float p : vertex_field(frame.bodies[0], "contact_pressure").values) {
      EXPECT_LT(p, 50) << girth << ": where it is tight, 1700";
    }
  }
}

TEST(TetSheetsScene, ABandThatFallsIsHeldBackAndThatIsTold) {
  Context context(2);
  std::string log;
  context.log = [&](LogLevel, std::string_view text) { log += text; };
  Simulation simulation(band_scene({"body[0].band[0].girth=0.36", "world.gravity=[0,-9.81,0]",
                                    "method.newton.max_iterations=20"}),
                        context);
  ASSERT_TRUE(simulation.advance());
  EXPECT_THAT(log, AllOf(HasSubstr("hangs loose or slides off"), HasSubstr("friction")));
  double lowest = 1;
  const files::Frame frame = simulation.snapshot().first;
  for (const Vec3d& x : frame.bodies[1].vertices) lowest = std::min(lowest, x[1]);
  EXPECT_GT(lowest, -0.03) << "it is where it was, nearly";
}

TEST(TetSheetsScene, ALooseBandFallsOnAColliderAndRestsThere) {
  // Down a rod that is held; the ground is 1 cm below the band.
  constexpr double kGround = -0.03;
  Context context(2);
  Simulation simulation(
      parse_scene(kBandScene + R"([[collider]]
name = "ground"
kind = "plane"
center = [0, -0.03, 0]
friction = 0.3
)",
                  "scene.toml",
                  std::vector<std::string>{
                      "time.frames=8", "time.frame_rate=50", "time.integrator=\"backward-euler\"",
                      "world.gravity=[0,-9.81,0]", "method.volume=\"zones\"",
                      "body[0].hold[0].low=[-1,-1,-1]", "body[0].hold[0].high=[1,1,1]",
                      "body[0].shape.center=[0,0.08,0]", "body[0].band[0].center=[0,0,0]",
                      "body[0].band[0].girth=0.36", "body[0].band[0].friction=0"}),
      context);
  const auto ends = [&] {
    double lowest = 1, highest = -1;
    const files::Frame frame = simulation.snapshot().first;
    for (const Vec3d& x : frame.bodies[1].vertices) {
      lowest = std::min(lowest, x[1]);
      highest = std::max(highest, x[1]);
    }
    return std::array{lowest, highest};
  };
  std::array<double, 2> before{};
  while (simulation.frame() < 8) {
    before = ends();
    ASSERT_TRUE(simulation.advance());
    EXPECT_GT(ends()[0], kGround) << simulation.frame();
  }
  const auto [lowest, highest] = ends();
  EXPECT_LT(lowest, kGround + 2e-3);
  EXPECT_GT(highest, kGround + 0.03) << "it stands";
  EXPECT_NEAR(highest, before[1], 1e-4) << "at rest";
  EXPECT_GT(simulation.snapshot().second.contact->collider_contacts, 0u);
}

TEST(TetSheetsScene, ABallPressesABandIntoTheRodBeneathIt) {
  // 15 mm deep, ten times the reach of barriers: the rod has to give way to the band.
  Context context(2);
  Simulation simulation(
      parse_scene(kBandScene + R"([[collider]]
name = "ball"
kind = "sphere"
radius = 0.03
center = [0.085, 0, 0]
key = [{ frame = 0 }, { frame = 4, translate = [-0.02, 0, 0] }]
)",
                  "scene.toml",
                  std::vector<std::string>{"time.frames=4", "method.volume=\"zones\""}),
      context);
  while (simulation.frame() < 4) ASSERT_TRUE(simulation.advance());
  const auto [frame, m] = simulation.snapshot();
  EXPECT_EQ(m.contact->deepest, 0);
  EXPECT_GT(m.contact->collider_contacts, 0u);
  // Nodes of the band are its vertices; those of the rod ride on tets.
  for (const Vec3d& x : frame.bodies[1].vertices) EXPECT_GT(norm(x - Vec3d{0.065, 0, 0}), 0.03);
}

TEST(TetSheetsScene, ABandIsLooseUntilItTightens) {
  const SceneSpec scene = band_scene({"body[0].band[0].tight_at=4"});
  Context context(1);
  const TetScene built = build_tet_scene(scene, {}, context);
  const std::unique_ptr<TetContact> bands =
      make_tet_contact(scene, built.model, built.colliders, context);
  EXPECT_EQ(bands->tightening_at(0)[0], 0);
  EXPECT_EQ(bands->tightening_at(3)[0], 0.75);
  EXPECT_EQ(bands->tightening_at(9)[0], 1);
}

TEST(TetSheetsScene, SkinIsOnTheWholeBoundary) {
  Context context(1);
  const SceneSpec scene =
      band_scene({"body[0].skin.law=\"rubber\"", "body[0].skin.modulus=\"90 kPa\""});
  const TetScene built = build_tet_scene(scene, {}, context);
  double skin = 0;
  for (const shells::SheetTriangle& t : built.model.sheets.triangles) {
    if (t.sheet == 0) skin += t.area;
  }
  double boundary = 0;
  const std::vector<Vec3d>& x = built.model.rest_positions;
  // Those of the body: the band has no tets.
  for (const auto& [a, b, c] : geometry::boundary_triangles(built.model.tets)) {
    boundary += 0.5 * norm(cross(x[b] - x[a], x[c] - x[a]));
  }
  EXPECT_NEAR(skin, boundary, 1e-12);
  EXPECT_EQ(std::get<shells::RubberLaw>(built.model.sheets.laws[0]).mu, 30e3);
}

TEST(TetSheetsScene, WhatCannotBeIsRefusedWithPlaceAndRemedy) {
  const auto refusal = [](const std::vector<std::string>& settings) {
    return std::string(error_of([&] { band_scene(settings); }).what());
  };
  EXPECT_THAT(refusal({"body[0].band[0].axis=[0,0,0]"}),
              AllOf(HasSubstr("band[0].axis"), HasSubstr("without length")));
  EXPECT_THAT(refusal({"method.name=\"lattice\""}),
              AllOf(HasSubstr("band 'band' of 'rod'"), HasSubstr("tets")));
  EXPECT_THAT(refusal({"body[0].band[0].girth=-1"}), HasSubstr("girth"));
  EXPECT_THAT(refusal({"time.integrator=\"midpoint\""}), HasSubstr("backward-euler"));
  EXPECT_THAT(refusal({"body[0].skin.law=\"fur\""}), HasSubstr("area"));
  EXPECT_THAT(error_of([] {
                Context context(1);
                build_tet_scene(band_scene({"body[0].band[0].center=[0,5,0]"}), {}, context);
              }).what(),
              AllOf(HasSubstr("band[0]"), HasSubstr("no surface between the rims")));
}

}  // namespace
}  // namespace isochor::sim
