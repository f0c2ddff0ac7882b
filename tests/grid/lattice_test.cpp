#include "isochor/grid/lattice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "isochor/geometry/overlap.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::grid {
namespace {

using files::error_of;
using geometry::joined;
using geometry::make_box;
using geometry::make_sphere;
using geometry::SurfaceMesh;
using geometry::turned_inside_out;

Lattice build(const SurfaceMesh& surface, double spacing, int threads = 1) {
  ThreadArena arena(threads);
  return build_lattice(surface, spacing, "body 'test'", arena);
}

std::set<Index3> cells_of(const Lattice& lattice) {
  std::set<Index3> cells;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    EXPECT_TRUE(cells.insert(cell_coordinate(lattice.blocks[b], lane)).second);
  });
  return cells;
}

/// One cell per place and one node per point.
void expect_simple(const Lattice& lattice) {
  expect_sound(lattice);
  std::set<Index3> points;
  for (std::size_t n = 0; n < lattice.rest_positions.size(); ++n) {
    EXPECT_TRUE(points.insert(node_coordinate(lattice, static_cast<std::int32_t>(n))).second);
  }
  EXPECT_TRUE(lattice.pieces.empty());
  for (const auto& [place, count] : places_of(lattice)) EXPECT_EQ(count, 1);
}

/// The lattice of a set of cells, as one would write it down first.
void expect_naive(const Lattice& lattice, const std::set<Index3>& cells) {
  std::map<Index3, std::int32_t> node_at;
  std::size_t b = 0;
  for (int k = 0; k < lattice.size[2]; k += 2) {
    for (int j = 0; j < lattice.size[1]; j += 2) {
      for (int i = 0; i < lattice.size[0]; i += 2) {
        std::array<std::int32_t, 27> nodes;
        nodes.fill(kNoNode);
        int active = 0;
        for (int lane = 0; lane < 8; ++lane) {
          const Index3 cell = shifted({i, j, k}, lane);
          if (!cells.contains(cell)) continue;
          active |= 1 << lane;
          for (int c = 0; c < 8; ++c) {
            const auto next = static_cast<std::int32_t>(node_at.size());
            nodes[block_node(lane, c)] = node_at.try_emplace(shifted(cell, c), next).first->second;
          }
        }
        if (!active) continue;
        ASSERT_LT(b, lattice.blocks.size());
        EXPECT_EQ(lattice.blocks[b].coordinate, (Index3{i / 2, j / 2, k / 2}));
        EXPECT_EQ(lattice.blocks[b].active, active);
        EXPECT_EQ(lattice.blocks[b].nodes, nodes);
        ++b;
      }
    }
  }
  EXPECT_EQ(b, lattice.blocks.size());
  EXPECT_EQ(node_at.size(), lattice.rest_positions.size());
  expect_simple(lattice);
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
      std::set<Index3> all;
      for (int i = 0; i < nx * ny * nz; ++i) all.insert({i % nx, i / nx % ny, i / (nx * ny)});
      expect_naive(lattice, all);
      for (const CellLabel label : lattice.labels) EXPECT_EQ(label, CellLabel::Interior);
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
  expect_simple(lattice);
  EXPECT_EQ(find_parts(lattice).count, 2);
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
    expect_naive(lattice, expected);
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

TEST(GridLattice, ConvexBodiesHaveOneCellPerPlaceHoweverTheyLie) {
  Random random(4);
  for (int sample = 0; sample < 10; ++sample) {
    const double edge = random.uniform(0.05, 0.4);
    SurfaceMesh body = sample % 2 ? make_sphere({0, 0, 0}, 0.5, edge)
                                  : make_box({0, 0, 0}, random.vector(0.2, 1.2), edge);
    const Mat3d turn = random.rotation();
    for (Vec3d& p : body.positions) p = turn * p;
    const double h = random.uniform(0.06, 0.2);
    ThreadArena arena(1);
    const Lattice whole = build_lattice(body, {.spacing = h, .separate = false}, "test", arena);
    expect_simple(whole);
    expect_same(build(body, h), whole);
  }
}

TEST(GridLattice, IsTheSameForAnyThreads) {
  const SurfaceMesh fingers = two_fingers(0.97, 0.03, 0.2);
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.2);
  for (const int threads : {2, 5}) {
    expect_same(build(fingers, 0.2, 1), build(fingers, 0.2, threads));
    expect_same(build(sphere, 0.2, 1), build(sphere, 0.2, threads));
  }
}

TEST(GridLattice, LabelsSayWhereTheSurfaceIs) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  const Lattice lattice = build(sphere, 0.13);
  std::size_t cell = 0, interior = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const Index3 at = cell_coordinate(lattice.blocks[b], lane);
    double farthest = 0;
    for (int c = 0; c < 8; ++c) {
      const Index3 p = shifted(at, c);
      farthest = std::max(
          farthest, norm(lattice.origin + 0.13 * Vec3d{double(p[0]), double(p[1]), double(p[2])}));
    }
    const CellLabel label = lattice.labels[cell++];
    interior += label == CellLabel::Interior;
    // The surface is made of flat faces a little inside the ball.
    if (farthest < 0.99) {
      EXPECT_EQ(label, CellLabel::Interior);
    }
    if (farthest > 1) {
      EXPECT_EQ(label, CellLabel::Boundary);
    }
  });
  EXPECT_GT(interior, lattice.cell_count() / 3);
}

