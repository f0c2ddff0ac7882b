#include "isochor/geometry/grid_moments.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/geometry/shapes.h"

namespace isochor::geometry {
namespace {

/// Volume and centroid of the whole from its cells, m.
std::pair<double, Vec3d> summed(const RegularGrid& grid, const std::vector<Moments>& cells) {
  double volume = 0;
  Vec3d first{0, 0, 0};
  const double h = grid.spacing;
  for (std::int32_t k = 0; k < grid.size[2]; ++k) {
    for (std::int32_t j = 0; j < grid.size[1]; ++j) {
      for (std::int32_t i = 0; i < grid.size[0]; ++i) {
        const Moments& m = cells[grid.index(i, j, k)];
        const Vec3d low = grid.origin + h * Vec3d{double(i), double(j), double(k)};
        volume += h * h * h * m.volume;
        first += h * h * h * (m.volume * low + h * m.first);
      }
    }
  }
  return {volume, (1 / volume) * first};
}

TEST(GridMoments, AddUpToThoseOfTheSolid) {
  const SurfaceMesh mesh = make_sphere({0.3, 0.1, -0.2}, 0.7, 0.11);
  const std::vector<Triangle> triangles = triangulate(mesh);
  const RegularGrid grid{.origin = {-0.5, -0.7, -1.0}, .spacing = 0.13, .size = {13, 13, 13}};
  ThreadArena arena(2);
  const auto [volume, centroid] =
      summed(grid, moments_in_cells(mesh.positions, triangles, grid, arena));
  EXPECT_NEAR(volume, enclosed_volume(mesh.positions, triangles), 1e-12);
  EXPECT_LT(norm(centroid - Vec3d{0.3, 0.1, -0.2}), 1e-12);
}

TEST(GridMoments, WallsInTheWallsOfCellsAreNoExceptions) {
  const SurfaceMesh mesh = make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.25);
  const std::vector<Triangle> triangles = triangulate(mesh);
  const RegularGrid grid{.origin = {-0.5, -0.5, -0.5}, .spacing = 0.25, .size = {8, 8, 8}};
  ThreadArena arena(2);
  const std::vector<Moments> cells = moments_in_cells(mesh.positions, triangles, grid, arena);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int k = 0; k < 8; ++k) {
        const bool inside = std::min({i, j, k}) >= 2 && std::max({i, j, k}) < 6;
        EXPECT_EQ(cells[grid.index(i, j, k)].volume, inside ? 1 : 0);
      }
    }
  }
}

TEST(GridMoments, ASolidThatReachesBeyondTheGridIsCutOff) {
  const SurfaceMesh mesh = make_box({0, 0, 0}, {10, 10, 0.5}, 1);
  const std::vector<Triangle> triangles = triangulate(mesh);
  const RegularGrid grid{.origin = {-1, -1, -1}, .spacing = 1, .size = {2, 2, 2}};
  ThreadArena arena(1);
  for (const Moments& m : moments_in_cells(mesh.positions, triangles, grid, arena)) {
    EXPECT_NEAR(m.volume, 0.25, 1e-14);
  }
}

}  // namespace
}  // namespace isochor::geometry
