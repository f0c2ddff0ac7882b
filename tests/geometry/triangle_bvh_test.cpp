#include "isochor/geometry/triangle_bvh.h"

#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <set>

#include "isochor/geometry/overlap.h"
#include "isochor/geometry/shapes.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

struct Soup {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;

  TriangleCorners corners(std::size_t t) const {
    return {positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]};
  }
  Bounds bounds(std::size_t t) const { return bounds_of(corners(t)); }
};

/// Triangles of a given size anywhere in a box, some without area.
Soup random_soup(std::uint64_t seed, int count, double size, const Vec3d& center = {0, 0, 0}) {
  Random random(seed);
  Soup soup;
  for (int i = 0; i < count; ++i) {
    const Vec3d middle = center + random.vector();
    for (int c = 0; c < 3; ++c) {
      soup.positions.push_back(i % 17 == 0 ? middle : middle + random.vector(-size, size));
    }
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return soup;
}

bool boxes_overlap(const Bounds& a, const Bounds& b) {
  bool overlap = true;
  for (int x = 0; x < 3; ++x) overlap = overlap && a.low[x] <= b.high[x] && b.low[x] <= a.high[x];
  return overlap;
}

using PairSet = std::set<std::pair<std::int32_t, std::int32_t>>;

/// All pairs that `walk` reports; none may come twice.
template <class Walk>
PairSet collect(Walk&& walk) {
  PairSet pairs;
  std::mutex mutex;
  walk([&](std::int32_t i, std::int32_t j) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(pairs.emplace(i, j).second) << i << " " << j << " came twice";
  });
  return pairs;
}

TEST(TriangleBvh, ClosestPointAgreesWithLookingAtAllTriangles) {
  ThreadArena arena(2);
  Random random(1);
  for (const Vec3d& center : {Vec3d{0, 0, 0}, Vec3d{-3e4, 900, 5e3}}) {
    const Soup soup = random_soup(2, 500, 0.2, center);
    const TriangleBvh tree(soup.positions, soup.triangles, arena);
    for (int sample = 0; sample < 300; ++sample) {
      const Vec3d point = center + random.vector(-2, 2);
      const ClosestPoint hit = tree.closest_point(point);
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
        nearest = std::min(nearest, closest_point_on(soup.corners(t), point).squared_distance);
      }
      EXPECT_EQ(hit.squared_distance, nearest);
      EXPECT_EQ(closest_point_on(soup.corners(hit.triangle), point).squared_distance, nearest);
    }
  }
}

TEST(TriangleBvh, ReachBoundsTheSearch) {
  ThreadArena arena(1);
  const SurfaceMesh box = make_box({0, 0, 0}, {2, 2, 2}, 0.5);
  const TriangleBvh tree(box.positions, triangulate(box), arena);
  EXPECT_EQ(tree.closest_point({3, 0, 0}, 1.9).triangle, -1);
  EXPECT_GE(tree.closest_point({3, 0, 0}, 2).triangle, 0) << "the limit itself counts";
  EXPECT_GE(tree.first_hit(Ray({3, 0.1, 0.1}, {-1, 0, 0}), -1, 2).triangle, 0);
  EXPECT_EQ(tree.first_hit(Ray({3, 0.1, 0.1}, {-1, 0, 0}), -1, 1.9).triangle, -1);
}

TEST(TriangleBvh, FirstHitAgreesWithLookingAtAllTriangles) {
  ThreadArena arena(2);
  const Soup soup = random_soup(3, 400, 0.3);
  const TriangleBvh tree(soup.positions, soup.triangles, arena);
  Random random(4);
  int hits = 0;
  for (int sample = 0; sample < 400; ++sample) {
    Vec3d direction = random.vector();
    if (sample % 4 == 0) direction[sample % 3] = 0;
    const Ray ray(random.vector(-1.5, 1.5), direction);
    const std::int32_t ignored = sample % 2 == 0 ? tree.first_hit(ray).triangle : -1;
    RayHit expected;
    for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
      const std::optional<double> at = ray.meets(soup.corners(t));
      if (static_cast<std::int32_t>(t) != ignored && at && *at >= 0 && *at < expected.distance) {
        expected = {static_cast<std::int32_t>(t), *at};
      }
    }
    const RayHit hit = tree.first_hit(ray, ignored);
    EXPECT_EQ(hit.triangle, expected.triangle) << sample;
    EXPECT_EQ(hit.distance, expected.distance) << sample;
    hits += hit.triangle >= 0;
  }
  EXPECT_GT(hits, 60);
}

