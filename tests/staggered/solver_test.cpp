#include "isochor/staggered/solver.h"

#include <gtest/gtest.h>

#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

/// Stretch and shear in all directions.
template <int D>
double affine(const Point<D>& p, int k) {
  double u = 0.1 * (k + 1);
  for (int j = 0; j < D; ++j) u += (0.3 * (k + 1) - 0.2 * j * j) * p[j];
  return u;
}
/// Its stress over mu and its pressure.
template <int D>
double affine_stress(double compressibility, int i, int j) {
  const auto slope = [](int k, int l) { return 0.3 * (k + 1) - 0.2 * l * l; };
  double trace = 0;
  for (int k = 0; k < D; ++k) trace += slope(k, k);
  return slope(i, j) + slope(j, i) + (i == j ? trace / compressibility : 0);
}

template <int D>
void solve_affine() {
  const Material material{.mu = 2, .compressibility = 0.05};
  const int n = D == 3 ? 10 : 24;
  const Domain<D> domain = naive::box<D>(n, false);
  const Model<D> model = build_model<D>(domain, material, {}, "box");
  std::vector<double> b(model.unknowns()), u(b.size());
  set_given<D>(model, affine<D>, u);
  domain.for_each([&](const Index<D>& c) {
    if (domain.at(c) != Cell::Interior) return;
    for (int axis = 0; axis < D; ++axis) {
      for (const int by : {-1, 1}) {
        if (domain.at(moved<D>(c, axis, by)) != Cell::Exterior) continue;
        Point<D> traction;
        for (int i = 0; i < D; ++i) {
          traction[i] = material.mu * by * affine_stress<D>(material.compressibility, i, axis);
        }
        add_traction<D>(model, c, axis, by > 0, traction, b);
      }
    }
  });
  Context context(1);
  SolverMemory<D> memory(model, 20);
  const SolveReport report = solve<D>(model, b, u, 1e-11, 60, memory, context);
  EXPECT_TRUE(report.converged) << report.relative_residual;
  for_each_unknown<D>(model, [&](const Index<D>& c, int k, std::size_t place) {
    if (k == D) return;
    EXPECT_NEAR(u[place], affine<D>(position(model, c, k), k), 1e-8);
  });
}

TEST(StaggeredSolver, AffineMotionsUnderTheirTractionsAreExact) {
  solve_affine<2>();
  solve_affine<3>();
}

TEST(StaggeredSolver, FewCyclesForAnyPoissonsRatio) {
  for (const double poisson : {0.2, 0.49, 0.5}) {
    const Model<3> model =
        build_model<3>(naive::box<3>(16, false), Material::from_poisson(1e4, poisson), {}, "box");
    std::vector<double> b(model.unknowns()), u(b.size());
    add_body_force<3>(
        model, [](const Point<3>&, int k) { return k == 1 ? -1e3 : 0; }, b);
    Context context(1);
    SolverMemory<3> memory(model, 10);
    const SolveReport report = solve<3>(model, b, u, 1e-6, 30, memory, context);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.iterations, 8) << poisson;
  }
}

TEST(StaggeredSolver, ABodyHeldAllAroundMayBeIncompressible) {
  Domain<2> domain({20, 20}, {1, 1}, Cell::Dirichlet);
  domain.for_each([&](const Index<2>& c) {
    if (c[0] > 1 && c[0] < 18 && c[1] > 1 && c[1] < 18) {
      domain.cells[domain.index(c)] = Cell::Interior;
    }
  });
  const Model<2> model = build_model<2>(domain, {.mu = 1}, {.direct_entries = 10000}, "square");
  std::vector<double> b(model.unknowns()), u(b.size());
  add_body_force<2>(
      model, [](const Point<2>& p, int k) { return k == 1 ? std::sin(p[0]) : 0; }, b);
  Context context(1);
  SolverMemory<2> memory(model, 20);
  const SolveReport report = solve<2>(model, b, u, 1e-6, 30, memory, context);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 12);
}

TEST(StaggeredSolver, ASmallBodyIsSolvedAtOnce) {
  // Thin, crooked, incompressible and held at one end.
  Domain<3> domain({12, 9, 8}, {1, 1.1, 0.9});
  domain.for_each([&](const Index<3>& c) {
    const bool inside = c[2] < 2 && (c[1] < 2 || (c[0] > 6 && c[0] < 9));
    if (inside) domain.cells[domain.index(c)] = c[0] == 0 ? Cell::Dirichlet : Cell::Interior;
  });
  for (const double poisson : {0.3, 0.5}) {
    const Model<3> model = build_model<3>(domain, Material::from_poisson(1, poisson), {}, "hook");
    ASSERT_EQ(model.levels.size(), 1u);
    std::vector<double> b(model.unknowns()), u(b.size());
    add_body_force<3>(
        model, [](const Point<3>&, int k) { return k == 2 ? -1e-3 : 0; }, b);
    Context context(1);
    SolverMemory<3> memory(model, 0);
    const SolveReport report = solve<3>(model, b, u, 1e-10, 6, memory, context);
    EXPECT_TRUE(report.converged) << poisson << ' ' << report.relative_residual;
  }
}

TEST(StaggeredSolver, CyclesAloneReachTheSameShape) {
  const Model<2> model = build_model<2>(naive::box<2>(32, true), Material::from_poisson(1, 0.49),
                                        {.direct_entries = 20000}, "box");
  std::vector<double> b(model.unknowns()), u(b.size()), v(b.size());
  add_body_force<2>(
      model, [](const Point<2>& p, int k) { return k == 1 ? p[0] : 0; }, b);
  Context context(1);
  SolverMemory<2> krylov(model, 10), cycles(model, 0);
  EXPECT_TRUE((solve<2>(model, b, u, 1e-9, 30, krylov, context).converged));
  EXPECT_TRUE((solve<2>(model, b, v, 1e-9, 30, cycles, context).converged));
  double largest = 0;
  for (const double x : u) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], v[i], 1e-7 * largest);
}

}  // namespace
}  // namespace isochor::staggered
