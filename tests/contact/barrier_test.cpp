#include "isochor/contact/barrier.h"

#include "isochor/contact/proximity.h"
#include "tests/contact/contact_checks.h"
#include "tests/contact/term_checks.h"

namespace isochor::contact {
namespace {

constexpr Barrier kBarrier{.reach = 0.2, .stiffness = 3};

/// One configuration for each kind of nearest points.
struct Case {
  const char* name;
  PairKind kind;
  FourVectors x;
};

std::vector<Case> cases() {
  const auto triangle = [](const Vec3d& p) {
    return FourVectors{p, {0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}};
  };
  const auto edges = [](const Vec3d& a, const Vec3d& b) {
    return FourVectors{Vec3d{-0.5, 0, 0}, {0.6, 0.05, 0}, a, b};
  };
  return {{"face", PairKind::PointTriangle, triangle({0.3, 0.3, 0.1})},
          {"edge of a triangle", PairKind::PointTriangle, triangle({0.5, -0.05, 0.06})},
          {"corner of a triangle", PairKind::PointTriangle, triangle({-0.05, -0.06, 0.07})},
          {"two edges", PairKind::EdgeEdge, edges({0.1, -0.5, 0.1}, {0.2, 0.4, 0.12})},
          {"an edge and an end", PairKind::EdgeEdge, edges({0.1, 0.05, 0.1}, {0.2, 0.9, 0.3})},
          {"an end and an edge", PairKind::EdgeEdge, edges({0.65, -0.4, 0.05}, {0.7, 0.5, 0.1})},
          {"two ends", PairKind::EdgeEdge, edges({0.65, 0.1, 0.05}, {1.5, 0.5, 0.1})}};
}

TEST(Barrier, IsTwiceContinuouslyDifferentiableAndPushesHarderTheNearer) {
  const BarrierValue edge = evaluate(kBarrier, 0.2 * (1 - 1e-6));
  EXPECT_NEAR(edge.energy, 0, 1e-15);
  EXPECT_NEAR(edge.slope, 0, 1e-11);
  EXPECT_NEAR(edge.curvature, 0, 2e-5);
  EXPECT_EQ(evaluate(kBarrier, 0.2).energy, 0);
  double last = 0;
  for (double d = 0.15; d > 1e-12; d *= 0.7) {
    const BarrierValue b = evaluate(kBarrier, d);
    EXPECT_LT(b.slope, last);
    EXPECT_GT(b.curvature, 0);
    last = b.slope;
    const double step = 1e-4 * d;
    const BarrierValue above = evaluate(kBarrier, d + step), below = evaluate(kBarrier, d - step);
    EXPECT_NEAR((above.energy - below.energy) / (2 * step), b.slope, 1e-6 * std::abs(b.slope));
    EXPECT_NEAR((above.slope - below.slope) / (2 * step), b.curvature, 1e-6 * b.curvature);
  }
  EXPECT_LT(last, -1e9 * kBarrier.stiffness * kBarrier.reach);
}

TEST(Barrier, DerivativesOfAllKindsOfNearestPointsAreThoseOfDifferences) {
  std::uint64_t seed = 1;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto energy = [&](const FourVectors& x) {
      return barrier_term(c.kind, x, c.x, kBarrier, Curvature::Exact);
    };
    ASSERT_GT(energy(c.x).energy, 0);
    check_derivatives(energy, c.x, 0.01, seed++);
    expect_balance(energy(c.x), c.x, 1e-14);
  }
}

/// Two edges that are parallel but for `angle`, one above the other.
FourVectors nearly_parallel(double angle) {
  return {Vec3d{-0.5, 0, 0}, {0.6, 0, 0}, {-0.4, -0.4 * angle, 0.1}, {0.5, 0.5 * angle, 0.1}};
}

TEST(Barrier, NearlyParallelEdgesFadeSmoothly) {
  const FourVectors rest{Vec3d{0, 0, 0}, {1.1, 0, 0}, {0, 0, 0}, {0.9, 0, 0}};
  const auto energy = [&](const FourVectors& x) {
    return barrier_term(PairKind::EdgeEdge, x, rest, kBarrier, Curvature::Exact);
  };
  const double whole = energy(nearly_parallel(0.2)).energy;
  EXPECT_NEAR(energy(nearly_parallel(0.031)).energy, whole, 1e-2 * whole);
  EXPECT_NEAR(energy(nearly_parallel(0.015)).energy, 0.4375 * whole, 1e-3 * whole);
  EXPECT_EQ(energy(nearly_parallel(0)).energy, 0);
  check_derivatives(energy, nearly_parallel(0.015), 1e-3, 5);
  expect_balance(energy(nearly_parallel(0.015)), nearly_parallel(0.015), 1e-13);
}

TEST(Barrier, DefiniteHessiansHaveNoNegativeEigenvaluesAndKeepThePositive) {
  std::vector<Case> all = cases();
  all.push_back({"nearly parallel", PairKind::EdgeEdge, nearly_parallel(0.015)});
  int indefinite = 0;
  for (const Case& c : all) {
    SCOPED_TRACE(c.name);
    const Term exact = barrier_term(c.kind, c.x, c.x, kBarrier, Curvature::Exact);
    const Term definite = barrier_term(c.kind, c.x, c.x, kBarrier, Curvature::Definite);
    const auto [low, high] = eigenvalue_range(exact);
    const auto [definite_low, definite_high] = eigenvalue_range(definite);
    EXPECT_GT(definite_low, -1e-13 * definite_high);
    EXPECT_NEAR(definite_high, high, 1e-12 * high);
    indefinite += low < -1e-6 * high;
    // The nearest such matrix: the difference has no positive eigenvalue.
    Term difference = exact;
    for (int i = 0; i < 16; ++i) difference.hessian[i] = exact.hessian[i] - definite.hessian[i];
    EXPECT_LT(eigenvalue_range(difference).second, 1e-12 * high);
    EXPECT_NEAR(eigenvalue_range(difference).first, std::min(low, 0.0), 1e-12 * high);
  }
  EXPECT_GT(indefinite, 4);
}

TEST(Barrier, ForcesAreTheSameInAnyUnitOfLength) {
  for (const double unit : {1e-3, 1e3}) {
    for (const Case& c : cases()) {
      FourVectors x = c.x;
      for (Vec3d& p : x) p *= unit;
      const Barrier scaled{.reach = kBarrier.reach * unit, .stiffness = kBarrier.stiffness};
      const Term a = barrier_term(c.kind, c.x, c.x, kBarrier, Curvature::Definite);
      const Term b = barrier_term(c.kind, x, x, scaled, Curvature::Definite);
      EXPECT_NEAR(b.energy, a.energy * unit * unit, 1e-12 * b.energy);
      for (int i = 0; i < 4; ++i) {
        EXPECT_LT(norm(b.gradient[i] - unit * a.gradient[i]), 1e-12 * unit);
      }
      for (int i = 0; i < 16; ++i) {
        EXPECT_LT(norm(b.hessian[i] - a.hessian[i]), 1e-11 * eigenvalue_range(a).second);
      }
    }
  }
}

TEST(Barrier, OfAColliderIsAlongItsNormal) {
  const ColliderContact contact{
      .point = 7, .collider = 0, .distance = 0.1, .normal = {0, 0.6, 0.8}};
  const Term term = barrier_term(contact, kBarrier);
  const BarrierValue b = evaluate(kBarrier, 0.1);
  EXPECT_EQ(term.points[0], 7);
  EXPECT_EQ(term.count, 1);
  EXPECT_EQ(term.energy, b.energy);
  EXPECT_LT(norm(term.gradient[0] - b.slope * contact.normal), 1e-15);
  EXPECT_NEAR(term.hessian[0](1, 2), 0.48 * b.curvature, 1e-13);
}

}  // namespace
}  // namespace isochor::contact
