#include "isochor/geometry/triangle_queries.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

double length_squared(const Vec3d& v) { return dot(v, v); }

/// By brute force: a grid over the triangle, refined about its best point again and again.
double refined_distance(const TriangleCorners& t, const Vec3d& point) {
  double best = std::numeric_limits<double>::infinity(), width = 1;
  double u0 = 1.0 / 3, v0 = 1.0 / 3;
  for (int level = 0; level < 60; ++level, width *= 0.6) {
    const double u1 = u0, v1 = v0;
    for (int i = -4; i <= 4; ++i) {
      for (int j = -4; j <= 4; ++j) {
        const double u = std::clamp(u1 + width * i / 4, 0.0, 1.0);
        const double v = std::clamp(v1 + width * j / 4, 0.0, 1 - u);
        const double d = length_squared(t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]) - point);
        if (d < best) {
          best = d;
          u0 = u;
          v0 = v;
        }
      }
    }
  }
  return best;
}

void expect_consistent(const TriangleCorners& t, const Vec3d& point, const ClosestPoint& hit) {
  const Vec3d& b = hit.barycentric;
  EXPECT_NEAR(b[0] + b[1] + b[2], 1, 1e-14);
  EXPECT_GE(std::min({b[0], b[1], b[2]}), 0);
  EXPECT_LT(norm(b[0] * t[0] + b[1] * t[1] + b[2] * t[2] - hit.point), 1e-14);
  EXPECT_NEAR(length_squared(hit.point - point), hit.squared_distance, 1e-14);
  const int zeros = (b[0] == 0) + (b[1] == 0) + (b[2] == 0);
  EXPECT_EQ(zeros, hit.feature == TriangleFeature::Vertex ? 2
                   : hit.feature == TriangleFeature::Edge ? 1
                                                          : 0);
  if (hit.feature != TriangleFeature::Face) {
    EXPECT_GT(b[hit.corner], 0);
  }
  if (hit.feature == TriangleFeature::Edge) {
    EXPECT_GT(b[(hit.corner + 1) % 3], 0);
  }
}

TEST(TriangleQueries, ClosestPointIsTheNearestOfAll) {
  Random random(1);
  std::array<int, 3> seen{};
  for (int sample = 0; sample < 300; ++sample) {
    TriangleCorners t{random.vector(), random.vector(), random.vector()};
    // Every third one is a sliver with an obtuse corner.
    if (sample % 3 == 0) t[2] = 0.7 * t[0] + 0.3 * t[1] + 0.01 * random.vector();
    const Vec3d point = random.vector(-2, 2);
    const ClosestPoint hit = closest_point_on(t, point);
    expect_consistent(t, point, hit);
    EXPECT_NEAR(hit.squared_distance, refined_distance(t, point), 1e-9) << sample;
    ++seen[static_cast<int>(hit.feature)];
  }
  EXPECT_GT(std::min({seen[0], seen[1], seen[2]}), 20) << "all features must occur";
}

