/// Sheets as parts of models of tets.
#include "isochor/shells/sheets.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "isochor/base/context.h"
#include "isochor/materials/registry.h"
#include "isochor/shells/band.h"
#include "isochor/shells/fit.h"
#include "isochor/tets/solver.h"
#include "isochor/tets/touching.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

materials::Material sheet_test_flesh() {
  materials::Material m;
  m.law = materials::law_index("neo_hookean");
  m.mu = 1e4;
  m.lambda = 3e4;
  m.density = 1000;
  return m;
}

shells::BandMesh ring(double radius, double width, int around, int rows) {
  return shells::make_band(around, rows, {0, 1, 0}, [&](double turn, double part) {
    const double angle = 2 * M_PI * turn;
    return Vec3d{radius * std::cos(angle), width * (part - 0.5), -radius * std::sin(angle)};
  });
}

BodySpec ring_body(double radius, double width, int around, int rows, double scale) {
  shells::BandMesh mesh = ring(radius, width, around, rows);
  BodySpec body{.name = "ring"};
  body.mesh.positions = std::move(mesh.positions);
  shells::SheetSpec sheet{
      .name = "sheet", .triangles = std::move(mesh.triangles), .law = shells::RubberLaw{.mu = 1e5}};
  sheet.directions = std::move(mesh.directions);
  sheet.rest_scale = {scale, 1};
  body.sheets = {std::move(sheet)};
  return body;
}

BodySpec box_with_skin() {
  BodySpec body{.name = "box", .mesh = box_of_tets(3, 2, 0.1, 0.2)};
  body.materials = {sheet_test_flesh()};
  body.sheets = {{.name = "skin",
                  .triangles = geometry::boundary_triangles(body.mesh.tets),
                  .law = shells::AreaLaw{.lambda = 1e6},
                  .thickness = 2e-3,
                  .bending = 0.5}};
  return body;
}

TEST(TetSheets, MatrixIsTheDifferentialOfTheForce) {
  Context context(2);
  BodySpec box = box_with_skin();
  box.sheets[0].bending = 0;  // hinges leave out a part of it
  const Model model = build_model({box, ring_body(0.3, 0.1, 12, 2, 0.8)},
                                  {.preconditioner = Preconditioner::Jacobi}, context.arena);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Vec3d> x = model.rest_positions, v(x.size()), image(x.size()), ahead(x.size()),
                     behind(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    v[i] = {number(random), number(random), number(random)};
    x[i] += Vec3d{0.1 * x[i][1], -0.1 * x[i][0], 0} +
            0.005 * Vec3d{number(random), number(random), number(random)};
  }
  ElasticMemory memory(model);
  LinearMemory linear(model);
  linearise(model, {x}, materials::Definiteness::None, linear.stiffnesses, context.arena);
  assemble(model, linear.stiffnesses, linear.matrix, context.arena);
  add_sheet_stiffness(model, {x}, materials::Definiteness::None, linear.sheet_terms, linear.matrix,
                      context.arena);
  solve::multiply(model.pattern, linear.matrix, std::span<const Vec3d>(v), std::span(image),
                  context.arena);
  double best = 1, best_slope = 1;
  for (const double eps : {1e-5, 1e-6, 1e-7}) {
    std::vector<Vec3d> forward(x), backward(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      forward[i] += eps * v[i];
      backward[i] -= eps * v[i];
    }
    const double high = elastic_force(model, {forward}, ahead, memory, context.arena);
    const double low = elastic_force(model, {backward}, behind, memory, context.arena);
    EXPECT_DOUBLE_EQ(high, elastic_energy(model, {forward}, memory, context.arena));
    double error = 0, size = 0, slope = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vec3d d = (0.5 / eps) * (behind[i] - ahead[i]) - image[i];
      error += dot(d, d);
      size += dot(image[i], image[i]);
      slope -= 0.5 * dot(ahead[i] + behind[i], v[i]);
    }
    best = std::min(best, std::sqrt(error / size));
    best_slope = std::min(best_slope, std::abs((high - low) / (2 * eps) / slope - 1));
  }
  EXPECT_LT(best, 5e-6) << "tangents of tets are in single precision, sheets slightly stiffened";
  EXPECT_LT(best_slope, 1e-7);
}

