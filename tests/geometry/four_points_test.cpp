#include <gtest/gtest.h>

#include "isochor/geometry/mirrored_points.h"
#include "isochor/math/jacobi_eigen.h"
#include "reproduce/split_tetrahedra.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

Moments random_cut(Random& random) {
  const Vec3d n = random.vector(0.1, 1);
  return reproduce::half_space_moments(n, random.uniform(0.15, n[0] + n[1] + n[2]));
}

TEST(FourPoints, HaveTheMomentsOfTheSolidWhateverTheRotation) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Moments m = random_cut(random);
    const FourPoints points = four_points(spread_of(m), random.rotation());
    const Moments back = moments_of(points, m.volume);
    EXPECT_LT(norm(back.first - m.first), 1e-14) << i;
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(back.second[k], m.second[k], 1e-14) << i;
  }
}

TEST(FourPoints, OfAWholeCellAreEveryOtherGaussPoint) {
  const double g = 0.5 / std::sqrt(3.0);
  const FourPoints points =
      four_points(spread_of(box_moments({0, 0, 0}, {1, 1, 1})), Mat3d::identity());
  const FourPoints expected{{{0.5 + g, 0.5 + g, 0.5 + g},
                             {0.5 + g, 0.5 - g, 0.5 - g},
                             {0.5 - g, 0.5 + g, 0.5 - g},
                             {0.5 - g, 0.5 - g, 0.5 + g}}};
  for (int i = 0; i < 4; ++i) EXPECT_LT(norm(points[i] - expected[i]), 1e-15);
}

TEST(FourPoints, ImagesOfEveryOtherGaussPointAreTheOthers) {
  const double g = 0.5 / std::sqrt(3.0);
  const FourPoints images =
      mirrored(four_points(spread_of(box_moments({0, 0, 0}, {1, 1, 1})), Mat3d::identity()));
  const FourPoints expected{{{0.5 - g, 0.5 - g, 0.5 - g},
                             {0.5 - g, 0.5 + g, 0.5 + g},
                             {0.5 + g, 0.5 - g, 0.5 + g},
                             {0.5 + g, 0.5 + g, 0.5 - g}}};
  for (int i = 0; i < 4; ++i) EXPECT_LT(norm(images[i] - expected[i]), 1e-15);
}

TEST(FourPoints, ImagesHaveTheMomentsOfTheSolidToo) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Moments m = random_cut(random);
    const Moments back =
        moments_of(mirrored(four_points(spread_of(m), random.rotation())), m.volume);
    EXPECT_LT(norm(back.first - m.first), 1e-14) << i;
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(back.second[k], m.second[k], 1e-14) << i;
  }
}

TEST(FourPoints, AFlatSolidHasFlatPoints) {
  Moments flat = box_moments({0, 0, 0}, {1, 1, 1e-9});
  const FourPoints points = four_points(spread_of(flat), Random(2).rotation());
  for (const Vec3d& p : points) EXPECT_NEAR(p[2], 0, 1e-8);
}

/// The stiffness of one cell, lambda = 0 and mu = 1/2, by the definition: six rigid motions, and
/// then the least.
double seventh_eigenvalue(const FourPoints& points) {
  double k[24][24] = {};
  for (const Vec3d& p : points) {
    Vec3d g[8];
    for (int c = 0; c < 8; ++c) {
      for (int a = 0; a < 3; ++a) {
        g[c][a] = 1;
        for (int b = 0; b < 3; ++b) {
          const bool high = c >> b & 1;
          g[c][a] *= b == a ? (high ? 1 : -1) : (high ? p[b] : 1 - p[b]);
        }
      }
    }
    for (int r = 0; r < 24; ++r) {
      for (int s = 0; s < 24; ++s) {
        const Vec3d &a = g[r / 3], &b = g[s / 3];
        k[r][s] += ((r % 3 == s % 3 ? dot(a, b) : 0) + a[s % 3] * b[r % 3]) / 8;
      }
    }
  }
  auto eigen = jacobi_eigen<double, 24>([&](int i, int j) { return k[i][j]; });
  std::sort(eigen.values, eigen.values + 24);
  EXPECT_LT(std::abs(eigen.values[5]), 1e-12);
  return eigen.values[6];
}

TEST(FourPoints, ThePointsOfThePaperMissAMotion) {
  const double a = std::sqrt(2.0 / 3), b = std::sqrt(1.0 / 3);
  FourPoints printed{{{a, b, 0}, {-a, b, 0}, {0, -b, a}, {0, -b, -a}}};
  for (Vec3d& p : printed) p = 0.5 * (p + Vec3d{1, 1, 1});
  const Moments whole = box_moments({0, 0, 0}, {1, 1, 1}), back = moments_of(printed, 1);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(back.second[k], whole.second[k], 1e-15);
  EXPECT_LT(seventh_eigenvalue(printed), 1e-12);
  EXPECT_EQ(hourglass_stiffness(printed), 0);
  const FourPoints gauss = four_points(spread_of(whole), Mat3d::identity());
  EXPECT_GT(seventh_eigenvalue(gauss), 0.02);
  EXPECT_GT(hourglass_stiffness(gauss), 0.02);
}

TEST(FourPoints, HourglassStiffnessBoundsTheSeventhEigenvalue) {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const FourPoints points = four_points(spread_of(random_cut(random)), random.rotation());
    const double cheap = hourglass_stiffness(points), least = seventh_eigenvalue(points);
    // An affine map may relax a mode, and it adds to its norm: the least of all is below.
    EXPECT_LE(least, 1.0001 * cheap) << i;
    EXPECT_GE(least, cheap / 100) << i;
  }
}

}  // namespace
}  // namespace isochor::geometry