TEST(GridLattice, FractionsAddUpToTheVolume) {
  for (const double h : {0.31, 0.13}) {
    const SurfaceMesh sphere = make_sphere({0.1, 0, 0}, 1, 0.1);
    double filled = 0;
    for (const float f : build(sphere, h).fractions) filled += f * h * h * h;
    EXPECT_NEAR(filled, enclosed_volume(sphere), 2e-3 * filled) << h;
  }
  // A slab that fills 30 % of a layer of cells.
  const double h = 0.25;
  const Lattice slab = build(make_box({0, 0, 0}, {1, 1, 0.3 * h}, 0.2), h);
  ASSERT_EQ(slab.cell_count(), 16u);
  for (const float f : slab.fractions) EXPECT_NEAR(f, 0.3, 1e-6);
}

TEST(GridLattice, StraysBesideABodyAreLeftOut) {
  const SurfaceMesh body = make_box({0, 0, 0}, {1, 1, 1}, 0.25);
  SurfaceMesh with_strays = joined(body, make_box({0.7, 0.2, 0.1}, {0.02, 0.03, 0.02}, 1));
  // Two triangles back to back.
  const auto first = static_cast<std::int32_t>(with_strays.positions.size());
  for (const Vec3d& p : {Vec3d{-0.9, 0, 0}, Vec3d{-0.8, 0, 0}, Vec3d{-0.8, 0.1, 0}}) {
    with_strays.positions.push_back(p);
  }
  with_strays.add_face(std::array{first, first + 1, first + 2});
  with_strays.add_face(std::array{first, first + 2, first + 1});
  const Lattice lattice = build(with_strays, 0.3);
  expect_sound(lattice);
  expect_same_cells(lattice, build(body, 0.3));
}

TEST(GridLattice, ASheetBesideABodyGivesNoCells) {
  SurfaceMesh body = make_sphere({0, 0, 0}, 1, 0.2);
  const auto first = static_cast<std::int32_t>(body.positions.size());
  for (const double y : {0.0, 0.3}) {
    for (const double x : {0.95, 1.6}) body.positions.push_back({x, y, 0.05});
  }
  body.add_face(std::array{first, first + 1, first + 3, first + 2});
  const Lattice lattice = build(body, 0.25);
  expect_sound(lattice);
  EXPECT_EQ(find_parts(lattice).count, 1);
  for (const Index3& cell : cells_of(lattice)) {
    EXPECT_LT(lattice.origin[0] + 0.25 * cell[0], 1) << cell[0];
  }
}

TEST(GridLattice, OptionsThatMeanNothingAreRefused) {
  ThreadArena arena(1);
  const SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 1);
  for (const LatticeOptions& options : {LatticeOptions{.spacing = 0.5, .padding = -1},
                                        LatticeOptions{.spacing = 0.5, .subdivision = 0},
                                        LatticeOptions{.spacing = 0.5, .subdivision = 17}}) {
    const Error error = error_of([&] { build_lattice(box, options, "body 'test'", arena); });
    EXPECT_EQ(error.fault(), Fault::Input);
    EXPECT_EQ(error.place(), "body 'test'");
  }
}

TEST(GridLattice, ScaleAndPlaceDoNotChangeTheCells) {
  const Lattice one = build(make_sphere({0, 0, 0}, 1, 0.1), 0.13);
  for (const double scale : {1e-2, 1e2}) {
    const Vec3d center = scale * Vec3d{3.7, -12, 0.3};
    const Lattice other = build(make_sphere(center, scale, 0.1 * scale), 0.13 * scale);
    expect_same_cells(one, other);
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(other.origin[a], center[a] + scale * one.origin[a], 1e-14 * scale);
    }
  }
}

TEST(GridLattice, ASurfaceTurnedInsideOutMeansTheSameBody) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.2);
  expect_same_cells(build(sphere, 0.15), build(turned_inside_out(sphere), 0.15));
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

TEST(GridLattice, ABodyOfSheetsIsRefused) {
  SurfaceMesh sheets;
  for (int s = 0; s < 3; ++s) {
    const auto first = static_cast<std::int32_t>(sheets.positions.size());
    for (const double y : {0.0, 1.0}) {
      for (const double x : {0.0, 1.0}) sheets.positions.push_back({x, y, 3.0 * s});
    }
    sheets.add_face(std::array{first, first + 1, first + 3, first + 2});
  }
  const Error error = error_of([&] { build(sheets, 0.3); });
  EXPECT_EQ(error.fault(), Fault::Input);
  EXPECT_EQ(error.place(), "body 'test'");
  EXPECT_THAT(error.problem(), testing::HasSubstr("sheets"));
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
