#include "isochor/contact/impacts.h"

#include <gtest/gtest.h>

#include "isochor/contact/crossings.h"
#include "isochor/geometry/predicates.h"
#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

constexpr PairKind kKinds[] = {PairKind::PointTriangle, PairKind::EdgeEdge};

FourVectors moved(const FourVectors& start, const FourVectors& end, double time) {
  FourVectors x;
  for (int i = 0; i < 4; ++i) x[i] = start[i] + time * (end[i] - start[i]);
  return x;
}

TEST(Impacts, PointFallsOntoTriangle) {
  const FourVectors start{Vec3d{0.2, 0.3, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  FourVectors end = start;
  end[0] = {0.2, 0.3, -1};
  const auto impact = first_impact(PairKind::PointTriangle, start, end, {.remaining = 1e-9});
  ASSERT_TRUE(impact);
  EXPECT_NEAR(impact->time, 0.5, 1e-9);
  EXPECT_LE(impact->time, 0.5);
  EXPECT_NEAR(impact->pair.normal[2], 1, 1e-6);
  EXPECT_NEAR(impact->pair.weights[2], -0.2, 1e-9);
  EXPECT_NEAR(impact->pair.weights[3], -0.3, 1e-9);
  // It passes where the triangle has gone.
  FourVectors beside = end;
  for (int i = 1; i < 4; ++i) beside[i] += Vec3d{-2.5, 0, 0};
  EXPECT_FALSE(first_impact(PairKind::PointTriangle, start, beside));
}

TEST(Impacts, EdgesPassThroughEachOther) {
  const FourVectors start{Vec3d{-1, 0, 0}, {1, 0, 0}, {0, -1, 2}, {0, 1, 2}};
  FourVectors end = start;
  end[2][2] = end[3][2] = -6;
  const auto impact = first_impact(PairKind::EdgeEdge, start, end, {.remaining = 1e-9});
  ASSERT_TRUE(impact);
  EXPECT_NEAR(impact->time, 0.25, 1e-9);
  EXPECT_NEAR(std::abs(impact->pair.normal[2]), 1, 1e-6);
  // Ten per cent of the gap stays unless told otherwise, and a distance is kept where asked for.
  EXPECT_NEAR(first_impact(PairKind::EdgeEdge, start, end)->time, 0.225, 1e-12);
  const ImpactOptions apart{.distance = 0.4, .remaining = 1e-9};
  EXPECT_NEAR(first_impact(PairKind::EdgeEdge, start, end, apart)->time, 0.2, 1e-9);
}

TEST(Impacts, SlidingAlongAPlaneIsNoImpact) {
  // A micrometre above a triangle, a kilometre along it: bounds by the norm of the velocity would
  // take a thousand million steps.
  FourVectors start{Vec3d{0.2, 0.2, 1e-6}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  FourVectors end = start;
  end[0] += Vec3d{1000, 0, 0};
  EXPECT_FALSE(first_impact(PairKind::PointTriangle, start, end));
}

// Boxes around what moves are apart where nothing can meet, but only for who moves along.
TEST(Impacts, FlyingTogetherChangesNone) {
  Random random(31);
  int met = 0;
  for (int k = 0; k < 2000; ++k) {
    FourVectors start, end, far;
    const Vec3d flight = random.vector(-3, 3);
    for (int i = 0; i < 4; ++i) {
      start[i] = random.vector(-1, 1);
      end[i] = start[i] + random.vector(-0.5, 0.5);
      far[i] = end[i] + flight;
    }
    for (const PairKind kind : kKinds) {
      const auto alone = first_impact(kind, start, end), together = first_impact(kind, start, far);
      ASSERT_EQ(alone.has_value(), together.has_value());
      if (!alone) continue;
      ++met;
      EXPECT_NEAR(alone->time, together->time, 1e-9);
    }
  }
  EXPECT_GT(met, 100);
}

TEST(Impacts, PartsThatTouchMeetAtOnce) {
  const FourVectors start{Vec3d{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  FourVectors end = start;
  end[0][2] = 1;
  ASSERT_TRUE(first_impact(PairKind::PointTriangle, start, end));
  EXPECT_EQ(first_impact(PairKind::PointTriangle, start, end)->time, 0);
}

TEST(Impacts, PartsThatAreTooNearMayPart) {
  const FourVectors start{Vec3d{0.2, 0.2, 0.01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  FourVectors end = start;
  end[0] = {0.5, 0.2, 0.02};
  EXPECT_FALSE(first_impact(PairKind::PointTriangle, start, end, {.distance = 0.1}));
  end[0][2] = 0.009;
  ASSERT_TRUE(first_impact(PairKind::PointTriangle, start, end, {.distance = 0.1}));
  EXPECT_EQ(first_impact(PairKind::PointTriangle, start, end, {.distance = 0.1})->time, 0);
}

/// Random four points; some of them with coordinates on a coarse grid, so that points coincide,
/// edges are parallel, and triangles are needles, or flat in the plane of motion.
FourVectors random_points(Random& random, int style) {
  FourVectors x;
  for (Vec3d& p : x) {
    p = random.vector();
    for (int a = 0; a < 3; ++a) {
      if (style & 1) p[a] = std::round(2 * p[a]) / 2;
      if (style & 2) p[a] *= a == 2 ? 1e-9 : 1;
      if (style & 4) p[a] += 100;
    }
  }
  return x;
}

/// Whether the two parts pass through each other between two instants that are near each other:
/// the sign of their volume changes while the perpendicular stays inside. Exact predicates at both.
bool seen_to_cross(PairKind kind, const FourVectors& a, const FourVectors& b) {
  const auto side = [](const FourVectors& x) {
    return geometry::plane_side(x[1], x[2], x[3], x[0]);
  };
  if (side(a) * side(b) >= 0) return false;
  // Well inside, so that what is seen is not an effect of sampling.
  for (const FourVectors* x : {&a, &b}) {
    const Pair pair = closest_points(kind, *x);
    for (const double w : pair.weights) {
      if (std::abs(w) < 1e-3) return false;
    }
    Vec3d u = (*x)[2] - (*x)[1], v = (*x)[3] - (*x)[1];
    if (kind == PairKind::EdgeEdge) u = (*x)[1] - (*x)[0], v = (*x)[3] - (*x)[2];
    if (norm(cross(u, v)) < 1e-3 * norm(u) * norm(v)) return false;
  }
  return true;
}

TEST(Impacts, NoneIsMissedInThousandsOfMotions) {
  constexpr int kSamples = 100;
  Random random(5);
  int crossed = 0, reported = 0;
  for (int trial = 0; trial < 12000; ++trial) {
    const PairKind kind = kKinds[trial % 2];
    const int style = trial / 2 % 8;
    const FourVectors start = random_points(random, style), end = random_points(random, style);
    const auto impact = first_impact(kind, start, end);
    reported += impact.has_value();
    const double safe = impact ? impact->time : 1;
    FourVectors last = start;
    for (int s = 1; s <= kSamples; ++s) {
      const double time = static_cast<double>(s) / kSamples;
      const FourVectors now = moved(start, end, time);
      if (seen_to_cross(kind, last, now)) {
        ++crossed;
        EXPECT_LE(safe, time) << "trial " << trial;
        break;
      }
      last = now;
    }
  }
  EXPECT_GT(crossed, 500);
  EXPECT_LT(reported, 9000) << "not everything is an impact";
}

TEST(Impacts, PartsStayApartUntilThen) {
  Random random(6);
  int met = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const PairKind kind = kKinds[trial % 2];
    const FourVectors start = random_points(random, 0), end = random_points(random, 0);
    const double first = std::sqrt(squared_distance(kind, start));
    const auto impact = first_impact(kind, start, end);
    if (impact) {
      ++met;
      const double left = std::sqrt(squared_distance(kind, moved(start, end, impact->time)));
      EXPECT_GT(left, 0);
      EXPECT_LE(left, 0.1001 * first);
      EXPECT_NEAR(left, impact->pair.distance, 1e-14);
    }
  }
  EXPECT_GT(met, 200);
}

TEST(Impacts, TimesDoNotDependOnTheUnitOfLength) {
  Random random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const PairKind kind = kKinds[trial % 2];
    const FourVectors start = random_points(random, 0), end = random_points(random, 0);
    const auto impact = first_impact(kind, start, end);
    for (const double unit : {0x1p-10, 0x1p10}) {
      FourVectors s = start, e = end;
      for (int i = 0; i < 4; ++i) s[i] *= unit, e[i] *= unit;
      const auto scaled = first_impact(kind, s, e);
      ASSERT_EQ(impact.has_value(), scaled.has_value());
      if (impact) {
        EXPECT_EQ(impact->time, scaled->time);
      }
    }
  }
}

TEST(Impacts, OfSurfacesAreThoseOfAllPairs) {
  const TestBodies bodies = random_spheres(4, 0.5, 11);
  Random random(8);
  std::vector<Vec3d> end = bodies.positions;
  for (Vec3d& p : end) p += random.vector(-0.1, 0.1);
  SurfaceBvh bvh(bodies.surface);
  std::vector<Impact> expected, found;
  for_each_pair_slowly(bodies.surface, [&](PairKind kind, std::int32_t first, std::int32_t second,
                                           const std::array<std::int32_t, 4>& points) {
    auto impact = first_impact(kind, gather(bodies.positions, points), gather(end, points));
    if (!impact) return;
    impact->pair.first = first;
    impact->pair.second = second;
    expected.push_back(*impact);
  });
  ASSERT_GT(expected.size(), 20u);
  const double least = std::ranges::min_element(expected, {}, &Impact::time)->time;
  for (const int threads : {1, 2, 4}) {
    ThreadArena arena(threads);
    find_impacts(bvh, bodies.positions, end, {}, {}, arena, found);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].pair.first, expected[i].pair.first);
      EXPECT_EQ(found[i].pair.second, expected[i].pair.second);
      EXPECT_EQ(found[i].time, expected[i].time);
    }
    EXPECT_EQ(largest_step(bvh, bodies.positions, end, {}, {}, arena), least);
  }
}

TEST(Impacts, WhatHasChangedIsAskedAloneAndAllOfIt) {
  const TestBodies bodies = random_spheres(6, 0.35, 12);
  ThreadArena arena(2);
  SurfaceBvh bvh(bodies.surface);
  Random random(17);
  std::vector<Vec3d> end = bodies.positions;
  for (Vec3d& p : end) p += Vec3d{2, 0, 0} - 0.3 * p + random.vector(-0.1, 0.1);
  const ImpactOptions options{.distance = 0.01};
  std::vector<Impact> all, found;
  find_impacts(bvh, bodies.positions, end, options, {}, arena, all);
  for (const int every : {2, 7, 50, 100000}) {
    std::vector<std::uint8_t> changed(end.size(), 0);
    for (std::size_t i = 1; i < end.size(); i += every) changed[i] = 1;
    std::vector<Impact> expected = all;
    std::erase_if(expected, [&](const Impact& impact) {
      return std::ranges::none_of(impact.pair.points, [&](auto p) { return changed[p] != 0; });
    });
    find_impacts(bvh, bodies.positions, end, options, {.changed = changed}, arena, found);
    EXPECT_TRUE(every >= 100 || expected.size() > 2);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].pair.first, expected[i].pair.first);
      EXPECT_EQ(found[i].pair.second, expected[i].pair.second);
      EXPECT_EQ(found[i].time, expected[i].time);
    }
  }
}

TEST(Impacts, StepsOfThatSizeNeverCross) {
  const TestBodies bodies = random_spheres(6, 0.35, 12);
  ThreadArena arena(2);
  SurfaceBvh bvh(bodies.surface);
  std::vector<Vec3d> x = bodies.positions;
  ASSERT_EQ(find_crossings(bvh, x, arena).count(), 0);
  Random random(9);
  double shortest = 1;
  for (int step = 0; step < 10; ++step) {
    std::vector<Vec3d> end = x;
    for (Vec3d& p : end) p += -0.2 * p + random.vector(-0.1, 0.1);
    const double way = largest_step(bvh, x, end, {}, {}, arena);
    shortest = std::min(shortest, way);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += way * (end[i] - x[i]);
    EXPECT_EQ(find_crossings(bvh, x, arena).count(), 0) << "step " << step;
  }
  EXPECT_LT(shortest, 0.5) << "something was in the way";
}

}  // namespace
}  // namespace isochor::contact
