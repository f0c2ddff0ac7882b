#include "isochor/tets/rounded_solve.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "isochor/tets/linear_system.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

/// A block that stands on held nodes, slides along a slanted wall and is rubbed at a few nodes.
struct Block {
  explicit Block(int threads) : context(threads), model(build(context)), memory(model) {
    memory.poison();
    const Vec3d normal{0.6, 0, 0.8};
    for (std::int32_t i = 20; i < 200; i += 9) {
      if (model.held[i]) continue;
      slides.push_back({.node = i, .normal = normal, .place = 0});
      contact::Term term;
      term.count = 1;
      term.points[0] = i + 1;
      term.hessian[0] = Mat3d::diagonal({300, 200, 100});
      terms.push_back(term);
    }
    contact.assemble(terms, context.arena);
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      positions.push_back(model.rest_positions[i] * (1 + 0.1 * std::sin(double(i))));
      b.push_back(Vec3d{std::sin(double(i)), std::cos(2.0 * double(i)), 1});
    }
  }

  static Model build(Context& context) {
    BodySpec body{.name = "block", .mesh = box_of_tets(8, 8, 0.01, 0)};
    HoldSpec floor{.name = "floor", .nodes = {}};
    for (std::size_t i = 0; i < body.mesh.positions.size(); ++i) {
      if (body.mesh.positions[i][2] == 0) floor.nodes.push_back(std::int32_t(i));
    }
    materials::Material m;
    m.law = materials::law_index("stable_neo_hookean");
    m.mu = 1e4;
    m.lambda = 5e4;
    m.density = 1000;
    body.materials = {m};
    body.holds = {std::move(floor)};
    return build_model({body}, {.integrator = solve::Integrator::BackwardEuler}, context.arena);
  }

  /// In single precision, or by the general method in double, with the same rounded matrix.
  std::vector<Vec3d> solve(bool rounded, const solve::Accuracy& accuracy) {
    const Restraint restraint{model, slides};
    LinearSystem linear(model, restraint, memory, context);
    const std::optional<solve::TimeStep> time =
        solve::make_time_step(solve::Integrator::BackwardEuler, 1e-3, 0);
    linear.linearise({.positions = positions}, materials::Definiteness::Clamp, time, &contact);
    EXPECT_EQ(linear.applications(), 0) << "inertia is to rule";
    std::ranges::copy(b, linear.right_side().begin());
    std::vector<Vec3d> u(model.node_count());
    report = rounded ? linear.solve(u, accuracy)
                     : linear.solve(u, accuracy, [](std::span<const Vec3d>, std::span<Vec3d>) {});
    EXPECT_TRUE(report.converged);
    return u;
  }

  Context context;
  Model model;
  LinearMemory memory;
  std::vector<Slide> slides;
  std::vector<contact::Term> terms;
  contact::ContactMatrix contact;
  std::vector<Vec3d> positions, b;
  solve::KrylovReport report;
};

double difference(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += dot(a[i] - b[i], a[i] - b[i]);
    size += dot(b[i], b[i]);
  }
  return std::sqrt(apart / size);
}

TEST(RoundedSolve, IsTheSolutionOfTheGeneralMethod) {
  Block block(1);
  const std::vector<Vec3d> general = block.solve(false, 1e-9);
  const std::vector<Vec3d> rounded = block.solve(true, 1e-6);
  EXPECT_LT(difference(rounded, general), 1e-5);
  EXPECT_GT(difference(rounded, general), 0);
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    if (block.model.held[i]) {
      EXPECT_EQ(norm(rounded[i]), 0);
    }
  }
  for (const Slide& slide : block.slides) {
    EXPECT_LT(std::abs(dot(slide.normal, rounded[slide.node])), 1e-6 * norm(rounded[slide.node]));
  }
}

TEST(RoundedSolve, TakesTheIterationsOfTheGeneralMethod) {
  Block block(1);
  for (const solve::Accuracy& accuracy :
       {solve::Accuracy(0.1), solve::Accuracy(1e-3), solve::Accuracy(0.1, 1e-3, 5)}) {
    block.solve(false, accuracy);
    const solve::KrylovReport general = block.report;
    block.solve(true, accuracy);
    EXPECT_EQ(block.report.iterations, general.iterations);
    EXPECT_NEAR(block.report.relative_residual / general.relative_residual, 1, 1e-3);
  }
}

TEST(RoundedSolve, HasTheSameBitsForAnyThreads) {
  const std::vector<Vec3d> one = Block(1).solve(true, 1e-4);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(difference(Block(threads).solve(true, 1e-4), one), 0);
  }
}

TEST(RoundedSolve, NothingToDoIsDoneAtOnce) {
  Block block(1);
  std::ranges::fill(block.b, Vec3d{0, 0, 0});
  for (const Vec3d& u : block.solve(true, 1e-4)) EXPECT_EQ(norm(u), 0);
  EXPECT_EQ(block.report.iterations, 0);
}

}  // namespace
}  // namespace isochor::tets
