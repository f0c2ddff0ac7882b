#include <filesystem>
#include <gtest/gtest.h>

#include "isochor/files/surface_file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/grid/padding.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::grid {
namespace {

using geometry::joined;
using geometry::make_box;
using geometry::SurfaceMesh;

Lattice build(const SurfaceMesh& surface, const LatticeOptions& options, int threads = 1) {
  ThreadArena arena(threads);
  return build_lattice(surface, options, "test", arena);
}

/// Each of two bodies has its own part of the lattice, and all its vertices ride on it.
void expect_apart(const Lattice& lattice, std::size_t vertices_of_first) {
  expect_sound(lattice);
  const Parts parts = find_parts(lattice);
  ASSERT_EQ(parts.count, 2);
  const auto cell_nodes = lattice.cell_nodes();
  const auto part_of = [&](std::size_t v) {
    return parts.of_node[cell_nodes[lattice.vertex_cells[v]][0]];
  };
  for (std::size_t v = 0; v < lattice.vertex_cells.size(); ++v) {
    EXPECT_EQ(part_of(v) == part_of(0), v < vertices_of_first) << v;
  }
}

TEST(GridSeparation, TwoSlabsWithANarrowGapAreApartWhereverTheGapLies) {
  const double h = 0.25;
  for (const double gap : {0.3 * h, 0.02 * h}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int shift = 0; shift < 20; shift += 2) {
        const double thick = 0.5 + 0.05 * shift * h;
        Vec3d size{0.7, 0.6, 0.5}, other = size, center{0, 0, 0};
        size[axis] = thick;
        other[axis] = 0.4;
        center[axis] = 0.5 * thick + gap + 0.2;
        const SurfaceMesh first = make_box({0, 0, 0}, size, 0.3);
        const Lattice lattice = build(joined(first, make_box(center, other, 0.3)), {.spacing = h});
        expect_apart(lattice, first.positions.size());
      }
    }
  }
}

TEST(GridSeparation, TheGapMayLieAnyWay) {
  Random random(6);
  for (int sample = 0; sample < 12; ++sample) {
    const SurfaceMesh first = make_box({0, 0, 0}, {1, 1, 0.4}, random.uniform(0.2, 1));
    SurfaceMesh both = joined(first, make_box({0, 0, 0.41}, {1, 1, 0.4}, random.uniform(0.2, 1)));
    const Mat3d turn = random.rotation();
    for (Vec3d& p : both.positions) p = turn * p;
    expect_apart(build(both, {.spacing = random.uniform(0.15, 0.3)}), first.positions.size());
  }
}

TEST(GridSeparation, WithoutItTheSlabsAreOne) {
  const SurfaceMesh both =
      joined(make_box({0, 0, 0}, {1, 1, 0.4}, 0.3), make_box({0, 0, 0.41}, {1, 1, 0.4}, 0.3));
  const Lattice lattice = build(both, {.spacing = 0.2, .separate = false});
  expect_sound(lattice);
  EXPECT_EQ(find_parts(lattice).count, 1);
  for (const auto& [place, count] : places_of(lattice)) EXPECT_EQ(count, 1);
}

TEST(GridSeparation, AThinSheetIsOnePartWhereverItLies) {
  Random random(7);
  for (int sample = 0; sample < 30; ++sample) {
    const double h = 0.2, thickness = random.uniform(0.01, 0.2) * h;
    SurfaceMesh sheet = make_box({0, 0, 0}, {1, 1, thickness}, random.uniform(0.1, 1));
    const bool aligned = sample < 10;
    const Mat3d turn = aligned ? Mat3d::identity() : random.rotation();
    for (Vec3d& p : sheet.positions) p = turn * p;
    const Lattice lattice = build(sheet, {.spacing = h});
    expect_sound(lattice);
    EXPECT_EQ(find_parts(lattice).count, 1) << sample;
    expect_same(lattice, build(sheet, {.spacing = h, .separate = false}));
    double filled = 0;
    for (const float f : lattice.fractions) filled += f * h * h * h;
    EXPECT_NEAR(filled, thickness, (aligned ? 1 : 0.2) * thickness) << sample;
  }
}

TEST(GridSeparation, TwoThinSheetsInOneLayerOfCellsAreApart) {
  const SurfaceMesh first = make_box({0, 0, 0}, {1, 1, 0.01}, 0.1);
  const Lattice lattice =
      build(joined(first, make_box({0, 0, 0.013}, {1, 1, 0.01}, 0.15)), {.spacing = 0.2});
  expect_apart(lattice, first.positions.size());
  for (const auto& [place, count] : places_of(lattice)) EXPECT_EQ(count, 2);
}

TEST(GridSeparation, AFinOnAnAlignedBoxIsNotTornOff) {
  // The edges of the mesh lie in the walls of cells, and the fin passes between all lines.
  const double h = 0.25;
  std::array<std::vector<double>, 3> lines;
  add_lines(lines[0], 0, 1, h);
  add_lines(lines[1], 0, 0.5 + 0.14 * h, 1e9);
  add_lines(lines[1], 0.5 + 0.14 * h, 0.5 + 0.24 * h, 1e9);
  add_lines(lines[1], 0.5 + 0.24 * h, 1, 1e9);
  add_lines(lines[2], 0, 1, h);
  add_lines(lines[2], 1, 2, h);
  const SurfaceMesh fin = grid_surface(lines, [](int, int j, int k) { return j == 1 || k < 4; });
  const Lattice lattice = build(fin, {.spacing = h});
  EXPECT_EQ(lattice.size, (Index3{4, 4, 8}));
  EXPECT_EQ(lattice.cell_count(), 64u + 16u);
  EXPECT_EQ(find_parts(lattice).count, 1);
  expect_same(lattice, build(fin, {.spacing = h, .separate = false}));
}

