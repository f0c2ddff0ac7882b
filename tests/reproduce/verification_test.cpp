#include "reproduce/verification.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "isochor/geometry/shapes.h"

namespace isochor::reproduce {
namespace {

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance) << a[0] << " " << a[1] << " " << a[2];
}

Vec3d total(std::span<const Vec3d> forces) {
  return std::accumulate(forces.begin(), forces.end(), Vec3d{0, 0, 0});
}

/// A ball in cells that it does not follow.
struct Ball {
  Ball()
      : context(1),
        placement(true, 0.1),
        surface(placement.surface(geometry::make_sphere({0.2, 0.1, 0.4}, 0.3, 0.06))),
        body(make_embedded(surface, 0.1, Boundary::Cut, "neo_hookean", 1, 0.5, context,
                           Vec3d{0, 0, 0})),
        volume(geometry::enclosed_volume(surface.positions, geometry::triangulate(surface))) {}
  Context context;
  Placement placement;
  geometry::SurfaceMesh surface;
  lattice::BodySpec body;
  double volume;
};

TEST(Verification, PlacementsLeadBack) {
  const Vec3d p{0.3, -1.2, 2.5};
  for (const Placement& at :
       {Placement(false, 0.1), Placement(true, 0.1), Placement::turned_about_x(0.1)}) {
    expect_near(at.point_back(at.point(p)), p, 1e-14);
    expect_near(at.direction_back(at.direction(p)), p, 1e-14);
  }
  EXPECT_GT(norm(Placement(true, 0.1).point(p) - p), 0.1);
  EXPECT_EQ(Placement::turned_about_x(0.1).point(p)[0], p[0]);
}

TEST(Verification, SamplesIntegrateDegreeTwoOverTheBody) {
  Ball b;
  const BodySamples samples = sample_body(b.surface, 0.1, b.context);
  const BodySamples fine = sample_body(b.surface, 0.03, b.context);
  const auto integral = [](const BodySamples& s) {
    double sum = 0;
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      sum += s.volumes[i] * (1 + s.points[i][0] * s.points[i][1] - s.points[i][2]);
    }
    return sum;
  };
  EXPECT_NEAR(std::accumulate(samples.volumes.begin(), samples.volumes.end(), 0.0), b.volume,
              1e-12 * b.volume);
  EXPECT_NEAR(integral(samples), integral(fine), 1e-10 * b.volume);
}

TEST(Verification, ForcesAndTractionsAddUp) {
  Ball b;
  const BodySamples samples = sample_body(b.surface, 0.1, b.context);
  std::vector<Vec3d> loads(b.body.lattice.rest_positions.size(), Vec3d{0, 0, 0});
  add_body_force(
      b.body.lattice, samples, b.placement,
      [](const Vec3d&) {
        return Vec3d{1, 2, 3};
      },
      loads);
  expect_near(total(loads), b.volume * turned({1, 2, 3}), 1e-13);
  // A linear pressure lifts by its gradient times the volume.
  std::fill(loads.begin(), loads.end(), Vec3d{0, 0, 0});
  add_traction(
      b.body.lattice, b.surface, b.placement,
      [](const Vec3d& at, const Vec3d& normal) { return (2 - 3 * at[1]) * normal; }, loads,
      b.context);
  expect_near(total(loads), b.volume * turned({0, -3, 0}), 1e-13);
}

/// However its triangles lie: a load that differs from node to node moves them up and down in turn.
TEST(Verification, AnEvenTractionIsEvenOnTheNodesOfAWall) {
  Context context(1);
  const lattice::BodySpec body =
      make_embedded(geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.5), 0.25, Boundary::Cut,
                    "neo_hookean", 1, 0.5, context, Vec3d{0, 0, 0});
  geometry::SurfaceMesh top;
  top.positions = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  top.add_face(std::array<std::int32_t, 4>{0, 1, 2, 3});
  std::vector<Vec3d> loads(body.lattice.rest_positions.size(), Vec3d{0, 0, 0});
  add_traction(
      body.lattice, top, Placement(false, 1), [](const Vec3d&, const Vec3d& n) { return n; }, loads,
      context);
  for (std::size_t n = 0; n < loads.size(); ++n) {
    const Vec3d& p = body.lattice.rest_positions[n];
    double area = p[2] > 1 - 1e-9 ? 0.0625 : 0.0;
    for (int a = 0; a < 2; ++a) area *= p[a] < 1e-9 || p[a] > 1 - 1e-9 ? 0.5 : 1;
    expect_near(loads[n], {0, 0, area}, 1e-14);
  }
}

TEST(Verification, OrderIsTheSlopeThroughTheFinestThree) {
  Refinement r;
  r.add(1, 100);
  for (const double h : {0.5, 0.3, 0.1}) r.add(h, -7 * std::pow(h, 1.7));
  EXPECT_NEAR(r.order(), 1.7, 1e-12);
}

/// A map that the lattice can represent is found, up to what one point per patch of the surface and
/// cells that were left out change.
TEST(Verification, AStretchIsFoundUnderItsTraction) {
  Ball b;
  const Vec3d stretch{1.25, 0.8, 1};
  b.body.holds = {
      hold_where(b.body, b.placement, "held", [](const Vec3d& p) { return p[2] < 0.25; })};
  for (const Discretisation& scheme : schemes().first(2)) {
    StaticBody body(b.body, scheme, b.context);
    const VectorField map = [&](const Vec3d& p) {
      return Vec3d{stretch[0] * p[0], stretch[1] * p[1], stretch[2] * p[2]};
    };
    // P = F - F^-T, no pressure beside it.
    std::vector<Vec3d> loads(body.model.node_count(), Vec3d{0, 0, 0});
    add_traction(
        body.lattice(), b.surface, b.placement,
        [&](const Vec3d&, const Vec3d& n) {
          return Vec3d{(stretch[0] - 1 / stretch[0]) * n[0], (stretch[1] - 1 / stretch[1]) * n[1],
                       0};
        },
        loads, b.context);
    const std::vector<Vec3d> held = body.held(
        [&](const Vec3d& p) { return b.placement.point(map(b.placement.point_back(p))); });
    ASSERT_TRUE(body.advance({.held_positions = held, .loads = loads})) << scheme.name;
    const Errors errors = errors_of(body, sample_body(b.surface, 0.1, b.context), b.placement, map);
    EXPECT_LT(errors.position, 2e-4) << scheme.name;
    EXPECT_LT(errors.pressure, 0.01) << scheme.name;
  }
}

}  // namespace
}  // namespace isochor::reproduce
