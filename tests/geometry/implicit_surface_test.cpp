#include "isochor/geometry/implicit_surface.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>

#include "isochor/base/error.h"
#include "isochor/base/hash.h"
#include "isochor/geometry/implicit_surface_bodies.h"
#include "tests/geometry/surface_checks.h"

namespace isochor::geometry {
namespace {

int euler_characteristic(const SurfaceMesh& mesh) {
  return static_cast<int>(mesh.positions.size()) - static_cast<int>(mesh.corners.size() / 2) +
         static_cast<int>(mesh.face_count());
}

Vec3d random_point(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(random), uniform(random), uniform(random)};
}

TEST(ImplicitSurface, BallHasItsVerticesOnTheSphere) {
  const Ball ball{{0.1, 0.2, 0.3}, 0.8};
  const Bounds box{{-1, -1, -1}, {1.3, 1.3, 1.3}};
  for (const double edge : {0.3, 0.1, 0.037}) {
    const SurfaceMesh mesh =
        mesh_implicit_body([&](const Vec3d& p) { return distance_to(ball, p); }, box, edge);
    EXPECT_TRUE(is_closed(mesh));
    EXPECT_EQ(euler_characteristic(mesh), 2);
    double worst = 0;
    for (const Vec3d& p : mesh.positions) worst = std::max(worst, std::abs(distance_to(ball, p)));
    EXPECT_LT(worst, 1e-9 * edge);
  }
}

TEST(ImplicitSurface, VolumeConvergesWithTheSquareOfTheEdge) {
  const Ball ball{{0.03, 0.02, 0.01}, 0.8};
  const double exact = 4 * std::numbers::pi / 3 * 0.512;
  const auto error = [&](double edge) {
    return exact -
           enclosed_volume(mesh_implicit_body([&](const Vec3d& p) { return distance_to(ball, p); },
                                              {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, edge));
  };
  const double coarse = error(0.2), fine = error(0.05);
  EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.15);
  EXPECT_LT(fine, 2e-3 * exact);
}

TEST(ImplicitSurface, QuadsHaveAboutTheEdgeAskedFor) {
  const double edge = 0.05;
  const SurfaceMesh mesh = mesh_implicit_body([](const Vec3d& p) { return norm(p) - 0.8; },
                                              {{-1, -1, -1}, {1, 1, 1}}, edge);
  double shortest = 1, longest = 0, sum = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    ASSERT_EQ(mesh.face(f).size(), 4u);
    for (std::size_t c = 0; c < 4; ++c) {
      const double side =
          norm(mesh.positions[mesh.face(f)[c]] - mesh.positions[mesh.face(f)[(c + 1) % 4]]);
      shortest = std::min(shortest, side);
      longest = std::max(longest, side);
      sum += side;
    }
  }
  EXPECT_GT(shortest, 0.35 * edge);
  EXPECT_LT(longest, 1.5 * edge);
  EXPECT_NEAR(sum / (4 * double(mesh.face_count())), 0.88 * edge, 0.1 * edge);
}

TEST(ImplicitSurface, RingHasAHole) {
  const SurfaceMesh mesh = mesh_implicit_body(
      [](const Vec3d& p) { return std::hypot(std::hypot(p[0], p[2]) - 0.6, p[1]) - 0.25; },
      {{-1, -0.5, -1}, {1, 0.5, 1}}, 0.06);
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_EQ(euler_characteristic(mesh), 0);
  EXPECT_NEAR(enclosed_volume(mesh), 2 * std::numbers::pi * std::numbers::pi * 0.6 * 0.0625, 0.01);
}

TEST(ImplicitSurface, NoiseIsStillClosed) {
  // A sign per grid point at random: every tangle that signs can make.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto noise = [&](const Vec3d& p) {
      Hash hash;
      hash.add(std::as_bytes(std::span(&seed, 1)));
      hash.add(std::as_bytes(std::span(p.e)));
      const double value = 1e-9 * (double(hash.value() >> 40) / double(1 << 24) - 0.5);
      const bool is_inner = std::ranges::all_of(p.e, [](double x) { return x > 0 && x < 12; });
      return is_inner ? value : 1e-9;
    };
    const SurfaceMesh mesh = mesh_implicit_body(noise, {{0, 0, 0}, {12, 12, 12}}, 1);
    EXPECT_GT(mesh.face_count(), 1000u);
    EXPECT_TRUE(is_closed(mesh)) << seed;
  }
}

