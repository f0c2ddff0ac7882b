#include "isochor/geometry/overlap.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

using Corners = std::array<Vec3d, 3>;

/// How far the triangle stays away from the box, by points all over it: an upper bound, and at most
/// one step of the points too large.
double sampled_distance(const Corners& t, const Vec3d& center, const Vec3d& half, int steps) {
  double nearest = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; i + j <= steps; ++j) {
      const double u = double(i) / steps, v = double(j) / steps;
      const Vec3d p = t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]) - center;
      Vec3d away;
      for (int a = 0; a < 3; ++a) away[a] = std::max(0.0, std::abs(p[a]) - half[a]);
      nearest = std::min(nearest, norm(away));
    }
  }
  return nearest;
}

bool overlaps_unit(const Corners& t) { return triangle_overlaps_box(t, {0, 0, 0}, {1, 1, 1}); }

TEST(GeometryOverlap, AgreesWithPointsAllOverTheTriangle) {
  Random random(1);
  constexpr int kSteps = 40;
  int hits = 0, near_misses = 0;
  for (int sample = 0; sample < 4000; ++sample) {
    const Vec3d center = random.vector(), half = random.vector(0.1, 1);
    const double size = random.uniform(0.2, 4);
    const Corners t{center + size * random.vector(), center + size * random.vector(),
                    center + size * random.vector()};
    const double step =
        std::max({norm(t[1] - t[0]), norm(t[2] - t[1]), norm(t[0] - t[2])}) / kSteps;
    const double distance = sampled_distance(t, center, half, kSteps);
    if (triangle_overlaps_box(t, center, half)) {
      EXPECT_LE(distance, step) << sample;
      ++hits;
    } else {
      EXPECT_GT(distance, 0) << sample;
      near_misses += distance < 0.2;
    }
  }
  EXPECT_GT(hits, 1000);
  EXPECT_GT(near_misses, 100);
}

TEST(GeometryOverlap, DoesNotDependOnTheOrderOfCorners) {
  Random random(2);
  for (int sample = 0; sample < 500; ++sample) {
    const Corners t{random.vector(-2, 2), random.vector(-2, 2), random.vector(-2, 2)};
    EXPECT_EQ(overlaps_unit(t), overlaps_unit({t[2], t[1], t[0]})) << sample;
    EXPECT_EQ(overlaps_unit(t), overlaps_unit({t[1], t[2], t[0]})) << sample;
  }
}

TEST(GeometryOverlap, TouchingCounts) {
  // A corner in a face, an edge in an edge, a whole face in a face, one corner in one corner.
  EXPECT_TRUE(overlaps_unit({Vec3d{1, 0, 0}, Vec3d{2, 1, 0}, Vec3d{2, -1, 0.5}}));
  EXPECT_TRUE(overlaps_unit({Vec3d{1, 1, -3}, Vec3d{1, 1, 3}, Vec3d{4, 4, 0}}));
  EXPECT_TRUE(overlaps_unit({Vec3d{0, 0, 1}, Vec3d{0.5, 0, 1}, Vec3d{0, 0.5, 1}}));
  EXPECT_TRUE(overlaps_unit({Vec3d{1, 1, 1}, Vec3d{2, 1, 1}, Vec3d{1, 2, 3}}));
  // The plane x + y + z = 3 touches the corner in its middle.
  EXPECT_TRUE(overlaps_unit({Vec3d{3, 0, 0}, Vec3d{0, 3, 0}, Vec3d{0, 0, 3}}));
}

TEST(GeometryOverlap, AHairBesideTheBoxDoesNot) {
  const double e = 1e-9;
  EXPECT_FALSE(overlaps_unit({Vec3d{1 + e, 0, 0}, Vec3d{2, 1, 0}, Vec3d{2, -1, 0.5}}));
  EXPECT_FALSE(overlaps_unit({Vec3d{1 + e, 1 + e, -3}, Vec3d{1 + e, 1 + e, 3}, Vec3d{4, 4, 0}}));
  EXPECT_FALSE(overlaps_unit({Vec3d{0, 0, 1 + e}, Vec3d{0.5, 0, 1 + e}, Vec3d{0, 0.5, 1 + e}}));
  EXPECT_FALSE(overlaps_unit({Vec3d{3 + e, 0, 0}, Vec3d{0, 3 + e, 0}, Vec3d{0, 0, 3 + e}}));
}

TEST(GeometryOverlap, ContainmentEitherWayCounts) {
  EXPECT_TRUE(overlaps_unit({Vec3d{0, 0, 0}, Vec3d{0.1, 0, 0}, Vec3d{0, 0.1, 0}}));
  // A triangle that cuts right through: all corners and edges are outside.
  EXPECT_TRUE(overlaps_unit({Vec3d{-90, -90, 0.5}, Vec3d{90, -90, 0.5}, Vec3d{0, 90, 0.5}}));
  EXPECT_FALSE(overlaps_unit({Vec3d{-90, -90, 1.5}, Vec3d{90, -90, 1.5}, Vec3d{0, 90, 1.5}}));
}

TEST(GeometryOverlap, EdgesThatPassAnEdgeAreSeparatedByTheirCrossProduct) {
  // Along z, past the edge x = y = 1: bounding boxes overlap, and so do the plane and the box.
  const Vec3d a{2.2, -0.1, -0.3}, b{-0.1, 2.2, 0.4}, c{2.5, 2.5, 0.1};
  EXPECT_FALSE(overlaps_unit({a, b, c}));
  EXPECT_TRUE(overlaps_unit({a - Vec3d{0.2, 0, 0}, b - Vec3d{0, 0.2, 0}, c}));
}

TEST(GeometryOverlap, DegenerateTrianglesAreSegmentsAndPoints) {
  const Vec3d inside{0.5, 0.5, 0.5}, outside{2, 2, 2}, beside{2, -2, 0};
  EXPECT_TRUE(overlaps_unit({inside, inside, inside}));
  EXPECT_FALSE(overlaps_unit({outside, outside, outside}));
  EXPECT_TRUE(overlaps_unit({-1.0 * outside, outside, inside}));
  EXPECT_FALSE(overlaps_unit({outside, beside, 0.5 * (outside + beside)}));
}

}  // namespace
}  // namespace isochor::geometry
