#include "isochor/tets/zones.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"
#include "isochor/tets/fields.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

/// Sheen's law with a penalty modulus instead of a bulk modulus.
materials::Material soft(double penalty = 5e3) {
  materials::Material m;
  m.law = materials::law_index("neo_hookean_isochoric");
  m.mu = 1e4;
  m.lambda = penalty - 2 * m.mu / 3;
  m.shape[0] = 1;
  m.density = 1000;
  return m;
}

HoldSpec hold_where(const geometry::TetMesh& mesh, const char* name, auto&& chosen) {
  HoldSpec hold{.name = name, .nodes = {}};
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    if (chosen(mesh.positions[i])) hold.nodes.push_back(std::int32_t(i));
  }
  return hold;
}

/// A block of height 0.1 m held at both ends.
BodySpec block(int n) {
  BodySpec body{.name = "block", .mesh = box_of_tets(n, n, 0.1 / n, 0.2)};
  body.materials = {soft()};
  body.holds = {hold_where(body.mesh, "floor", [](const Vec3d& x) { return x[2] == 0; }),
                hold_where(body.mesh, "lid", [](const Vec3d& x) { return x[2] > 0.0999; })};
  return body;
}

/// Held nodes, the second hold moved.
std::vector<Vec3d> held(const Model& model, const Vec3d& way) {
  std::vector<Vec3d> out;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    for (const std::int32_t n : model.holds[h].nodes) {
      out.push_back(model.rest_positions[n] + (h == 1 ? way : Vec3d{0, 0, 0}));
    }
  }
  return out;
}

std::vector<Vec3d> shaken(const Model& model) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-0.005, 0.005);
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) p += Vec3d{shift(random), shift(random), shift(random)};
  return x;
}

/// Two halves and the whole: overlapping, and dependent.
void add_halves(BodySpec& body) {
  ZoneSpec left{.name = "left", .tets = {}}, right{.name = "right", .tets = {}};
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    double x = 0;
    for (const std::int32_t n : body.mesh.tets[t]) x += body.mesh.positions[n][0] / 4;
    (x < 0.05 ? left : right).tets.push_back(std::int32_t(t));
  }
  body.zones = {left, right, whole_zone(body.mesh)};
}

TEST(Zones, SlopesAreThoseOfVolumes) {
  Context context(2);
  BodySpec body = block(3);
  add_halves(body);
  const Model model =
      build_model({body}, {.preconditioner = Preconditioner::Jacobi}, context.arena);
  const std::vector<Vec3d> x = shaken(model), u = shaken(model);
  ZoneSlopes slopes(model);
  std::vector<double> at(3), change(3), ahead(3), behind(3);
  constexpr double h = 1e-4;
  const auto moved = [&](double by) {
    std::vector<Vec3d> y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * u[i];
    return y;
  };
  measure_zones(model, moved(h), slopes, ahead, context.arena);
  measure_zones(model, moved(-h), slopes, behind, context.arena);
  std::vector<double> cubic(3);
  measure_zones(model, u, slopes, cubic, context.arena);
  measure_zones(model, x, slopes, at, context.arena);
  zone_change(model, slopes, u, change, context.arena);
  EXPECT_NEAR(at[0] + at[1], at[2], 1e-15);
  const std::vector<double> p{2, -1, 3};
  std::vector<Vec3d> force(model.node_count(), Vec3d{0, 0, 0});
  add_zone_force(model, slopes, p, force, context.arena);
  double power = 0, pushed = 0;
  for (std::size_t i = 0; i < force.size(); ++i) power += dot(force[i], u[i]);
  for (int z = 0; z < 3; ++z) {
    // Volumes are cubic in the length of a way, the last term with the volume of the way itself.
    EXPECT_NEAR(change[z] + h * h * cubic[z], (ahead[z] - behind[z]) / (2 * h), 1e-11 * at[z] / h);
    pushed += p[z] * change[z];
  }
  EXPECT_NEAR(power, pushed, 1e-13 * std::abs(pushed));
}

