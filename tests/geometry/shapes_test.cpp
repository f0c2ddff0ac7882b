#include "isochor/geometry/shapes.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/error.h"
#include "tests/geometry/surface_checks.h"

namespace isochor::geometry {
namespace {

TEST(GeometryBox, IsClosedAndTurnedOutward) {
  for (const double edge : {10.0, 1.0, 0.5, 0.3}) {
    const SurfaceMesh box = make_box({1, 2, 3}, {3, 2, 1}, edge);
    EXPECT_TRUE(is_closed(box)) << edge;
    EXPECT_GT(enclosed_volume(box), 0) << edge;
  }
}

TEST(GeometryBox, VolumeAndBoundsAreExact) {
  for (const double edge : {10.0, 0.7, 0.11}) {
    const SurfaceMesh box = make_box({1, 2, 3}, {3, 2, 1}, edge);
    EXPECT_NEAR(enclosed_volume(box), 6, 1e-13) << edge;  // a sum of some hundred terms
    const Bounds bounds = bounds_of(box.positions);
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(bounds.low[a], Vec3d({-0.5, 1, 2.5})[a]);
      EXPECT_EQ(bounds.high[a], Vec3d({2.5, 3, 3.5})[a]);
    }
  }
}

TEST(GeometryBox, FacesAreDividedToTheEdgeAskedFor) {
  // 6 x 4 x 2 squares; the vertices of a surface of n x m x l squares by Euler's formula.
  const SurfaceMesh box = make_box({0, 0, 0}, {3, 2, 1}, 0.5);
  const std::size_t faces = 2 * (6 * 4 + 4 * 2 + 6 * 2);
  EXPECT_EQ(box.face_count(), faces);
  EXPECT_EQ(box.positions.size(), faces + 2);
  for (std::size_t f = 0; f < box.face_count(); ++f) {
    ASSERT_EQ(box.face(f).size(), 4u);
    for (int c = 0; c < 4; ++c) {
      const Vec3d side = box.positions[box.face(f)[c]] - box.positions[box.face(f)[(c + 1) % 4]];
      EXPECT_NEAR(norm(side), 0.5, 1e-15);
    }
  }
  EXPECT_EQ(make_box({0, 0, 0}, {3, 2, 1}, 100).face_count(), 6u);
}

TEST(GeometrySphere, IsClosedTurnedOutwardAndRound) {
  const Vec3d center{-1, 5, 2};
  for (const double edge : {10.0, 0.4, 0.13}) {
    const SurfaceMesh sphere = make_sphere(center, 2, edge);
    EXPECT_TRUE(is_closed(sphere)) << edge;
    EXPECT_GT(enclosed_volume(sphere), 0) << edge;
    for (const Vec3d& p : sphere.positions) EXPECT_NEAR(norm(p - center), 2, 1e-14);
  }
}

TEST(GeometrySphere, VolumeConvergesWithTheSquareOfTheEdge) {
  const double radius = 1.5, exact = 4 * std::numbers::pi / 3 * radius * radius * radius;
  double last = 0;
  for (const int n : {8, 16, 32}) {
    const double volume =
        enclosed_volume(make_sphere({0, 0, 0}, radius, radius * std::numbers::pi / 2 / n));
    EXPECT_LT(volume, exact);  // a polyhedron with its corners on the sphere
    const double error = exact - volume;
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / error), 2, 0.05) << n;
    }
    last = error;
  }
  EXPECT_LT(last, 2e-3 * exact);
}

TEST(GeometrySphere, QuadsHaveNearlyTheEdgeAskedFor) {
  const double edge = 0.1;
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, edge);
  double shortest = 1, longest = 0;
  for (std::size_t f = 0; f < sphere.face_count(); ++f) {
    const auto face = sphere.face(f);
    for (int c = 0; c < 4; ++c) {
      const double side = norm(sphere.positions[face[c]] - sphere.positions[face[(c + 1) % 4]]);
      shortest = std::min(shortest, side);
      longest = std::max(longest, side);
    }
  }
  // An equiangular cube: sides differ by less than a factor of sqrt(2), the longest as asked for.
  EXPECT_LT(longest, 1.1 * edge);
  EXPECT_LT(longest / shortest, 1.45);
}

constexpr double kPi = std::numbers::pi;
const Vec3d kCenter{0.3, -2, 5}, kAxis{1, -2, 0.5};

/// A shape with curved sides, and what is known about it.
struct RoundShape {
  std::string name;
  std::function<SurfaceMesh(double edge)> make;
  double volume;
  int euler = 2;
  /// How far a point is from the surface, 0 on it.
  std::function<double(const Vec3d&)> distance;
};

/// The point by its distance from the axis through the centre and its height along it.
std::pair<double, double> radius_and_height(const Vec3d& p) {
  const Vec3d axis = kAxis * (1 / norm(kAxis)), from = p - kCenter;
  const double height = dot(from, axis);
  return {norm(from - axis * height), height};
}

