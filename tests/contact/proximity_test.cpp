#include "isochor/contact/proximity.h"

#include <gtest/gtest.h>

#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

/// The least squared distance over a fine grid of parameters of both segments.
double sampled_distance(const FourVectors& x) {
  constexpr int kSteps = 40;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const double s = i / double{kSteps}, t = j / double{kSteps};
      const Vec3d d = (x[0] + s * (x[1] - x[0])) - (x[2] + t * (x[3] - x[2]));
      best = std::min(best, dot(d, d));
    }
  }
  return best;
}

TEST(Proximity, SegmentsInClosedForm) {
  const auto at = closest_on_segments({-1, 0, 0}, {3, 0, 0}, {0, -1, 2}, {0, 3, 2});
  EXPECT_DOUBLE_EQ(at.s, 0.25);
  EXPECT_DOUBLE_EQ(at.t, 0.25);
  EXPECT_DOUBLE_EQ(at.squared_distance, 4);
  // Ends against ends, parallel and in one line.
  EXPECT_DOUBLE_EQ(closest_on_segments({0, 0, 0}, {1, 0, 0}, {3, 1, 0}, {2, 1, 0}).squared_distance,
                   2);
  EXPECT_DOUBLE_EQ(closest_on_segments({0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 0, 0}).squared_distance,
                   1);
  EXPECT_DOUBLE_EQ(closest_on_segments({0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {2, 1, 0}).squared_distance,
                   1);
  // Points instead of segments.
  EXPECT_DOUBLE_EQ(closest_on_segments({0, 0, 0}, {0, 0, 0}, {1, 2, 2}, {1, 2, 2}).squared_distance,
                   9);
}

TEST(Proximity, SegmentsAreNeverFartherThanSamplesOfThem) {
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    FourVectors x;
    for (Vec3d& p : x) p = random.vector();
    // A third nearly parallel, by less and less.
    if (trial % 3 == 0) {
      x[3] = x[2] + 0.7 * (x[1] - x[0]) + std::pow(10.0, -trial % 18) * random.vector();
    }
    const SegmentPoints at = closest_on_segments(x[0], x[1], x[2], x[3]);
    const double sampled = sampled_distance(x);
    EXPECT_LE(at.squared_distance, sampled + 1e-15);
    EXPECT_GE(std::sqrt(at.squared_distance), std::sqrt(sampled) - 0.1);
  }
}

TEST(Proximity, WeightsGiveDistanceTimesNormal) {
  Random random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto kind = trial % 2 ? PairKind::PointTriangle : PairKind::EdgeEdge;
    FourVectors x;
    for (Vec3d& p : x) p = random.vector();
    const Pair pair = closest_points(kind, x);
    EXPECT_LT(norm(weighted(pair.weights, x) - pair.distance * pair.normal), 1e-14);
    EXPECT_NEAR(norm(pair.normal), 1, 1e-14);
    EXPECT_NEAR(pair.weights[0] + pair.weights[1] + pair.weights[2] + pair.weights[3], 0, 1e-15);
    EXPECT_NEAR(pair.distance, std::sqrt(squared_distance(kind, x)), 1e-15);
  }
}

TEST(Proximity, TouchingPartsHaveANormalAllTheSame) {
  const Pair on = closest_points(PairKind::PointTriangle,
                                 {Vec3d{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  EXPECT_EQ(on.distance, 0);
  EXPECT_EQ(on.normal[2], 1);
  const Pair crossed =
      closest_points(PairKind::EdgeEdge, {Vec3d{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}});
  EXPECT_EQ(crossed.distance, 0);
  EXPECT_EQ(std::abs(crossed.normal[2]), 1);
  const Pair along =
      closest_points(PairKind::EdgeEdge, {Vec3d{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {2, 0, 0}});
  EXPECT_EQ(along.distance, 0);
  EXPECT_NEAR(norm(along.normal), 1, 1e-15);
  EXPECT_EQ(along.normal[0], 0);
}

TEST(Proximity, FarFromTheOriginDistancesKeepTheirDigits) {
  const Vec3d far{1e6, -2e6, 3e6};
  FourVectors x{Vec3d{0.25, 0.25, 0x1p-20}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (Vec3d& p : x) p += far;
  EXPECT_EQ(closest_points(PairKind::PointTriangle, x).distance, 0x1p-20);
}

TEST(Proximity, PairsAreThoseOfAllComparisons) {
  for (const double unit : {1e-3, 1.0, 1e3}) {
    TestBodies bodies = random_spheres(5, 0.5, 3);
    for (Vec3d& p : bodies.positions) p *= unit;
    const double reach = 0.08 * unit;
    std::vector<Pair> expected, found;
    for_each_pair_slowly(bodies.surface, [&](PairKind kind, std::int32_t first, std::int32_t second,
                                             const std::array<std::int32_t, 4>& points) {
      Pair pair = closest_points(kind, gather(bodies.positions, points));
      if (pair.distance > reach) return;
      pair.first = first;
      pair.second = second;
      expected.push_back(pair);
    });
    ASSERT_GT(expected.size(), 50u);
    SurfaceBvh bvh(bodies.surface);
    for (const int threads : {1, 2, 4}) {
      ThreadArena arena(threads);
      find_close_pairs(bvh, bodies.positions, reach, {}, arena, found);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].kind, expected[i].kind);
        EXPECT_EQ(found[i].first, expected[i].first);
        EXPECT_EQ(found[i].second, expected[i].second);
        EXPECT_EQ(found[i].weights, expected[i].weights);
        EXPECT_EQ(found[i].distance, expected[i].distance);
      }
    }
  }
}

TEST(Proximity, FiltersChooseBodiesAndLeaveNeighboursOut) {
  const TestBodies bodies = random_spheres(4, 0.4, 4);
  ThreadArena arena(2);
  SurfaceBvh bvh(bodies.surface);
  std::vector<Pair> all, within, between, apart;
  constexpr double kReach = 0.12;
  find_close_pairs(bvh, bodies.positions, kReach, {}, arena, all);
  find_close_pairs(bvh, bodies.positions, kReach, {.between_bodies = false}, arena, within);
  find_close_pairs(bvh, bodies.positions, kReach, {.within_bodies = false}, arena, between);
  EXPECT_GT(within.size(), 100u);
  EXPECT_GT(between.size(), 100u);
  EXPECT_EQ(all.size(), within.size() + between.size());
  for (const Pair& pair : between) {
    EXPECT_NE(bodies.surface.bodies[pair.points[0]], bodies.surface.bodies[pair.points[3]]);
  }
  // What is near at rest is near now and no contact, except of two bodies.
  const PairFilter filter{.rest_distance = kReach + 1e-9, .rest_positions = bodies.positions};
  find_close_pairs(bvh, bodies.positions, kReach, filter, arena, apart);
  EXPECT_EQ(apart.size(), between.size());
}

}  // namespace
}  // namespace isochor::contact
