#include "isochor/staggered/multigrid.h"

#include <gtest/gtest.h>

#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

/// Geometric mean of the factors of the last ten of many cycles on A u = 0, scaled after each.
template <int D>
double factor(const Domain<D>& domain, const Material& material, const Params& params, int cycles) {
  const Model<D> model = build_model<D>(domain, material, params, "test");
  MultigridMemory<D> memory(model);
  ThreadArena arena(1);
  Multigrid<D> multigrid(model, memory, arena);
  std::vector<double> u = naive::random_unknowns(model, 3), r(u.size());
  const std::vector<double> zero(u.size());
  std::vector<float>& now = memory.levels[0].u;
  double product = 1;
  for (int c = 0; c <= cycles; ++c) {
    if (c > 0) u.assign(now.begin(), now.end());
    find_residual(model, std::span<const double>(u), std::span<const double>(zero),
                  std::span<double>(r), arena);
    double sum = 0;
    for (const double x : r) sum += x * x;
    const double norm = std::sqrt(sum);
    if (c > cycles - 10) product *= norm;
    for (std::size_t i = 0; i < u.size(); ++i) now[i] = float(u[i] / norm);
    if (c < cycles) multigrid.cycle();
  }
  return std::pow(product, 0.1);
}

/// As many levels as there can be.
const Params kDeep{.direct_entries = 20000};

TEST(StaggeredMultigrid, FactorDoesNotDependOnPoissonsRatio) {
  for (const double poisson : {0.2, 0.49, 0.5}) {
    const Material material = Material::from_poisson(1, poisson);
    EXPECT_LT(factor(naive::box<3>(16, true), material, kDeep, 25), 0.15) << poisson;
    EXPECT_LT(factor(naive::box<2>(48, false), material, kDeep, 25), 0.12) << poisson;
  }
}

TEST(StaggeredMultigrid, FactorOfAThinPlateIsThatOfABox) {
  // Six cells thick, held at one end: it bends, and rotations must reach the coarse levels.
  Domain<2> plate({66, 6}, {1, 1}, Cell::Interior);
  plate.for_each([&](const Index<2>& c) {
    if (c[0] < 2) plate.cells[plate.index(c)] = Cell::Dirichlet;
  });
  Params params = kDeep;
  params.direct_entries = 3000;
  EXPECT_LT(factor(plate, Material::from_poisson(1, 0.49), params, 25), 0.25);
}

TEST(StaggeredMultigrid, ThePublishedSmootherIsBeaten) {
  const Material material = Material::from_poisson(1, 0.45);
  const Domain<2> domain = naive::box<2>(48, true);
  const double published = factor(domain, material, Params::published(), 30);
  const double best = factor(domain, material, kDeep, 30);
  EXPECT_LT(2 * best, published);
}

TEST(StaggeredMultigrid, InertiaMakesCyclesNoSlower) {
  Material material = Material::from_poisson(1, 0.4);
  material.inertia = material.mu * 32 * 32;
  EXPECT_LT(factor(naive::box<2>(32, false), material, kDeep, 25), 0.15);
}

TEST(StaggeredMultigrid, SameBitsForAnyNumberOfThreads) {
  const Model<3> model =
      build_model<3>(naive::box<3>(24, false), Material::from_poisson(1, 0.49), {}, "box");
  const std::vector<double> r = naive::random_unknowns(model, 9);
  std::vector<double> expected(r.size()), z(r.size());
  for (const int threads : {1, 2, 3}) {
    MultigridMemory<3> memory(model);
    ThreadArena arena(threads);
    Multigrid<3>(model, memory, arena).apply(r, threads == 1 ? expected : z);
    if (threads == 1) continue;
    EXPECT_EQ(z, expected) << threads;
  }
}

