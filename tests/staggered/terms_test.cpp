#include "isochor/staggered/terms.h"

#include <gtest/gtest.h>

#include "isochor/staggered/loads.h"
#include "isochor/staggered/solver.h"

namespace isochor::staggered {
namespace {

/// Rows from the top; # is material, D a wall.
Domain<2> drawn(const std::vector<std::string>& rows) {
  const auto height = std::int32_t(rows.size()), width = std::int32_t(rows[0].size());
  Domain<2> domain({width, height}, {1, 1});
  domain.for_each([&](const Index<2>& c) {
    const char label = rows[std::size_t(height - 1 - c[1])][std::size_t(c[0])];
    domain.cells[domain.index(c)] = label == '#'   ? Cell::Interior
                                    : label == 'D' ? Cell::Dirichlet
                                                   : Cell::Exterior;
  });
  return domain;
}

TEST(StaggeredTerms, WithinMaterialAllCount) {
  const Shape<2> fine =
      finest_shape(drawn({"########", "########", "########", "########", "########", "########"}));
  const Shape<2> coarse = coarsened(fine, true);
  EXPECT_EQ(stretch_weight(coarse, {1, 1}, 0), 1);
  EXPECT_EQ(stretch_weight(coarse, {2, 1}, 1), 1);
  EXPECT_EQ(shear_weight(coarse, {2, 2}, 0, 1), 1);
  EXPECT_EQ(stretch_weight(coarse, {0, 1}, 0), 0) << "a free face";
  EXPECT_EQ(shear_weight(coarse, {0, 1}, 0, 1), 0);
}

TEST(StaggeredTerms, ALineThatEndsAtAFreeFaceBearsNothing) {
  // A step in the lower half of the second coarse cell.
  const Shape<2> coarse = coarsened(finest_shape(drawn({"########", "####....", "###.....",  //
                                                        "########"})),
                                    true);
  ASSERT_EQ(coarse.domain.at({1, 0}), Cell::Interior);
  EXPECT_EQ(stretch_weight(coarse, {1, 0}, 0), 0.5);
}

TEST(StaggeredTerms, WhatAWallHasTakenIsAsSoftAsItWas) {
  // Coarse walls begin a cell before the fine ones.
  const Shape<2> coarse = coarsened(
      finest_shape(drawn({"DDD#######", "DDD#######", "DDD#######", "DDD#######"})), true);
  ASSERT_EQ(coarse.domain.at({1, 0}), Cell::Dirichlet);
  EXPECT_FLOAT_EQ(float(stretch_weight(coarse, {2, 1}, 0)), 2.0f / 3);
  // Held by one of two lines: the other one leads outside.
  const Shape<2> half = coarsened(
      finest_shape(drawn({"DDD#######", "...#######", "DDD#######", "DDD#######"})), true);
  EXPECT_FLOAT_EQ(float(stretch_weight(half, {2, 1}, 0)), 1.0f / 3);
}

/// A limb held at both ends that runs at an angle to the axes.
Domain<3> oblique_limb(int length, double radius) {
  Domain<3> domain({length, length / 2, length / 2}, {1, 1, 1});
  domain.for_each([&](const Index<3>& c) {
    const double x = c[0] + 0.5, y = c[1] + 0.5 - (length / 8.0 + 0.2 * x),
                 z = c[2] + 0.5 - (length / 8.0 + 0.25 * x);
    if (std::hypot(y, z) > radius) return;
    domain.cells[domain.index(c)] =
        c[0] < 3 || c[0] >= length - 3 ? Cell::Dirichlet : Cell::Interior;
  });
  return domain;
}

int iterations(const Domain<3>& domain, const Params& params) {
  const Model<3> model = build_model<3>(domain, Material::from_poisson(1, 0.3), params, "limb");
  EXPECT_GT(model.levels.size(), 1u);
  SolverMemory<3> memory(model, 20);
  std::vector<double> b(model.unknowns()), u(b.size());
  add_body_force<3>(
      model, [](const Point<3>&, int k) { return k == 2 ? -1.0 : 0.0; }, b);
  Context context(1);
  return solve<3>(model, b, u, 1e-6, 60, memory, context).iterations;
}

TEST(StaggeredTerms, ObliqueLimbsTakeFewIterations) {
  Params params{.direct_entries = 60'000};
  params.thin_entries = 0;
  EXPECT_LE(iterations(oblique_limb(40, 3.1), params), 10);
}

TEST(StaggeredTerms, ThinBodiesAreFactorisedOnLargerLevels) {
  // Three to four cells thick: coarse cells would stand for half as much again.
  Params params{.direct_entries = 20'000};
  const Domain<3> thin = oblique_limb(40, 1.8);
  const auto levels = [&](const Domain<3>& domain) {
    return build_model<3>(domain, Material::from_poisson(1, 0.3), params, "limb").levels.size();
  };
  EXPECT_EQ(levels(thin), 1u);
  params.thin_entries = 0;
  EXPECT_GT(levels(thin), 1u);
}

}  // namespace
}  // namespace isochor::staggered
