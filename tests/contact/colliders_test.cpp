#include "isochor/contact/colliders.h"

#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes.h"
#include "tests/math/random_matrix.h"

namespace isochor::contact {
namespace {

PlacedColliders placed(const Collider& collider, double time = 0) {
  ThreadArena arena(1);
  return Colliders({collider}, arena).at(time, arena);
}

Mesh mesh_of(const geometry::SurfaceMesh& mesh) {
  return {.positions = mesh.positions, .triangles = geometry::triangulate(mesh)};
}

struct Case {
  Shape shape;
  geometry::SurfaceMesh mesh;  ///< the same as a mesh
  double tolerance;            ///< how far that is from the shape, m
};

std::vector<Case> cases() {
  using namespace geometry;
  const Vec3d o{0, 0, 0}, y{0, 1, 0};
  return {
      {Box{{0.5, 0.3, 0.2}}, make_box(o, {1, 0.6, 0.4}, 1), 1e-13},
      {Stairs{3, {0.3, 0.2, 0.8}}, make_stairs(o, 3, {0.3, 0.2, 0.8}, 1), 1e-13},
      {Sphere{0.5}, make_sphere(o, 0.5, 0.03), 5e-4},
      {Capsule{0.4, 0.2}, make_capsule({0, -0.4, 0}, {0, 0.4, 0}, 0.2, 0.02), 5e-4},
      {Cylinder{0.4, 0.3}, make_cylinder(o, y, 0.3, 0.8, 0.02), 5e-4},
  };
}

TEST(Colliders, ShapesInClosedFormAreTheirMeshes) {
  for (const Case& c : cases()) {
    const PlacedColliders shape = placed({.name = "shape", .shape = c.shape});
    const PlacedColliders mesh = placed({.name = "mesh", .shape = mesh_of(c.mesh)});
    Random random(1);
    for (int i = 0; i < 400; ++i) {
      const Vec3d p = random.vector(-1, 1);
      const ColliderSample a = shape.sample(0, p), b = mesh.sample(0, p);
      EXPECT_NEAR(a.distance, b.distance, c.tolerance) << "shape " << c.shape.index();
      EXPECT_NEAR(norm(a.normal), 1, 1e-14);
      EXPECT_NEAR(norm(p - a.point), std::abs(a.distance), 1e-14);
    }
  }
}

TEST(Colliders, NormalsAreGradientsAndNearestPointsAreOnTheSurface) {
  std::vector<Case> all = cases();
  all.push_back({HalfSpace{{1, 2, -2}}, {}, 0});
  for (const Case& c : all) {
    const Collider collider{.name = "c",
                            .shape = c.shape,
                            .keys = {{.translation = {0.1, 0.2, -0.3}, .rotation = {1, -2, 0.5}}},
                            .thickness = 0.05};
    const PlacedColliders shape = placed(collider);
    Random random(2);
    int smooth = 0;
    for (int i = 0; i < 200; ++i) {
      const Vec3d p = random.vector(-1, 1), way = random.vector();
      const ColliderSample s = shape.sample(0, p);
      if (s.distance > -0.04) {
        EXPECT_NEAR(shape.sample(0, s.point).distance, 0, 1e-13);
      }
      constexpr double kStep = 1e-5;
      const double slope =
          (shape.sample(0, p + kStep * way).distance - shape.sample(0, p - kStep * way).distance) /
          (2 * kStep);
      smooth += std::abs(slope - dot(s.normal, way)) < 1e-6;
    }
    EXPECT_GT(smooth, 190) << "all but those at ridges, shape " << c.shape.index();
  }
}

TEST(Colliders, PointsOnTheSurfaceAndInTheMiddleHaveANormal) {
  EXPECT_EQ(placed({.name = "b", .shape = Box{{1, 1, 1}}}).sample(0, {1, 0.2, 0}).normal[0], 1);
  EXPECT_EQ(norm(placed({.name = "s", .shape = Sphere{1}}).sample(0, {0, 0, 0}).normal), 1);
  EXPECT_EQ(norm(placed({.name = "c", .shape = Capsule{1, 1}}).sample(0, {0, 0.5, 0}).normal), 1);
  const PlacedColliders stairs = placed({.name = "s", .shape = Stairs{2, {1, 1, 1}}});
  EXPECT_EQ(stairs.sample(0, {0.5, 1, 0}).normal[1], 1);
  EXPECT_EQ(stairs.sample(0, {1, 1.5, 0}).normal[0], -1);
  EXPECT_EQ(stairs.sample(0, {0.75, 1.5, 0}).distance, 0.25) << "of the riser, not of the tread";
}

TEST(Colliders, ASheetPushesToBothSides) {
  Mesh sheet{.positions = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}},
             .triangles = {{0, 1, 2}, {0, 2, 3}},
             .sides = Sides::Sheet};
  const PlacedColliders c = placed({.name = "sheet", .shape = sheet, .thickness = 0.1});
  EXPECT_NEAR(c.sample(0, {0.2, 0.3, 0}).distance, 0.2, 1e-15);
  EXPECT_NEAR(c.sample(0, {0.2, -0.3, 0}).distance, 0.2, 1e-15);
  EXPECT_EQ(c.sample(0, {0.2, -0.3, 0}).normal[1], -1);
  EXPECT_NEAR(c.sample(0, {0.2, -0.03, 0}).distance, -0.07, 1e-15);
  EXPECT_NEAR(c.sample(0, {0.2, -0.03, 0}).point[1], -0.1, 1e-15);
  EXPECT_EQ(std::abs(c.sample(0, {0.2, 0, 0}).normal[1]), 1);
}

