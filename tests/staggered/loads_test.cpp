#include "isochor/staggered/loads.h"

#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/staggered/multigrid.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

constexpr double kRadius = 0.31, kMiddle = 0.5;

/// A disc on a grid that does not follow it: fractions, and cells around that are almost empty.
Domain<2> filled_disc(int n) {
  constexpr int kSamples = 64;
  Domain<2> domain({n, n}, {1.0 / n, 1.0 / n}, Cell::Interior);
  domain.fraction.resize(domain.cells.size());
  domain.for_each([&](const Index<2>& c) {
    int inside = 0;
    for (int s = 0; s < kSamples * kSamples; ++s) {
      const double x = (c[0] + (s % kSamples + 0.5) / kSamples) / n,
                   y = (c[1] + (s / kSamples + 0.5) / kSamples) / n;
      inside += std::hypot(x - kMiddle, y - kMiddle) < kRadius;
    }
    domain.fraction[domain.index(c)] = float(inside) / (kSamples * kSamples);
  });
  return domain;
}

TEST(StaggeredLoads, PressureOnAnOutlineBalancesUniformStress) {
  const int n = 24;
  const Model<2> model =
      build_model<2>(filled_disc(n), {.mu = 2, .compressibility = 0.5}, {}, "disc");
  std::vector<double> b(model.unknowns()), u(b.size()), r(b.size());
  const int segments = 4096;
  for (int s = 0; s < segments; ++s) {
    const double angle = 2 * std::numbers::pi * (s + 0.5) / segments;
    const Point<2> normal{std::cos(angle), std::sin(angle)};
    const Point<2> at{kMiddle + kRadius * normal[0], kMiddle + kRadius * normal[1]};
    add_embedded_traction<2>(model, at, normal, normal, 2 * std::numbers::pi * kRadius / segments,
                             b);
  }
  // u_i = e x_i with (2 + 2 / compressibility) e mu = 1.
  const double strain = 1.0 / (2 * (2 + 2 / 0.5));
  double force[2] = {0, 0}, largest = 0;
  for_each_unknown<2>(model, [&](const Index<2>& c, int k, std::size_t place) {
    u[place] = k < 2 ? strain * position(model, c, k)[k] : -2 * strain / 0.5;
    if (k < 2) {
      force[k] += b[place];
      largest = std::max(largest, std::abs(b[place]));
    }
  });
  EXPECT_NEAR(force[0], 0, 1e-9 * largest);
  EXPECT_NEAR(force[1], 0, 1e-9 * largest);
  ThreadArena arena(1);
  find_residual<2>(model, u, b, r, arena);
  // What is left is how weights are rounded: one of the two by half a 128th, another up to one.
  for_each_unknown<2>(model, [&](const Index<2>&, int k, std::size_t place) {
    if (k == 2) return;
    EXPECT_NEAR(r[place], 0, 1.6 / 128 * n / 2.0);
  });
  EXPECT_GT(largest, 0.3 * n / 2.0);
}

TEST(StaggeredLoads, AStressAlongAnOutlineIsBalancedWhereTheLoadKnowsIt) {
  const int n = 24;
  const Model<2> model =
      build_model<2>(filled_disc(n), {.mu = 1, .compressibility = 0.5}, {}, "disc");
  // u_0 = e x_0, a stress of its own in each direction.
  const double e = 0.1;
  const Stress<2> stress{2 * e + e / 0.5, 0, 0, e / 0.5};
  std::vector<double> u(model.unknowns()), whole(u.size()), alone(u.size()), r(u.size());
  const int segments = 4096;
  for (int s = 0; s < segments; ++s) {
    const double angle = 2 * std::numbers::pi * (s + 0.5) / segments;
    const double length = 2 * std::numbers::pi * kRadius / segments;
    const Point<2> normal{std::cos(angle), std::sin(angle)};
    const Point<2> at{kMiddle + kRadius * normal[0], kMiddle + kRadius * normal[1]};
    add_embedded_stress<2>(model, at, normal, stress, length, whole);
    add_embedded_traction<2>(model, at, normal, {stress[0] * normal[0], stress[3] * normal[1]},
                             length, alone);
  }
  for_each_unknown<2>(model, [&](const Index<2>& c, int k, std::size_t place) {
    u[place] = k == 0 ? e * position(model, c, k)[0] : k == 1 ? 0 : -e / 0.5;
  });
  ThreadArena arena(1);
  const auto largest = [&](const std::vector<double>& b) {
    find_residual<2>(model, u, b, r, arena);
    double most = 0;
    for_each_unknown<2>(model, [&](const Index<2>&, int k, std::size_t place) {
      if (k < 2) most = std::max(most, std::abs(r[place]));
    });
    return most;
  };
  EXPECT_LT(largest(whole), 1.6 / 128 * n * stress[0]);
  EXPECT_GT(largest(alone), 2 * largest(whole));
}

TEST(StaggeredLoads, FractionsMustBelongToTheCells) {
  Domain<2> domain({4, 4}, {1, 1}, Cell::Interior);
  domain.fraction.resize(3);
  EXPECT_THROW(build_model<2>(domain, {}, {}, "body"), Error);
  domain.fraction.assign(16, 1.5f);
  EXPECT_THROW(build_model<2>(domain, {}, {}, "body"), Error);
}

}  // namespace
}  // namespace isochor::staggered
