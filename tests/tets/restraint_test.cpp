#include "isochor/tets/restraint.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/base/context.h"
#include "isochor/materials/registry.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

TEST(TetRestraint, NodesHaveWhatAllHoldsThatSlideLeaveOfThem) {
  Context context(1);
  BodySpec body{.name = "box", .mesh = box_of_tets(2, 2, 0.1, 0)};
  body.materials = {{.law = materials::law_index("linear"), .mu = 1e4, .lambda = 1e4}};
  // Two planes that are not perpendicular, one of them twice, and a line.
  body.sliding = {{"a", {3, 5}}, {"b", {5}}, {"again", {3}}, {"line", {5, 7}, true}};
  const Model model =
      build_model({body}, {.preconditioner = Preconditioner::Jacobi}, context.arena);
  EXPECT_EQ(model.sliding_count(), 6u);
  const double s = std::sqrt(0.5);
  const std::vector<Vec3d> directions{{1, 0, 0}, {s, s, 0}, {1, 0, 0}, {0, 0, 1}};
  const std::vector<Vec3d> targets{{0.3, 9, 9}, {0.4, 9, 9}, {0.4, 0.6, 9},
                                   {0.3, 7, 7}, {8, 8, 8},   {0.1, 0.2, 9}};
  const std::vector<Slide> slides = slides_of_holds(model, directions, targets);
  std::vector<std::int32_t> nodes;
  for (const Slide& slide : slides) nodes.push_back(slide.node);
  // The plane again says nothing new, nor does the line at a node that two planes hold.
  EXPECT_EQ(nodes, (std::vector<std::int32_t>{3, 5, 5, 7, 7}));
  const auto place = [&](std::int32_t node) {
    Vec3d x{5, 5, 5};
    for (const Slide& slide : slides) {
      if (slide.node == node) x += (slide.place - dot(slide.normal, x)) * slide.normal;
    }
    return x;
  };
  EXPECT_LT(norm(place(3) - Vec3d{0.3, 5, 5}), 1e-14);
  EXPECT_LT(norm(place(5) - Vec3d{0.4, 0.6, 5}), 1e-14) << "in both planes";
  EXPECT_LT(norm(place(7) - Vec3d{0.1, 0.2, 5}), 1e-14) << "on the line";
  // What they leave is left as it is, by a projection.
  std::vector<Vec3d> v(model.node_count(), Vec3d{1, 2, 3});
  const Restraint restraint{model, slides};
  restraint(std::span(v), context.arena);
  EXPECT_LT(norm(v[3] - Vec3d{0, 2, 3}), 1e-14);
  EXPECT_LT(norm(v[5] - Vec3d{0, 0, 3}), 1e-14);
  EXPECT_LT(norm(v[7] - Vec3d{0, 0, 3}), 1e-14);
  const std::vector<Vec3d> once = v;
  restraint(std::span(v), context.arena);
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_LT(norm(v[i] - once[i]), 1e-15);
}

}  // namespace
}  // namespace isochor::tets