TEST(Zones, CurvatureOfPressuresIsThatOfVolumes) {
  Context context(1);
  for (const char* law : {"neo_hookean_isochoric", "fung"}) {
    BodySpec body = block(2);
    body.materials[0].law = materials::law_index(law);
    if (!materials::is_isotropic(body.materials[0].law)) {
      body.materials[0].shape = {};
      for (std::size_t s = 0; const auto& p : materials::shape_parameters(body.materials[0].law)) {
        body.materials[0].shape[s++] = p.fallback;
      }
    }
    body.zones = {whole_zone(body.mesh)};
    const Model model =
        build_model({body}, {.preconditioner = Preconditioner::Jacobi}, context.arena);
    const std::vector<Vec3d> x = shaken(model);
    std::vector<Vec3d> u = shaken(model);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = 20.0 * (u[i] - model.rest_positions[i]);
    std::vector<double> tets(model.tets.size(), -3e5);
    Stiffnesses without(model.tets.size()), with(model.tets.size());
    linearise(model, {x}, materials::Definiteness::None, without, context.arena);
    linearise(model, {.positions = x, .pressures = tets}, materials::Definiteness::None, with,
              context.arena);
    solve::Blocks<double> a(model.pattern.columns.size()), b(a.size());
    assemble(model, without, a, context.arena);
    assemble(model, with, b, context.arena);
    std::vector<Vec3d> au(u.size()), bu(u.size());
    solve::multiply<double>(model.pattern, a, u, au, context.arena);
    solve::multiply<double>(model.pattern, b, u, bu, context.arena);
    double curvature = 0;
    for (std::size_t i = 0; i < u.size(); ++i) curvature += dot(u[i], bu[i] - au[i]);
    ZoneSlopes slopes(model);
    double v[3];
    constexpr double h = 0.05;
    for (int k = 0; k < 3; ++k) {
      std::vector<Vec3d> y = x;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += (k - 1) * h * u[i];
      measure_zones(model, y, slopes, std::span(&v[k], 1), context.arena);
    }
    // The third derivative drops out of a central difference.
    const double wanted = 3e5 * (v[0] - 2 * v[1] + v[2]) / (h * h);
    EXPECT_NEAR(curvature, wanted, 1e-5 * std::abs(wanted)) << law;
  }
}

class ZonesByMethod : public testing::TestWithParam<ZoneMethod> {};

