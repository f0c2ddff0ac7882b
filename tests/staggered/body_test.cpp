#include "isochor/staggered/body.h"

#include <gtest/gtest.h>
#include <numbers>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/solver.h"

namespace isochor::staggered {
namespace {

constexpr double kRadius = 0.5, kSpacing = 0.09;

grid::Lattice ball() {
  ThreadArena arena(1);
  return grid::build_lattice(geometry::make_sphere({0, 0, 0}, kRadius, 0.04),
                             {.spacing = kSpacing, .padding = 1, .separate = false}, "ball", arena);
}

/// Cells of which the centre is below a height.
std::vector<std::uint8_t> cells_below(const grid::Lattice& lattice, double height) {
  std::vector<std::uint8_t> held;
  lattice.for_each_cell([&](std::size_t block, int lane) {
    const double z =
        lattice.origin[2] +
        lattice.spacing * (grid::cell_coordinate(lattice.blocks[block], lane)[2] + 0.5);
    held.push_back(z < height);
  });
  return held;
}

TEST(StaggeredBody, CellsOfALatticeKeepTheirPlaceAndVolume) {
  const grid::Lattice lattice = ball();
  const Domain<3> domain = make_domain(lattice, {}, true, "ball");
  double volume = 0, low = 1, high = -1;
  std::size_t cells = 0;
  domain.for_each([&](const Index<3>& c) {
    if (domain.at(c) != Cell::Interior) return;
    ++cells;
    const float fraction = domain.fraction[domain.index(c)];
    if (fraction == kLeastFraction) return;
    volume += double(fraction) * std::pow(kSpacing, 3);
    low = std::min(low, lattice.origin[0] + kSpacing * c[0]);
    high = std::max(high, lattice.origin[0] + kSpacing * (c[0] + 1));
  });
  EXPECT_EQ(cells, lattice.cell_count());
  EXPECT_NEAR(volume, 4.0 / 3 * std::numbers::pi * std::pow(kRadius, 3), 0.01 * volume);
  EXPECT_NEAR(low, -kRadius, kSpacing);
  EXPECT_NEAR(high, kRadius, kSpacing);
}

TEST(StaggeredBody, ABallFromASurfaceCarriesItsWeight) {
  const grid::Lattice lattice = ball();
  const auto held = cells_below(lattice, -0.35);
  for (const bool fractions : {false, true}) {
    const Domain<3> domain = make_domain(lattice, held, fractions, "ball");
    const Model<3> model =
        build_model<3>(domain, Material::from_poisson(1, 0.49), {.direct_entries = 100000}, "ball");
    std::vector<double> b(model.unknowns()), u(b.size());
    add_body_force<3>(
        model, [](const Point<3>&, int k) { return k == 2 ? -1e-3 : 0.0; }, b);
    Context context(1);
    SolverMemory<3> memory(model, 20);
    const SolveReport report = solve<3>(model, b, u, 1e-6, 40, memory, context);
    EXPECT_TRUE(report.converged) << fractions;
    EXPECT_LE(report.iterations, fractions ? 20 : 10);
  }
}

TEST(StaggeredBody, MarksThatAreNotOnePerCellAreRefused) {
  const std::uint8_t marks[3] = {};
  EXPECT_THROW(make_domain(ball(), marks, false, "ball"), Error);
}

}  // namespace
}  // namespace isochor::staggered