TEST(TriangleQueries, EachRegionOfThePlaneHasItsFeature) {
  const TriangleCorners t{Vec3d{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const auto hit = [&](double x, double y) { return closest_point_on(t, {x, y, 3}); };
  EXPECT_EQ(hit(1, 1).feature, TriangleFeature::Face);
  EXPECT_EQ(hit(1, 1).squared_distance, 9);
  EXPECT_EQ(hit(-1, -1).feature, TriangleFeature::Vertex);
  EXPECT_EQ(hit(-1, -1).corner, 0);
  EXPECT_EQ(hit(9, 0).corner, 1);
  EXPECT_EQ(hit(-1, 9).corner, 2);
  EXPECT_EQ(hit(2, -1).feature, TriangleFeature::Edge);
  EXPECT_EQ(hit(2, -1).corner, 0);
  EXPECT_EQ(hit(3, 3).corner, 1);
  EXPECT_EQ(hit(-1, 2).corner, 2);
}

TEST(TriangleQueries, TrianglesWithoutAreaActAsTheirEdges) {
  Random random(2);
  const Vec3d a{0.1, 0.2, 0.3}, b{0.7, 0.5, 0.9};
  const Vec3d between = a + 0.37 * (b - a);
  for (int sample = 0; sample < 200; ++sample) {
    const Vec3d point = random.vector(-2, 2);
    const double t = std::clamp(dot(point - a, b - a) / dot(b - a, b - a), 0.0, 1.0);
    const double expected = length_squared(a + t * (b - a) - point);
    for (const TriangleCorners& needle :
         {TriangleCorners{a, b, between}, {b, between, a}, {a, a, b}, {a, b, b}}) {
      const ClosestPoint hit = closest_point_on(needle, point);
      expect_consistent(needle, point, hit);
      EXPECT_NEAR(hit.squared_distance, expected, 1e-14);
      EXPECT_NE(hit.feature, TriangleFeature::Face);
    }
    EXPECT_NEAR(closest_point_on({a, a, a}, point).squared_distance, length_squared(point - a),
                1e-14);
  }
}

TEST(TriangleQueries, RayMeetsATriangleWhereItsPlaneIs) {
  Random random(3);
  int met = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    const TriangleCorners t{random.vector(), random.vector(), random.vector()};
    const Vec3d origin = random.vector(-2, 2);
    const Vec3d direction = random.vector(-0.5, 0.5) - origin;
    const std::optional<double> at = Ray(origin, direction).meets(t);
    // Cramer's rule for origin + s direction = t0 + u e1 + v e2.
    const Vec3d e1 = t[1] - t[0], e2 = t[2] - t[0], r = origin - t[0];
    const double volume = determinant(Mat3d{{-direction, e1, e2}});
    const double s = determinant(Mat3d{{r, e1, e2}}) / volume;
    const double u = determinant(Mat3d{{-direction, r, e2}}) / volume;
    const double v = determinant(Mat3d{{-direction, e1, r}}) / volume;
    if (std::min({u, v, 1 - u - v}) > 1e-9) {
      ASSERT_TRUE(at.has_value()) << sample;
      EXPECT_NEAR(*at, s, 1e-9 * std::max(1.0, std::abs(s)));
      ++met;
    } else if (std::min({u, v, 1 - u - v}) < -1e-9) {
      EXPECT_FALSE(at.has_value()) << sample;
    }
  }
  EXPECT_GT(met, 200);
}

TEST(TriangleQueries, NoRaySlipsThroughBetweenTriangles) {
  // A fan about a corner, hit on its edges and in its corner along crooked directions.
  Random random(4);
  for (int sample = 0; sample < 300; ++sample) {
    const Vec3d middle = random.vector();
    std::vector<Vec3d> rim;
    for (int i = 0; i < 5; ++i) {
      rim.push_back(middle +
                    Vec3d{std::cos(1.2 * i), std::sin(1.2 * i), 0.3 * random.uniform(-1, 1)});
    }
    const double along = random.uniform(0, 0.9);
    const Vec3d target = sample % 5 == 0 ? middle : middle + along * (rim[sample % 4] - middle);
    const Vec3d origin = middle + Vec3d{random.uniform(-1, 1), random.uniform(-1, 1), 3};
    int hits = 0;
    for (int i = 0; i < 5; ++i) {
      hits += Ray(origin, target - origin).meets({middle, rim[i], rim[(i + 1) % 5]}).has_value();
    }
    EXPECT_GE(hits, 1) << sample;
  }
}

TEST(TriangleQueries, RayMissesWhatItRunsAlong) {
  const TriangleCorners t{Vec3d{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_FALSE(Ray({-1, 0.2, 0}, {1, 0, 0}).meets(t).has_value());
  EXPECT_FALSE(Ray({0.2, 0.2, 1}, {0, 0, 1}).meets({t[0], t[0], t[1]}).has_value());
  // Behind the origin the distance is negative.
  EXPECT_EQ(Ray({0.2, 0.2, 1}, {0, 0, 2}).meets(t), -0.5);
}

}  // namespace
}  // namespace isochor::geometry
