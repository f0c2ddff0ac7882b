#include "isochor/staggered/comparators.h"

#include <gtest/gtest.h>
#include <set>

#include "isochor/staggered/inverse.h"
#include "isochor/staggered/multigrid.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

/// The whole matrix of a model by the naive operator, and where its unknowns are.
template <int D>
struct Dense {
  Dense(const Domain<D>& domain, const Model<D>& model) {
    for_each_unknown<D>(model, [&](const Index<D>& c, int k, std::size_t place) {
      keys.push_back({c, k});
      places.push_back(place);
    });
    const naive::Grid<D> grid{domain, model.material};
    matrix.resize(size() * size());
    for (std::size_t j = 0; j < size(); ++j) {
      const auto image = grid.apply({{keys[j], 1.0}});
      for (std::size_t i = 0; i < size(); ++i) {
        matrix[size() * i + j] = naive::Grid<D>::get(image, keys[i].first, keys[i].second);
      }
    }
  }
  std::size_t size() const { return keys.size(); }
  double residual(std::size_t i, const std::vector<double>& b, const std::vector<double>& u) const {
    double sum = b[i];
    for (std::size_t j = 0; j < size(); ++j) sum -= matrix[size() * i + j] * u[j];
    return sum;
  }
  /// Solves the equations of some unknowns for these.
  void solve(const std::vector<std::size_t>& some, const std::vector<double>& b,
             std::vector<double>& u) const {
    const std::size_t n = some.size();
    std::vector<double> part(n * n), r(n);
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = residual(some[i], b, u);
      for (std::size_t j = 0; j < n; ++j) part[n * i + j] = matrix[size() * some[i] + some[j]];
    }
    const std::vector<double> inverse = inverted(part, int(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) u[some[i]] += inverse[n * i + j] * r[j];
    }
  }
  std::vector<std::pair<Index<D>, int>> keys;
  std::vector<std::size_t> places;
  std::vector<double> matrix;
};

/// Material with a hole, held at one side.
template <int D>
Domain<D> holed_block() {
  Index<D> size;
  Spacing<D> spacing;
  for (int k = 0; k < D; ++k) {
    size[k] = D == 3 ? 4 : 7;
    spacing[k] = 1.0 + 0.1 * k;
  }
  Domain<D> domain(size, spacing, Cell::Interior);
  domain.for_each([&](const Index<D>& c) {
    Cell& cell = domain.cells[domain.index(c)];
    if (c[0] == 0) cell = Cell::Dirichlet;
    if (c[0] == 2 && c[1] == 2 && c[D - 1] == 2) cell = Cell::Exterior;
  });
  return domain;
}

/// What one sweep makes of zero, by the class and by `expected(dense, model, b, u)`.
template <int D, class F>
void compare(Boundary kind, double poisson, F&& expected) {
  const Domain<D> domain = holed_block<D>();
  const Model<D> model = build_model<D>(domain, Material::from_poisson(1, poisson), {}, "block");
  const Dense<D> dense(domain, model);
  const std::vector<double> all = naive::random_unknowns(model, 5);
  std::vector<double> b, u(dense.size());
  for (const std::size_t place : dense.places) b.push_back(all[place]);
  expected(dense, model, b, u);
  const std::vector<float> right(all.begin(), all.end());
  std::vector<float> left(right.size());
  Comparator<D>(model.levels[0], model.material, kind).sweep(right.data(), left.data());
  double largest = 0;
  for (const double x : u) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < dense.size(); ++i) {
    EXPECT_NEAR(double(left[dense.places[i]]), u[i], 2e-5 * largest) << i;
  }
  EXPECT_GT(largest, 0.1);
}

/// One box after the other by a dense solve: all unknowns within a cell of a corner.
template <int D>
void solve_boxes(const Dense<D>& dense, const Model<D>& model, const std::vector<double>& b,
                 std::vector<double>& u) {
  const Level<D>& level = model.levels[0];
  std::set<Index<D>> corners;
  for (const Index<D>& at : find_band(level.layout, level.weights, 1)) {
    for (int c = 0; c < 1 << D; ++c) {
      Index<D> corner = at;
      for (int k = 0; k < D; ++k) corner[k] += (c >> k & 1) - Layout<D>::kMargin;
      corners.insert(corner);
    }
  }
  for (const Index<D>& corner : corners) {
    std::vector<std::size_t> box;
    for (std::size_t i = 0; i < dense.size(); ++i) {
      double away = 0;
      for (int k = 0; k < D; ++k) {
        const double x = dense.keys[i].first[k] + (k == dense.keys[i].second ? 0 : 0.5);
        away = std::max(away, std::abs(x - corner[k]));
      }
      if (away <= 1) box.push_back(i);
    }
    dense.solve(box, b, u);
  }
}