/// A point fixed to the collider.
Vec3d carried(const Placement& at, const Vec3d& own) { return at.translation + at.rotation * own; }

TEST(Colliders, VelocityIsTheDerivativeOfTheMotion) {
  const std::vector<PoseKey> keys{{0, {0, 0, 0}, {0, 0, 0}},
                                  {1, {1, -1, 2}, {0.4, 2, -1}},
                                  {3, {0, 0, 0}, {0.4, 2 + 4 * 3.14159, -1}}};
  const Vec3d own{0.3, -0.2, 0.7};
  for (const double time : {0.001, 0.3, 0.9, 1.4, 2.9}) {
    const Placement now = placement_at(keys, time);
    double error = 0;
    for (const double step : {1e-2, 1e-3, 1e-4}) {
      if (time < step) continue;
      const Vec3d slope = (carried(placement_at(keys, time + step), own) -
                           carried(placement_at(keys, time - step), own)) *
                          (0.5 / step);
      const double next = norm(slope - now.velocity_at(carried(now, own)));
      if (error > 1e-9 && time - 1e-2 > 0 && time + 1e-2 < 3 && std::abs(time - 1) > 1e-2) {
        EXPECT_NEAR(std::log10(error / next), 2, 0.1) << "second order at " << time;
      }
      error = next;
    }
    EXPECT_LT(error, 1e-5);
  }
}

TEST(Colliders, RestBeforeTheFirstKeyAndAfterTheLast) {
  const std::vector<PoseKey> keys{{1, {0, 0, 0}, {0, 0, 0}}, {2, {4, 0, 0}, {0, 0, 0}}};
  EXPECT_EQ(placement_at(keys, 0.5).translation[0], 0);
  EXPECT_EQ(placement_at(keys, 0.5).velocity[0], 0);
  EXPECT_EQ(placement_at(keys, 1).velocity[0], 0) << "it has not moved yet";
  EXPECT_EQ(placement_at(keys, 1.5).translation[0], 2);
  EXPECT_EQ(placement_at(keys, 2).velocity[0], 4) << "a step that ends here was moved";
  EXPECT_EQ(placement_at(keys, 2.5).translation[0], 4);
  EXPECT_EQ(placement_at(keys, 2.5).velocity[0], 0);
}

