#include "isochor/geometry/cube_moments.h"

#include <gtest/gtest.h>
#include <numbers>

#include "isochor/geometry/shapes.h"
#include "reproduce/split_tetrahedra.h"
#include "tests/geometry/surface_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

using reproduce::half_space_moments;
using reproduce::split_moments;

CubeMoments gather(const SurfaceMesh& mesh, const Vec3d& low = {0, 0, 0}, double size = 1) {
  CubeMoments sum;
  for (const auto& [a, b, c] : triangulate(mesh)) {
    TriangleCorners corners{mesh.positions[a], mesh.positions[b], mesh.positions[c]};
    for (Vec3d& p : corners) p = (p - low) * (1 / size);
    sum.add(corners);
  }
  return sum;
}

double difference(const Moments& a, const Moments& b) {
  double largest = std::max(std::abs(a.volume - b.volume), norm(a.first - b.first));
  for (int i = 0; i < 6; ++i) largest = std::max(largest, std::abs(a.second[i] - b.second[i]));
  return largest;
}

/// Below a plane that all axes cross upward, as a tetrahedron that reaches far beyond the cube.
SurfaceMesh half_space(const Vec3d& n, double distance) {
  const Vec3d low{-9, -9, -9};
  SurfaceMesh mesh{.positions = {low, low, low, low}};
  for (int a = 0; a < 3; ++a) mesh.positions[a + 1][a] += (distance - dot(n, low)) / n[a];
  for (const auto& face : {std::array{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) {
    mesh.add_face(face);
  }
  return mesh;
}

TEST(CubeMoments, HalfSpacesMatchTheClosedForm) {
  const Vec3d n{0.48, 0.60, 0.64};
  const CubeMoments cut = gather(half_space(n, 0.7));
  const Moments m = cut.moments(0);
  EXPECT_NEAR(m.volume, 0.2994212963, 1e-10);
  EXPECT_NEAR(m.first[0], 0.1022905515, 1e-10);
  EXPECT_NEAR(m.first[1], 0.0886307629, 1e-10);
  EXPECT_NEAR(m.first[2], 0.0837437382, 1e-10);
  EXPECT_NEAR(m.second[0], 0.0539193813, 1e-10);
  EXPECT_NEAR(m.second[1], 0.0411029980, 1e-10);
  EXPECT_NEAR(m.second[2], 0.0367821700, 1e-10);
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Vec3d normal = random.vector(0.1, 1);
    const double distance = random.uniform(0, normal[0] + normal[1] + normal[2]);
    const CubeMoments sum = gather(half_space(normal, distance));
    EXPECT_LT(difference(sum.moments(0), half_space_moments(normal, distance)), 1e-12) << i;
    EXPECT_LT(sum.mismatch(), 1e-12);
  }
}

/// Solids of any shape and in any place: stars with random radii, wider and smaller than the cube.
SurfaceMesh random_star(Random& random) {
  SurfaceMesh mesh = make_sphere({0, 0, 0}, 1, 0.9);
  const Vec3d center = random.vector(-0.2, 1.2);
  const double size = random.uniform(0.1, 2);
  for (Vec3d& p : mesh.positions) p = center + (size * random.uniform(0.2, 1)) * p;
  return mesh;
}

/// Half a solid angle at most over all triangles would be closer to the definition; for stars it
/// is enough to ask the split tetrahedra for their volume.
int corner_of(const CubeMoments& sum, const Moments& expected) {
  return static_cast<int>(std::lround(expected.volume - sum.bare_volume()));
}

TEST(CubeMoments, SolidsOfAnyShapeMatchASubdivision) {
  Random random(2);
  int cut = 0;
  for (int i = 0; i < 100; ++i) {
    const SurfaceMesh star = random_star(random);
    const CubeMoments sum = gather(star);
    const Moments expected = split_moments(star.positions, triangulate(star));
    EXPECT_LT(difference(sum.moments(corner_of(sum, expected)), expected), 1e-12) << i;
    EXPECT_LT(sum.mismatch(), 1e-12) << i;
    cut += expected.volume > 0.01 && expected.volume < 0.99;
  }
  EXPECT_GT(cut, 50);
}

TEST(CubeMoments, VerticesEdgesAndFacesMayLieInWalls) {
  // Coordinates are multiples of a half, so that everything that can coincide does, in many cubes.
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    SurfaceMesh star = random_star(random);
    for (Vec3d& p : star.positions) {
      for (int a = 0; a < 3; ++a) p[a] = std::round(3 * p[a]) / 2;
    }
    const CubeMoments sum = gather(star);
    const Moments expected = split_moments(star.positions, triangulate(star));
    EXPECT_LT(difference(sum.moments(corner_of(sum, expected)), expected), 1e-12) << i;
    EXPECT_LT(sum.mismatch(), 1e-12) << i;
  }
  const SurfaceMesh box = make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.3);
  EXPECT_LT(difference(gather(box).moments(1), box_moments({0, 0, 0}, {1, 1, 1})), 1e-15);
  for (int a = 0; a < 3; ++a) {
    for (const double side : {-1.0, 1.0}) {
      Vec3d beside{0, 0, 0};
      beside[a] = side;
      EXPECT_EQ(gather(box, beside).bare_volume(), 0);
      EXPECT_EQ(gather(box, beside).mismatch(), 0);
    }
  }
  const SurfaceMesh half = make_box({0.5, 0.5, 0.25}, {1, 1, 0.5}, 0.3);
  EXPECT_LT(difference(gather(half).moments(0), box_moments({0, 0, 0}, {1, 1, 0.5})), 1e-15);
}