TEST(StaggeredComparators, BoxesAreSolvedAsDenseOnesAre) {
  for (const double poisson : {0.3, 0.5}) {
    compare<2>(Boundary::Boxes, poisson, solve_boxes<2>);
    compare<3>(Boundary::Boxes, poisson, solve_boxes<3>);
  }
}

TEST(StaggeredComparators, ABodyWithinABoxIsSolvedAtOnce) {
  Domain<2> domain({3, 2}, {1, 1}, Cell::Interior);
  domain.cells[0] = domain.cells[3] = Cell::Dirichlet;
  const Model<2> model = build_model<2>(domain, Material::from_poisson(1, 0.49), {}, "block");
  const Dense<2> dense(domain, model);
  const std::vector<double> all = naive::random_unknowns(model, 2);
  std::vector<double> b, u(dense.size());
  std::vector<std::size_t> every(dense.size());
  for (std::size_t i = 0; i < every.size(); ++i) {
    every[i] = i;
    b.push_back(all[dense.places[i]]);
  }
  dense.solve(every, b, u);
  const std::vector<float> right(all.begin(), all.end());
  std::vector<float> left(right.size());
  Comparator<2>(model.levels[0], model.material, Boundary::Boxes).sweep(right.data(), left.data());
  for (std::size_t i = 0; i < dense.size(); ++i) {
    EXPECT_NEAR(double(left[dense.places[i]]), u[i], 1e-5);
  }
}

TEST(StaggeredComparators, KaczmarzProjectsOnOneEquationAfterTheOther) {
  const auto project = [](const auto& dense, const auto& model, const std::vector<double>& b,
                          std::vector<double>& u) {
    const auto& level = model.levels[0];
    const int dimensions = int(level.spacing.size());
    const double worth = 1 / (level.spacing[0] * level.spacing[0]);
    for (int k = 0; k <= dimensions; ++k) {
      for (std::size_t i = 0; i < dense.size(); ++i) {
        const std::size_t place = dense.places[i] % level.layout.length;
        if (dense.keys[i].second != k || (level.weights.flags[place] >> (kPlain + k) & 1)) continue;
        const double r = dense.residual(i, b, u);
        double squares = 0;
        const auto entry = [&](std::size_t j) { return dense.matrix[dense.size() * i + j]; };
        const auto scale = [&](std::size_t j) {
          return dense.keys[j].second == dimensions ? worth : 1.0;
        };
        for (std::size_t j = 0; j < dense.size(); ++j) squares += scale(j) * entry(j) * entry(j);
        for (std::size_t j = 0; j < dense.size(); ++j) u[j] += r * scale(j) * entry(j) / squares;
      }
    }
  };
  compare<2>(Boundary::Kaczmarz, 0.45, project);
  compare<3>(Boundary::Kaczmarz, 0.5, project);
}

TEST(StaggeredComparators, NothingIsRelocatedWhereCoarseCellsFit) {
  const Domain<2> fits = naive::box<2>(8, true);
  for (const std::uint8_t mark : relocated(fits, coarsened(finest_shape(fits), true).domain)) {
    EXPECT_EQ(mark, 0);
  }
  // A wall one cell further: what is next to it gets nothing from the coarse level.
  Domain<2> off = naive::box<2>(8, true);
  for (int y = 0; y < 8; ++y) off.cells[off.index({2, y})] = Cell::Dirichlet;
  const auto marks = relocated(off, coarsened(finest_shape(off), true).domain);
  EXPECT_EQ(marks[off.index({3, 4})], 2 | 4);
  EXPECT_EQ(marks[off.index({4, 4})] & 1, 1);
  EXPECT_EQ(marks[off.index({8, 4})], 0);
}

TEST(StaggeredComparators, ExtraSweepsHelpWhereWallsAreElsewhereOnTheCoarseLevel) {
  Domain<2> off = naive::box<2>(32, true);
  for (int y = 0; y < 32; ++y) off.cells[off.index({2, y})] = Cell::Dirichlet;
  double left[2];
  for (const int extra : {0, 3}) {
    Params params = Params::published();
    params.direct_entries = 3000;
    params.extra_sweeps = extra;
    const Model<2> model = build_model<2>(off, Material::from_poisson(1, 0.45), params, "box");
    MultigridMemory<2> memory(model);
    ThreadArena arena(1);
    const std::vector<double> zero(model.unknowns());
    std::vector<double> u = naive::random_unknowns(model, 3), r(u.size());
    std::ranges::copy(u, memory.levels[0].u.begin());
    for (int c = 0; c < 12; ++c) Multigrid<2>(model, memory, arena).cycle();
    u.assign(memory.levels[0].u.begin(), memory.levels[0].u.end());
    find_residual<2>(model, u, zero, r, arena);
    double sum = 0;
    for (const double x : r) sum += x * x;
    left[extra > 0] = std::sqrt(sum);
  }
  EXPECT_LT(left[1], 0.9 * left[0]);
}

}  // namespace
}  // namespace isochor::staggered
