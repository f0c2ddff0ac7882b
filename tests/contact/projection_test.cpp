#include "isochor/contact/projection.h"

#include <gtest/gtest.h>

#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

std::vector<Vec3d> random_velocities(Random& random, std::size_t count) {
  std::vector<Vec3d> v(count);
  for (Vec3d& x : v) x = random.vector();
  return v;
}

double inner(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

/// Contacts of all kinds between spheres that nearly touch, some points fixed.
struct Scene {
  TestBodies bodies = random_spheres(5, 0.4, 1);
  std::vector<Row> rows;
  std::vector<double> inverse_masses;

  Scene() {
    ThreadArena arena(1);
    SurfaceBvh bvh(bodies.surface);
    std::vector<Pair> pairs;
    find_close_pairs(bvh, bodies.positions, 0.08, {}, arena, pairs);
    for (const Pair& pair : pairs) rows.push_back(row_of(pair, 0.3));
    Random random(2);
    for (std::size_t p = 0; p < size(); ++p) {
      inverse_masses.push_back(p % 17 == 0 ? 0 : random.uniform(0.1, 3));
      if (bodies.positions[p][2] > -0.2) continue;
      rows.push_back({.points = {static_cast<std::int32_t>(p)},
                      .weights = {1},
                      .count = 1,
                      .normal = {0, 0, 1},
                      .velocity = {0, 0, 0.2}});
    }
  }
  std::size_t size() const { return bodies.positions.size(); }

  /// P M^-1 f.
  std::vector<Vec3d> apply(std::vector<Vec3d> f, int sweeps, int threads = 1) const {
    ThreadArena arena(threads);
    ContactProjection projection;
    projection.build(rows, inverse_masses);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] *= inverse_masses[i];
    projection.project(f, sweeps, arena);
    return f;
  }
  double energy(std::span<const Vec3d> v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (inverse_masses[i] > 0) sum += 0.5 * dot(v[i], v[i]) / inverse_masses[i];
    }
    return sum;
  }
};

TEST(ContactProjection, TimesInverseMassIsSymmetricForAnyNumberOfSweeps) {
  const Scene scene;
  ASSERT_GT(scene.rows.size(), 300u);
  Random random(3);
  const auto u = random_velocities(random, scene.size()),
             v = random_velocities(random, scene.size());
  for (const int sweeps : {1, 2, 4}) {
    const double a = inner(u, scene.apply(v, sweeps)), b = inner(scene.apply(u, sweeps), v);
    EXPECT_NEAR(a, b, 1e-12 * std::sqrt(inner(u, u) * inner(v, v))) << sweeps;
    EXPECT_GT(std::abs(a), 0.1);
    EXPECT_GT(inner(u, scene.apply(u, sweeps)), 0) << "positive semidefinite";
  }
}

