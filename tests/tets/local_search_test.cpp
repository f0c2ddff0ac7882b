#include "isochor/tets/local_search.h"

#include <cstring>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "isochor/tets/fields.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

constexpr int kCells = 12;
constexpr double kEdge = 0.01;

/// A block on its lowest nodes, which are held. Few tets in the middle of the floor are flat, where
/// `height` is below one.
BodySpec block(double height) {
  BodySpec body{.name = "block", .mesh = box_of_tets(kCells, kCells, kEdge, 0)};
  HoldSpec floor{.name = "floor", .nodes = {}};
  const Vec3d middle{kEdge * kCells / 2, kEdge * kCells / 2, kEdge};
  for (std::size_t i = 0; i < body.mesh.positions.size(); ++i) {
    Vec3d& x = body.mesh.positions[i];
    if (norm(x - middle) < 0.5 * kEdge) x[2] = height * kEdge;
    if (x[2] == 0) floor.nodes.push_back(std::int32_t(i));
  }
  materials::Material m;
  m.law = materials::law_index("neo_hookean_isochoric");
  m.mu = 1e4;
  m.lambda = 5e4;
  m.shape[0] = 1;
  m.density = 1000;
  body.materials = {m};
  body.holds = {std::move(floor)};
  body.zones = {whole_zone(body.mesh)};
  return body;
}

struct Hit {
  solve::NewtonReport report;
  tets::State state;
};

/// The floor comes up by nearly half of an edge within a step.
Hit hit(double height, int threads) {
  Context context(threads);
  const Model model =
      build_model({block(height)}, {.integrator = solve::Integrator::BackwardEuler}, context.arena);
  Hit out{{}, make_state(model)};
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    if (!model.held[i]) out.state.velocities[i] = {0, 0, -4};
  }
  std::vector<Vec3d> held;
  for (const std::int32_t n : model.holds[0].nodes) held.push_back(model.rest_positions[n]);
  Scratch scratch(model);
  scratch.poison();
  out.report = advance(model, out.state, {.held_positions = held, .dt = 1e-3}, scratch, context);
  EXPECT_TRUE(out.report.converged());
  EXPECT_LE(zone_report(model, out.state, context.arena).worst, 1e-9);
  return out;
}

TEST(LocalSearch, FewFlatTetsCostOthersNoIterations) {
  const int even = hit(1, 1).report.iterations;
  EXPECT_LE(hit(0.1, 1).report.iterations, even);
}

TEST(LocalSearch, SameBitsForAnyNumberOfThreads) {
  const Hit one = hit(0.1, 1), two = hit(0.1, 2);
  EXPECT_EQ(one.report.iterations, two.report.iterations);
  EXPECT_EQ(0, std::memcmp(one.state.positions.data(), two.state.positions.data(),
                           one.state.positions.size() * sizeof(Vec3d)));
}

TEST(LocalSearch, ForcesSpreadOverAllNodesAreNotFew) {
  Context context(1);
  const Model model =
      build_model({block(1)}, {.integrator = solve::Integrator::BackwardEuler}, context.arena);
  LocalMemory memory(model);
  const Restraint restraint{model, {}};
  LocalSearch search(model, restraint, memory, context);
  std::vector<Vec3d> left(model.node_count(), Vec3d{0, 1, 0});
  EXPECT_FALSE(search.choose(left, 1.0 / 200));
  left[1000] = {1000, 0, 0};
  EXPECT_TRUE(search.choose(left, 1.0 / 200));
  // With its neighbours.
  EXPECT_GE(memory.place[1000], 0);
  EXPECT_GT(memory.nodes.size(), 8u);
  for (const std::int32_t n : memory.nodes) EXPECT_FALSE(model.held[n]);
  left.assign(left.size(), Vec3d{0, 0, 0});
  EXPECT_FALSE(search.choose(left, 1.0 / 200)) << "nothing is left";
}

TEST(LocalSearch, WhereNodesMovedForcesAreThoseOfAllTetsAnew) {
  Context context(2);
  const Model model =
      build_model({block(1)}, {.integrator = solve::Integrator::BackwardEuler}, context.arena);
  LocalMemory memory(model);
  const Restraint restraint{model, {}};
  LocalSearch search(model, restraint, memory, context);
  std::vector<Vec3d> x = model.rest_positions, left(model.node_count(), Vec3d{0, 0, 0});
  ElasticMemory elastic(model), anew(model);
  std::vector<Vec3d> force(model.node_count()), expected(model.node_count());
  elastic_force(model, {x}, force, elastic, context.arena);
  // One choice after the other, beside each other: none leaves marks behind.
  for (const std::size_t chosen : {1000u, 1001u, 1400u}) {
    left.assign(left.size(), Vec3d{0, 0, 0});
    left[chosen] = {1, 0, 0};
    ASSERT_TRUE(search.choose(left, 1.0 / 200));
    for (const std::int32_t n : memory.nodes) x[n] += Vec3d{0.1 * kEdge, 0, -0.05 * kEdge};
    elastic_corner_forces(model, {x}, memory.selection, elastic, context.arena);
    sum_corner_forces(model, elastic, search.touched(), force, context.arena);
    elastic_force(model, {x}, expected, anew, context.arena);
    EXPECT_EQ(0, std::memcmp(force.data(), expected.data(), force.size() * sizeof(Vec3d)));
    EXPECT_GT(search.touched().size(), memory.nodes.size());
    EXPECT_LT(search.touched().size(), model.node_count() / 4);
  }
}

TEST(TetSelection, SomeTetsHaveTheNumbersThatTheyHaveAmongAll) {
  Context context(2);
  const Model model =
      build_model({block(0.3)}, {.integrator = solve::Integrator::BackwardEuler}, context.arena);
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) p = {p[0] + 0.2 * p[2], 0.9 * p[1], p[2] + 3 * p[0] * p[1]};
  ElasticMemory all(model), some(model);
  std::vector<Vec3d> force(model.node_count());
  elastic_force(model, {x}, force, all, context.arena);
  TetSelection selection;
  for (std::int32_t t = std::int32_t(model.tets.size()) - 1; t >= 0; t -= 7) {
    selection.tets.insert(selection.tets.end(), {t, t});
  }
  selection.complete(model);
  elastic_corner_forces(model, {x}, selection, some, context.arena);
  Stiffnesses of_all(model.tets.size()), of_some(model.tets.size());
  const auto fix = materials::Definiteness::Clamp;
  linearise(model, {x}, fix, of_all, context.arena);
  linearise(model, {x}, fix, selection, of_some, context.arena);
  ASSERT_EQ(selection.tets.size(), (model.tets.size() + 6) / 7);
  for (const std::int32_t t : selection.tets) {
    EXPECT_EQ(
        0, std::memcmp(&all.corner_forces[4 * t], &some.corner_forces[4 * t], 4 * sizeof(Vec3d)));
    EXPECT_EQ(0, std::memcmp(&of_all[t], &of_some[t], sizeof(TetStiffness)));
  }
}

}  // namespace
}  // namespace isochor::tets
