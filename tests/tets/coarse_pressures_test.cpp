#include "isochor/tets/coarse_pressures.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "isochor/materials/registry.h"
#include "isochor/tets/one_ring.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {
namespace {

Model ball(int cells, ThreadArena& arena) {
  BodySpec body{.name = "ball", .mesh = ball_of_tets(cells, 0.1)};
  materials::Material m;
  m.law = materials::law_index("stable_neo_hookean");
  m.mu = m.lambda = 1e4;
  m.density = 1000;
  body.materials = {m};
  return build_model({body}, {.preconditioner = Preconditioner::Jacobi}, arena);
}

std::vector<Vec3d> squashed(const Model& model) {
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) p = {1.1 * p[0] + 0.2 * p[2], p[1], 0.6 * p[2]};
  return x;
}

/// How volumes of one-rings change with positions, per entry of the pattern, the slow way.
std::vector<Vec3f> push_of(const Model& model, std::span<const Vec3d> x) {
  std::vector<Vec3f> push(model.pattern.columns.size(), Vec3f{0, 0, 0});
  for (const geometry::Tet& tet : model.tets) {
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3d &a = x[tet[(corner + 1) % 4]], &b = x[tet[(corner + 2) % 4]],
                  &c = x[tet[(corner + 3) % 4]];
      const Vec3d slope = (corner % 2 == 0 ? -1.0 : 1.0) / 24 * cross(b - a, c - a);
      for (const std::int32_t n : tet) {
        const auto row = model.pattern.columns.begin() + model.pattern.first[tet[corner]];
        const auto end = model.pattern.columns.begin() + model.pattern.first[tet[corner] + 1];
        Vec3f& sum = push[std::lower_bound(row, end, n) - model.pattern.columns.begin()];
        sum += Vec3f{float(slope[0]), float(slope[1]), float(slope[2])};
      }
    }
  }
  return push;
}

/// A = -div M^-1 grad, where the nodes of contacts do not move along a normal.
std::vector<double> apply(const Model& model, OneRings& rings,
                          std::span<const contact::Row> contacts, std::span<const double> p) {
  std::vector<Vec3d> v(p.size());
  std::vector<double> out(p.size());
  rings.gradient(p, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] *= -1 / model.mass[i];
  for (const contact::Row& row : contacts) {
    v[row.points[0]] -= dot(row.normal, v[row.points[0]]) * row.normal;
  }
  rings.divergence(v, out);
  return out;
}

// The correction C = P (P^T A P)^-1 P^T finds smooth pressures exactly: C A C = C.
TEST(CoarsePressures, SmoothPressuresAreFoundExactlyAlsoInContact) {
  Context context(2);
  const Model model = ball(10, context.arena);
  const std::vector<Vec3d> x = squashed(model);
  std::vector<contact::Row> contacts;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i][2] > -0.5) continue;
    contacts.push_back({.points = {std::int32_t(i)}, .weights = {1}, .count = 1});
    contacts.back().normal = {0, 0.6, 0.8};
  }
  ASSERT_GT(contacts.size(), 10U);
  OneRings rings(model, context.arena);
  rings.measure(x);
  std::vector<double> inverse_mass, none(x.size(), 0.0);
  for (const double m : model.mass) inverse_mass.push_back(1 / m);
  CoarsePressures coarse(model);
  ASSERT_GT(coarse.size(), 20U);
  const std::vector<Vec3f> push = push_of(model, x);
  const auto read = [&](std::int32_t first, std::span<Vec3f> to) {
    std::copy_n(push.begin() + first, to.size(), to.begin());
  };
  coarse.prepare(read, inverse_mass, none, 0, contacts, context.arena);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> r(x.size()), once(x.size(), 0.0), twice(x.size(), 0.0);
  for (double& value : r) value = number(random);
  // Nothing by the diagonal.
  const std::vector<double> endless(x.size(), std::numeric_limits<double>::infinity());
  coarse.precondition(r, endless, once, context.arena);
  coarse.precondition(apply(model, rings, contacts, once), endless, twice, context.arena);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < once.size(); ++i) {
    error += (once[i] - twice[i]) * (once[i] - twice[i]);
    size += once[i] * once[i];
  }
  EXPECT_GT(size, 0);
  EXPECT_LT(std::sqrt(error / size), 1e-5);
}

TEST(CoarsePressures, ABodyThatGrowsTakesNoMoreIterationsInAFinerMesh) {
  Context context(2);
  int iterations[2];
  for (const int k : {0, 1}) {
    const Model model = ball(k == 0 ? 10 : 20, context.arena);
    OneRings rings(model, context.arena);
    std::vector<double> p(model.node_count());
    const std::vector<double> none(model.node_count(), 0.0);
    std::vector<Vec3d> v = model.rest_positions;
    const auto report = rings.correct(
        v, none, p, [](std::span<Vec3d>) {}, {}, context.cancelled);
    EXPECT_TRUE(report.converged);
    iterations[k] = report.iterations;
  }
  EXPECT_LE(iterations[1], iterations[0] + 2);
}

}  // namespace
}  // namespace isochor::tets