TEST(TriangleBvh, RaysAlongTheFacesOfBoxesDoNotGetLost) {
  // Every ray runs in planes in which boxes of the tree begin and end.
  ThreadArena arena(1);
  const SurfaceMesh box = make_box({0, 0, 0}, {2, 2, 2}, 0.25);
  const TriangleBvh tree(box.positions, triangulate(box), arena);
  for (int i = -3; i <= 3; ++i) {
    for (int j = -3; j <= 3; ++j) {
      const RayHit hit = tree.first_hit(Ray({-4, 0.25 * i, 0.25 * j}, {2, 0, 0}));
      EXPECT_EQ(hit.distance, 1.5);
    }
  }
}

TEST(TriangleBvh, BoxQueryFindsWhatOverlaps) {
  ThreadArena arena(2);
  const Soup soup = random_soup(5, 600, 0.2);
  const TriangleBvh tree(soup.positions, soup.triangles, arena);
  Random random(6);
  for (int sample = 0; sample < 50; ++sample) {
    const Vec3d center = random.vector(), half = 0.3 * random.vector(0, 1);
    std::set<std::int32_t> expected, found;
    for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
      if (triangle_overlaps_box(soup.corners(t), center, half)) {
        expected.insert(static_cast<std::int32_t>(t));
      }
    }
    tree.for_each_in_box({center - half, center + half},
                         [&](std::int32_t t) { EXPECT_TRUE(found.insert(t).second); });
    EXPECT_EQ(found, expected);
  }
}

TEST(TriangleBvh, PairsWithinATreeComeOnce) {
  ThreadArena arena(3);
  const Soup soup = random_soup(7, 1500, 0.1);
  const TriangleBvh tree(soup.positions, soup.triangles, arena);
  PairSet expected;
  for (std::int32_t i = 0; i < 1500; ++i) {
    for (std::int32_t j = i + 1; j < 1500; ++j) {
      if (boxes_overlap(soup.bounds(i), soup.bounds(j))) expected.emplace(i, j);
    }
  }
  EXPECT_EQ(collect([&](auto f) { tree.for_each_pair(arena, f); }), expected);
  EXPECT_GT(expected.size(), 500u);
}

TEST(TriangleBvh, PairsBetweenTreesWithDifferentOriginsComeOnce) {
  ThreadArena arena(3);
  const Soup a = random_soup(8, 700, 0.2), b = random_soup(9, 90, 0.7, {0.5, -0.7, 0.123});
  const TriangleBvh tree_a(a.positions, a.triangles, arena);
  const TriangleBvh tree_b(b.positions, b.triangles, arena);
  PairSet expected;
  for (std::int32_t i = 0; i < 700; ++i) {
    for (std::int32_t j = 0; j < 90; ++j) {
      if (boxes_overlap(a.bounds(i), b.bounds(j))) expected.emplace(i, j);
    }
  }
  EXPECT_EQ(collect([&](auto f) { tree_a.for_each_pair(tree_b, arena, f); }), expected);
}

TEST(TriangleBvh, BoxesThatOnlyTouchArePairs) {
  ThreadArena arena(1);
  // Two cubes with a common face, far from the origin of either tree.
  const SurfaceMesh left = make_box({0.1, 0, 0}, {0.2, 0.2, 0.2}, 0.2);
  const SurfaceMesh right = make_box({0.3, 0, 0}, {0.2, 0.2, 0.2}, 0.2);
  const TriangleBvh a(left.positions, triangulate(left), arena);
  const TriangleBvh b(right.positions, triangulate(right), arena);
  int touching = 0;
  a.for_each_pair(b, arena, [&](std::int32_t, std::int32_t) { ++touching; });
  EXPECT_GE(touching, 4);
}

TEST(TriangleBvh, IsTheSameForAnyNumberOfThreads) {
  const Soup soup = random_soup(10, 20000, 0.05);
  ThreadArena one(1), five(5);
  const TriangleBvh a(soup.positions, soup.triangles, one), b(soup.positions, soup.triangles, five);
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  EXPECT_EQ(std::memcmp(a.nodes().data(), b.nodes().data(), a.nodes().size_bytes()), 0);
  for (std::int32_t i = 0; i < 20000; ++i) ASSERT_EQ(a.triangle_at(i), b.triangle_at(i));
}

