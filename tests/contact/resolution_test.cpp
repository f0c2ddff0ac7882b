#include "isochor/contact/resolution.h"

#include <gtest/gtest.h>

#include "isochor/contact/collider_contacts.h"
#include "isochor/contact/crossings.h"
#include "isochor/math/polar.h"
#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

Vec3d momentum(std::span<const Vec3d> v, std::span<const double> inverse_masses) {
  Vec3d sum{0, 0, 0};
  for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * (1 / inverse_masses[i]);
  return sum;
}

TEST(Resolution, RandomVelocitiesAreMadeFreeOfImpactsAndKeepTheirMomentum) {
  const TestBodies bodies = random_spheres(4, 0.75, 1);
  const std::size_t count = bodies.positions.size();
  for (const double speed : {1.0, 2.5}) {
    Random random(2);
    std::vector<double> inverse_masses(count);
    std::vector<Vec3d> start(count), first;
    for (double& w : inverse_masses) w = random.uniform(0.5, 2);
    for (std::size_t i = 0; i < count; ++i) {
      start[i] = speed * (random.vector() - 2.0 * bodies.positions[i]);
    }
    const ResolutionOptions options{.time_step = 0.1, .friction = 0.2};
    for (const int threads : {1, 2, 4}) {
      ThreadArena arena(threads);
      SurfaceBvh bvh(bodies.surface);
      std::vector<Vec3d> v = start, end = bodies.positions;
      ImpactResolver resolver;
      const ResolutionReport report =
          resolver.resolve(bvh, bodies.positions, v, inverse_masses, options, {}, arena);
      EXPECT_TRUE(report.clear);
      EXPECT_GT(report.impacts, 10);
      for (std::size_t i = 0; i < count; ++i) end[i] += options.time_step * v[i];
      EXPECT_EQ(largest_step(bvh, bodies.positions, end, {}, {}, arena), 1);
      EXPECT_EQ(find_crossings(bvh, end, arena).count(), 0);
      const double size = norm(momentum(start, inverse_masses));
      EXPECT_LT(norm(momentum(v, inverse_masses) - momentum(start, inverse_masses)), 1e-12 * size);
      if (first.empty()) first = v;
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(norm(v[i] - first[i]), 0);
    }
  }
}

TEST(Resolution, PointsWithoutInverseMassTakeZonesAlong) {
  // A plate that moves as told sweeps a ball away, however fast.
  TestBodies bodies;
  add_body(bodies, geometry::make_box({0, 0, 0}, {2, 0.1, 2}, 1));
  add_body(bodies, geometry::make_sphere({0, 0.3, 0}, 0.2, 0.1));
  std::vector<double> inverse_masses;
  std::vector<Vec3d> v;
  for (const std::int32_t body : bodies.surface.bodies) {
    inverse_masses.push_back(body);
    v.push_back({0, body == 0 ? 10.0 : 0, 0});
  }
  ThreadArena arena(1);
  SurfaceBvh bvh(bodies.surface);
  ImpactResolver resolver;
  const ResolutionReport report =
      resolver.resolve(bvh, bodies.positions, v, inverse_masses, {.time_step = 0.1}, {}, arena);
  EXPECT_TRUE(report.clear);
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (bodies.surface.bodies[i] == 0) {
      EXPECT_EQ(v[i][1], 10);
    }
  }
  // What cannot be helped is said.
  for (std::size_t i = 0; i < v.size(); ++i)
    inverse_masses[i] = 0, v[i][1] = -bodies.positions[i][1];
  EXPECT_FALSE(
      resolver.resolve(bvh, bodies.positions, v, inverse_masses, {.time_step = 1}, {}, arena)
          .clear);
}

/// Pulls the points of each body towards its rest shape, turned and moved as fits best
/// (shape matching): something soft without a method.
void pull_to_shape(const TestBodies& rest, std::span<const Vec3d> x, double rate,
                   std::span<Vec3d> v) {
  const auto& bodies = rest.surface.bodies;
  for (std::int32_t body = 0; body <= bodies.back(); ++body) {
    Vec3d middle{0, 0, 0}, rest_middle{0, 0, 0};
    double count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (bodies[i] != body) continue;
      middle += x[i];
      rest_middle += rest.positions[i];
      ++count;
    }
    middle *= 1 / count;
    rest_middle *= 1 / count;
    Mat3d spread = Mat3d::zero();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (bodies[i] != body) continue;
      const Vec3d a = x[i] - middle, b = rest.positions[i] - rest_middle;
      spread += Mat3d{{a * b[0], a * b[1], a * b[2]}};
    }
    const Mat3d turn = polar_decomposition(spread).R;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (bodies[i] != body) continue;
      v[i] += rate * (middle + turn * (rest.positions[i] - rest_middle) - x[i]);
    }
  }
}

TEST(Resolution, APileOfSoftBodiesNeverCrosses) {
  const TestBodies bodies = random_spheres(8, 0.75, 3);
  const std::size_t count = bodies.positions.size();
  ThreadArena arena(2);
  Collider ground{.name = "floor", .shape = HalfSpace{}, .keys = {{.translation = {0, -0.4, 0}}}};
  const Colliders colliders({ground}, arena);
  const PlacedColliders placed = colliders.at(0, arena);
  SurfaceBvh bvh(bodies.surface);
  ImpactResolver resolver;
  ContactProjection repulsion;
  std::vector<Vec3d> x = bodies.positions, v(count, Vec3d{0, 0, 0}), impulses;
  std::vector<double> inverse_masses(count, 1);
  std::vector<Pair> pairs;
  std::vector<Row> rows;
  std::vector<ColliderContact> contacts;
  constexpr double kStep = 0.01;
  std::int64_t impacts = 0;
  for (int step = 0; step < 22; ++step) {
    // Towards the middle and down, with a spring back to the shape.
    for (std::size_t i = 0; i < count; ++i) v[i] += kStep * (Vec3d{0, -20, 0} - 60.0 * x[i]);
    pull_to_shape(bodies, x, 2, v);
    find_contacts(placed, bodies.surface.points, x, 0.01, arena, contacts);
    find_close_pairs(bvh, x, 0.01, {}, arena, pairs);
    rows.clear();
    for (const ColliderContact& contact : contacts) rows.push_back(row_of(contact));
    for (const Pair& pair : pairs) rows.push_back(row_of(pair, 0.2));
    impulses.assign(rows.size(), {0, 0, 0});
    repulsion.build(rows, inverse_masses);
    repulsion.repel(v, {.thickness = 0.01, .stiffness = 1e3, .time_step = kStep}, impulses, arena);
    const ResolutionReport report = resolver.resolve(
        bvh, x, v, inverse_masses, {.time_step = kStep, .friction = 0.2}, {}, arena);
    ASSERT_TRUE(report.clear) << "step " << step;
    impacts += report.impacts;
    for (std::size_t i = 0; i < count; ++i) x[i] += kStep * v[i];
    ASSERT_EQ(find_crossings(bvh, x, arena).count(), 0) << "step " << step;
  }
  EXPECT_GT(impacts, 100);
}

}  // namespace
}  // namespace isochor::contact
