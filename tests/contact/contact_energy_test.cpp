#include "isochor/contact/contact_energy.h"

#include <gtest/gtest.h>
#include <random>

#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

/// Two squares of two triangles each, one above the other and turned, and a point method of eight.
std::vector<Vec3d> two_squares(double gap) {
  return {{0, 0, 0},
          {1, 0, 0},
          {1, 0, 1},
          {0, 0, 1},
          {0.3, gap, -0.25},
          {1.2, gap, 0.35},
          {0.6, gap + 0.01, 1.2},
          {-0.3, gap, 0.6}};
}

ContactEnergy energy_of_squares(const EnergyParams& params) {
  const std::vector<Vec3d> rest = two_squares(1);
  return {make_surface({{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}}, {0, 0, 0, 0, 1, 1, 1, 1}),
          rest, std::vector<std::uint8_t>(8, 0), params};
}

const EnergyParams kParams{
    .barrier = {.reach = 0.1, .stiffness = 20}, .friction = 0.4, .slip_speed = 0.01, .slip = 0.001};

PlacedColliders floor_at(double height, double friction, ThreadArena& arena) {
  return Colliders({{.name = "floor",
                     .shape = HalfSpace{},
                     .keys = {{.translation = {0, height, 0}}},
                     .friction = friction}},
                   arena)
      .at(0, arena);
}

std::vector<Vec3d> moved_by(std::vector<Vec3d> x, std::span<const Vec3d> way, double part) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * way[i];
  return x;
}

TEST(ContactEnergy, ForcesAndMatrixAreThoseOfDifferences) {
  ThreadArena arena(2);
  ContactEnergy energy = energy_of_squares(kParams);
  energy.place(floor_at(-0.06, 0.3, arena), 0.01);
  const std::vector<Vec3d> start = two_squares(0.07);
  energy.begin(start, arena);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Vec3d> way(8), x = start;
  for (Vec3d& w : way) w = {any(random), any(random), any(random)};
  // Away from the start, where friction has something to do.
  x = moved_by(x, way, 0.003);
  std::vector<Vec3d> force(8, Vec3d{0, 0, 0});
  energy.evaluate(x, force, arena);
  EXPECT_GT(energy.contacts().size(), 3U);
  EXPECT_GT(energy.pairs().size(), 3U);
  double slope = 0;
  for (int i = 0; i < 8; ++i) slope -= dot(force[i], way[i]);
  constexpr double kStep = 1e-6;
  const double above = energy.evaluate(moved_by(x, way, kStep), arena).energy;
  const double below = energy.evaluate(moved_by(x, way, -kStep), arena).energy;
  EXPECT_NEAR((above - below) / (2 * kStep), slope, 1e-5 * std::abs(slope));

  energy.evaluate(x, arena);
  energy.linearise(x, Curvature::Definite, arena);
  energy.assemble(arena);
  std::vector<Vec3d> image(8, Vec3d{0, 0, 0}), back(8, Vec3d{0, 0, 0}), other(8);
  for (Vec3d& w : other) w = {any(random), any(random), any(random)};
  energy.matrix().add_product<double>(way, image, arena);
  energy.matrix().add_product<double>(other, back, arena);
  double a = 0, b = 0, curvature = 0;
  for (int i = 0; i < 8; ++i) {
    a += dot(other[i], image[i]);
    b += dot(way[i], back[i]);
    curvature += dot(way[i], image[i]);
  }
  EXPECT_NEAR(a, b, 1e-9 * curvature);
  EXPECT_GT(curvature, 0);
}

TEST(ContactEnergy, MatrixHasItsDiagonalAndMatchesTerms) {
  ThreadArena arena(1);
  ContactEnergy energy = energy_of_squares(kParams);
  energy.place({}, 0.01);
  const std::vector<Vec3d> x = two_squares(0.05);
  energy.begin(x, arena);
  energy.evaluate(x, arena);
  energy.linearise(x, Curvature::Definite, arena);
  energy.assemble(arena);
  std::vector<Mat3d> sum(8, Mat3d::zero());
  for (const Term& term : energy.terms()) {
    for (int i = 0; i < term.count; ++i) sum[term.points[i]] += term.hessian[5 * i];
  }
  const ContactMatrix& matrix = energy.matrix();
  ASSERT_FALSE(matrix.empty());
  for (std::size_t row = 0; row < matrix.points().size(); ++row) {
    const Mat3d off = matrix.diagonal()[row] - sum[matrix.points()[row]];
    EXPECT_LT(std::abs(trace(off)), 1e-9 * trace(matrix.diagonal()[row]));
  }
}