TEST(Colliders, AnimatedMeshesMoveBetweenTheirKeysWhateverTheirWinding) {
  const geometry::SurfaceMesh sphere = geometry::make_sphere({0, 0, 0}, 1, 0.2);
  Mesh mesh{.triangles = geometry::triangulate(sphere)};
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 2) {
    std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  }
  mesh.keys = {{0, sphere.positions}, {2, sphere.positions}};
  for (Vec3d& p : mesh.keys[1].positions) p = {3 * p[0], p[1], p[2] + 1};
  Collider collider{.name = "grows", .shape = mesh};
  collider.keys = {{0, {0, 0, 0}, {0, 0, 0}}, {2, {0, 8, 0}, {0, 0, 0}}};
  const PlacedColliders half = placed(collider, 1);
  const ColliderSample s = half.sample(0, {2.5, 4, 0.5});
  EXPECT_NEAR(s.distance, 0.5, 0.03);
  // The tip moves with 1 m/s in x by itself and along with everything.
  EXPECT_NEAR(s.velocity[0], 1, 0.01);
  EXPECT_NEAR(s.velocity[1], 4, 0.01);
  EXPECT_NEAR(s.velocity[2], 0.5, 0.01);
  EXPECT_LT(half.sample(0, {0, 4, 0.5}).distance, -0.9);
}

TEST(Colliders, NothingNearIsPassedOver) {
  std::vector<Case> all = cases();
  all.push_back({HalfSpace{}, {}, 0});
  for (const Case& c : all) {
    const PlacedColliders shape =
        placed({.name = "c",
                .shape = c.shape,
                .keys = {{.translation = {3, 0, 0}, .rotation = {0, 1, 1}}},
                .thickness = 0.1});
    Random random(3);
    int passed = 0;
    for (int i = 0; i < 300; ++i) {
      const Vec3d p = Vec3d{3, 0, 0} + random.vector(-2, 2);
      const bool near = shape.sample(0, p).distance <= 0.2;
      EXPECT_TRUE(!near || shape.may_be_near(0, p, 0.2));
      passed += !shape.may_be_near(0, p, 0.2);
    }
    if (c.shape.index() != 0) {
      EXPECT_GT(passed, 100);
    }
  }
}

TEST(Colliders, StepsEndBeforeTheSurface) {
  std::vector<Case> all = cases();
  all.push_back({HalfSpace{}, {}, 0});
  all.push_back({mesh_of(geometry::make_sphere({0, 0, 0}, 0.5, 0.1)), {}, 0});
  for (const Case& c : all) {
    const PlacedColliders shape = placed({.name = "c", .shape = c.shape});
    Random random(4);
    int hits = 0;
    for (int i = 0; i < 300; ++i) {
      const Vec3d p = random.vector(-1.5, 1.5), way = -2.0 * p + random.vector();
      const double first = shape.sample(0, p).distance - 0.01;
      const double step = shape.largest_step(0, p, way, 0.01);
      if (first <= 0) {
        if (step > 0) {
          EXPECT_GE(shape.sample(0, p + step * way).distance, first);
        }
        continue;
      }
      hits += step < 1;
      for (int s = 0; s <= 50; ++s) {
        EXPECT_GT(shape.sample(0, p + (step * s / 50) * way).distance, 0.01);
      }
      if (step < 1) {
        EXPECT_LE(shape.sample(0, p + step * way).distance - 0.01, 0.1001 * first);
      }
    }
    EXPECT_GT(hits, 50);
  }
}

