#include "isochor/contact/surface_bvh.h"

#include <gtest/gtest.h>
#include <set>

#include "isochor/base/error.h"
#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

std::vector<Bounds> random_boxes(Random& random, std::size_t count) {
  std::vector<Bounds> boxes(count);
  for (Bounds& box : boxes) {
    const Vec3d low = random.vector();
    box = {low, low + random.vector(0, 0.1)};
  }
  return boxes;
}

using Found = std::multiset<std::pair<std::int32_t, std::int32_t>>;

Found all_pairs(std::span<const Bounds> boxes) {
  Found found;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if (overlap(boxes[i], boxes[j])) found.insert({i, j});
    }
  }
  return found;
}

Found tree_pairs(const BoxBvh& tree) {
  Found found;
  for (std::size_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    tree.for_each_pair(leaf, [&](std::int32_t i, std::int32_t j) { found.insert({i, j}); });
  }
  return found;
}

TEST(BoxBvh, FindsEveryPairOnceAfterBuildingAndRefitting) {
  ThreadArena arena(2);
  Random random(1);
  for (const std::size_t count : {0, 1, 2, 3, 4, 5, 8, 9, 17, 100, 700}) {
    std::vector<Bounds> boxes = random_boxes(random, count);
    BoxBvh tree;
    tree.build(boxes, arena);
    EXPECT_EQ(tree.size(), count);
    EXPECT_EQ(tree_pairs(tree), all_pairs(boxes)) << count;
    boxes = random_boxes(random, count);
    tree.refit(boxes, arena);
    EXPECT_EQ(tree_pairs(tree), all_pairs(boxes)) << count << " refitted";
  }
}

TEST(BoxBvh, FindsWhatABoxOverlaps) {
  ThreadArena arena(1);
  Random random(2);
  const std::vector<Bounds> boxes = random_boxes(random, 500);
  BoxBvh tree;
  tree.build(boxes, arena);
  for (const Bounds& box : random_boxes(random, 50)) {
    std::multiset<std::int32_t> found, expected;
    tree.for_each_overlap(box, [&](std::int32_t i) { found.insert(i); });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (overlap(box, boxes[i])) expected.insert(static_cast<std::int32_t>(i));
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(BoxBvh, EqualBoxesAreToldApart) {
  ThreadArena arena(1);
  const std::vector<Bounds> boxes(100, Bounds{{0, 0, 0}, {0, 0, 0}});
  BoxBvh tree;
  tree.build(boxes, arena);
  EXPECT_EQ(tree_pairs(tree).size(), 4950u);
}

TEST(BoxBvh, CostTellsAWornTreeFromANewOne) {
  ThreadArena arena(1);
  Random random(3);
  BoxBvh tree;
  tree.build(random_boxes(random, 2000), arena);
  const double sorted = tree.cost(arena);
  const std::vector<Bounds> mixed = random_boxes(random, 2000);
  tree.refit(mixed, arena);
  EXPECT_GT(tree.cost(arena), 5 * sorted);
  tree.build(mixed, arena);
  EXPECT_LT(tree.cost(arena), 1.1 * sorted);
}

TEST(Surface, HasEachEdgeAndPointOnce) {
  const Surface surface = make_surface({{4, 1, 2}, {2, 1, 7}}, 9);
  EXPECT_EQ(surface.points, (std::vector<std::int32_t>{1, 2, 4, 7}));
  EXPECT_EQ(surface.edges, (std::vector<Edge>{{1, 2}, {1, 4}, {1, 7}, {2, 4}, {2, 7}}));
  EXPECT_EQ(surface.point_count(), 9u);
}

TEST(Surface, BadTrianglesAreNamed) {
  const auto message = [](std::vector<Triangle> triangles) -> std::string {
    try {
      make_surface(std::move(triangles), 3);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{0, 1, 2}, {0, 1, 3}}).find("triangle 1"), std::string::npos);
  EXPECT_NE(message({{0, 1, -1}}).find("does not exist"), std::string::npos);
  EXPECT_NE(message({{0, 1, 1}}).find("twice"), std::string::npos);
}

TEST(SurfaceBvh, BoxesHoldTheWholeWayAndHalfTheReach) {
  ThreadArena arena(1);
  SurfaceBvh bvh(make_surface({{0, 1, 2}}, 3));
  const std::vector<Vec3d> start{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<Vec3d> end = start;
  for (Vec3d& p : end) p[2] += 3;
  bvh.update(start, end, 0.5, arena);
  const auto hits = [&](const Vec3d& p) {
    int count = 0;
    bvh.triangles().for_each_overlap({p, p}, [&](std::int32_t) { ++count; });
    return count;
  };
  EXPECT_EQ(hits({0.5, 0.5, 3.25}), 1);
  EXPECT_EQ(hits({1.25, 0.5, 1}), 1);
  EXPECT_EQ(hits({0.5, 0.5, 3.2501}), 0);
  EXPECT_EQ(hits({1.2501, 0.5, 1}), 0);
}

}  // namespace
}  // namespace isochor::contact
