#include "isochor/contact/crossings.h"

#include <gtest/gtest.h>

#include "isochor/geometry/predicates.h"
#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

TEST(Crossings, AreCountedExactlyWithinAndBetweenBodies) {
  TestBodies bodies = random_spheres(4, 0.35, 1);
  Random random(2);
  for (Vec3d& p : bodies.positions) p += random.vector(-0.07, 0.07);
  std::int64_t within = 0, between = 0;
  std::vector<TrianglePair> first;
  const Surface& surface = bodies.surface;
  const auto corners = [&](const Triangle& t) {
    return std::array{bodies.positions[t[0]], bodies.positions[t[1]], bodies.positions[t[2]]};
  };
  const auto count = static_cast<std::int32_t>(surface.triangles.size());
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t j = i + 1; j < count; ++j) {
      const Triangle &s = surface.triangles[i], &t = surface.triangles[j];
      if (!geometry::triangles_cross(corners(s), corners(t))) continue;
      ++(surface.bodies[s[0]] == surface.bodies[t[0]] ? within : between);
      if (first.size() < Crossings::kNamed) first.push_back({i, j});
    }
  }
  ASSERT_GT(within, 50);
  ASSERT_GT(between, 10);
  SurfaceBvh bvh(surface);
  for (const int threads : {1, 2, 4}) {
    ThreadArena arena(threads);
    const Crossings found = find_crossings(bvh, bodies.positions, arena);
    EXPECT_EQ(found.within_bodies, within);
    EXPECT_EQ(found.between_bodies, between);
    EXPECT_EQ(found.pairs, first);
  }
}

TEST(Crossings, ATriangleMayPassThroughOneThatSharesACorner) {
  const std::vector<Vec3d> x{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, -1}, {0.5, 0.5, 1}};
  ThreadArena arena(1);
  SurfaceBvh bvh(make_surface({{0, 1, 2}, {0, 3, 4}}, x.size()));
  EXPECT_EQ(find_crossings(bvh, x, arena).within_bodies, 1);
}

TEST(Crossings, TouchingIsNoCrossing) {
  TestBodies bodies;
  add_body(bodies, geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5));
  add_body(bodies, geometry::make_box({1, 0, 0}, {1, 1, 1}, 0.25));
  ThreadArena arena(2);
  SurfaceBvh bvh(bodies.surface);
  EXPECT_EQ(find_crossings(bvh, bodies.positions, arena).count(), 0);
  // One step of the last digit into each other is one.
  for (std::size_t i = 0; i < bodies.positions.size(); ++i) {
    Vec3d& p = bodies.positions[i];
    if (bodies.surface.bodies[i] == 1) p += Vec3d{-0x1p-50, 0.01, 0.02};
  }
  EXPECT_GT(find_crossings(bvh, bodies.positions, arena).between_bodies, 0);
}

}  // namespace
}  // namespace isochor::contact
