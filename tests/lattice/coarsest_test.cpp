#include "isochor/lattice/coarsest.h"

#include <gtest/gtest.h>
#include <set>

#include "isochor/lattice/hierarchy.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

TEST(LatticeCoarsest, NodesOfAColourShareNoNeighbour) {
  const Model model = build_model({box_spec(5, 4, 3, 1)}, {});
  const DirectPlan plan = plan_direct(model, {});
  std::size_t nodes = 0;
  for (const auto& colour : plan.colours) {
    std::set<std::int32_t> seen;
    for (const std::int32_t n : colour) {
      ++nodes;
      for (std::int32_t k = plan.first_neighbour[n]; k < plan.first_neighbour[n + 1]; ++k) {
        EXPECT_TRUE(seen.insert(plan.neighbours[k]).second);
      }
    }
  }
  EXPECT_EQ(nodes, model.node_count());
  EXPECT_LE(plan.colours.size(), 36u);
}

TEST(LatticeCoarsest, AThinBodyHasANarrowFront) {
  const Model rod = build_model({box_spec(40, 1, 1, 1)}, {});
  const DirectPlan plan = plan_direct(rod, {});
  EXPECT_LE(plan.envelope.joint, 3u * 4);
  for (int h = 0; h < 2; ++h) {
    const auto& first = plan.envelope.halves[h];
    EXPECT_LE(first.size(), 3u * 22 * 4) << "as long as the other";
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_LE(std::ptrdiff_t(i) - first[i], 3 * 12 - 1);
    }
  }
}

/// Two boxes, one tied to the other by a spring that rides on cells of both.
TEST(LatticeCoarsest, FactorsSolveWithSpringsBetweenBodies) {
  BodySpec first = box_spec(3, 2, 2, 1), second = box_spec(2, 2, 2, 1);
  first.name = "first";
  const auto offset = static_cast<std::int32_t>(first.lattice.rest_positions.size());
  const solve::Spring tie{.terms = {{0, 0.5}, {3, 0.5}, {offset, -0.25}, {offset + 1, -0.75}},
                          .stiffness = Mat3d::diagonal({3, 2, 1})};
  const solve::Spring ground{.terms = {{5, 1.0}}, .stiffness = Mat3d::diagonal({9, 9, 9})};
  const Model model = build_model({first, second}, {}, {{"ties", {tie, ground}}});
  const BlockMatrix springs = spring_matrix(std::array{tie, ground});
  const DirectPlan plan = plan_direct(model, springs);
  ThreadArena arena(1);
  Tangents tangents(model);
  linearise(model, Configuration(shaken(model, 0.1, 3)), materials::Definiteness::Absolute,
            tangents, arena);
  const std::size_t nodes = model.node_count();
  std::vector<Vec3f> x(nodes), image(nodes);
  const auto multiply = [&] {
    apply_stiffness(model, tangents, std::span<const Vec3f>(x), std::span(image), arena);
    add_product(springs, x, image, arena);
    for (std::size_t n = 0; n < nodes; ++n) image[n] += x[n];  // definite
  };
  solve::SplitCholesky cholesky(plan.envelope);
  const auto fixed = [](std::int32_t n, int a) { return n == 2 && a == 1; };
  factorise(plan, cholesky, x, image, fixed, multiply, arena);

  std::vector<double> answer(3 * nodes);
  std::vector<Vec3f> wanted(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    wanted[n] = {float(std::sin(double(n))), float(std::cos(2.0 * double(n))), float(n % 3)};
  }
  wanted[2][1] = 0;
  x = wanted;
  multiply();
  for (std::size_t n = 0; n < nodes; ++n) {
    for (int a = 0; a < 3; ++a) answer[3 * plan.place[n] + a] = image[n][a];
  }
  cholesky.solve(answer, arena);
  for (std::size_t n = 0; n < nodes; ++n) {
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(answer[3 * plan.place[n] + a], wanted[n][a], 1e-4);
  }
}

/// A coarse level feels a spring as the fine one does, for motions that it can make.
TEST(LatticeCoarsest, SpringsOfCoarseLevelsAreThoseOfTheFinest) {
  BodySpec spec = box_spec(12, 12, 12, 1);
  const solve::Spring spring{.terms = {{100, 0.3}, {101, 0.7}},
                             .stiffness = Mat3d::diagonal({4, 5, 6})};
  const Model model =
      build_model({spec}, {.preconditioner = Preconditioner::Multigrid}, {{"s", {spring}}});
  ThreadArena arena(1);
  ASSERT_GE(model.hierarchy->levels.size(), 1u);
  for (const CoarseLevel& level : model.hierarchy->levels) {
    // A rigid shift stretches it by its length, on every level.
    std::vector<Vec3f> shift(level.model.node_count(), Vec3f{1, 1, 1});
    std::vector<Vec3f> pull(shift.size(), Vec3f{0, 0, 0});
    add_product(level.springs, shift, pull, arena);
    Vec3f sum{0, 0, 0};
    for (const Vec3f& p : pull) sum += p;
    EXPECT_NEAR(sum[0], 4, 1e-5);
    EXPECT_NEAR(sum[1], 5, 1e-5);
    EXPECT_NEAR(sum[2], 6, 1e-5);
  }
}

}  // namespace
}  // namespace isochor::lattice
