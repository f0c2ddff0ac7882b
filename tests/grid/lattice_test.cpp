#include "isochor/grid/lattice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "isochor/geometry/overlap.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"
#include "tests/geometry/surface_checks.h"

namespace isochor::grid {
namespace {

using files::error_of;
using geometry::joined;
using geometry::make_box;
using geometry::make_sphere;
using geometry::SurfaceMesh;
using geometry::turned_inside_out;
using Index3 = std::array<std::int32_t, 3>;

Lattice build(const SurfaceMesh& surface, double spacing, int threads = 1) {
  ThreadArena arena(threads);
  return build_lattice(surface, spacing, "body 'test'", arena);
}

Index3 cell_coordinate(const Block& block, int lane) {
  return {2 * block.coordinate[0] + (lane & 1), 2 * block.coordinate[1] + (lane >> 1 & 1),
          2 * block.coordinate[2] + (lane >> 2 & 1)};
}

std::set<Index3> cells_of(const Lattice& lattice) {
  std::set<Index3> cells;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    EXPECT_TRUE(cells.insert(cell_coordinate(lattice.blocks[b], lane)).second);
  });
  return cells;
}

/// Nodes against a map from integer points, built cell by cell.
void check_nodes(const Lattice& lattice) {
  std::map<Index3, std::int32_t> node_at;
  std::set<std::int32_t> used;
  for (const Block& block : lattice.blocks) {
    EXPECT_NE(block.active, 0) << "an empty block";
    std::set<int> expected;
    for (int lane = 0; lane < 8; ++lane) {
      if (!block.has(lane)) continue;
      const Index3 cell = cell_coordinate(block, lane);
      for (int c = 0; c < 8; ++c) {
        const Index3 at{cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2 & 1)};
        const std::int32_t node = block.nodes[block_node(lane, c)];
        ASSERT_GE(node, 0);
        ASSERT_LT(std::size_t(node), lattice.rest_positions.size());
        // One node per point, and one point per node.
        const auto [entry, fresh] = node_at.try_emplace(at, node);
        EXPECT_EQ(entry->second, node);
        EXPECT_EQ(used.insert(node).second, fresh);
        const Vec3d place =
            lattice.origin + lattice.spacing * Vec3d{double(at[0]), double(at[1]), double(at[2])};
        EXPECT_EQ(norm(lattice.rest_positions[node] - place), 0);
        expected.insert(block_node(lane, c));
      }
    }
    for (int n = 0; n < 27; ++n) {
      EXPECT_EQ(block.nodes[n] == kNoNode, !expected.contains(n)) << n;
    }
  }
  EXPECT_EQ(used.size(), lattice.rest_positions.size()) << "a node that no cell uses";
}

void expect_same(const Lattice& a, const Lattice& b) {
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.rest_positions.size(), b.rest_positions.size());
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].nodes, b.blocks[i].nodes);
    EXPECT_EQ(a.blocks[i].coordinate, b.blocks[i].coordinate);
    EXPECT_EQ(a.blocks[i].active, b.blocks[i].active);
  }
}

TEST(GridBlock, NodesOfACellFollowTheOrderOfCorners) {
  EXPECT_EQ(block_node(0, 0), 0);
  EXPECT_EQ(block_node(7, 7), 26);
  for (int lane = 0; lane < 8; ++lane) {
    for (int corner = 0; corner < 8; ++corner) {
      // The middle node of the block is the corner of each cell that faces inward.
      EXPECT_EQ(block_node(lane, corner) == 13, corner == 7 - lane);
      EXPECT_EQ(block_node(lane, corner), block_node(corner, lane));
    }
  }
}

TEST(GridLattice, AnAlignedBoxHasExactlyItsCells) {
  const Index3 counts[] = {{1, 1, 1}, {2, 2, 2}, {3, 5, 7}, {2, 3, 4}, {8, 1, 5}};
  for (const auto& [nx, ny, nz] : counts) {
    for (const double h : {0.1, 1.0 / 3, 7.0}) {
      const Lattice lattice = build(make_box({0.3, -2, 5}, {nx * h, ny * h, nz * h}, h), h);
      EXPECT_EQ(lattice.size, (Index3{nx, ny, nz}));
      EXPECT_EQ(lattice.cell_count(), std::size_t(nx * ny * nz));
      EXPECT_EQ(lattice.rest_positions.size(), std::size_t((nx + 1) * (ny + 1) * (nz + 1)));
      EXPECT_EQ(lattice.blocks.size(),
                std::size_t(((nx + 1) / 2) * ((ny + 1) / 2) * ((nz + 1) / 2)));
      check_nodes(lattice);
    }
  }
}

TEST(GridLattice, AFaceInACellWallBelongsToItsInnerSideOnly) {
  // A gap of two cells between two boxes: their faces touch cells of the gap.
  const SurfaceMesh both =
      joined(make_box({0, 0, 0}, {1, 1, 1}, 1), make_box({2, 0, 0}, {1, 1, 1}, 1));
  const Lattice lattice = build(both, 0.5);
  EXPECT_EQ(lattice.size, (Index3{6, 2, 2}));
  EXPECT_EQ(lattice.cell_count(), 16u);
  for (const Index3& cell : cells_of(lattice)) EXPECT_TRUE(cell[0] < 2 || cell[0] > 3) << cell[0];
  check_nodes(lattice);
}

