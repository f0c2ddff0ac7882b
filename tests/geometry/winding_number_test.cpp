#include "isochor/geometry/winding_number.h"

#include <gtest/gtest.h>
#include <numbers>

#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

constexpr double kStated = 0.06;  ///< what the source promises

/// All solid angles, one by one: the sum of the three dihedral angles less pi.
double reference(const SurfaceMesh& mesh, std::span<const Triangle> triangles, const Vec3d& point) {
  double sum = 0;
  for (const Triangle& t : triangles) {
    Vec3d d[3];
    for (int i = 0; i < 3; ++i) {
      d[i] = mesh.positions[t[i]] - point;
      d[i] *= 1 / norm(d[i]);
    }
    double excess = -std::numbers::pi;
    for (int i = 0; i < 3; ++i) {
      const Vec3d u = cross(d[i], d[(i + 1) % 3]), v = cross(d[i], d[(i + 2) % 3]);
      excess += std::atan2(norm(cross(u, v)), dot(u, v));
    }
    sum += dot(d[0], cross(d[1], d[2])) > 0 ? excess : -excess;
  }
  return sum / (4 * std::numbers::pi);
}

TEST(GeometryWinding, AgreesWithTheSumOfAllSolidAngles) {
  Random random(1);
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.15);
  const SurfaceMesh box = make_box({0, 0, 0}, {2, 1, 0.5}, 0.1);
  const SurfaceMesh plate = make_box({0, 0, 0}, {2, 2, 0.1}, 0.1);
  for (const SurfaceMesh* mesh : {&sphere, &box, &plate}) {
    const std::vector<Triangle> triangles = triangulate(*mesh);
    const WindingNumber winding(mesh->positions, triangles);
    double worst = 0;
    for (int sample = 0; sample < 400; ++sample) {
      const Vec3d p = random.vector(-1.5, 1.5);
      worst = std::max(worst, std::abs(winding(p) - reference(*mesh, triangles, p)));
    }
    EXPECT_LT(worst, kStated);
    EXPECT_GT(worst, 1e-12) << "far clusters must be approximated at all";
  }
}

TEST(GeometryWinding, IsOneInsideAndZeroOutside) {
  Random random(2);
  const Vec3d center{3, -2, 1};
  const SurfaceMesh sphere = make_sphere(center, 1, 0.08);
  const SurfaceMesh box = make_box(center, {2, 1, 0.5}, 0.05);
  const WindingNumber in_sphere(sphere.positions, triangulate(sphere));
  const WindingNumber in_box(box.positions, triangulate(box));
  for (int sample = 0; sample < 1000; ++sample) {
    const Vec3d d = random.vector(-1.5, 1.5);
    // Between the polyhedron and the sphere both answers are right.
    if (norm(d) < 0.998 || norm(d) > 1) {
      EXPECT_NEAR(in_sphere(center + d), norm(d) < 1, kStated) << norm(d);
    }
    const bool inside = std::abs(d[0]) < 1 && std::abs(d[1]) < 0.5 && std::abs(d[2]) < 0.25;
    EXPECT_NEAR(in_box(center + d), inside, kStated);
  }
  EXPECT_NEAR(in_sphere({1e6, 1e6, 1e6}), 0, 1e-6);
}

TEST(GeometryWinding, ClustersWithBothSidesOfAThinPlateKeepTheirMoment) {
  // Both sides cancel in the dipole of a cluster: with it alone, errors here are 0.2.
  Random random(4);
  const SurfaceMesh plate = make_box({0, 0, 0}, {1, 1, 0.1}, 0.03);
  const WindingNumber winding(plate.positions, triangulate(plate));
  for (int sample = 0; sample < 2000; ++sample) {
    const double x = random.uniform(-0.49, 0.49), y = random.uniform(-0.49, 0.49);
    EXPECT_NEAR(winding({x, y, random.uniform(-0.04, 0.04)}), 1, kStated);
    EXPECT_NEAR(winding({x, y, random.uniform(0.06, 0.2)}), 0, kStated);
  }
}

TEST(GeometryWinding, ChangesSignWithOrientation) {
  const SurfaceMesh turned = turned_inside_out(make_sphere({0, 0, 0}, 1, 0.2));
  EXPECT_NEAR(WindingNumber(turned.positions, triangulate(turned))({0.2, 0.1, 0}), -1, kStated);
}

