#include "isochor/grid/anchored_lattice.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"

namespace isochor::grid {
namespace {

TEST(AnchoredLattice, HasACornerAtTheAnchorAndHoldsTheBody) {
  ThreadArena arena(1);
  const auto surface = geometry::make_sphere({0.33, -0.2, 0.71}, 0.4, 0.1);
  const Vec3d anchor{0.05, 0.02, -0.03};
  const Lattice lattice = build_anchored_lattice(surface, anchor, {.spacing = 0.1}, "ball", arena);
  const geometry::Bounds bounds = geometry::bounds_of(surface.positions);
  for (int a = 0; a < 3; ++a) {
    const double cells = (lattice.origin[a] - anchor[a]) / 0.1;
    EXPECT_NEAR(cells, std::round(cells), 1e-9);
    EXPECT_LE(lattice.origin[a], bounds.low[a] + 1e-9);
    EXPECT_GT(lattice.origin[a] + 0.1, bounds.low[a] - 1e-9);
    EXPECT_GE(lattice.origin[a] + 0.1 * lattice.size[a], bounds.high[a] - 1e-9);
  }
}

/// Cells that lie evenly about a body move with it; anchored ones do not.
TEST(AnchoredLattice, DoesNotFollowABodyThatIsShifted) {
  ThreadArena arena(1);
  const auto volume_of_first = [&](double shift) {
    const auto surface = geometry::make_sphere({shift, 0, 0}, 0.25, 0.05);
    const Lattice lattice =
        build_anchored_lattice(surface, {0, 0, 0}, {.spacing = 0.1}, "ball", arena);
    double sum = 0;
    for (const float f : lattice.fractions) sum += double(f) * 1e-3;
    return std::pair(lattice.origin[0], sum);
  };
  const auto [here, volume] = volume_of_first(0);
  const auto [there, same_volume] = volume_of_first(0.037);
  EXPECT_NEAR(here, there, 1e-12);
  EXPECT_NEAR(volume, same_volume, 0.02 * volume);
}

TEST(AnchoredLattice, OfABoxInWholeCellsIsThePlainOne) {
  ThreadArena arena(1);
  const auto surface = geometry::make_box({0.5, 0.3, 0.2}, {1, 0.6, 0.4}, 0.2);
  const Lattice plain = build_lattice(surface, 0.1, "box", arena);
  const Lattice anchored =
      build_anchored_lattice(surface, {3, -2, 0.7}, {.spacing = 0.1}, "box", arena);
  EXPECT_EQ(plain.cell_count(), anchored.cell_count());
  EXPECT_EQ(plain.size, anchored.size);
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(plain.origin[a], anchored.origin[a], 1e-12);
}

}  // namespace
}  // namespace isochor::grid
