#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/staggered/multigrid.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

template <class Case>
class StaggeredOperator : public testing::Test {};
template <int N>
struct Dimension {
  static constexpr int D = N;
};
using Dimensions = testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(StaggeredOperator, Dimensions);

template <int D>
Domain<D> mixed_domain() {
  Index<D> size;
  Spacing<D> spacing;
  for (int k = 0; k < D; ++k) {
    size[k] = D == 3 ? 7 - k : 19 - k;
    spacing[k] = 0.5 + 0.3 * k;
  }
  return naive::random_domain<D>(size, spacing, 5);
}

template <int D>
std::vector<double> image_of(const Model<D>& model, std::span<const double> u) {
  ThreadArena arena(1);
  const std::vector<double> zero(u.size());
  std::vector<double> r(u.size());
  find_residual(model, u, std::span<const double>(zero), std::span<double>(r), arena);
  for (double& x : r) x = -x;
  return r;
}

TYPED_TEST(StaggeredOperator, IsTheGradientOfTheEnergyForAnyLabelsAndSpacings) {
  constexpr int D = TypeParam::D;
  const Domain<D> domain = mixed_domain<D>();
  const Material material{.mu = 3, .compressibility = 0.04, .inertia = 0.6};
  const Model<D> model = build_model<D>(domain, material, {.direct_entries = 100000000}, "test");
  std::vector<double> u = naive::random_unknowns(model, 7);
  // Given displacements count too.
  set_given<D>(
      model, [](const Point<D>& p, int k) { return std::sin(3 * p[0] + p[1] + k); }, u);

  naive::Grid<D> grid{domain, material};
  typename naive::Grid<D>::Field field;
  const Layout<D>& layout = model.levels[0].layout;
  grid.for_each_padded([&](const Index<D>& c) {
    for (int k = 0; k <= D; ++k) {
      const double value = u[k * layout.length + layout.place(layout.inside(c))];
      if (value != 0) field[{c, k}] = value;
    }
  });
  const auto expected = grid.apply(field);
  const std::vector<double> image = image_of(model, std::span<const double>(u));
  std::size_t unknowns = 0;
  for_each_unknown<D>(model, [&](const Index<D>& c, int k, std::size_t place) {
    EXPECT_NEAR(image[place], naive::Grid<D>::get(expected, c, k), 1e-12) << "component " << k;
    ++unknowns;
  });
  EXPECT_EQ(unknowns, model.coarsest.size());
  EXPECT_GT(unknowns, 100u);
}

TYPED_TEST(StaggeredOperator, IsSymmetric) {
  constexpr int D = TypeParam::D;
  const Model<D> model = build_model<D>(mixed_domain<D>(), {.compressibility = 0.1},
                                        {.direct_entries = 100000000}, "t");
  const std::vector<double> v = naive::random_unknowns(model, 1);
  const std::vector<double> w = naive::random_unknowns(model, 2);
  const std::vector<double> Av = image_of(model, std::span<const double>(v));
  const std::vector<double> Aw = image_of(model, std::span<const double>(w));
  double vAw = 0, wAv = 0, size = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    vAw += v[i] * Aw[i];
    wAv += w[i] * Av[i];
    size += std::abs(v[i] * Aw[i]);
  }
  EXPECT_NEAR(vAw, wAv, 1e-14 * size);
}

TYPED_TEST(StaggeredOperator, RigidMotionsOfAFreeBodyCauseNoForce) {
  constexpr int D = TypeParam::D;
  Index<D> size;
  Spacing<D> spacing;
  for (int k = 0; k < D; ++k) {
    size[k] = 6 + k;
    spacing[k] = 1 + 0.25 * k;
  }
  const Model<D> model =
      build_model<D>(Domain<D>(size, spacing, Cell::Interior), {.compressibility = 0.1},
                     {.direct_entries = 100000000}, "t");
  std::vector<double> u(model.unknowns());
  for_each_unknown<D>(model, [&](const Index<D>& c, int k, std::size_t place) {
    const Point<D> p = position(model, c, k);
    if (k == 0) u[place] = 0.3 - 0.7 * p[1];
    if (k == 1) u[place] = -0.2 + 0.7 * p[0];
    if (k == 2 && D == 3) u[place] = 0.9;
  });
  for (const double f : image_of(model, std::span<const double>(u))) EXPECT_NEAR(f, 0, 1e-12);
}

TEST(StaggeredDomain, WhatCannotBeSimulatedIsSaid) {
  EXPECT_THROW(build_model<2>(Domain<2>({4, 4}, {1, 1}), {}, {}, "body"), Error);
  EXPECT_THROW(build_model<2>(Domain<2>({4, 4}, {1, 0}, Cell::Interior), {}, {}, "body"), Error);
  EXPECT_THROW(build_model<2>(Domain<2>({4, 4}, {1, 1}, Cell::Interior), {.compressibility = 0},
                              Params::published(), "body"),
               Error);
  EXPECT_THROW(Material::from_poisson(1, 0), Error);
}

TEST(StaggeredShape, CoarseCellsKnowHowFullTheyAreAndWhereWallsStand) {
  // Cells 0 to 2 are Dirichlet: the coarse wall is at 4, one fine cell behind lies the true one.
  Domain<2> domain({8, 3}, {1, 1}, Cell::Interior);
  domain.for_each([&](const Index<2>& c) {
    if (c[0] < 3) domain.cells[domain.index(c)] = Cell::Dirichlet;
  });
  const Shape<2> coarse = coarsened(finest_shape(domain), true);
  EXPECT_EQ(coarse.domain.at({1, 0}), Cell::Dirichlet);
  EXPECT_EQ(coarse.domain.at({2, 0}), Cell::Interior);
  EXPECT_EQ(coarse.wall_at({2, 0}, 0), 1.0);
  EXPECT_EQ(coarse.fraction_at({2, 0}), 1.0);
  EXPECT_EQ(coarse.fraction_at({2, 1}), 0.5);
  EXPECT_TRUE(coarsened(finest_shape(domain), false).fraction.empty());
  // Once more: 2 + 1 before it.
  const Shape<2> coarser = coarsened(coarse, true);
  EXPECT_EQ(coarser.domain.at({0, 0}), Cell::Dirichlet);
  EXPECT_EQ(coarser.wall_at({1, 0}, 0), 1.0);
}

}  // namespace
}  // namespace isochor::staggered
