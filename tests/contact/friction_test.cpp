#include "isochor/contact/friction.h"

#include "isochor/contact/barrier.h"
#include "isochor/contact/proximity.h"
#include "tests/contact/term_checks.h"

namespace isochor::contact {
namespace {

const FourVectors kStart{Vec3d{0.3, 0.3, 0.1}, {0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}};

FrictionContact point_on_triangle() {
  Pair pair = closest_points(PairKind::PointTriangle, kStart);
  pair.points = {0, 1, 2, 3};
  return friction_of(pair, 10, 0.3);
}

TEST(Friction, DerivativesAreThoseOfDifferencesInStickingAndSliding) {
  const FrictionContact contact = point_on_triangle();
  constexpr double kSlip = 0.01;
  const auto energy = [&](const FourVectors& x) {
    return friction_term(contact, kStart, x, kSlip);
  };
  std::uint64_t seed = 1;
  for (const double way : {0.1, 0.6, 1.5, 20.0}) {
    FourVectors x = kStart;
    x[0] += way * kSlip * contact.tangents[0] + 0.3 * kSlip * contact.tangents[1];
    check_derivatives(energy, x, 0.1 * kSlip, seed++);
  }
}

TEST(Friction, ForceGrowsToCoulombsLimitAgainstTheMotion) {
  const FrictionContact contact = point_on_triangle();
  FourVectors x = kStart;
  EXPECT_EQ(norm(friction_term(contact, kStart, x, 0.01).gradient[0]), 0);
  x[0] += 5e-3 * contact.tangents[1];
  EXPECT_NEAR(norm(friction_term(contact, kStart, x, 0.01).gradient[0]), 0.75 * 3, 1e-12);
  x[0] += 5 * contact.tangents[1];
  const Term sliding = friction_term(contact, kStart, x, 0.01);
  EXPECT_LT(norm(sliding.gradient[0] - 3.0 * contact.tangents[1]), 1e-14);
  Vec3d sum{0, 0, 0};
  for (const Vec3d& g : sliding.gradient) sum += g;
  EXPECT_LT(norm(sum), 1e-14) << "what rubs is rubbed";
  // Moving along the normal is free.
  FourVectors off = kStart;
  off[0] += cross(contact.tangents[0], contact.tangents[1]);
  EXPECT_LT(norm(friction_term(contact, kStart, off, 0.01).gradient[0]), 1e-12);
}

TEST(Friction, HessianIsDefinite) {
  const FrictionContact contact = point_on_triangle();
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    FourVectors x = kStart;
    for (Vec3d& p : x) p += random.vector(-0.02, 0.02);
    const auto [low, high] = eigenvalue_range(friction_term(contact, kStart, x, 0.01));
    EXPECT_GT(low, -1e-13 * high);
  }
}

TEST(Friction, SlopesWithAnyForceThatIsPossibleAreDefiniteAndWithItsOwnExact) {
  const FrictionContact contact = point_on_triangle();
  constexpr double kSlip = 0.01;
  Random random(7);
  for (const double way : {0.3, 0.9, 1.0, 1.1, 50.0}) {
    FourVectors x = kStart;
    x[0] += way * kSlip * contact.tangents[0] + 0.2 * way * kSlip * contact.tangents[1];
    const FrictionValue exact = friction_at(contact, kStart, x, kSlip);
    const FrictionValue same = friction_at(contact, kStart, x, kSlip, &exact.gradient);
    for (int c = 0; c < 3; ++c) {
      EXPECT_LT(norm(exact.slope.column[c] - same.slope.column[c]), 1e-12 * contact.force / kSlip);
    }
    for (int i = 0; i < 50; ++i) {
      const Vec3d part = random.vector(-1, 1);
      Vec3d dual = contact.force * (part[0] * contact.tangents[0] + part[1] * contact.tangents[1]);
      if (norm(dual) > contact.force) dual *= contact.force / norm(dual);
      const auto [low, high] = eigenvalue_range(friction_term(contact, kStart, x, kSlip, &dual));
      EXPECT_GT(low, -1e-13 * high);
      if (way < 1) continue;
      // Nothing resists what slides; what may have to stick it does.
      const Vec3d along = exact.way * (1 / norm(exact.way));
      const double stiffness =
          dot(along, friction_at(contact, kStart, x, kSlip, &dual).slope * along);
      EXPECT_GE(stiffness, (1 - 1e-12) * dot(along, exact.slope * along));
    }
  }
}

TEST(Friction, AColliderTakesPointsAlong) {
  const ColliderContact belt{
      .point = 0, .collider = 0, .normal = {0, 1, 0}, .velocity = {2, 0, 0}, .friction = 0.5};
  const FrictionContact contact = friction_of(belt, 8, 0.1);
  const std::vector<Vec3d> start{{0, 0, 0}};
  // At rest it is pulled with all of the friction; carried along, with none.
  const Vec3d force = -friction_term(contact, start, start, 1e-3).gradient[0];
  EXPECT_LT(norm(force - Vec3d{4, 0, 0}), 1e-14);
  const std::vector<Vec3d> carried{{0.2, 0, 0}};
  EXPECT_LT(norm(friction_term(contact, start, carried, 1e-3).gradient[0]), 1e-12);
}

/// One kilogram on a slope, one step of backward Euler after the other, each by Newton's method on
/// the energy of inertia, barrier and friction; the speed along the slope after a second.
double speed_on_slope(double angle, double friction) {
  constexpr double kStep = 0.01, kGravity = 9.81;
  constexpr Barrier kBarrier{.reach = 1e-3, .stiffness = 1e5};
  ThreadArena arena(1);
  const Vec3d normal{std::sin(angle), std::cos(angle), 0},
      down{std::cos(angle), -std::sin(angle), 0};
  const PlacedColliders slope =
      Colliders({Collider{.name = "slope", .shape = HalfSpace{normal}, .friction = friction}},
                arena)
          .at(0, arena);
  const std::vector<std::int32_t> points{0};
  std::vector<Vec3d> x{5e-4 * normal}, v{{0, 0, 0}};
  std::vector<ColliderContact> contacts;
  for (int step = 0; step < 100; ++step) {
    const std::vector<Vec3d> start = x;
    const Vec3d free = start[0] + kStep * v[0] + (kStep * kStep) * Vec3d{0, -kGravity, 0};
    for (int iteration = 0; iteration < 30; ++iteration) {
      Vec3d gradient = (x[0] - free) * (1 / (kStep * kStep));
      Mat3d hessian = Mat3d::identity() * (1 / (kStep * kStep));
      find_contacts(slope, points, x, kBarrier.reach, arena, contacts);
      for (const ColliderContact& contact : contacts) {
        const double pressed = -evaluate(kBarrier, contact.distance).slope;
        const FrictionContact rubbed = friction_of(contact, pressed, kStep);
        for (const Term& term :
             {barrier_term(contact, kBarrier), friction_term(rubbed, start, x, 1e-3 * kStep)}) {
          gradient += term.gradient[0];
          hessian += term.hessian[0];
        }
      }
      // Newton's step by Cramer's rule.
      const Vec3d *c = hessian.column, g = -gradient;
      const double whole = 1 / dot(c[0], cross(c[1], c[2]));
      const Vec3d way{whole * dot(g, cross(c[1], c[2])), whole * dot(c[0], cross(g, c[2])),
                      whole * dot(c[0], cross(c[1], g))};
      const std::vector<Vec3d> end{x[0] + way};
      x[0] += largest_step(slope, points, x, end, 0, arena) * way;
      if (norm(way) < 1e-14) break;
    }
    v[0] = (x[0] - start[0]) * (1 / kStep);
  }
  return dot(v[0], down);
}

TEST(Friction, AWeightOnASlopeSlidesOrStaysByCoulombsLaw) {
  constexpr double kGravity = 9.81, kAngle = 0.4;  // tan 0.4 = 0.423
  for (const double friction : {0.0, 0.2, 0.4}) {
    const double expected = kGravity * (std::sin(kAngle) - friction * std::cos(kAngle));
    EXPECT_NEAR(speed_on_slope(kAngle, friction), expected, 0.01 * kGravity) << friction;
  }
  for (const double friction : {0.45, 1.0}) {
    EXPECT_LT(std::abs(speed_on_slope(kAngle, friction)), 1e-3)
        << friction << ": less than the slip";
  }
}

}  // namespace
}  // namespace isochor::contact
