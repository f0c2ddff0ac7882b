#include "isochor/grid/coarsening.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"

namespace isochor::grid {
namespace {

using geometry::make_box;
using geometry::make_sphere;
using geometry::SurfaceMesh;

Lattice build(const SurfaceMesh& surface, const LatticeOptions& options) {
  ThreadArena arena(1);
  return build_lattice(surface, options, "test", arena);
}

std::vector<Index3> cell_places(const Lattice& lattice) {
  std::vector<Index3> places;
  lattice.for_each_cell(
      [&](std::size_t b, int lane) { places.push_back(cell_coordinate(lattice.blocks[b], lane)); });
  return places;
}

/// What every coarsening must be: parents hold their children, and a fine node is the same
/// combination of coarse nodes whichever of its cells one asks.
void expect_coarsening(const Lattice& fine, const Coarsening& coarsening) {
  const Lattice& coarse = coarsening.coarse;
  expect_sound(coarse);
  EXPECT_EQ(coarse.spacing, 2 * fine.spacing);
  ASSERT_EQ(coarsening.parent.size(), fine.cell_count());
  const auto fine_nodes = fine.cell_nodes(), coarse_nodes = coarse.cell_nodes();
  const auto fine_places = cell_places(fine), coarse_places = cell_places(coarse);
  std::set<std::int32_t> parents;
  std::map<std::int32_t, std::map<std::int32_t, double>> weights;
  for (std::size_t i = 0; i < fine.cell_count(); ++i) {
    const std::int32_t parent = coarsening.parent[i];
    parents.insert(parent);
    for (int a = 0; a < 3; ++a) EXPECT_EQ(coarse_places[parent][a], fine_places[i][a] / 2);
    for (int c = 0; c < 8; ++c) {
      const Index3 at = shifted(fine_places[i], c);
      std::map<std::int32_t, double> of_node;
      for (int d = 0; d < 8; ++d) {
        double weight = 1;
        for (int a = 0; a < 3; ++a) {
          const double s = 0.5 * at[a] - coarse_places[parent][a];
          weight *= d >> a & 1 ? s : 1 - s;
        }
        if (weight > 0) of_node[coarse_nodes[parent][d]] = weight;
      }
      const auto [entry, fresh] = weights.try_emplace(fine_nodes[i][c], of_node);
      EXPECT_EQ(entry->second, of_node);
    }
  }
  EXPECT_EQ(parents.size(), coarse.cell_count()) << "a coarse cell without a child";
  ASSERT_EQ(coarsening.fine_node.size(), coarse.rest_positions.size());
  for (std::size_t n = 0; n < coarse.rest_positions.size(); ++n) {
    if (coarsening.fine_node[n] == kNoNode) continue;
    const auto& of_node = weights[coarsening.fine_node[n]];
    ASSERT_EQ(of_node.size(), 1u);
    EXPECT_EQ(of_node.begin()->first, static_cast<std::int32_t>(n));
  }
}

TEST(GridCoarsening, ABoxBecomesABoxOfHalfTheCells) {
  const Lattice fine = build(make_box({0, 0, 0}, {0.8, 0.4, 0.5}, 0.1), {.spacing = 0.1});
  const Coarsening coarsening = coarsen(fine);
  expect_coarsening(fine, coarsening);
  const Lattice& coarse = coarsening.coarse;
  EXPECT_EQ(coarse.size, (Index3{4, 2, 3}));
  EXPECT_EQ(coarse.cell_count(), 24u);
  EXPECT_EQ(coarse.rest_positions.size(), 5u * 3u * 4u);
  // The last layer is half full: five fine cells along z.
  EXPECT_EQ(std::count(coarse.labels.begin(), coarse.labels.end(), CellLabel::Interior), 16);
  for (std::size_t c = 0; c < 24; ++c) {
    EXPECT_NEAR(coarse.fractions[c], coarse.labels[c] == CellLabel::Interior ? 1 : 0.5, 1e-6);
  }
  EXPECT_EQ(std::count(coarsening.fine_node.begin(), coarsening.fine_node.end(), kNoNode), 15);
}

TEST(GridCoarsening, ABallHasOneParentPerPlaceOnEveryLevel) {
  Lattice fine = build(make_sphere({0, 0, 0}, 1, 0.2), {.spacing = 0.11});
  for (int level = 0; level < 4; ++level) {
    Coarsening coarsening = coarsen(fine);
    expect_coarsening(fine, coarsening);
    for (const auto& [place, count] : places_of(coarsening.coarse)) EXPECT_EQ(count, 1);
    EXPECT_EQ(find_parts(coarsening.coarse).count, 1);
    fine = std::move(coarsening.coarse);
  }
}

TEST(GridCoarsening, PartsStayApartOnEveryLevel) {
  const double h = 0.125;
  for (const double gap : {0.3 * h, 1.2 * h, 4 * h}) {
    for (const int padding : {0, 1}) {
      const SurfaceMesh both = geometry::joined(make_box({0, 0, 0}, {1, 1, 1}, 0.5),
                                                make_box({0, 1 + gap, 0}, {1, 1, 1}, 0.5));
      Lattice fine = build(both, {.spacing = h, .padding = padding});
      for (int level = 0; level < 5; ++level) {
        Coarsening coarsening = coarsen(fine);
        expect_coarsening(fine, coarsening);
        EXPECT_EQ(find_parts(coarsening.coarse).count, 2) << gap << " " << level;
        fine = std::move(coarsening.coarse);
      }
      EXPECT_EQ(fine.cell_count(), 2u) << "one cell for each, in the same place or not";
    }
  }
}

TEST(GridCoarsening, FingersStayApart) {
  const SurfaceMesh fingers = two_fingers(1.01, 0.02, 0.3);
  Lattice fine = build(fingers, {.spacing = 0.1});
  for (int level = 1; level <= 3; ++level) {
    Coarsening coarsening = coarsen(fine);
    expect_coarsening(fine, coarsening);
    fine = std::move(coarsening.coarse);
    const auto side = [&](bool right) {
      return nodes_under(fine, fingers, [&](const Vec3d& p) {
        return (p[0] > 1.02) == right && p[2] > 2 * fine.spacing;
      });
    };
    ASSERT_EQ(fine.vertex_cells.size(), fingers.positions.size());
    EXPECT_EQ(shared_count(side(false), side(true)), 0u) << level;
    EXPECT_EQ(find_parts(fine).count, 1);
  }
}

}  // namespace
}  // namespace isochor::grid
