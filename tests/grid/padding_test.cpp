#include "isochor/grid/padding.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"

namespace isochor::grid {
namespace {

using geometry::make_box;
using geometry::make_sphere;
using geometry::SurfaceMesh;

Lattice build(const SurfaceMesh& surface, double spacing, int padding = 0) {
  ThreadArena arena(1);
  return build_lattice(surface, {.spacing = spacing, .padding = padding}, "test", arena);
}

TEST(GridPadding, ABoxGrowsByALayerOnEachSide) {
  const SurfaceMesh box = make_box({0, 0, 0}, {0.3, 0.4, 0.5}, 0.1);
  for (const int layers : {1, 2}) {
    const Lattice lattice = build(box, 0.1, layers);
    expect_sound(lattice);
    const int x = 3 + 2 * layers, y = 4 + 2 * layers, z = 5 + 2 * layers;
    EXPECT_EQ(lattice.size, (Index3{x, y, z}));
    EXPECT_EQ(lattice.cell_count(), std::size_t(x * y * z));
    EXPECT_EQ(lattice.rest_positions.size(), std::size_t((x + 1) * (y + 1) * (z + 1)));
    EXPECT_EQ(std::count(lattice.labels.begin(), lattice.labels.end(), CellLabel::Interior), 60);
    EXPECT_EQ(std::count(lattice.labels.begin(), lattice.labels.end(), CellLabel::Exterior),
              x * y * z - 60);
    EXPECT_NEAR(lattice.origin[0], -0.15 - 0.1 * layers, 1e-15);
  }
}

TEST(GridPadding, ABallGrowsByAllNeighboursOfItsCells) {
  const SurfaceMesh ball = make_sphere({0, 0, 0}, 1, 0.2);
  const Lattice lattice = build(ball, 0.17), wide = padded(lattice);
  expect_sound(wide);
  std::map<Index3, int> expected;
  std::set<Index3> points;
  for (const auto& [place, count] : places_of(lattice)) {
    for (int n = 0; n < 27; ++n) {
      const Index3 at{place[0] + n % 3, place[1] + n / 3 % 3, place[2] + n / 9};
      expected[at] = 1;
      for (int c = 0; c < 8; ++c) points.insert(shifted(at, c));
    }
  }
  EXPECT_EQ(places_of(wide), expected);
  EXPECT_EQ(wide.rest_positions.size(), points.size());
  EXPECT_EQ(find_parts(wide).count, 1);
}

TEST(GridPadding, TheSurfaceStaysOnTheSameCells) {
  const SurfaceMesh ball = make_sphere({0, 0, 0}, 1, 0.2);
  const Lattice lattice = build(ball, 0.17), wide = padded(lattice);
  const Embedding before = embed(lattice, ball.positions, lattice.vertex_cells);
  const Embedding after = embed(wide, ball.positions, wide.vertex_cells);
  double filled = 0, filled_before = 0;
  for (const float f : wide.fractions) filled += f;
  for (const float f : lattice.fractions) filled_before += f;
  EXPECT_NEAR(filled, filled_before, 1e-9 * filled);
  for (std::size_t p = 0; p < ball.positions.size(); ++p) {
    EXPECT_EQ(wide.labels[wide.vertex_cells[p]], CellLabel::Boundary);
    EXPECT_LT(norm(before.points[p].local - after.points[p].local), 1e-12);
  }
}

TEST(GridPadding, PartsThatAreApartStayApart) {
  const double h = 0.25;
  // Gaps narrower than a cell, one cell and three cells wide: layers meet in the last.
  for (const double gap : {0.3 * h, h, 2.7 * h}) {
    const SurfaceMesh both = geometry::joined(make_box({0, 0, 0}, {1, 1, 1}, 0.5),
                                              make_box({1 + gap, 0, 0}, {1, 1, 1}, 0.5));
    for (const int layers : {1, 2, 3}) {
      const Lattice lattice = build(both, h, layers);
      expect_sound(lattice);
      EXPECT_EQ(find_parts(lattice).count, 2) << gap << " " << layers;
      // Each part is a box of its own, and has its cells once only.
      for (const auto& [place, count] : places_of(lattice)) EXPECT_LE(count, 2);
      const std::size_t edge = 4 + 2 * static_cast<std::size_t>(layers), one = edge * edge;
      EXPECT_EQ(lattice.cell_count() % one, 0u);
    }
  }
}

TEST(GridPadding, FingersStayApartAboveThePalm) {
  const double h = 0.2;
  for (const double gap : {0.05, 0.25, 0.4}) {
    const SurfaceMesh fingers = two_fingers(1, gap, 0.3);
    const Lattice lattice = build(fingers, h, 2);
    expect_sound(lattice);
    EXPECT_EQ(find_parts(lattice).count, 1);
    const auto side = [&](bool right) {
      return nodes_under(lattice, fingers, [&](const Vec3d& p) {
        return (p[0] > 1 + 0.5 * gap) == right && p[2] > 3.5 * h;
      });
    };
    EXPECT_EQ(shared_count(side(false), side(true)), 0u) << gap;
  }
}

}  // namespace
}  // namespace isochor::grid
