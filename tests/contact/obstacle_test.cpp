#include "isochor/contact/obstacle.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/contact/crossings.h"
#include "isochor/contact/proximity.h"
#include "isochor/geometry/shapes.h"
#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

Mesh mesh_of(const geometry::SurfaceMesh& surface) {
  return {.positions = surface.positions, .triangles = geometry::triangulate(surface)};
}

struct Sample {
  const char* name;
  Shape shape;
  double volume;  ///< m^3
};

/// With thin and fat ones among them.
std::vector<Sample> samples() {
  constexpr double pi = std::numbers::pi;
  return {{"box", Box{{0.1, 0.2, 0.3}}, 0.048},
          {"sphere", Sphere{0.2}, 4.0 / 3 * pi * 0.008},
          {"capsule", Capsule{0.3, 0.1}, 4.0 / 3 * pi * 0.001 + 0.6 * pi * 0.01},
          {"cylinder", Cylinder{0.3, 0.05}, 0.6 * pi * 0.0025},
          {"stairs", Stairs{2, {0.2, 0.1, 0.5}}, 0.5 * 0.1 * 0.2 * 3},
          {"mesh", mesh_of(geometry::make_sphere({0, 0, 0}, 0.2, 0.05)), 4.0 / 3 * pi * 0.008}};
}

double enclosed(std::span<const Triangle> triangles, std::span<const Vec3d> x) {
  double sum = 0;
  for (const Triangle& t : triangles) sum += dot(x[t[0]], cross(x[t[1]], x[t[2]])) / 6;
  return sum;
}

TEST(Obstacle, IsClosedFacesOutwardAndLiesInsideByItsInset) {
  constexpr double kInset = 0.004;
  ThreadArena arena(1);
  for (const Sample& s : samples()) {
    for (const double thickness : {0.0, 0.01}) {
      const Collider collider{.name = s.name, .shape = s.shape, .thickness = thickness};
      const Obstacle obstacle(collider, 3, kInset);
      EXPECT_EQ(obstacle.collider(), 3);
      std::map<Edge, int> edges;
      for (const Triangle& t : obstacle.triangles()) {
        for (int i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
      }
      for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1) << s.name;
        EXPECT_TRUE(edges.contains({edge[1], edge[0]})) << s.name;
      }
      std::vector<Vec3d> x(obstacle.vertex_count());
      obstacle.place(0, x);
      const PlacedColliders placed = Colliders({collider}, arena).at(0, arena);
      for (const Vec3d& vertex : x) {
        const double distance = placed.sample(0, vertex).distance;
        EXPECT_LT(distance, -0.5 * kInset) << s.name << " " << thickness;
        EXPECT_GT(distance, -std::sqrt(3) * kInset - thickness) << s.name << " " << thickness;
      }
      if (thickness > 0) continue;
      const double volume = enclosed(obstacle.triangles(), x);
      EXPECT_LT(volume, s.volume) << s.name;
      EXPECT_GT(volume, 0.7 * s.volume) << s.name;
    }
  }
}

TEST(Obstacle, MovesWithItsCollider) {
  ThreadArena arena(1);
  Collider collider{.name = "rod", .shape = Capsule{0.3, 0.1}, .turned = {0, 0, 1}};
  collider.keys = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {1, 2, 3}, {0.5, -1, 2}}};
  const Obstacle obstacle(collider, 0, 0);
  const Colliders colliders({collider}, arena);
  std::vector<Vec3d> x(obstacle.vertex_count()), before = x, after = x;
  constexpr double kTime = 0.4, kStep = 1e-5;
  obstacle.place(kTime, x);
  obstacle.place(kTime - kStep, before);
  obstacle.place(kTime + kStep, after);
  const PlacedColliders placed = colliders.at(kTime, arena);
  for (std::size_t v = 0; v < x.size(); ++v) {
    const ColliderSample sample = placed.sample(0, x[v]);
    EXPECT_NEAR(sample.distance, 0, 1e-12);
    EXPECT_LT(norm((0.5 / kStep) * (after[v] - before[v]) - sample.velocity), 1e-7);
  }
}