TEST(CubeMoments, CubesOfABodyAddUpToIt) {
  const SurfaceMesh torus = make_torus({0, 0, 0}, {1, 2, 3}, 1, 0.4, 0.15);
  const double h = 0.31;
  Moments whole;
  for (int k = -6; k < 6; ++k) {
    for (int j = -6; j < 6; ++j) {
      for (int i = -6; i < 6; ++i) {
        const Vec3d low{h * i + 0.07, h * j + 0.02, h * k};
        const CubeMoments sum = gather(torus, low, h);
        EXPECT_LT(sum.mismatch(), 1e-12);
        // Whole cubes inside are told from empty ones by the middle circle.
        Moments m = sum.moments(0);
        if (m.volume < -1e-12) m = sum.moments(1);
        if (std::abs(m.volume) < 1e-12) {
          const Vec3d axis = Vec3d{1, 2, 3} * (1 / norm(Vec3d{1, 2, 3}));
          const Vec3d middle = low + 0.5 * h * Vec3d{1, 1, 1};
          const double up = dot(middle, axis), out = norm(middle - up * axis) - 1;
          if (up * up + out * out < 0.39 * 0.39) m = sum.moments(1);
        }
        whole.volume += h * h * h * m.volume;
        whole.first += (h * h * h) * (m.volume * low + h * m.first);
      }
    }
  }
  EXPECT_NEAR(whole.volume, enclosed_volume(torus), 1e-12);
  EXPECT_LT(norm(whole.first), 1e-12);
}

TEST(CubeMoments, BallsAreSecondOrderInTheirFaces) {
  // An octant at a corner, radius 0.9: pi r^3 / 6, pi r^4 / 16, pi r^5 / 30, r^5 / 15.
  const double r = 0.9, pi = std::numbers::pi;
  double last = 0;
  for (const double edge : {0.2, 0.1, 0.05}) {
    const Moments m = gather(make_sphere({0, 0, 0}, r, edge)).moments(0);
    const double error = std::max({std::abs(m.volume - pi * std::pow(r, 3) / 6),
                                   std::abs(m.first[1] - pi * std::pow(r, 4) / 16),
                                   std::abs(m.second[2] - pi * std::pow(r, 5) / 30),
                                   std::abs(m.second[5] - std::pow(r, 5) / 15)});
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.6);
    }
    last = error;
  }
  // About the middle: six caps are cut off.
  EXPECT_NEAR(gather(make_sphere({0.5, 0.5, 0.5}, 0.6, 0.01)).bare_volume(), 0.7979645340, 1e-4);
  EXPECT_NEAR(gather(make_sphere({0.5, 0.5, 0.5}, 0.7, 0.01)).bare_volume(), 0.9592329569, 1e-4);
}

TEST(CubeMoments, OpenSurfacesDoNotAgreeWithThemselves) {
  SurfaceMesh ball = make_sphere({0.4, 0.5, 0.6}, 0.8, 0.2);
  SurfaceMesh open{.positions = ball.positions};
  for (std::size_t f = 0; f < ball.face_count(); ++f) {
    const Vec3d& p = ball.positions[ball.face(f)[0]];
    if (p[0] < 0.9 || p[1] < 0.5) open.add_face(ball.face(f));
  }
  EXPECT_LT(gather(ball).mismatch(), 1e-12);
  EXPECT_GT(gather(open).mismatch(), 1e-3);
}

TEST(CubeMoments, AreaOfAClosedSurfaceIsNothing) {
  const SurfaceMesh ball = make_sphere({0.5, 0.4, 0.6}, 0.3, 0.1);
  EXPECT_LT(norm(gather(ball).area()), 1e-14);
  // Of what a plane cuts, it is the face of the cut.
  const Vec3d n{0.48, 0.60, 0.64};
  double face = 0;
  for (int v = 0; v < 8; ++v) {
    const double t = std::max(0.0, 0.7 - 0.48 * (v & 1) - 0.60 * (v >> 1 & 1) - 0.64 * (v >> 2));
    const bool odd = ((v & 1) + (v >> 1 & 1) + (v >> 2)) % 2;
    face += (odd ? -1 : 1) * t * t / (2 * n[0] * n[1] * n[2]);
  }
  const Vec3d area = gather(half_space(n, 0.7)).area();
  EXPECT_LT(norm(area - (face / norm(n)) * n), 1e-13);
}

}  // namespace
}  // namespace isochor::geometry