TEST(Colliders, TravelBoundsHowFarTheirPartsGo) {
  const geometry::SurfaceMesh box = geometry::make_box({0, 0, 0}, {1, 1, 1}, 1);
  Mesh mesh{.triangles = geometry::triangulate(box),
            .keys = {{0, box.positions}, {2, box.positions}}};
  for (Vec3d& p : mesh.keys[1].positions) p *= 1.5;
  Collider collider{.name = "box", .shape = mesh};
  collider.keys = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {1, 0, 0}, {0, 0, 2}}, {2, {1, 1, 0}, {0, 1, 2}}};
  ThreadArena arena(1);
  const Colliders colliders({collider}, arena);
  const Bounds where{{-2, -2, -2}, {3, 3, 3}};
  EXPECT_EQ(colliders.travel(-2, 0, where), 0);
  EXPECT_EQ(colliders.travel(2, 4, where), 0);
  const auto vertex = [&](std::size_t i, double time) {
    const Vec3d own = box.positions[i] * (1 + 0.25 * time);
    return carried(placement_at(collider.keys, time), own);
  };
  for (const auto& [from, to] : {std::pair{0.0, 2.0}, {0.9, 1.1}, {1.5, 1.6}}) {
    const double bound = colliders.travel(from, to, where);
    double most = 0;
    for (std::size_t i = 0; i < box.positions.size(); ++i) {
      double length = 0;
      for (int s = 0; s < 100; ++s) {
        const double a = from + (to - from) * s / 100, b = from + (to - from) * (s + 1) / 100;
        length += norm(vertex(i, b) - vertex(i, a));
      }
      most = std::max(most, length);
    }
    EXPECT_GE(bound, most);
    EXPECT_LE(bound, 8 * most);
  }
}

TEST(Colliders, BadOnesAreNamed) {
  const auto message = [](Collider collider) -> std::string {
    collider.name = "floor";
    try {
      placed(collider);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::Input);
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find("'floor'") != std::string::npos && text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(message({.shape = HalfSpace{{0, 0, 0}}}), "normal"));
  EXPECT_TRUE(has(message({.shape = Box{{1, 0, 1}}}), "box"));
  EXPECT_TRUE(has(message({.shape = Sphere{-1}}), "sphere"));
  EXPECT_TRUE(has(message({.shape = Capsule{-1, 1}}), "capsule"));
  EXPECT_TRUE(has(message({.shape = Cylinder{0, 1}}), "cylinder"));
  EXPECT_TRUE(has(message({.shape = Stairs{0, {1, 1, 1}}}), "stairs"));
  EXPECT_TRUE(has(message({.shape = Mesh{}}), "no triangles"));
  EXPECT_TRUE(has(message({.shape = Mesh{.positions = {{0, 0, 0}}, .triangles = {{0, 0, 1}}}}),
                  "does not exist"));
  const Mesh uneven{.triangles = {{0, 0, 0}}, .keys = {{0, {{0, 0, 0}}}, {1, {}}}};
  EXPECT_TRUE(has(message({.shape = uneven}), "key 1"));
  EXPECT_TRUE(has(message({.shape = Sphere{1}, .keys = {{1}, {1}}}), "later"));
  EXPECT_TRUE(has(message({.shape = Sphere{1}, .keys = {}}), "pose"));
  EXPECT_TRUE(has(message({.shape = Sphere{1}, .friction = -1}), "friction"));
  EXPECT_TRUE(has(message({.shape = Sphere{1}, .thickness = NAN}), "thickness"));
}

TEST(Colliders, WhatStaysAwayDoesNotTravel) {
  ThreadArena arena(1);
  Collider train{.name = "train", .shape = Box{{1, 1, 1}}};
  train.keys = {{0, {-100, 0, 0}, {0, 0, 0}}, {1, {100, 0, 0}, {0, 0, 0}}};
  const Colliders colliders({train}, arena);
  const Bounds beside{{-1, 20, -1}, {1, 22, 1}}, ahead{{-1, 0, -1}, {1, 2, 1}};
  EXPECT_EQ(colliders.travel(0, 0.01, ahead), 0);
  EXPECT_EQ(colliders.travel(0.495, 0.505, beside), 0);
  EXPECT_NEAR(colliders.travel(0.495, 0.505, ahead), 2, 1e-12);
}

}  // namespace
}  // namespace isochor::contact