TEST(Obstacle, OfAMeshThatChangesItsShapeFollowsIt) {
  Mesh mesh = mesh_of(geometry::make_box({0, 0, 0}, {1, 1, 1}, 1));
  std::vector<Vec3d> larger = mesh.positions;
  for (Vec3d& x : larger) x *= 2;
  mesh.keys = {{0, mesh.positions}, {1, larger}};
  const Obstacle obstacle({.name = "box", .shape = mesh}, 0, 0);
  std::vector<Vec3d> x(obstacle.vertex_count());
  obstacle.place(0.5, x);
  EXPECT_NEAR(enclosed(obstacle.triangles(), x), std::pow(1.5, 3), 1e-12);
}

TEST(Obstacle, ThinIsWhatHasTwoSmallSizes) {
  EXPECT_DOUBLE_EQ(girth({.shape = Capsule{1, 0.02}}), 0.04);
  EXPECT_DOUBLE_EQ(girth({.shape = Cylinder{1, 0.02}, .thickness = 0.01}), 0.06);
  EXPECT_DOUBLE_EQ(girth({.shape = Box{{0.01, 1, 2}}}), 2) << "a plate";
  EXPECT_DOUBLE_EQ(girth({.shape = Box{{0.01, 2, 0.02}}}), 0.04) << "a bar";
  EXPECT_DOUBLE_EQ(girth({.shape = mesh_of(geometry::make_box({0, 0, 0}, {1, 2, 3}, 1))}), 2);
  EXPECT_TRUE(std::isinf(girth({.shape = HalfSpace{}})));
}

TEST(Obstacle, WhatHasNoEndIsRefused) {
  EXPECT_THROW(Obstacle({.name = "ground", .shape = HalfSpace{}}, 0, 0), Error);
}

TEST(Obstacle, ObstaclesMeetBodiesButNotEachOther) {
  TestBodies bodies;
  add_body(bodies, geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.3));
  add_body(bodies, geometry::make_box({0.9, 0.1, 0.05}, {1, 1, 1}, 0.3));
  add_body(bodies, geometry::make_box({0.95, 0.9, 0.15}, {1, 1, 1}, 0.3));
  ThreadArena arena(2);
  const auto counted = [&](std::int32_t first_obstacle) {
    Surface surface = bodies.surface;
    surface.first_obstacle = first_obstacle;
    SurfaceBvh bvh(surface);
    return find_crossings(bvh, bodies.positions, arena);
  };
  const Crossings all = counted(3), one = counted(2), two = counted(1);
  EXPECT_EQ(all.with_obstacles, 0);
  EXPECT_EQ(one.count(), all.count());
  EXPECT_GT(one.with_obstacles, 0);
  EXPECT_GT(one.between_bodies, 0);
  EXPECT_GT(two.with_obstacles, 0);
  EXPECT_EQ(two.between_bodies, 0);
  EXPECT_LT(two.count(), all.count()) << "the two obstacles cross each other";

  Surface surface = bodies.surface;
  surface.first_obstacle = 1;
  SurfaceBvh bvh(surface);
  std::vector<Pair> pairs;
  find_close_pairs(bvh, bodies.positions, 0.1, {.within_bodies = false, .between_bodies = false},
                   arena, pairs);
  ASSERT_GT(pairs.size(), 0U);
  for (const Pair& p : pairs) {
    EXPECT_NE(surface.is_obstacle(p.points[0]), surface.is_obstacle(p.points[3]));
  }
  // What is held meets no collider.
  surface.held.assign(bodies.positions.size(), 0);
  std::fill_n(surface.held.begin(), std::ranges::count(surface.bodies, 0), 1);
  SurfaceBvh of_held(surface);
  std::vector<Pair> none;
  find_close_pairs(of_held, bodies.positions, 0.1, {.within_bodies = false}, arena, none);
  EXPECT_TRUE(none.empty());
  find_close_pairs(bvh, bodies.positions, 0.1, {.with_obstacles = false}, arena, pairs);
  for (const Pair& p : pairs) EXPECT_EQ(surface.bodies[p.points[3]], 0);
}

}  // namespace
}  // namespace isochor::contact
