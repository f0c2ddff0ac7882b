#include "isochor/staggered/corotated.h"

#include <gtest/gtest.h>
#include <random>

#include "isochor/math/mat3.h"
#include "isochor/staggered/dynamics.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/stresses.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

constexpr double kQuarterTurn = 1.5707963267948966;

template <class Case>
class StaggeredCorotated : public testing::Test {};
template <int N>
struct CorotatedIn {
  static constexpr int D = N;
};
using CorotatedDimensions = testing::Types<CorotatedIn<2>, CorotatedIn<3>>;
TYPED_TEST_SUITE(StaggeredCorotated, CorotatedDimensions);

/// A rotation as a displacement, of an angle about a skew axis; in the plane about its normal.
template <int D>
double turned(const Point<D>& x, int k, double angle) {
  const Vec3d axis = D == 3 ? Vec3d{2.0 / 7, 3.0 / 7, 6.0 / 7} : Vec3d{0, 0, 1};
  Vec3d at{x[0], x[1], 0};
  if constexpr (D == 3) at[2] = x[2];
  return (rotation_from_vector(angle * axis) * at - at)[k];
}

template <int D, class F>
std::vector<double> displaced(const Model<D>& model, F&& displacement) {
  std::vector<double> u(model.unknowns());
  set_given<D>(model, displacement, u);
  for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    if (k < D) u[place] = displacement(position(model, cell, k), k);
  });
  return u;
}

double largest(std::span<const double> values) {
  double size = 0;
  for (const double v : values) size = std::max(size, std::abs(v));
  return size;
}

TYPED_TEST(StaggeredCorotated, ABlockThatIsTurnedFeelsNothing) {
  constexpr int D = TypeParam::D;
  Context context;
  for (const bool fractions : {false, true}) {
    Domain<D> domain = naive::box<D>(6, true);
    std::mt19937 generator(1);
    for (std::size_t c = 0; c < domain.cells.size() && fractions; ++c) {
      domain.fraction.push_back(float(generator() % 64 + 1) / 64);
    }
    const Model<D> model =
        build_model<D>(domain, Material::from_poisson(1, 0.3), Params{}.corotated(), "box");
    Turns<D> turns(model);
    const std::vector<double> zero(model.unknowns());
    for (const double angle : {0.3, 1.0, kQuarterTurn, 3.0}) {
      const auto u =
          displaced<D>(model, [&](const Point<D>& x, int k) { return turned<D>(x, k, angle); });
      std::vector<double> r(u.size());
      find_turns<D>(model, u, turns, context.arena);
      find_turned_residual<D>(model, turns, u, zero, r, context.arena);
      EXPECT_LT(largest(r), 1e-11) << angle;
    }
  }
}

/// The energy of the cells of a box without its outermost ones, over mu and the volume of a cell.
template <int D>
double energy_inside(const Model<D>& model, const Domain<D>& domain, std::span<const double> u,
                     Context& context) {
  Turns<D> turns(model);
  find_turns<D>(model, u, turns, context.arena);
  const Stresses<D> stresses(model, u, &turns);
  double energy = 0;
  domain.for_each([&](const Index<D>& cell) {
    if (domain.at(cell) == Cell::Interior) energy += stresses.cell(cell).energy;
  });
  return energy;
}

TYPED_TEST(StaggeredCorotated, ForceIsMinusTheGradientOfEnergy) {
  constexpr int D = TypeParam::D;
  Context context;
  Index<D> size;
  Spacing<D> spacing;
  size.fill(9);
  spacing.fill(0.5);
  const Domain<D> domain(size, spacing, Cell::Interior);
  // Without a pressure the energy is that of cells alone: that of pressures has a row of its own.
  const Model<D> model =
      build_model<D>(domain, Material::from_poisson(1, 0.3), Params{}.corotated(), "box");
  auto u = displaced<D>(model, [](const Point<D>& x, int k) {
    return turned<D>(x, k, 1.2) + 0.1 * std::sin(2 * x[0] + 3 * x[1] + k) + 0.1 * x[k];
  });
  Turns<D> turns(model);
  const std::vector<double> zero(u.size());
  std::vector<double> r(u.size());
  find_turns<D>(model, u, turns, context.arena);
  find_turned_residual<D>(model, turns, u, zero, r, context.arena);
  Index<D> middle;
  middle.fill(4);
  const Layout<D>& layout = model.levels[0].layout;
  for (int k = 0; k < D; ++k) {
    const std::size_t place = k * layout.length + layout.place(layout.inside(middle));
    const double step = 1e-4, at = u[place];
    u[place] = at + step;
    const double above = energy_inside<D>(model, domain, u, context);
    u[place] = at - step;
    const double below = energy_inside<D>(model, domain, u, context);
    u[place] = at;
    EXPECT_NEAR(r[place], (above - below) / (2 * step), 1e-6 * std::abs(r[place]) + 1e-7);
  }
}