TEST(GeometryWinding, NestedSurfacesAddUp) {
  const SurfaceMesh both = joined(make_sphere({0, 0, 0}, 2, 0.3), make_sphere({0, 0, 0}, 1, 0.2));
  const WindingNumber winding(both.positions, triangulate(both));
  EXPECT_NEAR(winding({0, 0, 0.3}), 2, 2 * kStated);
  EXPECT_NEAR(winding({0, 1.5, 0}), 1, 2 * kStated);
  EXPECT_NEAR(winding({2.5, 0, 0}), 0, 2 * kStated);
}

TEST(GeometryWinding, StillTellsTheInsideOfASurfaceWithAHole) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.08);
  std::vector<Triangle> open;
  for (const Triangle& t : triangulate(sphere)) {
    if (sphere.positions[t[0]][2] < 0.8) open.push_back(t);
  }
  const WindingNumber winding(sphere.positions, open);
  Random random(3);
  for (int sample = 0; sample < 500; ++sample) {
    const Vec3d p = random.vector(-1.3, 1.3);
    if (p[2] > 0.3 || std::abs(norm(p) - 1) < 0.01) continue;
    EXPECT_EQ(winding(p) > 0.5, norm(p) < 1) << p[0] << " " << p[1] << " " << p[2];
  }
  // The missing cap is a tenth of the sphere, seen from its middle.
  EXPECT_NEAR(winding({0, 0, 0}), 0.9, kStated);
}

TEST(GeometryWinding, OfATreeMadeForOthersIsTheSame) {
  Random random(5);
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  ThreadArena arena(2);
  const auto tree =
      std::make_shared<const TriangleBvh>(sphere.positions, triangulate(sphere), arena);
  const WindingNumber alone(sphere.positions, triangulate(sphere)), shared(tree);
  for (int sample = 0; sample < 100; ++sample) {
    const Vec3d p = random.vector(-1.5, 1.5);
    EXPECT_EQ(shared(p), alone(p));
  }
  EXPECT_LT(tree->memory() + shared.memory(), 90 * tree->triangle_count());
}

TEST(GeometryWinding, IsFiniteOnTheSurfaceItself) {
  const SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 0.25);
  const std::vector<Triangle> triangles = triangulate(box);
  const WindingNumber winding(box.positions, triangles);
  for (const Triangle& t : triangles) {
    const Vec3d &a = box.positions[t[0]], &b = box.positions[t[1]], &c = box.positions[t[2]];
    for (const Vec3d& p : {a, 0.5 * (a + b), (1.0 / 3) * (a + b + c)}) {
      EXPECT_GT(winding(p), -0.1);
      EXPECT_LT(winding(p), 1.1);
    }
  }
}

TEST(GeometryWinding, KeepsItsDigitsFarFromTheOrigin) {
  const Vec3d far{1e6, -2e6, 3e6};
  const SurfaceMesh near_box = make_box({0, 0, 0}, {1, 0.5, 0.25}, 0.0625);
  SurfaceMesh far_box = near_box;
  for (Vec3d& p : far_box.positions) p += far;
  const WindingNumber at_origin(near_box.positions, triangulate(near_box));
  const WindingNumber away(far_box.positions, triangulate(far_box));
  Random random(6);
  for (int sample = 0; sample < 200; ++sample) {
    const Vec3d p = random.vector(-0.7, 0.7);
    EXPECT_NEAR(away(p + far), at_origin(p), 1e-6);
  }
}

TEST(GeometryWinding, DoesNotDependOnTheUnitOfLength) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  const WindingNumber unit(sphere.positions, triangulate(sphere));
  Random random(7);
  for (const double scale : {0x1p-60, 0x1p60}) {
    SurfaceMesh scaled = sphere;
    for (Vec3d& p : scaled.positions) p *= scale;
    const WindingNumber winding(scaled.positions, triangulate(scaled));
    for (int sample = 0; sample < 100; ++sample) {
      const Vec3d p = random.vector(-1.3, 1.3);
      EXPECT_EQ(winding(scale * p), unit(p)) << "to the last bit";
    }
  }
}

TEST(GeometryWinding, OfNothingIsZero) {
  EXPECT_EQ(WindingNumber({}, {})({0, 0, 0}), 0);
  // Triangles without area enclose nothing either.
  const std::vector<Vec3d> same(3, Vec3d{1, 1, 1});
  const std::vector<Triangle> flat(20, Triangle{0, 1, 2});
  EXPECT_EQ(WindingNumber(same, flat)({0, 0, 0}), 0);
}

}  // namespace
}  // namespace isochor::geometry
