#include "isochor/contact/collider_contacts.h"

#include <algorithm>
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

/// A thin plate that moves and turns, through which points fly.
struct Passing {
  explicit Passing(ThreadArena& arena) : colliders(plates(), arena) {
    Random random(7);
    for (int i = 0; i < 4000; ++i) {
      start.push_back(random.vector(-1, 1));
      end.push_back(start.back() + 0.4 * random.vector(-1, 1));
      points.push_back(i);
    }
  }
  static std::vector<Collider> plates() {
    Collider plate{.name = "plate", .shape = Box{{0.7, 0.7, 0.005}}};
    plate.keys = {{0, {0, 0, -0.3}, {0, 0, 0}}, {1, {0.1, 0, 0.3}, {0.3, 0, 0}}};
    return {plate, {.name = "ground", .shape = HalfSpace{{0, 1, 0}}}};
  }
  std::vector<ColliderContact> find(ThreadArena& arena) const {
    std::vector<ColliderContact> found;
    find_passed(colliders.placements(0.2), colliders.at(0.8, arena), points, start, end, 1e-3,
                arena, found);
    return found;
  }
  Colliders colliders;
  std::vector<Vec3d> start, end;
  std::vector<std::int32_t> points;
};

TEST(ColliderContacts, WhatPassedAThinColliderIsThatWhoseStraightWayAsItSeesItGoesThroughIt) {
  ThreadArena arena(1);
  const Passing passing(arena);
  const PlacedColliders after = passing.colliders.at(0.8, arena);
  const std::vector<Placement> before = passing.colliders.placements(0.2);
  const std::vector<ColliderContact> found = passing.find(arena);
  std::vector<int> side(passing.points.size(), 0);  // by what it went through the plate
  for (std::size_t i = 0; i < side.size(); ++i) {
    const Vec3d a = before[0].local(passing.start[i]), b = after.placement(0).local(passing.end[i]);
    if ((a[2] > 0) == (b[2] > 0) || std::min(std::abs(a[2]), std::abs(b[2])) < 0.02) continue;
    const Vec3d through = a + (a[2] / (a[2] - b[2])) * (b - a);
    // Near the rim it is a question of thickness.
    if (std::max(std::abs(through[0]), std::abs(through[1])) > 0.68) continue;
    side[i] = a[2] > 0 ? 1 : -1;
  }
  std::vector<int> told(side.size(), 0);
  for (const ColliderContact& c : found) {
    EXPECT_EQ(c.collider, 0);  // what is behind a half space is inside it
    EXPECT_LT(c.distance, -1e-3);
    told[c.point] =
        after.placement(0).local(after.placement(0).translation + c.normal)[2] > 0 ? 1 : -1;
  }
  EXPECT_GT(std::ranges::count_if(side, [](int s) { return s != 0; }), 300);
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (side[i] != 0) {
      EXPECT_EQ(told[i], side[i]) << i;
    } else if (told[i] != 0) {
      const double a = before[0].local(passing.start[i])[2];
      const double b = after.placement(0).local(passing.end[i])[2];
      // Never what stayed on its side.
      if (std::min(std::abs(a), std::abs(b)) > 0.02) {
        EXPECT_NE(a > 0, b > 0) << i;
      }
    }
  }
}

TEST(ColliderContacts, WhatPassedComesBackToWhereItCameInAndGoesOnWithTheCollider) {
  ThreadArena arena(1);
  const Passing passing(arena);
  const PlacedColliders after = passing.colliders.at(0.8, arena);
  std::vector<Vec3d> x = passing.end, v(x.size(), Vec3d{0, 0, 0});
  std::vector<ColliderContact> found = passing.find(arena);
  collide_passed(x, v, found);
  for (const ColliderContact& c : found) {
    const double side = dot(c.normal, v[c.point] - c.velocity);
    EXPECT_GT(side, -1e-12);
    EXPECT_EQ(norm(v[c.point] - c.change), 0);
    EXPECT_GT(after.sample(0, x[c.point]).distance, -1e-3);
  }
  std::vector<ColliderContact> again;
  find_passed(passing.colliders.placements(0.2), after, passing.points, passing.start, x, 1e-3,
              arena, again);
  EXPECT_TRUE(again.empty());
}

TEST(ColliderContacts, WhatLiesOnATopMayGoOverItsEdge) {
  ThreadArena arena(1);
  const Colliders step({{.name = "step", .shape = Box{{1, 0.05, 1}}}}, arena);
  const std::vector<Vec3d> start{{0.95, 0.05, 0}, {0.5, 0.05, 0}};
  const std::vector<Vec3d> end{{1.3, 0.03, 0}, {0.6, -0.2, 0}};
  const std::vector<std::int32_t> points{0, 1};
  std::vector<ColliderContact> found;
  find_passed(step.placements(0), step.at(1, arena), points, start, end, 0.002, arena, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].point, 1);
  EXPECT_NEAR(found[0].distance, -0.25, 0.01);
}

}  // namespace
}  // namespace isochor::contact