/// Gives both ends of a bar the rotation of an arc of an angle.
template <int D>
void bend_ends(const Model<D>& model, int n, double angle, std::span<double> u) {
  const double length = 1, radius = length / angle, begin = 2.0 / n;
  set_given<D>(
      model,
      [&](const Point<D>& x, int k) {
        if (x[0] < begin + 0.5 * length) return 0.0;
        const double dx = x[0] - begin - length, dy = x[1] - 0.125, c = std::cos(angle),
                     s = std::sin(angle);
        if (k == 0) return begin + radius * s + c * dx - s * dy - x[0];
        if (k == 1) return 0.125 + radius * (1 - c) + s * dx + c * dy - x[1];
        return 0.0;
      },
      u);
}

template <int D>
Model<D> make_bar(int n, double poisson) {
  Domain<D> whole = naive::box<D>(n, true);
  Index<D> size = whole.size;
  for (int k = 1; k < D; ++k) size[k] = n / 4;
  Domain<D> bar(size, whole.spacing);
  bar.for_each([&](const Index<D>& c) { bar.cells[bar.index(c)] = whole.at(c); });
  return build_model<D>(bar, Material::from_poisson(1, poisson), Params{}.corotated(), "bar");
}

TYPED_TEST(StaggeredCorotated, ABarIsBentByAHalfTurnWhateverItsCompressibility) {
  constexpr int D = TypeParam::D;
  Context context;
  for (const double poisson : {0.3, 0.49, 0.5}) {
    const Model<D> model = make_bar<D>(16, poisson);
    CorotatedMemory<D> memory(model, {});
    std::vector<double> u(model.unknowns());
    const std::vector<double> b(model.unknowns());
    for (const double angle : {kQuarterTurn, 2 * kQuarterTurn}) {
      const std::vector<double> from = u;
      bend_ends<D>(model, 16, angle, u);
      const SolveReport report =
          solve_corotated<D>(model, b, from, std::span(u), 1e-4, 0, 60, memory, context);
      EXPECT_TRUE(report.converged) << poisson << " " << report.relative_residual;
      EXPECT_LT(report.iterations, 40);
    }
  }
}

/// r = -A du about a state, with the rotations that stand and cells that turn on.
template <int D>
std::vector<double> differential(const Model<D>& model, const Turns<D>& turns,
                                 std::span<const double> du, Context& context) {
  const std::vector<double> zero(du.size());
  std::vector<double> spins(kPairs<D> * model.length()), turned(zero), r(zero), rest(zero);
  turn_on<D>(model, turns, du, zero, spins, turned, context.arena);
  find_turned_residual<D>(model, turns, du, turned, r, context.arena);
  find_turned_residual<D>(model, turns, zero, zero, rest, context.arena);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= rest[i];
  return r;
}

TYPED_TEST(StaggeredCorotated, CellsThatTurnOnMakeTheDifferentialOfTheForce) {
  constexpr int D = TypeParam::D;
  Context context;
  Index<D> size;
  Spacing<D> spacing;
  size.fill(9);
  spacing.fill(0.5);
  const Model<D> model =
      build_model<D>(Domain<D>(size, spacing, Cell::Interior), Material::from_poisson(1, 0.3),
                     Params{}.corotated(), "box");
  // Turned and not stretched, where it is exact.
  const auto u = displaced<D>(model, [](const Point<D>& x, int k) { return turned<D>(x, k, 1.2); });
  const auto du = displaced<D>(model, [](const Point<D>& x, int k) {
    return 0.3 * std::sin(2 * x[0] + 3 * x[1] + k) + 0.2 * x[(k + 1) % D];
  });
  Turns<D> turns(model);
  find_turns<D>(model, u, turns, context.arena);
  const auto expected = differential<D>(model, turns, du, context);
  const std::vector<double> zero(u.size());
  const auto error = [&](double step) {
    std::vector<double> there(u), above(u.size()), below(u.size());
    for (const double by : {step, -step}) {
      for (std::size_t i = 0; i < u.size(); ++i) there[i] = u[i] + by * du[i];
      Turns<D> own(model);
      find_turns<D>(model, there, own, context.arena);
      find_turned_residual<D>(model, own, there, zero, by > 0 ? above : below, context.arena);
    }
    double largest = 0;
    // Terms that a free boundary leaves out have rotations of their own: two cells inside.
    for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
      for (int j = 0; j < D; ++j) {
        if (cell[j] < 3 || cell[j] > 5) return;
      }
      if (k == D) return;
      const double slope = (above[place] - below[place]) / (2 * step);
      largest = std::max(largest, std::abs(slope - expected[place]));
    });
    return largest;
  };
  const double coarse = error(1e-2), fine = error(1e-3);
  EXPECT_LT(coarse, 2e-3 * largest(expected));
  EXPECT_LT(fine, coarse / 80);
}

