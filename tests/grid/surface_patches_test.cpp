#include "isochor/grid/surface_patches.h"

#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::grid {
namespace {

using geometry::joined;
using geometry::make_box;
using geometry::make_sphere;
using geometry::SurfaceMesh;

struct Patches {
  Lattice lattice;
  std::vector<SurfacePatch> patches;
};
Patches cut(const SurfaceMesh& mesh, const LatticeOptions& options, int threads = 1) {
  ThreadArena arena(threads);
  Patches result{build_lattice(mesh, options, "body 'test'", arena), {}};
  result.patches = surface_patches(result.lattice, mesh.positions, triangulate(mesh), arena);
  return result;
}

Vec3d place_of(const Lattice& lattice, const SurfacePatch& patch,
               const std::vector<std::array<std::int32_t, 8>>& nodes) {
  return lattice.rest_positions[nodes[patch.cell][0]] + lattice.spacing * patch.local;
}

TEST(GridSurfacePatches, IntegrateLinearFieldsExactly) {
  // Of a closed surface: no area in all, and x . n gives three times the volume.
  SurfaceMesh box = make_box({0, 0, 0}, {1, 0.7, 0.9}, 0.6);
  const Mat3d turn = Random(1).rotation();
  for (Vec3d& p : box.positions) p = turn * p;
  for (const SurfaceMesh& mesh : {make_sphere({0.1, 0, 0}, 1, 0.3), box}) {
    const auto [lattice, patches] = cut(mesh, {.spacing = 0.17});
    const auto nodes = lattice.cell_nodes();
    Vec3d area{0, 0, 0};
    double total = 0, flux = 0, expected = 0;
    for (const SurfacePatch& patch : patches) {
      area += patch.area;
      total += norm(patch.area);
      flux += dot(place_of(lattice, patch, nodes), patch.area);
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(patch.local[a], 0.5, 0.5 + 1e-9);
    }
    for (const auto& [a, b, c] : triangulate(mesh)) {
      const Vec3d& p = mesh.positions[a];
      expected += 0.5 * norm(cross(mesh.positions[b] - p, mesh.positions[c] - p));
    }
    EXPECT_LT(norm(area), 1e-12);
    EXPECT_NEAR(total, expected, 1e-12);
    EXPECT_NEAR(flux, 3 * enclosed_volume(mesh), 1e-12);
  }
}

TEST(GridSurfacePatches, FacesInWallsBelongToTheCellsBehindThem) {
  const auto [lattice, patches] = cut(make_box({0, 0, 0}, {1, 1, 1}, 0.4), {.spacing = 0.25});
  ASSERT_EQ(lattice.cell_count(), 64u);
  std::vector<double> areas(64, 0);
  for (const SurfacePatch& patch : patches) {
    areas[patch.cell] += norm(patch.area);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(patch.local[a], 0.5, 0.5 + 1e-12);
  }
  std::size_t cell = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    int faces = 0;
    for (const int at : cell_coordinate(lattice.blocks[b], lane)) faces += at == 0 || at == 3;
    EXPECT_NEAR(areas[cell++], faces / 16.0, 1e-12);
  });
}

TEST(GridSurfacePatches, EachCopyHasItsOwnSurface) {
  const SurfaceMesh first = make_box({0, 0, 0}, {1, 1, 0.04}, 0.3);
  const SurfaceMesh both = joined(first, make_box({0, 0, 0.05}, {1, 1, 0.04}, 0.21));
  const auto [lattice, patches] = cut(both, {.spacing = 0.2});
  const Parts parts = find_parts(lattice);
  ASSERT_EQ(parts.count, 2);
  const auto nodes = lattice.cell_nodes();
  const auto count = static_cast<std::int32_t>(triangulate(first).size());
  const std::int32_t part = parts.of_node[nodes[lattice.vertex_cells[0]][0]];
  for (const SurfacePatch& patch : patches) {
    EXPECT_EQ(parts.of_node[nodes[patch.cell][0]] == part, patch.triangle < count);
  }
}

TEST(GridSurfacePatches, SurfaceOfCellsLeftOutGoesToNeighbours) {
  const SurfaceMesh ball = make_sphere({0.03, 0.05, 0}, 1, 0.1);
  const auto [lattice, patches] = cut(ball, {.spacing = 0.2, .least_fraction = 0.02}, 3);
  ASSERT_GT(lattice.dropped.count, 0u);
  double total = 0;
  for (const SurfacePatch& patch : patches) {
    total += norm(patch.area);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(patch.local[a], 0.5, 1.0);
  }
  const auto whole = cut(ball, {.spacing = 0.2});
  double expected = 0;
  for (const SurfacePatch& patch : whole.patches) expected += norm(patch.area);
  EXPECT_EQ(patches.size(), whole.patches.size());
  EXPECT_EQ(total, expected);
}

}  // namespace
}  // namespace isochor::grid