TEST(ImplicitSurface, BodiesOutsideTheirBoxAndLostOnesAreRefused) {
  const auto ball = [](const Vec3d& p) { return norm(p) - 1; };
  EXPECT_THROW(mesh_implicit_body(ball, {{-2, -2, -2}, {2, 0.5, 2}}, 0.1), Error);
  EXPECT_THROW(mesh_implicit_body(ball, {{-2.1, -2.1, -2.1}, {2.1, 2.1, 2.1}}, 1.4), Error);
  EXPECT_THROW(mesh_implicit_body(ball, {{2, 2, 2}, {3, 3, 3}}, 0.1), Error);
  EXPECT_THROW(mesh_implicit_body(ball, {{2, 2, 2}, {-3, 3, 3}}, 0.1), Error);
}

TEST(ImplicitBodies, ConeIsTheUnionOfTheBallsBetween) {
  std::mt19937 random(1);
  for (const Ball& end : {Ball{{1, 0.4, 0}, 0.2}, Ball{{1, 0, 0}, 0.9}, Ball{{0.2, 0, 0}, 0.9}}) {
    const Ball start{{0, 0, 0.1}, 0.5};
    const BallChain cone{start, end};
    for (int i = 0; i < 200; ++i) {
      const Vec3d p = random_point(random, 2);
      double nearest = std::numeric_limits<double>::infinity();
      for (int k = 0; k <= 4000; ++k) {
        const double t = k / 4000.0;
        const Ball between{start.center * (1 - t) + end.center * t,
                           start.radius * (1 - t) + end.radius * t};
        nearest = std::min(nearest, distance_to(between, p));
      }
      EXPECT_NEAR(cone.distance_to(p), nearest, 1e-4);
    }
  }
}

TEST(ImplicitBodies, ChainGoesThroughItsBallsAndHasNoKinks) {
  const Ball balls[] = {{{0, 0, 0}, 0.2}, {{1, 0.1, 0}, 0.3}, {{2, 0, 0.2}, 0.1}, {{3, 0, 0}, 0.2}};
  const BallChain chain(balls);
  for (const Ball& ball : balls) {
    EXPECT_LE(chain.distance_to(ball.center), -ball.radius + 1e-8);
    // Across the curve, which runs nearly along x, the surface is where the ball's is.
    EXPECT_NEAR(chain.distance_to(ball.center + Vec3d{0, ball.radius, 0}), 0, 0.01);
    EXPECT_LE(norm(ball.center - chain.around().center) + ball.radius, chain.around().radius);
  }
  // The slope of the outline turns by little from piece to piece; at the ball of 0.3 a chain of
  // straight cones would turn by 0.3 at once.
  double last_slope = 0;
  for (int i = 0; i <= 40; ++i) {
    const double x = 0.8 + 0.01 * i, h = 1e-4;
    const double slope =
        (chain.distance_to({x + h, 0.5, 0}) - chain.distance_to({x - h, 0.5, 0})) / (2 * h);
    if (i > 0) {
      EXPECT_LT(std::abs(slope - last_slope), 0.1) << x;
    }
    last_slope = slope;
  }
}

TEST(ImplicitBodies, NoneIsSteeperThanADistance) {
  const BallChain chain{{{0, 0, 0}, 0.2}, {{1, 0.5, 0}, 0.5}, {{1.2, 1.5, 0.5}, 0.1}};
  const Ellipsoid ellipsoid{{0.2, 0, 0}, {1, 0.3, 0.5}};
  const auto bodies = [&](const Vec3d& p) {
    const double a = chain.distance_to(p), b = distance_to(ellipsoid, p);
    return std::array{a, b, smooth_union(a, b, 0.3), smooth_difference(b, a, 0.3),
                      chain.joined(b, p, 0.3)};
  };
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    const Vec3d p = random_point(random, 2), q = p + random_point(random, 0.1);
    const auto at_p = bodies(p), at_q = bodies(q);
    for (std::size_t k = 0; k < at_p.size(); ++k) {
      EXPECT_LE(std::abs(at_p[k] - at_q[k]), norm(p - q) * (1 + 1e-9)) << k;
    }
    EXPECT_DOUBLE_EQ(at_p[4], at_p[2]) << "the quick way gives the same";
  }
}

TEST(ImplicitBodies, SmoothUnionKeepsWhatIsFarApart) {
  EXPECT_EQ(smooth_union(1, 3, 2), 1);
  EXPECT_EQ(smooth_union(3, 1, 2), 1);
  EXPECT_DOUBLE_EQ(smooth_union(0.5, 0.5, 1), 0.25);
  // In the middle of a gap of half the width, the bodies just meet.
  EXPECT_DOUBLE_EQ(smooth_union(0.25, 0.25, 1), 0);
  EXPECT_EQ(smooth_difference(-3, 1, 1), -1);
  EXPECT_EQ(smooth_difference(-1, -2, 1), 2);
}

}  // namespace
}  // namespace isochor::geometry