TYPED_TEST(StaggeredCorotated, AFactorisedLevelKnowsThatCellsTurnOn) {
  constexpr int D = TypeParam::D;
  Context context;
  const Model<D> model = build_model<D>(naive::box<D>(6, true), Material::from_poisson(1, 0.4),
                                        Params{}.corotated(), "box");
  ASSERT_EQ(model.levels.size(), 1u);
  const auto u = displaced<D>(
      model, [](const Point<D>& x, int k) { return turned<D>(x, k, 0.8) + 0.1 * x[k] * x[0]; });
  Turns<D> turns(model);
  find_turns<D>(model, u, turns, context.arena);
  turn_cycles<D>(model, true, turns, context.arena);
  MultigridMemory<D> memory(model);
  std::mt19937 generator(1);
  std::vector<double> b(u.size()), z(u.size());
  for_each_unknown<D>(model, [&](const Index<D>&, int, std::size_t place) {
    b[place] = double(generator() % 1000) / 1000;
  });
  Multigrid<D>(model, memory, context.arena, &turns).apply(b, z);
  const auto image = differential<D>(model, turns, z, context);
  for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(-image[i], b[i], 1e-3) << i;
}

TYPED_TEST(StaggeredCorotated, ABarThatBendsALittleMoreGainsMoreThanAHalfWithEachCycle) {
  constexpr int D = TypeParam::D;
  Context context;
  const Model<D> model = make_bar<D>(32, 0.475);
  CorotatedMemory<D> memory(model, {});
  std::vector<double> u(model.unknowns());
  const std::vector<double> b(model.unknowns());
  SolveReport report;
  for (const double angle : {0.8, 0.9}) {
    const std::vector<double> from = u;
    bend_ends<D>(model, 32, angle, u);
    report = solve_corotated<D>(model, b, from, std::span(u), 1e-5, 0, 40, memory, context);
    ASSERT_TRUE(report.converged);
  }
  // With frozen rotations it is 0.9.
  EXPECT_LT(std::pow(report.relative_residual, 1.0 / report.iterations), 0.43);
}

TYPED_TEST(StaggeredCorotated, ThreadsDoNotChangeAnyBit) {
  constexpr int D = TypeParam::D;
  const Model<D> model = make_bar<D>(16, 0.45);
  std::vector<double> first;
  for (const int threads : {1, 3}) {
    Context context(threads);
    CorotatedMemory<D> memory(model, {});
    std::vector<double> u(model.unknowns());
    bend_ends<D>(model, 16, 1.2, u);
    const std::vector<double> zero(u.size());
    solve_corotated<D>(model, zero, zero, std::span(u), 1e-3, 0, 10, memory, context);
    if (first.empty()) first = u;
    EXPECT_EQ(u, first);
  }
}

TEST(StaggeredCorotatedMotion, ABodyThatSpinsFreelyKeepsItsShape) {
  constexpr int D = 3;
  Context context;
  const Domain<D> domain({8, 8, 8}, {0.125, 0.125, 0.125}, Cell::Interior);
  const TimeStep step{.dt = 0.01, .density = 1000};
  Material material = Material::from_poisson(1e5, 0.4);
  material.inertia = step.inertia();
  const Model<D> model = build_model<D>(domain, material, Params{}.corotated(), "box");
  Motion<D> motion(model);
  StepWork<D> work(model);
  CorotatedMemory<D> memory(model, {});
  for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    const Point<D> x = position(model, cell, k);
    if (k < D) motion.v[place] = (cross(Vec3d{0, 0, 2}, {x[0] - 0.5, x[1] - 0.5, x[2] - 0.5}))[k];
  });
  const std::vector<double> load(model.unknowns());
  for (int n = 0; n < 5; ++n) {
    ASSERT_TRUE(advance_corotated<D>(model, step, load, {}, 1e-5, 60, motion, work, memory, context)
                    .converged);
  }
  find_turns<D>(model, motion.u, memory.turns, context.arena);
  const CellState<D> middle = Stresses<D>(model, motion.u, &memory.turns).cell({4, 4, 4});
  // Backward Euler turns by a little less than 0.1, and lets it expand by the centrifugal force.
  EXPECT_NEAR(std::asin(middle.F[3]), 0.1, 2e-3);
  EXPECT_NEAR(middle.F[8], 1, 2e-3);
}

}  // namespace
}  // namespace isochor::staggered