/// Of a cylinder with radius r and length l whose rims are rounded by `rounding`.
double cylinder_volume(double r, double l, double rounding) {
  const double flat = r - rounding, h = l - 2 * rounding, q = rounding;
  // Steiner's formula for the cylinder inside, grown by q.
  return kPi * flat * flat * h + (2 * kPi * flat * flat + 2 * kPi * flat * h) * q +
         kPi * (h + kPi * flat) * q * q + 4 * kPi / 3 * q * q * q;
}
double cylinder_distance(const Vec3d& p, double r, double l, double rounding) {
  const auto [radius, height] = radius_and_height(p);
  const double out = radius - (r - rounding), up = std::abs(height) - (l / 2 - rounding);
  return std::hypot(std::max(out, 0.0), std::max(up, 0.0)) + std::min(std::max(out, up), 0.0) -
         rounding;
}

std::vector<RoundShape> round_shapes() {
  const auto rounded = [](const std::string& name, double r, double l, double q) {
    return RoundShape{
        name, [=](double edge) { return make_cylinder(kCenter, kAxis, r, l, edge, q); },
        cylinder_volume(r, l, q), 2, [=](const Vec3d& p) { return cylinder_distance(p, r, l, q); }};
  };
  const Vec3d axis = kAxis * (1 / norm(kAxis));
  return {{"ellipsoid",
           [](double edge) {
             return make_ellipsoid(kCenter, {2, 1, 0.7}, edge);
           },
           4 * kPi / 3 * 2 * 1 * 0.7, 2,
           [](const Vec3d& p) {
             const Vec3d d = p - kCenter;
             return norm(Vec3d{d[0] / 2, d[1], d[2] / 0.7}) - 1;
           }},
          rounded("sharp cylinder", 1, 3, 0),
          rounded("rounded cylinder", 1, 3, 0.4),
          rounded("flat cylinder", 2, 0.5, 0.1),
          rounded("long cylinder", 0.32, 4, 0.05),
          {"puck", [](double edge) { return make_puck(kCenter, kAxis, 1.5, 0.8, edge); },
           cylinder_volume(1.5, 0.8, 0.4), 2,
           [](const Vec3d& p) { return cylinder_distance(p, 1.5, 0.8, 0.4); }},
          {"capsule",
           [=](double edge) { return make_capsule(kCenter - axis, kCenter + axis, 0.6, edge); },
           cylinder_volume(0.6, 3.2, 0.6), 2,
           [](const Vec3d& p) { return cylinder_distance(p, 0.6, 3.2, 0.6); }},
          {"tube", [](double edge) { return make_tube(kCenter, kAxis, 0.7, 1, 2, edge); },
           kPi * (1 - 0.49) * 2, 0,
           [](const Vec3d& p) {
             const auto [radius, height] = radius_and_height(p);
             return std::max(std::abs(radius - 0.85) - 0.15, std::abs(height) - 1);
           }},
          {"torus", [](double edge) { return make_torus(kCenter, kAxis, 1, 0.4, edge); },
           2 * kPi * kPi * 0.16, 0,
           [](const Vec3d& p) {
             const auto [radius, height] = radius_and_height(p);
             return std::hypot(radius - 1, height) - 0.4;
           }}};
}

int euler_characteristic(const SurfaceMesh& mesh) {
  return static_cast<int>(mesh.positions.size()) - static_cast<int>(mesh.corners.size() / 2) +
         static_cast<int>(mesh.face_count());
}

TEST(GeometryShapes, RoundOnesAreClosedAndOfTheRightKind) {
  for (const RoundShape& shape : round_shapes()) {
    for (const double edge : {10.0, 0.5, 0.2, 0.08}) {
      const SurfaceMesh mesh = shape.make(edge);
      EXPECT_TRUE(is_closed(mesh)) << shape.name << " " << edge;
      EXPECT_GT(enclosed_volume(mesh), 0) << shape.name << " " << edge;
      EXPECT_EQ(euler_characteristic(mesh), shape.euler) << shape.name << " " << edge;
    }
  }
}

TEST(GeometryShapes, AllVerticesAreOnTheShape) {
  for (const RoundShape& shape : round_shapes()) {
    for (const double edge : {10.0, 0.13}) {
      double worst = 0;
      for (const Vec3d& p : shape.make(edge).positions) {
        worst = std::max(worst, std::abs(shape.distance(p)));
      }
      EXPECT_LT(worst, 4e-15) << shape.name << " " << edge;  // some units in the last place of 5 m
    }
  }
}

TEST(GeometryShapes, VolumeConvergesWithTheSquareOfTheEdge) {
  for (const RoundShape& shape : round_shapes()) {
    const double coarse = std::abs(enclosed_volume(shape.make(0.08)) - shape.volume);
    const double fine = std::abs(enclosed_volume(shape.make(0.02)) - shape.volume);
    EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.15) << shape.name;
    EXPECT_LT(fine, 2e-3 * shape.volume) << shape.name;
  }
}