TEST(GridSeparation, FingersShareNoNodeButThoseOfThePalm) {
  const double h = 0.21;
  for (int shift = 0; shift < 10; shift += 3) {
    const SurfaceMesh fingers = two_fingers(0.9 + 0.1 * shift * h, 0.2 * h, 0.3);
    const Lattice lattice = build(fingers, {.spacing = h});
    const Lattice whole = build(fingers, {.spacing = h, .separate = false});
    expect_sound(lattice);
    EXPECT_EQ(find_parts(lattice).count, 1);
    const double middle = 0.9 + 0.1 * shift * h + 0.1 * h;
    for (const Lattice* l : {&lattice, &whole}) {
      const auto left =
          nodes_under(*l, fingers, [&](const Vec3d& p) { return p[0] < middle && p[2] > 2 * h; });
      const auto right =
          nodes_under(*l, fingers, [&](const Vec3d& p) { return p[0] > middle && p[2] > 2 * h; });
      EXPECT_EQ(shared_count(left, right) == 0, l == &lattice) << shift;
    }
    // Both fingers hang on the palm.
    const auto palm = nodes_under(lattice, fingers, [](const Vec3d& p) { return p[2] < 0.1; });
    for (const int side : {-1, 1}) {
      const auto finger =
          nodes_under(lattice, fingers, [&](const Vec3d& p) { return side * (p[0] - middle) > 0; });
      EXPECT_GT(shared_count(finger, palm), 8u);
    }
  }
}

TEST(GridSeparation, ASlotThatEndsInAWallIsOpenDownToIt) {
  // The palm fills whole cells; the slot is in the middle of a layer of them.
  const double h = 0.25;
  const SurfaceMesh fingers = two_fingers(1.1, 0.05, 0.25);
  const Lattice lattice = build(fingers, {.spacing = h});
  std::size_t shared_places = 0;
  for (const auto& [place, count] : places_of(lattice)) {
    EXPECT_EQ(count > 1, place[0] == 4 && place[2] >= 4);
    shared_places += count > 1;
  }
  EXPECT_EQ(shared_places, 4u * 12u);
}

TEST(GridSeparation, OverlappingBodiesAreOne) {
  const SurfaceMesh both =
      joined(make_box({0, 0, 0}, {1, 1, 1}, 0.3), make_box({0.31, 0.33, 0.37}, {1, 1, 1}, 0.25));
  for (const double h : {0.3, 0.17, 0.09}) {
    const Lattice lattice = build(both, {.spacing = h});
    expect_sound(lattice);
    EXPECT_EQ(find_parts(lattice).count, 1);
    for (const auto& [place, count] : places_of(lattice)) EXPECT_EQ(count, 1);
  }
}

TEST(GridSeparation, TheSubdivisionDoesNotMatterForWhatIsApart) {
  const SurfaceMesh fingers = two_fingers(0.97, 0.03, 0.3);
  const auto cells = [&](int subdivision) {
    return places_of(build(fingers, {.spacing = 0.2, .subdivision = subdivision}));
  };
  for (const int subdivision : {1, 2, 16}) EXPECT_EQ(cells(subdivision), cells(4));
}

SurfaceMesh read_or_skip(const std::string& name) {
  const auto path = std::filesystem::path(ISOCHOR_SOURCE_DIR "/../shared/data") / name;
  return std::filesystem::exists(path) ? files::read_surface(path).mesh : SurfaceMesh{};
}

class GridSeparationOfMeshes : public testing::TestWithParam<const char*> {};

TEST_P(GridSeparationOfMeshes, IsSoundAndHoldsEveryVertex) {
  const SurfaceMesh mesh = read_or_skip(GetParam());
  if (mesh.positions.empty()) GTEST_SKIP() << "no data: " << GetParam();
  const Vec3d extent = geometry::bounds_of_faces(mesh).size();
  const double h = std::max({extent[0], extent[1], extent[2]}) / 25;
  const Lattice lattice = build(mesh, {.spacing = h}, 2);
  const Lattice whole = build(mesh, {.spacing = h, .separate = false}, 2);
  expect_sound(lattice);
  EXPECT_EQ(find_parts(lattice).count, 1);
  EXPECT_GE(lattice.rest_positions.size(), whole.rest_positions.size());
  EXPECT_EQ(places_of(lattice).size(), places_of(whole).size());
  const Embedding embedding = embed(lattice, mesh.positions, lattice.vertex_cells);
  for (const Embedding::Point& p : embedding.points) {
    for (int a = 0; a < 3; ++a) {
      EXPECT_GE(p.local[a], -1e-5);
      EXPECT_LE(p.local[a], 1 + 1e-5);
    }
  }
  // Neighbouring vertices ride on cells that are connected: no edge of the surface is torn.
  const auto cell_nodes = lattice.cell_nodes();
  for (const geometry::Triangle& t : geometry::triangulate(mesh)) {
    for (int c = 0; c < 3; ++c) {
      const Vec3d edge = mesh.positions[t[c]] - mesh.positions[t[(c + 1) % 3]];
      if (norm(edge) > h) continue;
      const auto& a = cell_nodes[lattice.vertex_cells[t[c]]];
      const auto& b = cell_nodes[lattice.vertex_cells[t[(c + 1) % 3]]];
      EXPECT_GT(shared_count({a.begin(), a.end()}, {b.begin(), b.end()}), 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Data, GridSeparationOfMeshes,
                         testing::Values("classic/hand_closed.obj", "bad/self_intersect_A.obj"));

}  // namespace
}  // namespace isochor::grid
