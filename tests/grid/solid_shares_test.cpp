#include "isochor/grid/solid_shares.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "isochor/geometry/shapes.h"

namespace isochor::grid {
namespace {

struct Meshes {
  explicit Meshes(std::vector<geometry::SurfaceMesh> given) : meshes(std::move(given)) {
    for (const geometry::SurfaceMesh& mesh : meshes) {
      triangles.push_back(geometry::triangulate(mesh));
    }
    for (std::size_t i = 0; i < meshes.size(); ++i) {
      solids.push_back({meshes[i].positions, triangles[i]});
    }
  }
  std::vector<geometry::SurfaceMesh> meshes;
  std::vector<std::vector<geometry::Triangle>> triangles;
  std::vector<SolidSurface> solids;
};

double total(const std::vector<CellShare>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0,
                         [](double sum, const CellShare& s) { return sum + s.fraction; });
}

Lattice unit_box(ThreadArena& arena) {
  return build_lattice(geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.1), {.spacing = 0.1}, "box",
                       arena);
}

TEST(SolidShares, ABoxInABoxHasItsVolumeWhateverCellsItCuts) {
  ThreadArena arena(2);
  const Lattice lattice = unit_box(arena);
  const Vec3d size{0.37, 0.41, 0.23}, middle{0.513, 0.482, 0.537};
  const Meshes one({geometry::make_box(middle, size, 0.05)});
  const auto shares = shares_in_cells(lattice, one.solids, arena);
  EXPECT_NEAR(total(shares[0]) * 1e-3, size[0] * size[1] * size[2], 1e-12);
  Vec3d first{0, 0, 0};
  for (const CellShare& s : shares[0]) first += s.fraction * s.centroid;
  EXPECT_LT(norm((1 / total(shares[0])) * first - middle), 1e-12);
}

TEST(SolidShares, WhatDoesNotOverlapStaysExactBesideOthers) {
  ThreadArena arena(2);
  const Lattice lattice = unit_box(arena);
  // Their common wall passes through cells.
  const Meshes two({geometry::make_box({0.325, 0.5, 0.5}, {0.35, 0.6, 0.6}, 0.05),
                    geometry::make_box({0.7, 0.5, 0.5}, {0.4, 0.6, 0.6}, 0.05)});
  auto shares = shares_in_cells(lattice, two.solids, arena);
  give_to_first(lattice, two.solids, shares, arena);
  EXPECT_NEAR(total(shares[0]) * 1e-3, 0.35 * 0.36, 1e-9);
  EXPECT_NEAR(total(shares[1]) * 1e-3, 0.4 * 0.36, 1e-9);
}

TEST(SolidShares, TheFirstSolidKeepsWhatSeveralHave) {
  ThreadArena arena(2);
  const Lattice lattice = unit_box(arena);
  const Meshes two({geometry::make_box({0.4, 0.5, 0.5}, {0.4, 0.6, 0.6}, 0.05),
                    geometry::make_box({0.6, 0.5, 0.5}, {0.6, 0.6, 0.6}, 0.05)});
  auto shares = shares_in_cells(lattice, two.solids, arena);
  give_to_first(lattice, two.solids, shares, arena);
  EXPECT_NEAR(total(shares[0]) * 1e-3, 0.4 * 0.36, 1e-9);
  // From 0.6 to 0.9, all that the first one does not have.
  EXPECT_NEAR(total(shares[1]) * 1e-3, 0.3 * 0.36, 1e-9);
  for (const CellShare& s : shares[1]) EXPECT_GT(s.centroid[0], 0.6 - 1e-9);
}

TEST(SolidShares, AWallThroughACellIsFoundByItsPoints) {
  ThreadArena arena(2);
  const Lattice lattice = unit_box(arena);
  // A ball over a box that holds it: the box keeps what is around.
  const Meshes two({geometry::make_sphere({0.5, 0.5, 0.5}, 0.23, 0.01),
                    geometry::make_box({0.5, 0.5, 0.5}, {0.8, 0.8, 0.8}, 0.05)});
  auto shares = shares_in_cells(lattice, two.solids, arena);
  const double ball = total(shares[0]);
  give_to_first(lattice, two.solids, shares, arena);
  EXPECT_DOUBLE_EQ(total(shares[0]), ball);
  const double left = 512 - ball;
  EXPECT_NEAR(total(shares[1]) / left, 1, 2e-3);
}

}  // namespace
}  // namespace isochor::grid
