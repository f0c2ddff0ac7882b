#include "isochor/geometry/tet_embedding.h"

#include <gtest/gtest.h>

#include "isochor/math/mat3.h"

namespace isochor::geometry {
namespace {

TetMesh two_tets() {
  return {.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
          .tets = {{0, 1, 2, 3}, {1, 2, 3, 4}},
          .regions = {}};
}

TEST(TetEmbedding, LinearMapsAreExactInsideAndOutside) {
  ThreadArena arena(2);
  const TetMesh mesh = two_tets();
  const std::vector<Vec3d> points{{0.1, 0.2, 0.3}, {0.6, 0.5, 0.7}, {-1, 2, 0.5}, {1, 1, 1.5}};
  const TetEmbedding embedding = embed(mesh, points, arena);
  const Mat3d A{{Vec3d{1, 2, 0}, Vec3d{0, 1, -1}, Vec3d{3, 0, 1}}};
  const auto map = [&](const Vec3d& x) { return A * x + Vec3d{1, 2, 3}; };
  std::vector<Vec3d> moved, found(points.size());
  for (const Vec3d& p : mesh.positions) moved.push_back(map(p));
  embedding.interpolate(moved, found);
  for (std::size_t p = 0; p < points.size(); ++p) {
    EXPECT_LT(norm(found[p] - map(points[p])), 1e-12) << p;
    double sum = 0;
    for (const auto& [node, weight] : embedding.weights(p)) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-15);
  }
}

TEST(TetEmbedding, ValuesStayBetweenThoseOfTheNodes) {
  ThreadArena arena(1);
  const std::vector<Vec3d> points{{0.1, 0.2, 0.3}, {-1, 2, 0.5}, {5, 5, 5}};
  const TetEmbedding embedding = embed(two_tets(), points, arena);
  const std::vector<double> nodal{1, 2, 3, 4, 9};
  std::vector<double> found(points.size());
  embedding.interpolate(nodal, found);
  EXPECT_NEAR(found[0], 1 + 0.1 + 2 * 0.2 + 3 * 0.3, 1e-12);
  EXPECT_GE(found[1], 1);
  EXPECT_LE(found[1], 4);
  EXPECT_NEAR(found[2], 9, 1e-12) << "beyond the last corner";
}

TEST(TetEmbedding, PointsGoWithTheTetAroundThemOrTheNearest) {
  ThreadArena arena(1);
  const TetMesh mesh = two_tets();
  const std::vector<Vec3d> points{{0.1, 0.1, 0.1}, {0.5, 0.5, 0.5}, {-1, -1, -1}, {2, 2, 2}};
  const TetEmbedding embedding = embed(mesh, points, arena);
  EXPECT_EQ(embedding.points[0].nodes, mesh.tets[0]);
  EXPECT_EQ(embedding.points[1].nodes, mesh.tets[1]);
  EXPECT_EQ(embedding.points[2].nodes, mesh.tets[0]);
  EXPECT_EQ(embedding.points[3].nodes, mesh.tets[1]);
}

TEST(TetEmbedding, DistanceIsZeroInsideWhateverTheWinding) {
  const std::array<Vec3d, 4> tet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const std::array<Vec3d, 4> turned{tet[1], tet[0], tet[2], tet[3]};
  for (const auto& t : {tet, turned}) {
    EXPECT_EQ(squared_distance(t, {0.2, 0.2, 0.2}), 0);
    EXPECT_DOUBLE_EQ(squared_distance(t, {0.2, 0.2, -2}), 4);
    EXPECT_DOUBLE_EQ(squared_distance(t, {1, 1, 1}), 4.0 / 3);
  }
  const std::array<Vec3d, 4> flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}};
  EXPECT_DOUBLE_EQ(squared_distance(flat, {0.5, 0.5, 3}), 9);
}

}  // namespace
}  // namespace isochor::geometry
