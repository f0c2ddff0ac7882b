#include "isochor/materials/principal.h"

#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

/// Any numbers: the formulas do not know of a law.
PrincipalTangent<double> random_tangent(Random& random) {
  const Mat3d m = random.matrix();
  return {m + transpose(m), random.vector(), random.vector()};
}

Mat3d outer(const Vec3d& a, const Vec3d& b) { return {{a * b[0], a * b[1], a * b[2]}}; }

TEST(MaterialPrincipal, StretchFlipAndTwistAreTheModes) {
  Random random(1);
  const PrincipalTangent<double> t = random_tangent(random);
  const Mat3d I = Mat3d::identity();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    // Turning and shearing the plane that leaves k out are eigenvectors.
    Mat3d flip = Mat3d::zero(), twist = Mat3d::zero(), stretch = Mat3d::zero();
    flip(i, j) = flip(j, i) = 1;
    twist(i, j) = 1;
    twist(j, i) = -1;
    stretch(k, k) = 1;
    EXPECT_LT(norm(stress_differential(t, I, I, flip) - t.flip[k] * flip), 1e-15);
    EXPECT_LT(norm(stress_differential(t, I, I, twist) - t.twist[k] * twist), 1e-15);
    EXPECT_LT(norm(stress_differential(t, I, I, stretch) - Mat3d::diagonal(t.stretch.column[k])),
              1e-15);
  }
}

TEST(MaterialPrincipal, FrameTurnsWithItsRotations) {
  Random random(2);
  for (int sample = 0; sample < 50; ++sample) {
    const PrincipalTangent<double> t = random_tangent(random);
    const Mat3d U = random.rotation(), V = random.rotation(), D = random.matrix();
    const Mat3d inner = stress_differential(t, Mat3d::identity(), Mat3d::identity(), D);
    const Mat3d outside = stress_differential(t, U, V, times_transpose(U * D, V));
    EXPECT_LT(norm(outside - times_transpose(U * inner, V)), 1e-14);
  }
}

TEST(MaterialPrincipal, DifferentialIsLinearAndSymmetric) {
  Random random(3);
  for (int sample = 0; sample < 50; ++sample) {
    const PrincipalTangent<double> t = random_tangent(random);
    const Mat3d U = random.rotation(), V = random.rotation();
    const Mat3d a = random.matrix(), b = random.matrix();
    const Mat3d da = stress_differential(t, U, V, a), db = stress_differential(t, U, V, b);
    EXPECT_LT(norm(stress_differential(t, U, V, a + 3.0 * b) - (da + 3.0 * db)), 1e-13);
    EXPECT_NEAR(contract(b, da), contract(a, db), 1e-13);
  }
}

TEST(MaterialPrincipal, RankOneCurvatureIsTheDifferentialAgainstItself) {
  Random random(4);
  for (int sample = 0; sample < 200; ++sample) {
    const PrincipalTangent<double> t = random_tangent(random);
    const Mat3d U = random.rotation(), V = random.rotation();
    const Vec3d a = random.vector(), b = random.vector();
    const Mat3d dF = outer(a, b);
    const double expected = contract(dF, stress_differential(t, U, V, dF));
    EXPECT_NEAR(rank_one_curvature(t, transpose(U) * a, transpose(V) * b), expected, 1e-13);
  }
}

}  // namespace
}  // namespace isochor::materials
