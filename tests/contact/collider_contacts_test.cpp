#include "isochor/contact/collider_contacts.h"

#include <gtest/gtest.h>
#include <numeric>

#include "tests/math/random_matrix.h"

namespace isochor::contact {
namespace {

/// A floor that comes up, a wall and a ball.
Colliders room(ThreadArena& arena) {
  Collider floor{.name = "floor", .shape = HalfSpace{{0, 1, 0}}, .friction = 0.5};
  floor.keys = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0, 1, 0}, {0, 0, 0}}};
  Collider wall{.name = "wall", .shape = HalfSpace{{1, 0, 0}}};
  Collider ball{.name = "ball", .shape = Sphere{0.5}};
  ball.keys = {{.translation = {2, 1, 0}}};
  return Colliders({floor, wall, ball}, arena);
}

TEST(ColliderContacts, AreTheNearPointsInOrder) {
  ThreadArena arena(1);
  const PlacedColliders colliders = room(arena).at(0.5, arena);
  Random random(1);
  std::vector<Vec3d> x(3000);
  for (Vec3d& p : x) p = random.vector(-1, 3);
  std::vector<std::int32_t> points;
  for (std::int32_t p = 0; p < 3000; p += 2) points.push_back(p);
  std::vector<ColliderContact> expected, found;
  for (const std::int32_t p : points) {
    for (std::size_t c = 0; c < 3; ++c) {
      const ColliderSample s = colliders.sample(c, x[p]);
      if (s.distance <= 0.2) {
        expected.push_back({p, static_cast<std::int32_t>(c), s.distance, s.normal, s.velocity});
      }
    }
  }
  ASSERT_GT(expected.size(), 300u);
  for (const int threads : {1, 2, 4}) {
    ThreadArena many(threads);
    find_contacts(colliders, points, x, 0.2, many, found);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].point, expected[i].point);
      EXPECT_EQ(found[i].collider, expected[i].collider);
      EXPECT_EQ(found[i].distance, expected[i].distance);
      EXPECT_EQ(found[i].friction, found[i].collider == 0 ? 0.5 : 0);
    }
  }
}

TEST(ColliderContacts, CollidingTakesTheSurfaceVelocityAndRubs) {
  ThreadArena arena(1);
  const PlacedColliders colliders = room(arena).at(0.5, arena);
  // On the floor, which is at 0.5 m and goes up with 1 m/s.
  std::vector<Vec3d> x{{4, 0.4, 0}}, v{{3, -1, 0}};
  const std::vector<std::int32_t> points{0};
  std::vector<ColliderContact> contacts;
  collide(colliders, points, x, v, arena, contacts);
  EXPECT_LT(norm(x[0] - Vec3d{4, 0.5, 0}), 1e-15);
  EXPECT_LT(norm(v[0] - Vec3d{2, 1, 0}), 1e-15) << "3 - 0.5 (1 + 1) along, with the floor up";
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].distance, -0.1, 1e-15);
  EXPECT_LT(norm(contacts[0].change - Vec3d{-1, 2, 0}), 1e-15);
  EXPECT_EQ(row_of(contacts[0]).velocity[1], 1);
  // What leaves is moved out and keeps its velocity.
  x[0] = {4, 0.4, 0};
  v[0] = {3, 2, 0};
  collide(colliders, points, x, v, arena, contacts);
  EXPECT_EQ(norm(v[0] - Vec3d{3, 2, 0}), 0);
}

TEST(ColliderContacts, CornersAreLeftOnBothSides) {
  ThreadArena arena(1);
  Collider floor{.name = "floor", .shape = HalfSpace{{0, 1, 0}}};
  Collider slope{.name = "slope", .shape = HalfSpace{{1, 0.2, 0}}};
  const PlacedColliders colliders = Colliders({floor, slope}, arena).at(0, arena);
  std::vector<Vec3d> x{{-0.3, -0.2, 0}}, v{{-1, -1, 1}};
  std::vector<ColliderContact> contacts;
  collide(colliders, std::vector<std::int32_t>{0}, x, v, arena, contacts);
  EXPECT_GT(colliders.sample(0, x[0]).distance, -1e-15);
  EXPECT_GT(colliders.sample(1, x[0]).distance, -1e-15);
  EXPECT_EQ(contacts.size(), 2u);
  EXPECT_GT(v[0][1], -1e-15);
  EXPECT_EQ(v[0][2], 1);
}

TEST(ColliderContacts, TheLeastStepOfAllPointsIsTaken) {
  ThreadArena arena(2);
  const PlacedColliders colliders = room(arena).at(0, arena);
  std::vector<Vec3d> x{{1, 1, 0}, {1, 3, 0}, {4, 2, 0}}, end = x;
  end[0] += Vec3d{0, 0.1, 0};
  end[1] += Vec3d{0, -4, 0};
  end[2] += Vec3d{0, -4, 0};
  std::vector<std::int32_t> points(3);
  std::iota(points.begin(), points.end(), 0);
  EXPECT_NEAR(largest_step(colliders, points, x, end, 0, arena), 0.45, 1e-15);
  points = {0, 1};
  EXPECT_NEAR(largest_step(colliders, points, x, end, 0, arena), 0.675, 1e-15);
  points = {0};
  EXPECT_EQ(largest_step(colliders, points, x, end, 0, arena), 1);
}

}  // namespace
}  // namespace isochor::contact
