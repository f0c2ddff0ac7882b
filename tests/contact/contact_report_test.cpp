#include "isochor/contact/contact_report.h"

#include <gtest/gtest.h>

#include "isochor/contact/barrier.h"
#include "isochor/contact/projection.h"
#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

Colliders floor_at(double height, ThreadArena& arena) {
  Collider floor{.name = "floor", .shape = HalfSpace{}, .friction = 0.5};
  floor.keys = {{.translation = {2, height, 0}}};
  return Colliders({floor}, arena);
}

TEST(ContactReport, SaysHowNearHowDeepAndWhatCrosses) {
  TestBodies bodies;
  add_body(bodies, geometry::make_box({0, 0.5, 0}, {1, 1, 1}, 0.5));
  add_body(bodies, geometry::make_box({0, 1.51, 0}, {1, 1, 1}, 0.5));
  ThreadArena arena(2);
  SurfaceBvh bvh(bodies.surface);
  const PlacedColliders colliders = floor_at(0.03, arena).at(0, arena);
  ContactReport report =
      report_contact(bvh, bodies.positions, bvh.surface().points, colliders, 0.1, {}, arena);
  EXPECT_NEAR(report.smallest_gap, 0.01, 1e-15);
  EXPECT_NEAR(report.deepest_penetration(), 0.03, 1e-15);
  EXPECT_NEAR(bodies.positions[report.deepest_point][1], 0, 1e-15);
  EXPECT_GT(report.near_pairs, 9);
  EXPECT_EQ(report.near_points, 9);
  EXPECT_EQ(report.crossings.count(), 0);
  for (std::size_t i = 0; i < bodies.positions.size(); ++i) {
    if (bodies.surface.bodies[i] == 1) bodies.positions[i] += Vec3d{0.1, -0.1, 0.1};
  }
  report = report_contact(bvh, bodies.positions, bvh.surface().points, colliders, 0.1, {}, arena);
  EXPECT_GT(report.crossings.between_bodies, 0);
  EXPECT_EQ(report.crossings.within_bodies, 0);
}

TEST(ContactReport, WithoutContactThereIsNoGap) {
  TestBodies bodies;
  add_body(bodies, geometry::make_box({0, 3, 0}, {1, 1, 1}, 1));
  ThreadArena arena(1);
  SurfaceBvh bvh(bodies.surface);
  const PlacedColliders colliders = floor_at(0, arena).at(0, arena);
  const ContactReport report =
      report_contact(bvh, bodies.positions, bvh.surface().points, colliders, 0.1, {}, arena);
  EXPECT_TRUE(std::isinf(report.smallest_gap));
  EXPECT_EQ(report.deepest_penetration(), 0);
  EXPECT_EQ(report.deepest_point, -1);
}

TEST(ContactReport, ForcesOnPointsAndCollidersAreOppositeWhateverMadeThem) {
  ThreadArena arena(1);
  const PlacedColliders colliders = floor_at(0, arena).at(0, arena);
  const std::vector<double> inverse_masses{0.5, 0.25};
  const std::vector<Vec3d> start{{1, -0.01, 0}, {3, -0.02, 1}};
  const std::vector<std::int32_t> points{0, 1};
  constexpr double kStep = 0.01;
  const auto expect_balance = [&](const ContactForces& forces) {
    Vec3d force{0, 0, 0}, moment{0, 0, 0};
    for (int i = 0; i < 2; ++i) {
      force += forces.points[i];
      moment += cross(start[i] - Vec3d{2, 0, 0}, forces.points[i]);
    }
    EXPECT_GT(force[1], 0);
    EXPECT_LT(norm(forces.colliders[0].force + force), 1e-12);
    EXPECT_LT(norm(forces.colliders[0].moment + moment), 1e-12);
  };
  // By colliding, and the same by rows: the momentum that two points lose.
  std::vector<Vec3d> x = start, v{{1, -2, 0}, {0, -1, 0}};
  std::vector<ColliderContact> contacts;
  collide(colliders, points, x, v, arena, contacts);
  ContactForces forces;
  forces.reset(2, 1);
  forces.add(contacts, inverse_masses, kStep, start, colliders);
  EXPECT_LT(norm(forces.colliders[0].force - Vec3d{2, -8, 0} * (1 / kStep)), 1e-10);
  expect_balance(forces);

  find_contacts(colliders, points, start, 0, arena, contacts);
  std::vector<Row> rows;
  for (const ColliderContact& contact : contacts) rows.push_back(row_of(contact));
  ContactProjection projection;
  projection.build(rows, inverse_masses);
  v = {{1, -2, 0}, {0, -1, 0}};
  std::vector<Vec3d> impulses(2, Vec3d{0, 0, 0});
  projection.repel(v, {}, impulses, arena);
  ContactForces of_rows;
  of_rows.reset(2, 1);
  of_rows.add(rows, impulses, kStep, start, colliders);
  EXPECT_LT(norm(of_rows.colliders[0].force - forces.colliders[0].force), 1e-10);
  expect_balance(of_rows);

  // By an energy.
  std::vector<Term> terms;
  const std::vector<Vec3d> above{{1, 0.01, 0}, {3, 0.02, 1}};
  find_contacts(colliders, points, above, 0.05, arena, contacts);
  for (const ColliderContact& contact : contacts) {
    terms.push_back(barrier_term(contact, {.reach = 0.05, .stiffness = 100}));
  }
  ContactForces of_terms;
  of_terms.reset(2, 1);
  of_terms.add(terms, start, colliders);
  expect_balance(of_terms);
}

}  // namespace
}  // namespace isochor::contact