TEST(GeometryShapes, FacesHaveAboutTheEdgeAskedFor) {
  for (const RoundShape& shape : round_shapes()) {
    const double edge = 0.05;
    const SurfaceMesh mesh = shape.make(edge);
    double shortest = 1, longest = 0;
    for (std::size_t f = 0; f < mesh.face_count(); ++f) {
      const auto face = mesh.face(f);
      for (std::size_t c = 0; c < face.size(); ++c) {
        const double side =
            norm(mesh.positions[face[c]] - mesh.positions[face[(c + 1) % face.size()]]);
        shortest = std::min(shortest, side);
        longest = std::max(longest, side);
      }
    }
    EXPECT_GT(shortest, 0.5 * edge) << shape.name;
    EXPECT_LT(longest, (shape.name == "ellipsoid" ? 2.1 : 1.45) * edge) << shape.name;
  }
}

TEST(GeometryShapes, AxisMayPointAnywhere) {
  for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, -3, 0}, Vec3d{0, 0, 1e-3}, Vec3d{1, 1, 1}}) {
    const SurfaceMesh tube = make_tube({0, 0, 0}, axis, 0.3, 0.5, 2, 0.1);
    double highest = 0;
    for (const Vec3d& p : tube.positions) {
      highest = std::max(highest, dot(p, axis) / norm(axis));
    }
    EXPECT_NEAR(highest, 1, 1e-15);
    EXPECT_GT(enclosed_volume(tube), 0);
  }
}

TEST(GeometryBowTie, VolumeAndWaistAreExact) {
  for (const double edge : {10.0, 0.3, 0.11}) {
    const SurfaceMesh tie = make_bow_tie({1, 2, 3}, {4, 2, 1}, 0.5, edge);
    EXPECT_TRUE(is_closed(tie));
    EXPECT_EQ(euler_characteristic(tie), 2);
    EXPECT_NEAR(enclosed_volume(tie), 4 * 1 * (2 + 0.5) / 2, 1e-12) << edge;
    double waist = 0;
    for (const Vec3d& p : tie.positions) {
      if (std::abs(p[0] - 1) < 1e-12) waist = std::max(waist, std::abs(p[1] - 2));
    }
    EXPECT_DOUBLE_EQ(waist, 0.25);
    const Bounds bounds = bounds_of(tie.positions);
    EXPECT_EQ(bounds.low[0], -1);
    EXPECT_EQ(bounds.high[1], 3);
  }
}

TEST(GeometryStairs, AreSolidAndHaveTheirSteps) {
  for (const double edge : {10.0, 0.1, 0.04}) {
    const SurfaceMesh stairs = make_stairs({1, 0, 2}, 5, {0.3, 0.17, 1.2}, edge);
    EXPECT_TRUE(is_closed(stairs));
    EXPECT_EQ(euler_characteristic(stairs), 2);
    EXPECT_NEAR(enclosed_volume(stairs), 0.3 * 0.17 * 1.2 * 15, 1e-13) << edge;
    const Bounds bounds = bounds_of(stairs.positions);
    EXPECT_DOUBLE_EQ(bounds.size()[0], 1.5);
    EXPECT_DOUBLE_EQ(bounds.size()[1], 0.85);
    EXPECT_DOUBLE_EQ(bounds.low[2], 1.4);
    // Above a tread there is nothing: the highest vertex just behind each riser.
    for (int step = 0; step < 5; ++step) {
      double top = 0;
      for (const Vec3d& p : stairs.positions) {
        if (p[0] < 1 + 0.3 * (step + 1) - 1e-9) top = std::max(top, p[1]);
      }
      EXPECT_DOUBLE_EQ(top, 0.17 * (step + 1));
    }
  }
}

TEST(GeometryShapes, WhatMakesNoShapeIsRefused) {
  const Vec3d o{0, 0, 0}, y{0, 1, 0};
  EXPECT_THROW(make_tube(o, y, 1, 1, 1, 0.1), Error);
  EXPECT_THROW(make_tube(o, y, 0, 1, 1, 0.1), Error);
  EXPECT_THROW(make_torus(o, y, 1, 1, 0.1), Error);
  EXPECT_THROW(make_cylinder(o, y, 1, 1, 0.1, 0.6), Error);
  EXPECT_THROW(make_cylinder(o, y, 0.2, 1, 0.1, 0.3), Error);
  EXPECT_THROW(make_cylinder(o, o, 1, 1, 0.1), Error);
  EXPECT_THROW(make_capsule(y, y, 1, 0.1), Error);
  EXPECT_THROW(make_puck(o, y, 1, 2, 0.1), Error);
  EXPECT_THROW(make_bow_tie(o, {1, 1, 1}, 0, 0.1), Error);
  EXPECT_THROW(make_bow_tie(o, {1, 1, 1}, 1.1, 0.1), Error);
  EXPECT_THROW(make_stairs(o, 0, {1, 1, 1}, 0.1), Error);
}

}  // namespace
}  // namespace isochor::geometry
