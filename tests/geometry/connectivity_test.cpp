#include "isochor/geometry/connectivity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

using ::testing::ElementsAre;

TEST(Connectivity, EqualPointsMergeIntoTheFirst) {
  const std::vector<Vec3d> points{{1, 2, 3}, {0, 0, 1}, {1, 2, 3}, {-0.0, 0, 1}, {1, 2, 3.0000001}};
  EXPECT_THAT(merge_equal_points(points), ElementsAre(0, 1, 0, 1, 4));
  EXPECT_TRUE(merge_equal_points({}).empty());
}

TEST(Connectivity, ManyPointsMergeAsComparingAllWould) {
  Random random(1);
  std::vector<Vec3d> points;
  for (int i = 0; i < 2000; ++i) {
    Vec3d p = random.vector(0, 8);
    for (double& x : p.e) x = std::floor(x);
    points.push_back(p);
  }
  const std::vector<std::int32_t> merged = merge_equal_points(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t first = 0;
    while (norm(points[first] - points[i]) != 0) ++first;
    ASSERT_EQ(merged[i], static_cast<std::int32_t>(first));
  }
}

TEST(Connectivity, EdgesKnowTheirTrianglesAndDirections) {
  ThreadArena arena(1);
  // Two triangles that agree, a third on the same edge, and one that is a line.
  const std::vector<Triangle> triangles{{0, 1, 2}, {2, 1, 3}, {4, 2, 1}, {5, 5, 1}};
  const EdgeTable edges(triangles, 6, arena);
  int count = 0;
  edges.for_each([&](std::int32_t low, std::int32_t high, std::span<const EdgeTable::Use> uses) {
    ++count;
    EXPECT_LT(low, high);
    EXPECT_NE(high, 5) << "a line has no edges";
    for (const EdgeTable::Use& use : uses) {
      const Triangle& t = triangles[use.triangle()];
      const std::int32_t from = t[use.corner()], to = t[(use.corner() + 1) % 3];
      EXPECT_EQ(use.forward(), from == low);
      EXPECT_EQ(std::minmax(from, to), std::minmax(low, high));
    }
    if (low == 1 && high == 2) {
      ASSERT_EQ(uses.size(), 3u);
      EXPECT_TRUE(uses[0].forward());
      EXPECT_FALSE(uses[1].forward());
      EXPECT_FALSE(uses[2].forward());
    } else {
      EXPECT_EQ(uses.size(), 1u);
    }
  });
  EXPECT_EQ(count, 7);
}

TEST(Connectivity, AClosedSurfaceHasEveryEdgeTwiceInBothDirections) {
  ThreadArena arena(2);
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  const EdgeTable edges(triangulate(sphere), sphere.positions.size(), arena);
  std::size_t count = 0;
  edges.for_each([&](std::int32_t, std::int32_t, std::span<const EdgeTable::Use> uses) {
    ASSERT_EQ(uses.size(), 2u);
    EXPECT_NE(uses[0].forward(), uses[1].forward());
    ++count;
  });
  EXPECT_EQ(2 * count, 3 * triangulate(sphere).size());
}

TEST(Connectivity, SetsAreNamedByTheirSmallestMember) {
  DisjointSets sets(6);
  sets.unite(5, 3);
  sets.unite(1, 4);
  sets.unite(4, 5);
  EXPECT_EQ(sets.find(0), 0);
  EXPECT_EQ(sets.find(2), 2);
  for (const std::int32_t i : {1, 3, 4, 5}) EXPECT_EQ(sets.find(i), 1);
}

}  // namespace
}  // namespace isochor::geometry
