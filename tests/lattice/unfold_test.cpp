#include "isochor/lattice/unfold.h"

#include <gtest/gtest.h>

#include "isochor/lattice/solver.h"
#include "isochor/materials/registry.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

Vec3d affine(const Vec3d& p) {
  return {1.3 * p[0] + 0.2 * p[1], 0.8 * p[1] - 0.1 * p[2], 1.1 * p[2] + 0.3 * p[0]};
}

/// A cube held at one side, and the node at the corner opposite to its origin.
struct Cube {
  explicit Cube(const char* law = "corotated") {
    BodySpec spec = box_spec(4, 4, 4, 0.25);
    make_uniform(spec, 1e4, 1.5e4);
    spec.law = materials::law_index(law);
    const auto shape = materials::shape_parameters(spec.law);
    for (std::size_t i = 0; i < shape.size(); ++i) spec.shape[i] = shape[i].fallback;
    if (shape.size() > 1) spec.shape[0] = 0.1;  // c2
    spec.holds = {hold_where(spec, "side", [](const Vec3d& p) { return p[0] < 1e-9; })};
    model = build_model({spec}, {.newton = {.max_iterations = 200}});
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      if (norm(model.rest_positions[n] - Vec3d{1, 1, 1}) < 1e-9) corner = n;
    }
  }
  Model model;
  std::size_t corner = 0;
  ThreadArena arena{1};
};

TEST(Unfold, NothingIsFoldedWithoutInvertedCorners) {
  Cube cube;
  std::vector<Vec3d> x = cube.model.rest_positions;
  for (Vec3d& p : x) p = affine(p);
  EXPECT_EQ(count_folded(cube.model, x, cube.arena), 0u);
  const std::vector<Vec3d> before = x;
  unfold(cube.model, x);
  for (std::size_t n = 0; n < x.size(); ++n) EXPECT_EQ(norm(x[n] - before[n]), 0);
}

TEST(Unfold, ACornerPushedIntoTheBodyReturnsToItsPlace) {
  Cube cube;
  std::vector<Vec3d> x = cube.model.rest_positions;
  for (Vec3d& p : x) p = affine(p);
  const Vec3d place = x[cube.corner];
  x[cube.corner] = affine({0.6, 0.6, 0.6});
  EXPECT_EQ(count_folded(cube.model, x, cube.arena), 1u);
  unfold(cube.model, x);
  EXPECT_LT(norm(x[cube.corner] - place), 1e-12);
  EXPECT_EQ(count_folded(cube.model, x, cube.arena), 0u);
}

TEST(Unfold, AnEndTurnedInsideOutIsRebuiltFromWhatIsNot) {
  Cube cube;
  std::vector<Vec3d> x = cube.model.rest_positions;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const Vec3d& rest = cube.model.rest_positions[n];
    x[n] = affine(rest[0] > 0.6 ? Vec3d{1.0 - rest[0], rest[1], rest[2]} : rest);
  }
  EXPECT_EQ(count_folded(cube.model, x, cube.arena), 2u * 25u) << "two layers of nodes";
  unfold(cube.model, x);
  for (std::size_t n = 0; n < x.size(); ++n) {
    EXPECT_LT(norm(x[n] - affine(cube.model.rest_positions[n])), 1e-12);
  }
}

TEST(Unfold, AMirroredBodyReturnsThoughOneCornerWouldStayInside) {
  // Of these starts Newton's method alone ends with a corner inside the body, at 0.71 edges away.
  Cube cube("muscle_mooney_rivlin");
  const auto held = targets(cube.model, [](const std::string&, const Vec3d& p) { return p; });
  Scratch scratch(cube.model);
  Context context(1);
  for (const Vec3d& across : {Vec3d{2, 1, 3}, Vec3d{-3, 2, 1}, Vec3d{1, -2, 1}}) {
    const Vec3d normal = across * (1 / norm(across));
    State state{cube.model.rest_positions};
    for (std::size_t n = 0; n < state.positions.size(); ++n) {
      if (cube.model.freedom[n] != Freedom::Free) continue;
      Vec3d& p = state.positions[n];
      p -= 2 * dot(p - Vec3d{0.5, 0.5, 0.5}, normal) * normal;
    }
    ASSERT_TRUE(advance(cube.model, state, {.held_positions = held}, scratch, context).converged());
    for (std::size_t n = 0; n < state.positions.size(); ++n) {
      EXPECT_LT(norm(state.positions[n] - cube.model.rest_positions[n]), 1e-4);
    }
  }
}

}  // namespace
}  // namespace isochor::lattice
