#include "isochor/materials/corotated.h"

#include <gtest/gtest.h>

#include "isochor/math/svd.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

constexpr double kMu = 1, kLambda = 10;

constexpr Parameters<double> kParameters{kMu, kLambda};

Mat3d stress(const Mat3d& F) { return Corotated::respond(F, kParameters).stress; }

TEST(MaterialCorotated, UniaxialStretchFollowsItsClosedForm) {
  const double young = kMu * (3 * kLambda + 2 * kMu) / (kLambda + kMu);
  const double poisson = kLambda / (2 * (kLambda + kMu));
  struct Case {
    double stretch, lateral, stress;
  };
  for (const auto& [stretch, lateral, pull] :
       {Case{1.5, 0.77272727, 1.45454545}, Case{0.7, 1.13636364, -0.87272727}}) {
    const double t = 1 - poisson * (stretch - 1);
    EXPECT_NEAR(t, lateral, 5e-9);  // printed to eight digits
    const Mat3d P = stress(Mat3d::diagonal({stretch, t, t}));
    EXPECT_NEAR(P(0, 0), pull, 5e-9);
    EXPECT_NEAR(P(0, 0), young * (stretch - 1), 1e-13);
    EXPECT_NEAR(P(1, 1), 0, 1e-13);
    EXPECT_NEAR(P(2, 2), 0, 1e-13);
    EXPECT_NEAR(P(0, 1), 0, 1e-13);
  }
}

TEST(MaterialCorotated, SimpleShearFollowsItsClosedForm) {
  for (const double g : {-0.5, 0.1, 0.5, 2.0}) {
    Mat3d F = Mat3d::identity();
    F(0, 1) = g;
    const double s = std::sqrt(4 + g * g);
    EXPECT_NEAR(stress(F)(0, 1), 2 * kMu * (g - g / s) + kLambda * (s - 2) * g / s, 1e-13);
  }
  Mat3d F = Mat3d::identity();
  F(0, 1) = 0.5;
  EXPECT_NEAR(stress(F)(0, 1), 0.66421625, 5e-9);  // printed to eight digits
}

TEST(MaterialCorotated, EnergyIsTheDistanceToTheNearestRotation) {
  Random random(1);
  for (int sample = 0; sample < 100; ++sample) {
    const Mat3d F = random.matrix(-2, 2);
    const Svd<double> f = svd(F);
    const Mat3d R = times_transpose(f.U, f.V), away = F - R;
    const double volume = trace(transpose_times(R, F)) - 3;
    const double expected = kMu * contract(away, away) + 0.5 * kLambda * volume * volume;
    EXPECT_NEAR(Corotated::energy(F, kParameters), expected, 1e-13 * (1 + expected));
    // No other rotation is nearer.
    const Mat3d other = F - random.rotation();
    EXPECT_GE(contract(other, other), contract(away, away));
  }
}

TEST(MaterialCorotated, TangentIsFiniteWhereTheRotationIsNotUnique) {
  for (const Vec3d& sigma :
       {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 0.5, -0.5}, Vec3d{1, 1, -1}}) {
    const auto tangent = Corotated::linearise(Mat3d::diagonal(sigma), kParameters);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isfinite(tangent.twist[k]));
    // Below the rest length there, the body gives way to turning.
    EXPECT_LT(tangent.twist[0], -1e5 * kMu);
  }
}

}  // namespace
}  // namespace isochor::materials