TEST(TetSheets, SkinKeepsTheAreaOfABodyThatIsPulled) {
  Context context(2);
  const auto area_of_pulled = [&](bool with_skin) {
    BodySpec body = box_with_skin();
    if (!with_skin) body.sheets.clear();
    std::vector<Vec3d> held;
    body.holds = {{.name = "ends", .nodes = {}}};
    for (std::size_t n = 0; n < body.mesh.positions.size(); ++n) {
      const Vec3d& p = body.mesh.positions[n];
      if (p[0] > 1e-9 && p[0] < 0.3 - 1e-9) continue;
      body.holds[0].nodes.push_back(std::int32_t(n));
      held.push_back(p[0] > 0.1 ? p + Vec3d{0.1, 0, 0} : p);
    }
    const Model model = build_model({body}, {}, context.arena);
    State state = make_state(model);
    Scratch scratch(model);
    EXPECT_TRUE(advance(model, state, {.held_positions = held}, scratch, context).converged());
    double now = 0, rest = 0;
    for (const geometry::Triangle& t : geometry::boundary_triangles(body.mesh.tets)) {
      const auto area = [&](std::span<const Vec3d> x) {
        return 0.5 * norm(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
      };
      now += area(state.positions);
      rest += area(model.rest_positions);
    }
    return now / rest - 1;
  };
  const double bare = area_of_pulled(false), skinned = area_of_pulled(true);
  EXPECT_GT(bare, 0.1);
  EXPECT_LT(std::abs(skinned), 0.85 * bare);
}

TEST(TetSheets, HeldPointsOfASheetWithoutMassGoWhereTheyAreHeld) {
  Context context(1);
  BodySpec body = ring_body(0.3, 0.1, 24, 2, 1);
  body.holds = {{.name = "rims", .nodes = {}}};
  std::vector<Vec3d> held;
  for (const std::int32_t first : {0, 48}) {
    for (std::int32_t n = first; n < first + 24; ++n) {
      body.holds[0].nodes.push_back(n);
      held.push_back(body.mesh.positions[n] + Vec3d{0, first > 0 ? 0.02 : 0, 0});
    }
  }
  const Model model = build_model({body}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  const StepReport report = advance(model, state, {.held_positions = held}, scratch, context);
  ASSERT_TRUE(report.converged()) << report.residual;
  for (std::size_t n = 24; n < 48; ++n) {
    EXPECT_NEAR(state.positions[n][1], 0.01, 1e-6) << "half way between the rims";
    EXPECT_LT(std::hypot(state.positions[n][0], state.positions[n][2]), 0.3) << "narrower";
  }
}

TEST(TetSheets, BandOnACylinderPressesByItsTension) {
  Context context(2);
  const double r = 0.05, reach = 1e-4;
  const Model model =
      build_model({ring_body(r + 0.9 * reach, 0.02, 32, 4, 0.8)}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  contact::ContactEnergy contact = make_contact(model, {.reach = reach}, 0);
  const contact::Colliders colliders({{.name = "rod", .shape = contact::Cylinder{0.1, r}}},
                                     context.arena);
  contact.place(colliders.at(0, context.arena), 0);
  const StepReport report = advance(model, state, {.contact = &contact}, scratch, context);
  ASSERT_TRUE(report.converged()) << report.residual;
  contact.evaluate(state.positions, context.arena);
  const std::vector<double> pressure = shells::contact_pressures(contact, state.positions);
  double radius = 0, mean = 0;
  for (std::size_t n = 0; n < pressure.size(); ++n) {
    radius += std::hypot(state.positions[n][0], state.positions[n][2]) / double(pressure.size());
    mean += pressure[n] / double(pressure.size());
  }
  EXPECT_GT(radius, r);
  const double stretch = radius / (0.8 * (r + 0.9 * reach));
  const double tension = 1e5 * 1e-3 * (stretch * stretch - 1 / stretch) / std::sqrt(stretch);
  EXPECT_NEAR(mean, tension / r, 0.01 * tension / r);
  EXPECT_NEAR(shells::tension(model.sheets, 60, {state.positions}).principal[0], tension,
              0.01 * tension);
}

TEST(TetSheets, ResultsDoNotDependOnThreadsOrMemory) {
  std::vector<std::vector<Vec3d>> results;
  for (const int threads : {1, 2}) {
    Context context(threads);
    BodySpec body = box_with_skin();
    body.holds = {{.name = "end", .nodes = {}}};
    std::vector<Vec3d> held;
    for (std::size_t n = 0; n < body.mesh.positions.size(); ++n) {
      if (body.mesh.positions[n][0] > 1e-9) continue;
      body.holds[0].nodes.push_back(std::int32_t(n));
      held.push_back(body.mesh.positions[n]);
    }
    const Model model = build_model({body}, {}, context.arena);
    State state = make_state(model);
    Scratch scratch(model);
    if (threads == 2) scratch.poison();
    ASSERT_TRUE(
        advance(model, state, {.gravity = {0, -9.81, 0}, .held_positions = held}, scratch, context)
            .converged());
    results.push_back(state.positions);
  }
  for (std::size_t n = 0; n < results[0].size(); ++n) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(results[0][n][a], results[1][n][a]);
  }
}

}  // namespace
}  // namespace isochor::tets
