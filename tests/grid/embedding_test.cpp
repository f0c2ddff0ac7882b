#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "isochor/grid/lattice.h"
#include "tests/files/temporary_folder.h"
#include "tests/geometry/surface_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::grid {
namespace {

Lattice build(const geometry::SurfaceMesh& surface, double spacing) {
  ThreadArena arena(1);
  return build_lattice(surface, spacing, "test", arena);
}

/// Interpolates `field` from the nodes and compares it with itself at the points.
void expect_exact(const Lattice& lattice, std::span<const Vec3d> points,
                  const std::function<double(const Vec3d&)>& field) {
  const Embedding embedding = embed(lattice, points);
  ASSERT_EQ(embedding.points.size(), points.size());
  std::vector<double> nodal, at_points(points.size());
  for (const Vec3d& x : lattice.rest_positions) nodal.push_back(field(x));
  embedding.interpolate(nodal, at_points);
  for (std::size_t p = 0; p < points.size(); ++p) {
    // Fields of size ten, eight terms.
    EXPECT_NEAR(at_points[p], field(points[p]), 1e-12 * (1 + std::abs(field(points[p]))));
  }
}

TEST(GridEmbedding, RestPositionsComeBack) {
  for (const double spacing : {0.3, 0.11}) {
    const geometry::SurfaceMesh sphere = geometry::make_sphere({1, 2, -3}, 1, 0.1);
    const Lattice lattice = build(sphere, spacing);
    const Embedding embedding = embed(lattice, sphere.positions);
    std::vector<Vec3d> positions(sphere.positions.size());
    embedding.interpolate(lattice.rest_positions, positions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      EXPECT_LT(norm(positions[p] - sphere.positions[p]), 1e-12);
      for (int a = 0; a < 3; ++a) {
        // A point in a wall may be taken by the cell on the other side of it.
        EXPECT_GE(embedding.points[p].local[a], -1e-5);
        EXPECT_LE(embedding.points[p].local[a], 1 + 1e-5);
      }
    }
  }
}

TEST(GridEmbedding, AffineAndTrilinearFieldsAreExact) {
  Random random(1);
  const geometry::SurfaceMesh sphere = geometry::make_sphere({0, 0, 0}, 1, 0.15);
  const Lattice lattice = build(sphere, 0.17);
  std::vector<Vec3d> points = sphere.positions;
  while (points.size() < 2000) {
    const Vec3d p = random.vector();
    if (norm(p) < 0.99) points.push_back(p);
  }
  for (int sample = 0; sample < 5; ++sample) {
    double c[8];
    for (double& value : c) value = random.uniform(-2, 2);
    expect_exact(lattice, points,
                 [&](const Vec3d& x) { return c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[2]; });
    expect_exact(lattice, points, [&](const Vec3d& x) {
      return c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[2] + c[4] * x[0] * x[1] +
             c[5] * x[1] * x[2] + c[6] * x[2] * x[0] + c[7] * x[0] * x[1] * x[2];
    });
  }
}

TEST(GridEmbedding, AQuadraticFieldIsNotExact) {
  // So that the test above cannot pass by accident.
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5), 0.5);
  const std::vector<Vec3d> points{{0.25, 0, 0}};
  std::vector<double> nodal, at_points(1);
  for (const Vec3d& x : lattice.rest_positions) nodal.push_back(x[0] * x[0]);
  embed(lattice, points).interpolate(nodal, at_points);
  EXPECT_NEAR(at_points[0], 0.125, 1e-14);  // the chord, not the parabola at 0.0625
}

TEST(GridEmbedding, PointsInWallsAndCornersOfTheBoxAreTaken) {
  const double h = 0.1;
  const geometry::SurfaceMesh box = geometry::make_box({0.7, 0.1, -0.3}, {0.3, 0.5, 0.7}, h);
  const Lattice lattice = build(box, h);
  expect_exact(lattice, lattice.rest_positions, [](const Vec3d& x) { return x[0] - 2 * x[2]; });
  expect_exact(lattice, box.positions, [](const Vec3d& x) { return x[0] - 2 * x[2] + x[1]; });
}

TEST(GridEmbedding, APointALittleOutsideRidesOnTheNearestCell) {
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5), 0.5);
  const std::vector<Vec3d> points{{0.6, 0.1, 0.1}, {-0.6, -0.7, 0.2}};
  expect_exact(lattice, points, [](const Vec3d& x) { return 1 + x[0] + 2 * x[1] - x[2]; });
}

TEST(GridEmbedding, RidesAlongWithAMotion) {
  Random random(2);
  const geometry::SurfaceMesh sphere = geometry::make_sphere({0, 0, 0}, 1, 0.2);
  const Lattice lattice = build(sphere, 0.2);
  const Mat3d F = random.matrix(-2, 2);
  const Vec3d shift = random.vector();
  std::vector<Vec3d> moved, points(sphere.positions.size());
  for (const Vec3d& x : lattice.rest_positions) moved.push_back(F * x + shift);
  embed(lattice, sphere.positions).interpolate(moved, points);
  for (std::size_t p = 0; p < points.size(); ++p) {
    EXPECT_LT(norm(points[p] - (F * sphere.positions[p] + shift)), 1e-12);
  }
}

TEST(GridEmbedding, APointFarFromEveryCellRidesOnTheNearestOne) {
  // Two small bodies far apart in one lattice, points between them and outside: an affine motion
  // continues to where they are.
  const Lattice lattice = build(geometry::joined(geometry::make_box({0, 0, 0}, {1, 1, 1}, 1),
                                                 geometry::make_box({9, 0, 0}, {1, 1, 1}, 1)),
                                0.5);
  const std::vector<Vec3d> far{{4.2, 0, 0}, {4.8, 0.3, 0}, {-1e12, 0, 0}};
  const Embedding embedding = embed(lattice, far);
  std::vector<Vec3d> moved, points(far.size());
  for (const Vec3d& x : lattice.rest_positions) moved.push_back({2 * x[0] + 1, x[1], x[2]});
  embedding.interpolate(moved, points);
  for (std::size_t p = 0; p < far.size(); ++p) {
    EXPECT_NEAR(points[p][0], 2 * far[p][0] + 1, 1e-14 * std::abs(far[p][0]) + 1e-12);
  }
  const auto x_of_cell = [&](int p) {
    return lattice.rest_positions[embedding.points[p].nodes[0]][0];
  };
  EXPECT_LT(x_of_cell(0), 1);
  EXPECT_GT(x_of_cell(1), 8);
}

TEST(GridLattice, AVertexThatNoFaceUsesChangesNothing) {
  geometry::SurfaceMesh box = geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  const Lattice before = build(box, 0.25);
  box.positions.push_back({100, 0, 0});
  const Lattice after = build(box, 0.25);
  EXPECT_EQ(after.size, before.size);
  EXPECT_EQ(after.cell_count(), before.cell_count());
  EXPECT_EQ(embed(after, box.positions).points.size(), box.positions.size());
}

}  // namespace
}  // namespace isochor::grid