TEST(GridLattice, SurplusIsSharedByBothSides) {
  const Lattice lattice = build(make_box({0, 0, 0}, {1, 1, 1}, 0.5), 0.3);
  EXPECT_EQ(lattice.size, (Index3{4, 4, 4}));
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(lattice.origin[a], -0.6, 1e-15);
  EXPECT_EQ(build(make_box({0, 0, 0}, {0.1, 1, 0.1}, 1), 0.5).size, (Index3{1, 2, 1}));
}

TEST(GridLattice, ASphereIsTheNaiveSetOfCells) {
  const Vec3d center{0.2, -0.1, 0.4};
  for (const double h : {0.31, 0.17, 0.1}) {
    const SurfaceMesh sphere = make_sphere(center, 1, 0.15);
    const Lattice lattice = build(sphere, h);
    std::set<Index3> expected;
    const auto triangles = geometry::triangulate(sphere);
    for (int k = 0; k < lattice.size[2]; ++k) {
      for (int j = 0; j < lattice.size[1]; ++j) {
        for (int i = 0; i < lattice.size[0]; ++i) {
          const Vec3d middle = lattice.origin + h * Vec3d{i + 0.5, j + 0.5, k + 0.5};
          bool in = norm(middle - center) < 1;
          for (std::size_t t = 0; t < triangles.size() && !in; ++t) {
            const double half = 0.5 * h * (1 - 1e-6);
            in = geometry::triangle_overlaps_box(
                {sphere.positions[triangles[t][0]], sphere.positions[triangles[t][1]],
                 sphere.positions[triangles[t][2]]},
                middle, {half, half, half});
          }
          if (in) expected.insert({i, j, k});
        }
      }
    }
    EXPECT_EQ(cells_of(lattice), expected) << h;
    EXPECT_EQ(lattice.cell_count(), expected.size());
    check_nodes(lattice);
  }
}

TEST(GridLattice, EverySurfaceVertexLiesInACell) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.07);
  const Lattice lattice = build(sphere, 0.13);
  const std::set<Index3> cells = cells_of(lattice);
  for (const Vec3d& p : sphere.positions) {
    const Vec3d at = (p - lattice.origin) * (1 / lattice.spacing);
    bool held = false;
    // A point in a wall lies in the cells on both sides.
    for (const Index3& cell : cells) {
      bool in = true;
      for (int a = 0; a < 3; ++a) in = in && at[a] >= cell[a] - 1e-5 && at[a] <= cell[a] + 1 + 1e-5;
      held = held || in;
    }
    EXPECT_TRUE(held) << p[0] << " " << p[1] << " " << p[2];
  }
}

TEST(GridLattice, BlocksAreInOrderXFastest) {
  const Lattice lattice = build(make_sphere({0, 0, 0}, 1, 0.2), 0.11);
  const auto later = [](const Block& a, const Block& b) {
    return std::lexicographical_compare(b.coordinate.rbegin(), b.coordinate.rend(),
                                        a.coordinate.rbegin(), a.coordinate.rend());
  };
  for (std::size_t b = 1; b < lattice.blocks.size(); ++b) {
    EXPECT_TRUE(later(lattice.blocks[b], lattice.blocks[b - 1])) << b;
  }
}

TEST(GridLattice, IsTheSameForAnyThreads) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  expect_same(build(sphere, 0.09, 1), build(sphere, 0.09, 3));
}

TEST(GridLattice, ScaleAndPlaceDoNotChangeTheCells) {
  const Lattice one = build(make_sphere({0, 0, 0}, 1, 0.1), 0.13);
  for (const double scale : {1e-2, 1e2}) {
    const Vec3d center = scale * Vec3d{3.7, -12, 0.3};
    const Lattice other = build(make_sphere(center, scale, 0.1 * scale), 0.13 * scale);
    expect_same(one, other);
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(other.origin[a], center[a] + scale * one.origin[a], 1e-14 * scale);
    }
  }
}

TEST(GridLattice, ASurfaceTurnedInsideOutMeansTheSameBody) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.2);
  expect_same(build(sphere, 0.15), build(turned_inside_out(sphere), 0.15));
}

TEST(GridLattice, ABodyWithoutThicknessIsRefused) {
  SurfaceMesh sheet = make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  for (const double thickness : {0.0, 1e-12}) {
    for (Vec3d& p : sheet.positions) p[2] *= thickness;
    const Error error = error_of([&] { build(sheet, 0.1); });
    EXPECT_EQ(error.fault(), Fault::Input);
    EXPECT_EQ(error.place(), "body 'test'");
    EXPECT_THAT(error.problem(), testing::HasSubstr("no thickness"));
  }
  // A single triangle, and vertices without any face.
  SurfaceMesh open{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  EXPECT_THAT(error_of([&] { build(open, 0.1); }).problem(), testing::HasSubstr("no thickness"));
  open.add_face(std::vector<std::int32_t>{0, 1, 2});
  EXPECT_THAT(error_of([&] { build(open, 0.1); }).problem(), testing::HasSubstr("no thickness"));
}

TEST(GridLattice, TooManyCellsAreRefusedBeforeAnyMemoryIsTaken) {
  const SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 1);
  for (const double spacing : {8e-4, 1e-9, 1e-300}) {
    const Error error = error_of([&] { build(box, spacing); });
    EXPECT_EQ(error.fault(), Fault::Input);
    EXPECT_EQ(error.place(), "body 'test'");
    EXPECT_THAT(error.problem(), testing::HasSubstr("too many"));
    EXPECT_THAT(error.remedy(), testing::HasSubstr("cell_size"));
  }
}

}  // namespace
}  // namespace isochor::grid