TEST_P(ZonesByMethod, SqueezedBlockKeepsItsVolume) {
  Context context(2);
  BodySpec body = block(5);
  body.zones = {whole_zone(body.mesh)};
  const Model model = build_model({body}, {.zones = {.method = GetParam()}}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  for (int step = 1; step <= 3; ++step) {
    const StepReport report = advance(
        model, state, {.held_positions = held(model, {0, 0, -0.01 * step})}, scratch, context);
    ASSERT_TRUE(report.converged());
    EXPECT_EQ(report.fallbacks, 0);
    EXPECT_LE(report.iterations, GetParam() == ZoneMethod::Multiplier ? 40 : 8);
  }
  const double worst = zone_report(model, state, context.arena).worst;
  if (GetParam() == ZoneMethod::Linear) {
    EXPECT_LT(worst, 0.02);
    EXPECT_GT(worst, 1e-6);
  } else {
    EXPECT_LE(worst, 1e-9);
  }
  EXPECT_GT(state.pressures[0], 0);
}

INSTANTIATE_TEST_SUITE_P(All, ZonesByMethod,
                         testing::Values(ZoneMethod::Exact, ZoneMethod::Multiplier,
                                         ZoneMethod::Linear));

TEST(Zones, MultipliersAndTheBorderedSystemFindTheSame) {
  Context context(2);
  std::vector<State> states;
  // One solve per zone, MINRES, and the outer iteration.
  const ZoneParams ways[] = {{}, {.most_direct = 0}, {.method = ZoneMethod::Multiplier}};
  for (const ZoneParams& way : ways) {
    BodySpec body = block(4);
    add_halves(body);
    body.zones.pop_back();
    const Model model =
        build_model({body}, {.newton = {.tolerance = 1e-9}, .zones = way}, context.arena);
    State state = make_state(model);
    Scratch scratch(model);
    const StepReport report = advance(
        model, state, {.gravity = {20, 0, 0}, .held_positions = held(model, {0.01, 0, -0.01})},
        scratch, context);
    ASSERT_TRUE(report.converged());
    EXPECT_EQ(report.fallbacks, 0);
    EXPECT_LE(zone_report(model, state, context.arena).worst, 1e-9);
    states.push_back(state);
  }
  for (int k = 1; k < 3; ++k) {
    for (std::size_t i = 0; i < states[0].positions.size(); ++i) {
      for (int a = 0; a < 3; ++a) {
        EXPECT_NEAR(states[0].positions[i][a], states[k].positions[i][a], 1e-8);
      }
    }
    for (int z = 0; z < 2; ++z) {
      EXPECT_NEAR(states[0].pressures[z], states[k].pressures[z],
                  1e-5 * std::abs(states[0].pressures[z]));
    }
  }
}

TEST(Zones, DependentZonesAreNoContradiction) {
  Context context(2);
  BodySpec body = block(4);
  add_halves(body);
  const Model model = build_model({body}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  const StepReport report =
      advance(model, state, {.held_positions = held(model, {0, 0, -0.02})}, scratch, context);
  ASSERT_TRUE(report.converged());
  EXPECT_EQ(report.fallbacks, 0);
  EXPECT_LE(zone_report(model, state, context.arena).worst, 1e-9);
}

TEST(Zones, ContradictionEndsLeastWrongAndIsTold) {
  Context context(2);
  BodySpec body = block(4);
  add_halves(body);
  const Model model = build_model({body}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  // The halves want a tenth more each, the whole nothing.
  const std::vector<double> wanted{1.1, 1.1, 1};
  const StepReport report =
      advance(model, state, {.held_positions = held(model, {0, 0, 0}), .volumes = wanted}, scratch,
              context);
  ASSERT_TRUE(report.converged());
  EXPECT_EQ(report.fallbacks, 1);
  EXPECT_NE(report.fallback.find("least wrong"), std::string_view::npos);
  const ZoneReport zones = zone_report(model, state, context.arena);
  EXPECT_GT(zones.volume[0], 1.001);
  EXPECT_LT(zones.volume[0], 1.099);
  EXPECT_NEAR(zones.volume[0], zones.volume[1], 0.01);
}

TEST(Zones, HeldAllOverEndsLeastWrong) {
  Context context(1);
  BodySpec body = block(2);
  body.holds = {hold_where(body.mesh, "all", [](const Vec3d&) { return true; })};
  body.zones = {whole_zone(body.mesh)};
  const Model model = build_model({body}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  std::vector<Vec3d> shrunk = held(model, {0, 0, 0});
  for (Vec3d& x : shrunk) x *= 0.9;
  const StepReport report = advance(model, state, {.held_positions = shrunk}, scratch, context);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.fallbacks, 1);
}

/// A static step to where the second hold is moved; all zones have their volumes then.
void expect_volumes_kept(const BodySpec& body, const Vec3d& way, const Vec3d& gravity = {0, 0, 0}) {
  Context context(2);
  const Model model = build_model({body}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  const StepReport report = advance(
      model, state, {.gravity = gravity, .held_positions = held(model, way)}, scratch, context);
  ASSERT_TRUE(report.converged());
  EXPECT_EQ(report.fallbacks, 0);
  EXPECT_LE(zone_report(model, state, context.arena).worst, 1e-9);
}

TEST(Zones, EveryOneRingKeepsItsVolume) {
  BodySpec body = block(4);
  body.holds.pop_back();
  body.zones = ring_zones(body.mesh, 1);
  EXPECT_EQ(body.zones.size(), body.mesh.positions.size());
  expect_volumes_kept(body, {0, 0, 0}, {9.8, 0, 0});
}

TEST(Zones, RingsThatShareMostOfTheirTetsKeepTheirVolumes) {
  Context context(2);
  for (const solve::Integrator integrator :
       {solve::Integrator::Static, solve::Integrator::BackwardEuler}) {
    BodySpec body = block(4);
    body.holds.pop_back();
    body.zones = ring_zones(body.mesh, 2);
    const Model model = build_model({body}, {.integrator = integrator}, context.arena);
    EXPECT_LT(model.zones.metric.rank(), model.zones.count());
    EXPECT_GT(int(model.zones.metric.rank()), model.params.zones.most_direct);
    State state = make_state(model);
    Scratch scratch(model);
    scratch.poison();
    const StepReport report = advance(model, state,
                                      {.gravity = {9.8, 0, 0},
                                       .held_positions = held(model, {0, 0, 0}),
                                       .dt = model.moves() ? 0.01 : 0},
                                      scratch, context);
    ASSERT_TRUE(report.converged());
    EXPECT_EQ(report.fallbacks, 0);
    EXPECT_LT(report.krylov_iterations, 100 * report.iterations);
    EXPECT_LE(zone_report(model, state, context.arena).worst, 1e-9);
  }
}

TEST(Zones, ZonesThatDifferByOneTetKeepTheirVolumes) {
  BodySpec body = block(4);
  body.zones = {whole_zone(body.mesh), whole_zone(body.mesh, "nearly")};
  body.zones[1].tets.pop_back();
  expect_volumes_kept(body, {0, 0, -0.02});
}

TEST(Zones, MultipliersLeadWhereNewtonsMethodGoesAstray) {
  BodySpec body = block(4);
  body.zones = ring_zones(body.mesh, 1);
  // Four fifths of the layer beneath the lid at once.
  expect_volumes_kept(body, {0, 0, -0.02});
}

TEST(Zones, ManyZonesThatContradictEndLeastWrong) {
  Context context(2);
  BodySpec body = block(2);
  body.zones = ring_zones(body.mesh, 1);
  body.zones.push_back(whole_zone(body.mesh));
  const Model model = build_model({body}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  std::vector<double> wanted(model.zones.count(), 1);
  wanted.back() = 1.1;
  const StepReport report =
      advance(model, state, {.held_positions = held(model, {0, 0, 0}), .volumes = wanted}, scratch,
              context);
  ASSERT_TRUE(report.converged());
  EXPECT_EQ(report.fallbacks, 1);
  const double worst = zone_report(model, state, context.arena).volume.back();
  EXPECT_GT(worst, 1);
  EXPECT_LT(worst, 1.1);
}

TEST(Zones, FallingBlockKeepsItsVolumeInTime) {
  for (const ZoneMethod method : {ZoneMethod::Exact, ZoneMethod::Linear}) {
    std::vector<std::vector<Vec3d>> ends;
    for (const int threads : {1, 3}) {
      Context context(threads);
      BodySpec body = block(4);
      body.holds.pop_back();
      body.zones = {whole_zone(body.mesh)};
      const Model model = build_model(
          {body}, {.integrator = solve::Integrator::BackwardEuler, .zones = {.method = method}},
          context.arena);
      State state = make_state(model);
      Scratch scratch(model);
      for (int k = 0; k < 4; ++k) {
        if (threads > 1) scratch.poison();
        const StepReport report =
            advance(model, state,
                    {.gravity = {0, 0, -30}, .held_positions = held(model, {0, 0, 0}), .dt = 0.01},
                    scratch, context);
        ASSERT_TRUE(report.converged());
        EXPECT_EQ(report.fallbacks, 0);
      }
      EXPECT_LE(zone_report(model, state, context.arena).worst,
                method == ZoneMethod::Exact ? 1e-9 : 1e-3);
      ends.push_back(state.positions);
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i) {
      for (int a = 0; a < 3; ++a) EXPECT_EQ(ends[0][i][a], ends[1][i][a]);
    }
  }
}

TEST(Zones, RingsGrow) {
  const geometry::TetMesh mesh = box_of_tets(4, 4, 0.25, 0);
  const auto one = ring_zones(mesh, 1), two = ring_zones(mesh, 2);
  const int middle = 2 + 5 * (2 + 5 * 2);
  EXPECT_EQ(one[middle].tets.size(), 24u);
  EXPECT_GT(two[middle].tets.size(), 96u);
  EXPECT_TRUE(std::ranges::includes(two[middle].tets, one[middle].tets));
}

TEST(Zones, PaintIsCarriedInwards) {
  Context context(2);
  const geometry::TetMesh mesh = ball_of_tets(10, 0);
  PaintedZone top{.name = "top", .weights = {}}, all{.name = "all", .weights = {}};
  for (const Vec3d& x : mesh.positions) {
    top.weights.push_back(x[2] > 0 ? 1 : 0);
    all.weights.push_back(1);
  }
  const PaintedZone painted[] = {top, all};
  const std::vector<ZoneSpec> zones = painted_zones(mesh, painted, context.arena);
  EXPECT_EQ(zones[1].tets.size(), mesh.tets.size());
  std::vector<char> in_top(mesh.tets.size(), 0);
  for (const std::int32_t t : zones[0].tets) in_top[t] = 1;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    Vec3d middle{0, 0, 0};
    for (const std::int32_t n : mesh.tets[t]) middle += 0.25 * mesh.positions[n];
    // Half a cell, seen from the middle of the ball, is left to the border of the paint.
    const double height = middle[2] / std::sqrt(dot(middle, middle));
    if (std::abs(height) < 0.25) continue;
    EXPECT_EQ(in_top[t], height > 0);
  }
  const PaintedZone none[] = {
      {.name = "none", .weights = std::vector<double>(top.weights.size(), 0)}};
  EXPECT_THROW(painted_zones(mesh, none, context.arena), Error);
}

TEST(Zones, BadNumbersAreNamed) {
  Context context(1);
  for (const std::vector<std::int32_t>& tets :
       {std::vector<std::int32_t>{}, {1, 1}, {-1}, {100000}}) {
    BodySpec body = block(2);
    body.zones = {{.name = "liver", .tets = tets}};
    try {
      build_model({body}, {}, context.arena);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.place(), "block.liver");
    }
  }
}

TEST(SolveByPivots, FindsRankAndWhatIsLeft) {
  std::vector<double> rows{2, 1, 3, 3,  //
                           1, 3, 4, 4,  //
                           3, 4, 7, 7};
  std::vector<std::int32_t> order(3);
  std::vector<double> x(3);
  EXPECT_LT(solve_by_pivots(rows, order, 1e-8, x), 1e-14);
  EXPECT_NEAR(2 * x[0] + x[1] + 3 * x[2], 3, 1e-14);
  EXPECT_NEAR(x[0] + 3 * x[1] + 4 * x[2], 4, 1e-14);
  rows = {2, 1, 3, 3, 1, 3, 4, 4, 3, 4, 7, 8};
  EXPECT_GT(solve_by_pivots(rows, order, 1e-8, x), 0.1);
}

}  // namespace
}  // namespace isochor::tets