TEST(TriangleBvh, NodesHoldWhatIsBelowThem) {
  ThreadArena arena(2);
  const Soup soup = random_soup(11, 5000, 0.05, {1e5, 0, 0});
  const TriangleBvh tree(soup.positions, soup.triangles, arena);
  std::vector<int> depth(tree.nodes().size(), 0), seen(5000, 0);
  const auto inside = [](const TriangleBvh::Node& box, const Vec3d& p) {
    bool in = true;
    for (int x = 0; x < 3; ++x) in = in && box.low[x] <= p[x] && p[x] <= box.high[x];
    return in;
  };
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const TriangleBvh::Node& node = tree.nodes()[i];
    for (std::int32_t t = node.first; t < node.first + node.count; ++t) {
      ++seen[tree.triangle_at(t)];
      for (const Vec3d& p : tree.corners(t)) EXPECT_TRUE(inside(node, p - tree.origin()));
    }
    if (node.count > 0) continue;
    for (const std::int32_t child : {node.first, node.first + 1}) {
      ASSERT_GT(child, static_cast<std::int32_t>(i));
      const TriangleBvh::Node& box = tree.nodes()[child];
      EXPECT_TRUE(inside(node, {box.low[0], box.low[1], box.low[2]}));
      EXPECT_TRUE(inside(node, {box.high[0], box.high[1], box.high[2]}));
      depth[child] = depth[i] + 1;
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 5000);
  EXPECT_LT(*std::max_element(depth.begin(), depth.end()), 25);
}

int deepest(const TriangleBvh& tree) {
  std::vector<int> depth(tree.nodes().size(), 0);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const TriangleBvh::Node& node = tree.nodes()[i];
    if (node.count > 0) continue;
    depth[node.first] = depth[node.first + 1] = depth[i] + 1;
  }
  return *std::max_element(depth.begin(), depth.end());
}

TEST(TriangleBvh, IsShallowWhateverTheInput) {
  ThreadArena arena(1);
  // Triangles whose distances halve each time invite a tree as deep as there are triangles.
  Soup halving;
  for (int i = 0; i < 240; ++i) {
    const double x = std::ldexp(1.0, -i / 2), y = i % 2 ? 0.3 * x : 0;
    halving.positions.insert(halving.positions.end(),
                             {Vec3d{x, y, 0}, Vec3d{1.01 * x, y, 0}, Vec3d{x, y + 0.01 * x, 0}});
    halving.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const TriangleBvh deep(halving.positions, halving.triangles, arena);
  EXPECT_LE(deepest(deep), TriangleBvh::kMaxDepth);
  EXPECT_EQ(deep.closest_point(halving.positions[600]).squared_distance, 0);

  // Nothing tells these apart.
  const std::vector<Vec3d> same{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<Triangle> copies(300, Triangle{0, 1, 2});
  const TriangleBvh flat(same, copies, arena);
  EXPECT_LE(deepest(flat), 8);
  EXPECT_EQ(collect([&](auto f) { flat.for_each_pair(arena, f); }).size(), 300u * 299 / 2);
}

TEST(TriangleBvh, OfNothingFindsNothing) {
  ThreadArena arena(1);
  const TriangleBvh tree({}, {}, arena);
  EXPECT_EQ(tree.closest_point({0, 0, 0}).triangle, -1);
  EXPECT_EQ(tree.first_hit(Ray({0, 0, 0}, {1, 0, 0})).triangle, -1);
  tree.for_each_in_box({{-1, -1, -1}, {1, 1, 1}}, [](std::int32_t) { FAIL(); });
  tree.for_each_pair(arena, [](std::int32_t, std::int32_t) { FAIL(); });
  tree.for_each_pair(tree, arena, [](std::int32_t, std::int32_t) { FAIL(); });
}

TEST(TriangleBvh, TakesLessThanSixtyBytesPerTriangle) {
  ThreadArena arena(2);
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.02);
  const TriangleBvh tree(sphere.positions, triangulate(sphere), arena);
  EXPECT_LT(tree.memory(), 60 * tree.triangle_count());
}

}  // namespace
}  // namespace isochor::geometry
