#include "isochor/shells/fit.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/shells/band.h"

namespace isochor::shells {
namespace {

BandMesh tube_of(double radius, double height, int around, int rows) {
  return make_band(around, rows, {0, 1, 0}, [&](double turn, double part) {
    const double angle = 2 * M_PI * turn;
    return Vec3d{radius * std::cos(angle), height * part, -radius * std::sin(angle)};
  });
}

TEST(Fit, SectionOfATubeIsItsGirth) {
  const BandMesh tube = tube_of(0.1, 0.3, 200, 4);
  const double girth = section_length(tube.triangles, tube.positions, {0, 0.17, 0}, {0, 1, 0});
  EXPECT_NEAR(girth, 2 * M_PI * 0.1, 1e-3 * girth);
  // A slanted plane cuts an ellipse, one through points of a ring still a circle.
  const double slope = 0.3, a = 0.1 * std::hypot(1, slope), h = std::pow((a - 0.1) / (a + 0.1), 2);
  const double ellipse = M_PI * (a + 0.1) * (1 + 3 * h / (10 + std::sqrt(4 - 3 * h)));
  EXPECT_NEAR(section_length(tube.triangles, tube.positions, {0, 0.17, 0}, {slope, 1, 0}), ellipse,
              1e-3 * ellipse);
  EXPECT_NEAR(section_length(tube.triangles, tube.positions, {0, 0.15, 0}, {0, 1, 0}), girth,
              1e-3 * girth);
  EXPECT_EQ(section_length(tube.triangles, tube.positions, {0, 0.4, 0}, {0, 1, 0}), 0);
}

TEST(Fit, ABandEnclosesALimbAndNotTheOneBesideIt) {
  constexpr double kRadius = 0.05, kGap = 0.001;
  // A band about a limb of half its height that stands askew, and another limb beside it.
  BandMesh all = tube_of(kRadius + kGap, 0.04, 100, 4);
  const std::size_t of_band = all.triangles.size();
  const auto add = [&](const BandMesh& tube, const Vec3d& offset) {
    const std::int32_t first = std::int32_t(all.positions.size());
    for (const Vec3d& x : tube.positions) all.positions.push_back(x + offset);
    for (const auto& [a, b, c] : tube.triangles) {
      all.triangles.push_back({first + a, first + b, first + c});
    }
  };
  add(tube_of(kRadius, 0.3, 100, 12), {0, -0.1, 0});
  add(tube_of(kRadius, 0.3, 100, 12), {0.12, -0.1, 0});
  const double c = std::cos(0.4), s = std::sin(0.4);
  for (Vec3d& x : all.positions) x = {c * x[0] - s * x[1] + 1, s * x[0] + c * x[1], x[2] - 2};
  const std::span<const geometry::Triangle> triangles(all.triangles);
  const auto band = triangles.first(of_band), limbs = triangles.subspan(of_band);

  const Plane middle = middle_of(band, all.positions);
  EXPECT_NEAR(std::abs(dot(middle.normal, {-s, c, 0})), 1, 1e-9);
  EXPECT_NEAR(norm(middle.point - Vec3d{1 - 0.02 * s, 0.02 * c, -2}), 0, 1e-9);
  const double girth = section_length(band, all.positions, middle.point, middle.normal);
  EXPECT_NEAR(girth, 2 * M_PI * (kRadius + kGap), 1e-3 * girth);
  EXPECT_NEAR(girth_within(band, limbs, all.positions, middle), 2 * M_PI * kRadius,
              1e-3 * 2 * M_PI * kRadius);
  EXPECT_EQ(girth_within(band, limbs.last(1), all.positions, middle), 0) << "nothing in it";
}

TEST(Fit, ATapeGoesStraightOverHollows) {
  // Two rods in one band: half a turn around each, and twice their distance.
  constexpr double kRadius = 0.02, kDistance = 0.06;
  BandMesh all = tube_of(0.1, 0.04, 100, 2);
  const std::size_t of_band = all.triangles.size();
  for (const double x : {-0.5 * kDistance, 0.5 * kDistance}) {
    const BandMesh rod = tube_of(kRadius, 0.3, 200, 6);
    const std::int32_t first = std::int32_t(all.positions.size());
    for (const Vec3d& p : rod.positions) all.positions.push_back(p + Vec3d{x, -0.1, 0});
    for (const auto& [a, b, c] : rod.triangles) {
      all.triangles.push_back({first + a, first + b, first + c});
    }
  }
  const std::span<const geometry::Triangle> triangles(all.triangles);
  const auto band = triangles.first(of_band);
  const double tape = 2 * M_PI * kRadius + 2 * kDistance;
  EXPECT_NEAR(
      girth_within(band, triangles.subspan(of_band), all.positions, middle_of(band, all.positions)),
      tape, 1e-3 * tape);
}

TEST(Fit, PressureOnTrianglesIsTheMeanByArea) {
  const BandMesh tube = tube_of(0.1, 0.3, 24, 6);
  std::vector<double> p(tube.positions.size(), 2000);
  const PressureMeasure even = pressure_on(tube.triangles, tube.positions, p);
  EXPECT_NEAR(even.mean, 2000, 1e-9);
  EXPECT_NEAR(even.spread, 0, 1e-9);
  EXPECT_EQ(even.most, 2000);
  EXPECT_NEAR(even.area, 2 * M_PI * 0.1 * 0.3, 0.01 * even.area);
  for (std::size_t i = 0; i < p.size(); i += 2) p[i] = 0;
  const PressureMeasure half = pressure_on(tube.triangles, tube.positions, p);
  EXPECT_NEAR(half.mean, 1000, 1e-9);
  EXPECT_NEAR(half.spread, 1000, 1e-9);
  EXPECT_EQ(pressure_on({}, tube.positions, p).mean, 0);
}

TEST(Fit, BandsAreTurnedOutward) {
  const BandMesh tube = tube_of(0.1, 0.3, 12, 3);
  for (std::size_t t = 0; t < tube.triangles.size(); ++t) {
    const auto& [a, b, c] = tube.triangles[t];
    const Vec3d normal =
        cross(tube.positions[b] - tube.positions[a], tube.positions[c] - tube.positions[a]);
    const Vec3d middle = tube.positions[a] + tube.positions[b] + tube.positions[c];
    EXPECT_GT(dot(normal, {middle[0], 0, middle[2]}), 0);
    EXPECT_EQ(tube.directions[t][1], 0) << "around the axis";
  }
}

TEST(Fit, PressuresAreForcesOverAreas) {
  const BandMesh tube = tube_of(0.1, 0.3, 24, 6);
  const contact::Surface surface = contact::make_surface(tube.triangles, tube.positions.size());
  // One newton outward on each point: on all together as much as their number.
  std::vector<contact::Term> terms;
  for (std::size_t i = 0; i < tube.positions.size(); ++i) {
    const Vec3d& x = tube.positions[i];
    contact::Term term{.points = {std::int32_t(i)}, .count = 1};
    term.gradient[0] = Vec3d{-x[0], 0, -x[2]} * (1 / std::hypot(x[0], x[2]));
    terms.push_back(term);
  }
  const std::vector<double> p = contact_pressures(terms, surface, tube.positions);
  const auto force_of = [&](std::span<const double> pressures) {
    double force = 0;
    for (const geometry::Triangle& t : tube.triangles) {
      const double third = norm(cross(tube.positions[t[1]] - tube.positions[t[0]],
                                      tube.positions[t[2]] - tube.positions[t[0]])) /
                           6;
      for (const std::int32_t n : t) force += third * pressures[n];
    }
    return force;
  };
  const double expected = double(terms.size());
  EXPECT_NEAR(force_of(p), expected, 0.002 * expected) << "normals of points are nearly radial";
  const std::vector<double> spread = spread_out(tube.triangles, tube.positions, p);
  EXPECT_NEAR(force_of(spread), force_of(p), 1e-12 * expected);
  EXPECT_LT(*std::ranges::max_element(spread), *std::ranges::max_element(p));
}

TEST(Fit, WrappedBandsClearWhatTheyGoAround) {
  // A box of 20 x 6 x 10 cm, and a rod beside it that is too far off to be wrapped.
  std::vector<Vec3d> x;
  std::vector<geometry::Triangle> triangles;
  const auto add_box = [&](const Vec3d& low, const Vec3d& high) {
    const std::int32_t first = std::int32_t(x.size());
    for (int c = 0; c < 8; ++c) {
      x.push_back({c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1], c & 4 ? high[2] : low[2]});
    }
    for (const std::array<int, 4>& f : {std::array{0, 2, 3, 1},
                                        {4, 5, 7, 6},
                                        {0, 1, 5, 4},
                                        {2, 6, 7, 3},
                                        {0, 4, 6, 2},
                                        {1, 3, 7, 5}}) {
      triangles.push_back({first + f[0], first + f[1], first + f[2]});
      triangles.push_back({first + f[0], first + f[2], first + f[3]});
    }
  };
  add_box({-0.1, -0.03, -0.05}, {0.1, 0.03, 0.05});
  add_box({-0.1, 0.2, -0.01}, {0.1, 0.22, 0.01});
  const BandPlace place{
      .axis = {1, 0, 0}, .width = 0.04, .within = 0.1, .edge = 0.01, .clearance = 0.002};
  const BandMesh band = wrap(x, triangles, place, "band");
  for (const geometry::Triangle& t : band.triangles) {
    for (int k = 0; k < 3; ++k) {
      const Vec3d middle = 0.5 * (band.positions[t[k]] + band.positions[t[(k + 1) % 3]]);
      EXPECT_LE(std::abs(middle[0]), 0.02 + 1e-12);
      const double outside = std::max(std::abs(middle[1]) - 0.03, std::abs(middle[2]) - 0.05);
      EXPECT_GT(outside, place.clearance - 1e-9);
      EXPECT_LT(outside, 0.01);
    }
  }
  BandPlace beside = place;
  beside.center = {1, 0, 0};
  EXPECT_THROW(wrap(x, triangles, beside, "band"), Error);
}

}  // namespace
}  // namespace isochor::shells