TEST(ContactProjection, OneContactIsAProjectionAndKeepsMomentum) {
  const std::vector<double> inverse_masses{1, 0.5, 0.25, 2};
  const Pair pair = closest_points(PairKind::PointTriangle,
                                   {Vec3d{0.2, 0.3, 0.1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  Row row = row_of(pair, 0);
  row.points = {0, 1, 2, 3};
  ContactProjection projection;
  projection.build(std::span(&row, 1), inverse_masses);
  ThreadArena arena(1);
  Random random(4);
  std::vector<Vec3d> v = random_velocities(random, 4);
  const auto momentum = [&] {
    Vec3d sum{0, 0, 0};
    for (int i = 0; i < 4; ++i) sum += v[i] * (1 / inverse_masses[i]);
    return sum;
  };
  const Vec3d before = momentum();
  projection.project(v, 1, arena);
  EXPECT_LT(projection.largest_violation(v), 1e-15);
  EXPECT_LT(norm(momentum() - before), 1e-14);
  const std::vector<Vec3d> once = v;
  projection.project(v, 3, arena);
  for (int i = 0; i < 4; ++i) EXPECT_LT(norm(v[i] - once[i]), 1e-15);
}

TEST(ContactProjection, ImpulsesOfRowsAreWhatItTookAway) {
  const Scene scene;
  ContactProjection projection;
  projection.build(scene.rows, scene.inverse_masses);
  ThreadArena arena(1);
  Random random(6);
  const std::vector<Vec3d> before = random_velocities(random, scene.size());
  std::vector<Vec3d> v = before, impulses(scene.rows.size(), Vec3d{0, 0, 0});
  projection.project(v, 3, arena, impulses);
  std::vector<Vec3d> sum = before;
  for (std::size_t r = 0; r < scene.rows.size(); ++r) {
    for (int i = 0; i < scene.rows[r].count; ++i) {
      const std::int32_t p = scene.rows[r].points[i];
      sum[p] += scene.inverse_masses[p] * scene.rows[r].weights[i] * impulses[r];
    }
  }
  for (std::size_t p = 0; p < v.size(); ++p) EXPECT_LT(norm(sum[p] - v[p]), 1e-12);
}

TEST(ContactProjection, SweepsNeverAddEnergyAndReduceViolations) {
  const Scene scene;
  ContactProjection projection;
  projection.build(scene.rows, scene.inverse_masses);
  ThreadArena arena(1);
  Random random(5);
  std::vector<Vec3d> v = random_velocities(random, scene.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (scene.inverse_masses[i] == 0) v[i] = {0, 0, 0};
  }
  double energy = scene.energy(v);
  const auto violation = [&] {
    double sum = 0;
    for (const Row& row : scene.rows) {
      double c = 0;
      for (int i = 0; i < row.count; ++i) c += row.weights[i] * dot(row.normal, v[row.points[i]]);
      sum += c * c;
    }
    return std::sqrt(sum);
  };
  const double first = violation();
  for (int sweep = 0; sweep < 4; ++sweep) {
    projection.project(v, 1, arena);
    EXPECT_LE(scene.energy(v), energy * (1 + 1e-14));
    energy = scene.energy(v);
  }
  // "1-2 orders of magnitude" with q = 4.
  EXPECT_LT(violation(), 0.1 * first);
}

TEST(ContactProjection, HasTheSameBitsForAnyNumberOfThreads) {
  const Scene scene;
  Random random(6);
  const auto v = random_velocities(random, scene.size());
  const auto one = scene.apply(v, 4);
  for (const int threads : {2, 4}) {
    const auto many = scene.apply(v, 4, threads);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(norm(many[i] - one[i]), 0);
  }
}

TEST(ContactProjection, ManyRowsOnOnePointNeedManyColours) {
  std::vector<Row> rows(200, Row{.points = {0, 1}, .weights = {1, -1}, .count = 2});
  Random random(7);
  for (Row& row : rows) {
    row.normal = random.vector();
    row.normal *= 1 / norm(row.normal);
  }
  const std::vector<double> inverse_masses{1, 0};
  ContactProjection projection;
  projection.build(rows, inverse_masses);
  EXPECT_EQ(projection.colour_count(), 200u);
  EXPECT_EQ(projection.active_count(), 200u);
  std::vector<Vec3d> v{{1, 2, 3}, {0, 0, 0}};
  ThreadArena arena(1);
  projection.project(v, 1, arena);
  EXPECT_LT(norm(v[0]), 1e-6) << "held in all directions";
}

TEST(ContactProjection, FixedPointsTakeNoColourAndNoImpulse) {
  // Fifty points on one fixed triangle: no two rows share a point that moves.
  std::vector<Row> rows;
  std::vector<double> inverse_masses{0, 0, 0};
  for (std::int32_t i = 0; i < 50; ++i) {
    rows.push_back({.points = {3 + i, 0, 1, 2},
                    .weights = {1, -0.5, -0.25, -0.25},
                    .count = 4,
                    .normal = {0, 0, 1}});
    inverse_masses.push_back(1);
  }
  rows.push_back({.points = {0}, .weights = {1}, .count = 1, .normal = {0, 0, 1}});
  ContactProjection projection;
  projection.build(rows, inverse_masses);
  EXPECT_EQ(projection.colour_count(), 1u);
  EXPECT_EQ(projection.active_count(), 50u);
  EXPECT_EQ(projection.row_count(), 51u);
}

TEST(ContactProjection, MatchingTakesTheVelocityOfTheColliderAndSaysWithWhatImpulse) {
  const Row row{
      .points = {0}, .weights = {1}, .count = 1, .normal = {0, 1, 0}, .velocity = {5, 2, 0}};
  const std::vector<double> inverse_masses{0.25};
  ContactProjection projection;
  projection.build(std::span(&row, 1), inverse_masses);
  std::vector<Vec3d> v{{1, -1, 3}};
  std::vector<Vec3d> impulses{{0, 0, 0}};
  ThreadArena arena(1);
  projection.match(v, 2, impulses, arena);
  EXPECT_LT(norm(v[0] - Vec3d{1, 2, 3}), 1e-15);
  EXPECT_LT(norm(impulses[0] - Vec3d{0, 12, 0}), 1e-14) << "4 kg by 3 m/s";
}

/// A point of 2 kg on a plane.
struct OnPlane {
  Row row{.points = {0}, .weights = {1}, .count = 1, .normal = {0, 0, 1}, .friction = 0.5};
  std::vector<double> inverse_masses{0.5};
  std::vector<Vec3d> impulses{{0, 0, 0}};
  ThreadArena arena{1};

  Vec3d repelled(const Vec3d& velocity, const Repulsion& repulsion) {
    ContactProjection projection;
    projection.build(std::span(&row, 1), inverse_masses);
    std::vector<Vec3d> v{velocity};
    impulses[0] = {0, 0, 0};
    projection.repel(v, repulsion, impulses, arena);
    return v[0];
  }
};

TEST(ContactProjection, RepulsionStopsAndRubsByCoulombsLaw) {
  OnPlane plane;
  // Slides on, slower by friction times the change of the normal velocity.
  EXPECT_LT(norm(plane.repelled({3, 0, -2}, {}) - Vec3d{2, 0, 0}), 1e-15);
  EXPECT_LT(norm(plane.impulses[0] - Vec3d{-2, 0, 4}), 1e-14);
  // Or sticks.
  EXPECT_LT(norm(plane.repelled({0.3, 0.4, -2}, {})), 1e-15);
  // Nothing is pulled back, nor slowed, when it leaves.
  EXPECT_EQ(norm(plane.repelled({3, 0, 1}, {}) - Vec3d{3, 0, 1}), 0);
  EXPECT_EQ(norm(plane.impulses[0]), 0);
}

TEST(ContactProjection, RepulsionGivesBackAPartOfTheThickness) {
  OnPlane plane;
  plane.row.gap = 0.002;
  plane.row.friction = 0;
  const Repulsion stiff{.thickness = 0.01, .stiffness = 1e9, .time_step = 0.01};
  // A tenth of the eight millimetres that are missing, in one step.
  EXPECT_NEAR(plane.repelled({0, 0, -2}, stiff)[2], 0.08, 1e-15);
  EXPECT_NEAR(plane.repelled({0, 0, 0.05}, stiff)[2], 0.08, 1e-15);
  EXPECT_EQ(plane.repelled({0, 0, 0.09}, stiff)[2], 0.09);
  // A soft spring does less: k d dt / m.
  const Repulsion soft{.thickness = 0.01, .stiffness = 100, .time_step = 0.01};
  EXPECT_NEAR(plane.repelled({0, 0, 0}, soft)[2], 100 * 0.008 * 0.01 / 2, 1e-15);
}

TEST(ContactProjection, RubbingUsesImpulsesOfOthers) {
  OnPlane plane;
  ContactProjection projection;
  projection.build(std::span(&plane.row, 1), plane.inverse_masses);
  std::vector<Vec3d> v{{0, 3, 0}};
  plane.impulses = {{0, 0, 4}};
  projection.rub(v, plane.impulses, plane.arena);
  EXPECT_LT(norm(v[0] - Vec3d{0, 2, 0}), 1e-15);
  EXPECT_LT(norm(plane.impulses[0] - Vec3d{0, -2, 4}), 1e-15);
  plane.impulses = {{0, 0, -4}};
  projection.rub(v, plane.impulses, plane.arena);
  EXPECT_LT(norm(v[0] - Vec3d{0, 2, 0}), 1e-15) << "tension does not rub";
}

}  // namespace
}  // namespace isochor::contact
