#include "isochor/staggered/nodes.h"

#include <gtest/gtest.h>

#include "isochor/staggered/loads.h"

namespace isochor::staggered {
namespace {

TEST(StaggeredNodes, CornersFollowLinearMapsEvenWhereSeveralShareAPlace) {
  // Cells in a layer of padding, one side held: corners outside are continued from others.
  Domain<3> domain({6, 5, 5}, {0.1, 0.1, 0.1}, Cell::Interior);
  domain.for_each([&](const Index<3>& c) {
    if (c[0] == 0) domain.cells[domain.index(c)] = Cell::Dirichlet;
  });
  const Model<3> model = build_model<3>(domain, Material::from_poisson(1, 0.4), {}, "block");
  const auto map = [](const Vec3d& x, int k) {
    const Vec3d turned{-0.3 * x[1] + 0.1 * x[2], 0.3 * x[0], 0.2 * x[1] - x[2]};
    return turned[k] + 0.01 * k;
  };
  std::vector<double> u(model.unknowns());
  const auto set = [&](const Index<3>& cell, int k, std::size_t place) {
    const Point<3> x = position(model, cell, k);
    if (k < 3) u[place] = map({x[0], x[1], x[2]}, k);
  };
  for_each_unknown<3>(model, set);
  for_each_given<3>(model, set);
  // The first ones twice, as where two cells of padding share their place.
  std::vector<Index<3>> nodes{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  for (int n = 0; n < 7 * 6 * 6; ++n) nodes.push_back({n % 7, n / 7 % 6, n / 42});
  ThreadArena arena(1);
  std::vector<Vec3d> out(nodes.size());
  NodeMap(model, nodes).to_nodes(u, out, arena);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Vec3d x = 0.1 * Vec3d{double(nodes[n][0]), double(nodes[n][1]), double(nodes[n][2])};
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(out[n][k], map(x, k), 1e-7) << n << " " << k;
  }
}

}  // namespace
}  // namespace isochor::staggered