TEST(StaggeredMultigrid, PhasesAreToldApart) {
  const Model<3> model =
      build_model<3>(naive::box<3>(16, false), Material::from_poisson(1, 0.4), kDeep, "box");
  MultigridMemory<3> memory(model);
  ThreadArena arena(1);
  Multigrid<3> multigrid(model, memory, arena);
  // A clock that goes on by one whenever it is asked: two a phase, of which it sees one.
  static double ticks;
  ticks = 0;
  PhaseTimes times{[] { return ticks++; }, {}};
  multigrid.watch(&times);
  multigrid.cycle();
  const double down = times.seconds[std::size_t(Phase::Residual)];
  double sum = 0;
  for (const double s : times.seconds) sum += s;
  EXPECT_EQ(2 * sum, ticks);
  EXPECT_EQ(times.seconds[std::size_t(Phase::Restriction)], down);
  EXPECT_EQ(times.seconds[std::size_t(Phase::Prolongation)], down);
  EXPECT_EQ(times.seconds[std::size_t(Phase::Interior)], 2 * down);
  EXPECT_EQ(times.seconds[std::size_t(Phase::Boundary)], 4 * down);
  EXPECT_GT(times.seconds[std::size_t(Phase::Direct)], 0);
  multigrid.watch(nullptr);
  multigrid.cycle();
  EXPECT_EQ(2 * sum, ticks);
}

/// [Zhu10 alg 2] in double precision, red before black, one equation after the other.
template <int D>
typename naive::Grid<D>::Field distributed(const naive::Grid<D>& grid, const Model<D>& model,
                                           typename naive::Grid<D>::Field b) {
  using Field = typename naive::Grid<D>::Field;
  const Level<D>& level = model.levels[0];
  const double omega = model.params.relaxation, mu_lambda = model.material.compressibility;
  double diagonal = 0;
  for (const double h : level.spacing) diagonal += 2 / (h * h);
  Field u;
  for (int k = 0; k <= D; ++k) {
    for (const int colour : {0, 1}) {
      const Field image = grid.apply(u);
      for_each_unknown<D>(model, [&](const Index<D>& c, int component, std::size_t place) {
        int sum = 0;
        for (const std::int32_t a : c) sum += a;
        const std::uint16_t flags = level.weights.flags[place % level.layout.length];
        if (component != k || (sum & 1) != colour || !(flags >> (kPlain + k) & 1)) return;
        const double r = b[{c, k}] - naive::Grid<D>::get(image, c, k);
        if (k < D) {
          const double d = -omega * r / diagonal, h = level.spacing[k];
          u[{c, k}] += d;
          u[{c, D}] -= d / h;
          u[{moved<D>(c, k, -1), D}] += d / h;
          return;
        }
        const double d = omega * r / ((1 + 2 * mu_lambda) * diagonal);
        u[{c, D}] += 2 * diagonal * d;
        for (int i = 0; i < D; ++i) {
          const double h = level.spacing[i];
          u[{c, i}] -= d / h;
          u[{moved<D>(c, i, 1), i}] += d / h;
          for (const int by : {-1, 1}) u[{moved<D>(c, i, by), D}] -= 2 * d / (h * h);
        }
      });
    }
  }
  return u;
}

TEST(StaggeredMultigrid, InteriorSmootherIsDistributiveGaussSeidel) {
  Index<3> size{9, 8, 10};
  const Domain<3> domain(size, {1, 1.2, 0.8}, Cell::Interior);
  const Material material{.mu = 1, .compressibility = 0.3};
  const Model<3> model =
      build_model<3>(domain, material, {.band_sweeps = 0, .direct_entries = 10000}, "box");
  MultigridMemory<3> memory(model);
  ThreadArena arena(1);
  const std::vector<double> b = naive::random_unknowns(model, 4);
  naive::Grid<3>::Field field;
  for_each_unknown<3>(model, [&](const Index<3>& c, int k, std::size_t place) {
    memory.levels[0].b[place] = float(b[place]);
    field[{c, k}] = b[place];
  });
  Multigrid<3>(model, memory, arena).smooth(0);
  const auto expected = distributed<3>({domain, material}, model, field);
  for_each_unknown<3>(model, [&](const Index<3>& c, int k, std::size_t place) {
    EXPECT_NEAR(double(memory.levels[0].u[place]), naive::Grid<3>::get(expected, c, k), 2e-6);
  });
  EXPECT_GT(expected.size(), 100u);
}

}  // namespace
}  // namespace isochor::staggered
