#include "isochor/materials/tangent.h"

#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

/// Any numbers: the formulas do not know of a law.
PrincipalTangent<double> random_tangent(Random& random) {
  const Mat3d m = random.matrix();
  return {random.rotation(), random.rotation(), m + transpose(m), random.vector(), random.vector()};
}

Mat3d outer(const Vec3d& a, const Vec3d& b) { return {{a * b[0], a * b[1], a * b[2]}}; }

TEST(MaterialTangent, StretchFlipAndTwistAreTheModes) {
  Random random(1);
  PrincipalTangent<double> t = random_tangent(random);
  t.U = t.V = Mat3d::identity();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    // Turning and shearing the plane that leaves k out are eigenvectors.
    Mat3d flip = Mat3d::zero(), twist = Mat3d::zero(), stretch = Mat3d::zero();
    flip(i, j) = flip(j, i) = 1;
    twist(i, j) = 1;
    twist(j, i) = -1;
    stretch(k, k) = 1;
    EXPECT_LT(norm(stress_differential(t, flip) - t.flip[k] * flip), 1e-15);
    EXPECT_LT(norm(stress_differential(t, twist) - t.twist[k] * twist), 1e-15);
    EXPECT_LT(norm(stress_differential(t, stretch) - Mat3d::diagonal(t.stretch.column[k])), 1e-15);
  }
}

TEST(MaterialTangent, FrameTurnsWithItsRotations) {
  Random random(2);
  for (int sample = 0; sample < 50; ++sample) {
    const PrincipalTangent<double> t = random_tangent(random);
    PrincipalTangent<double> unturned = t;
    unturned.U = unturned.V = Mat3d::identity();
    const Mat3d D = random.matrix(), inner = stress_differential(unturned, D);
    const Mat3d outside = stress_differential(t, times_transpose(t.U * D, t.V));
    EXPECT_LT(norm(outside - times_transpose(t.U * inner, t.V)), 1e-14);
  }
}

TEST(MaterialTangent, DifferentialIsLinearAndSymmetric) {
  Random random(3);
  for (int sample = 0; sample < 50; ++sample) {
    const PrincipalTangent<double> t = random_tangent(random);
    const Mat3d a = random.matrix(), b = random.matrix();
    const Mat3d da = stress_differential(t, a), db = stress_differential(t, b);
    EXPECT_LT(norm(stress_differential(t, a + 3.0 * b) - (da + 3.0 * db)), 1e-13);
    EXPECT_NEAR(contract(b, da), contract(a, db), 1e-13);
  }
}

TEST(MaterialTangent, RankOneCurvaturesAreTheDifferentialAgainstItself) {
  Random random(4);
  for (int sample = 0; sample < 200; ++sample) {
    const PrincipalTangent<double> t = random_tangent(random);
    DenseTangent<double> d;
    for (double& e : d.entry) e = random.vector()[0];
    const Vec3d g = random.vector();
    for (int i = 0; i < 3; ++i) {
      Vec3d unit{0, 0, 0};
      unit[i] = 1;
      const Mat3d dF = outer(unit, g);
      EXPECT_NEAR(rank_one_curvatures(t, g)[i], contract(dF, stress_differential(t, dF)), 1e-13);
      EXPECT_NEAR(rank_one_curvatures(d, g)[i], contract(dF, stress_differential(d, dF)), 1e-13);
    }
  }
}

TEST(MaterialTangent, DenseEntriesAreThoseOfASymmetricMatrix) {
  DenseTangent<double> t;
  int count = 0;
  for (int c = 0; c < 9; ++c) {
    for (int r = 0; r <= c; ++r) t(r, c) = ++count;
  }
  EXPECT_EQ(count, DenseTangent<double>::kSize);
  for (int c = 0; c < 9; ++c) {
    for (int r = 0; r < 9; ++r) {
      Mat3d dF = Mat3d::zero();
      dF(c % 3, c / 3) = 1;
      EXPECT_EQ(stress_differential(t, dF)(r % 3, r / 3), t(c, r));
    }
  }
}

}  // namespace
}  // namespace isochor::materials