TEST(ContactEnergy, ListsOfPairsAndThreadsChangeNoBit) {
  const TestBodies bodies = random_spheres(6, 0.35, 1);
  ThreadArena one(1), four(4);
  EnergyParams params{.barrier = {.reach = 0.1},
                      .body_stiffness = {1, 2, 3, 4, 5, 6},
                      .friction = 0.3,
                      .slip = 0.001};
  const std::vector<std::uint8_t> held(bodies.positions.size(), 0);
  ContactEnergy plain(bodies.surface, bodies.positions, held, params);
  params.listed = 0.2;
  ContactEnergy listed(bodies.surface, bodies.positions, held, params);
  plain.begin(bodies.positions, one);
  listed.begin(bodies.positions, four);
  Random random(5);
  std::vector<Vec3d> x = bodies.positions, way(x.size());
  for (int round = 0; round < 4; ++round) {
    for (Vec3d& w : way) w = random.vector(-0.1, 0.1);
    const double part = plain.largest_step(x, way, one);
    EXPECT_EQ(part, listed.largest_step(x, way, four));
    EXPECT_LT(part, 1);
    x = moved_by(x, way, 0.5 * part);
    EXPECT_EQ(plain.evaluate(x, one).energy, listed.evaluate(x, four).energy);
    EXPECT_GT(plain.pairs().size(), 50U);
    plain.linearise(x, Curvature::Definite, one);
    listed.linearise(x, Curvature::Definite, four);
    ASSERT_EQ(plain.terms().size(), listed.terms().size());
    for (std::size_t t = 0; t < plain.terms().size(); ++t) {
      EXPECT_EQ(plain.terms()[t].points, listed.terms()[t].points);
      for (int b = 0; b < 16; ++b) {
        EXPECT_EQ(norm(plain.terms()[t].hessian[b] - listed.terms()[t].hessian[b]), 0);
      }
    }
  }
}

TEST(ContactEnergy, PartsThatAreNearAtRestPushFromHalfThatDistance) {
  ThreadArena arena(1);
  // One body now: a gap of 0.12 at rest is nearer than twice the reach.
  const auto pushes = [&](double gap) {
    ContactEnergy energy(make_surface({{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}}, 8),
                         two_squares(0.12), std::vector<std::uint8_t>(8, 0), kParams);
    const std::vector<Vec3d> x = two_squares(gap);
    energy.begin(x, arena);
    return energy.evaluate(x, arena).energy > 0;
  };
  EXPECT_FALSE(pushes(0.12));
  EXPECT_FALSE(pushes(0.07));
  EXPECT_TRUE(pushes(0.05));
}

TEST(ContactEnergy, StepsEndBeforeAnythingMeets) {
  ThreadArena arena(2);
  ContactEnergy energy = energy_of_squares(kParams);
  energy.place(floor_at(-2, 0, arena), 0.01);
  const std::vector<Vec3d> start = two_squares(0.5);
  energy.begin(start, arena);
  std::vector<Vec3d> way(8, Vec3d{0, 0, 0});
  for (int i = 4; i < 8; ++i) way[i] = {0, -1, 0};
  const double pairs = energy.largest_step(start, way, arena);
  EXPECT_LT(pairs, 0.5);
  EXPECT_GT(pairs, 0.3);
  // Together they fall on the floor.
  std::ranges::fill(way, Vec3d{0, -4, 0});
  const double floor = energy.largest_step(start, way, arena);
  EXPECT_LT(floor, 0.5);
  EXPECT_GT(floor, 0.4);
}

TEST(ContactEnergy, WhatAColliderComesToIsClearedUnlessAnotherPartIsInTheWay) {
  ThreadArena arena(1);
  ContactEnergy energy = energy_of_squares(kParams);
  const std::vector<Vec3d> start = two_squares(0.5);
  energy.place(floor_at(0.2, 0, arena), 0.01);
  energy.begin(start, arena);
  std::vector<Vec3d> x = start;
  EXPECT_TRUE(energy.clear(x, arena));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(x[i][1], 0.21, 1e-12);
  for (int i = 4; i < 8; ++i) EXPECT_EQ(x[i][1], start[i][1]);
  // The lower square would be pushed through the upper one, which is held.
  EnergyParams params = kParams;
  const std::vector<std::uint8_t> held{0, 0, 0, 0, 1, 1, 1, 1};
  ContactEnergy blocked(
      make_surface({{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}}, {0, 0, 0, 0, 1, 1, 1, 1}), start,
      held, params);
  blocked.place(floor_at(0.7, 0, arena), 0.01);
  blocked.begin(start, arena);
  x = start;
  EXPECT_FALSE(blocked.clear(x, arena));
}

TEST(ContactEnergy, BarrierWithoutReachIsRefused) { EXPECT_ANY_THROW(energy_of_squares({})); }

}  // namespace
}  // namespace isochor::contact
