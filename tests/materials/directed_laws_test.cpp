/// Laws with directions of their own, against closed forms.
#include <cmath>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

Mat3d uniaxial(double stretch) {
  const double t = 1 / std::sqrt(stretch);
  return Mat3d::diagonal({stretch, t, t});
}

TEST(GuccioneLaw, EnergyAndStressAreThoseOfThePaper) {
  // C/2 (e^Q - 1), C = 2 kPa, bf = 8, bt = 2, bfs = 4; J = 1, so that no volume term acts.
  const Parameters<double> p{.mu = 2000, .lambda = 1e6, .shape = {8, 2, 4}};
  const double stretch = 1.15, t2 = 1 / stretch;
  const double e1 = 0.5 * (stretch * stretch - 1), e2 = 0.5 * (t2 - 1);
  const double expQ = std::exp(8 * e1 * e1 + 2 * 2 * e2 * e2);
  const Response<double> r = Guccione::respond(uniaxial(stretch), p);
  EXPECT_NEAR(r.energy, 1000 * (expQ - 1), 1e-9);
  EXPECT_NEAR(r.stress(0, 0), stretch * 2000 * expQ * 8 * e1, 1e-8);
  EXPECT_NEAR(r.stress(1, 1), std::sqrt(t2) * 2000 * expQ * 2 * e2, 1e-8);
  // Shear of fibres and across them.
  Mat3d F = Mat3d::identity();
  F(0, 1) = 1e-4;
  EXPECT_NEAR(Guccione::respond(F, p).stress(0, 1), 2000 * 4 * 0.5 * 1e-4, 1e-6);
  F(0, 1) = 0;
  F(1, 2) = 1e-4;
  EXPECT_NEAR(Guccione::respond(F, p).stress(1, 2), 2000 * 2 * 0.5 * 1e-4, 1e-6);
}

TEST(GuccioneLaw, ActiveFibresAddTheirStressWhateverTheirLength) {
  // Energy Ta E11, P = F S: Ta = 60 kPa at half activation.
  const Parameters<double> passive{.mu = 2000, .lambda = 1e6, .shape = {8, 2, 4, 30}};
  Parameters<double> active = passive;
  active.activation = 0.5;
  for (const double stretch : {0.7, 1.0, 1.3}) {
    const Response<double> with = Guccione::respond(uniaxial(stretch), active);
    const Response<double> without = Guccione::respond(uniaxial(stretch), passive);
    EXPECT_NEAR(with.energy - without.energy, 30e3 * 0.5 * (stretch * stretch - 1), 1e-8);
    EXPECT_NEAR(with.stress(0, 0) - without.stress(0, 0), 30e3 * stretch, 1e-8);
    EXPECT_NEAR(with.stress(1, 1), without.stress(1, 1), 1e-8);
  }
}

TEST(FungLaw, WithThreeNumbersItIsGuccione) {
  const Parameters<double> three{.mu = 2000, .lambda = 1e6, .shape = {8, 2, 4}};
  const Parameters<double> nine{.mu = 2000, .lambda = 1e6, .shape = {8, 2, 2, 0, 0, 0, 2, 4, 4}};
  Random random(1);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d F = Mat3d::identity() + 0.2 * random.matrix(), dF = random.matrix();
    const double size = norm(Guccione::respond(F, three).stress) + 1e6;
    EXPECT_LT(norm(Fung::respond(F, nine).stress - Guccione::respond(F, three).stress),
              1e-14 * size);
    EXPECT_LT(norm(stress_differential(Fung::linearise(F, nine), dF) -
                   stress_differential(Guccione::linearise(F, three), dF)),
              1e-13 * size);
  }
}

TEST(HolzapfelGasserOgdenLaw, AlignedFibresPullAlongTheirDirectionOnly) {
  // beta, k1 / mu, k2, dispersion, cosine of the angle.
  const Parameters<double> p{.mu = 100, .lambda = 1e5, .shape = {0, 5, 0.8, 0, 1}};
  Parameters<double> bare = p;
  bare.shape[1] = 0;
  const double stretch = 1.2, e = stretch * stretch - 1;
  const Mat3d pull = HolzapfelGasserOgden::respond(uniaxial(stretch), p).stress -
                     HolzapfelGasserOgden::respond(uniaxial(stretch), bare).stress;
  // Both families lie in one direction: twice 2 lambda k1 e exp(k2 e^2).
  EXPECT_NEAR(pull(0, 0), 2 * 2 * stretch * 500 * e * std::exp(0.8 * e * e), 1e-9);
  Mat3d rest = pull;
  rest(0, 0) = 0;
  EXPECT_LT(norm(rest), 1e-12);
  // Buckled fibres carry nothing.
  EXPECT_EQ(norm(HolzapfelGasserOgden::respond(uniaxial(0.8), p).stress -
                 HolzapfelGasserOgden::respond(uniaxial(0.8), bare).stress),
            0);
}

TEST(HolzapfelGasserOgdenLaw, FullDispersionHasNoDirection) {
  const Parameters<double> p{.mu = 100, .lambda = 1e5, .shape = {0, 5, 0.8, 1.0 / 3, 1}};
  Random random(2);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d F = Mat3d::identity() + 0.2 * random.matrix(), Q = random.rotation();
    const double energy = HolzapfelGasserOgden::energy(F, p);
    EXPECT_NEAR(HolzapfelGasserOgden::energy(F * Q, p), energy, 1e-12 * (energy + 100));
  }
}

TEST(HolzapfelGasserOgdenLaw, FamiliesAreMirrorImages) {
  const Parameters<double> p{.mu = 100, .lambda = 1e5, .shape = {0, 5, 0.8, 0.1, std::cos(0.7)}};
  const Mat3d mirror = Mat3d::diagonal({1, -1, 1});
  Random random(3);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d F = Mat3d::identity() + 0.2 * random.matrix();
    const double energy = HolzapfelGasserOgden::energy(F, p);
    EXPECT_NEAR(HolzapfelGasserOgden::energy(mirror * F * mirror, p), energy,
                1e-12 * (energy + 100));
  }
}

TEST(MuscleLaw, ActiveStressFollowsTheForceLengthCurve) {
  const Parameters<double> relaxed{.mu = 500, .lambda = 1e5, .shape = {0, 1, 600, 1.1, 0.6}};
  Parameters<double> active = relaxed;
  active.activation = 0.5;
  for (const double stretch : {0.3, 0.44, 0.6, 0.9, 1.1, 1.4, 1.76, 2.0}) {
    const Mat3d F = uniaxial(stretch);
    const double y = (stretch / 1.1 - 1) / 0.6;
    const double expected = std::abs(y) < 1 ? 0.5 * 3e5 * (1 - y * y) * (1 - y * y) : 0;
    const Mat3d pull = Muscle::respond(F, active).stress - Muscle::respond(F, relaxed).stress;
    EXPECT_NEAR(pull(0, 0), expected, 1e-8) << stretch;
    Mat3d rest = pull;
    rest(0, 0) = 0;
    EXPECT_LT(norm(rest), 1e-9);
  }
  EXPECT_NEAR(force_length(1.1, 1.1, 0.6).slope, 1, 1e-15);
}

TEST(MuscleMooneyRivlinLaw, TensionFollowsTheCurvesOfItsSource) {
  // mu10 = 60 kPa, mu01 = 20 kPa, 0.3 MPa, p1 = 0.05, p2 = 6.6.
  const Parameters<double> relaxed{
      .mu = 160e3, .lambda = 1e6, .shape = {0.125, 1.875, 0.05, 6.6, 1}};
  Parameters<double> bare = relaxed, active = relaxed;
  bare.shape[1] = 0;
  active.activation = 0.7;
  for (const double stretch : {0.35, 0.45, 0.6, 0.8, 1.0, 1.1, 1.3, 1.4, 1.5, 1.7}) {
    const double e = stretch - 1, y = std::abs(e);
    const double pull = y < 0.4   ? 1 - 25.0 / 6 * e * e
                        : y < 0.6 ? 25.0 / 3 * (y - 0.6) * (y - 0.6)
                                  : 0;
    // From 1.4 on straight, with the slope that the curve has there.
    const double p3 = 0.05 * 6.6 * (std::exp(2.64) - 1);
    const double passive = e > 0.4 ? 0.05 * (std::exp(2.64) - 2.64 - 1) + p3 * (e - 0.4)
                           : e > 0 ? 0.05 * (std::exp(6.6 * e) - 6.6 * e - 1)
                                   : 0;
    const Mat3d F = uniaxial(stretch);
    const Mat3d fibres =
        MuscleMooneyRivlin::respond(F, active).stress - MuscleMooneyRivlin::respond(F, bare).stress;
    EXPECT_NEAR(fibres(0, 0), 3e5 * (0.7 * pull + passive), 1e-8) << stretch;
    EXPECT_LT(norm(fibres - Mat3d::diagonal({fibres(0, 0), 0, 0})), 1e-9);
    EXPECT_NEAR(MuscleMooneyRivlin::respond(F, relaxed).stress(0, 0) -
                    MuscleMooneyRivlin::respond(F, bare).stress(0, 0),
                3e5 * passive, 1e-8);
  }
  // A share of the fibres is that share of their stress.
  Parameters<double> part = active;
  part.fibres = 0.3;
  const Mat3d F = uniaxial(1.2);
  const double whole = MuscleMooneyRivlin::respond(F, active).stress(0, 0),
               none = MuscleMooneyRivlin::respond(F, bare).stress(0, 0);
  EXPECT_NEAR(MuscleMooneyRivlin::respond(F, part).stress(0, 0), none + 0.3 * (whole - none), 1e-8);
}

TEST(MuscleMooneyRivlinLaw, WithoutFibresItIsMooneyRivlinButForItsVolume) {
  const Parameters<double> p{.mu = 160e3, .lambda = 2e6, .shape = {0.125, 0, 0.05, 6.6, 1}};
  Parameters<double> matrix = p;
  matrix.lambda = -2 * p.mu / 3;
  const double kappa = p.lambda + 2 * p.mu / 3;
  Random random(5);
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d F = Mat3d::identity() + 0.2 * random.matrix();
    const double J = determinant(F), log_j = std::log(J);
    EXPECT_NEAR(MuscleMooneyRivlin::energy(F, p),
                MooneyRivlin::energy(F, matrix) + 0.5 * kappa * log_j * log_j, 1e-9 * kappa);
    const Mat3d volume = (kappa * log_j) * Mat3d{{(1 / J) * cross(F.column[1], F.column[2]),
                                                  (1 / J) * cross(F.column[2], F.column[0]),
                                                  (1 / J) * cross(F.column[0], F.column[1])}};
    EXPECT_LT(norm(MuscleMooneyRivlin::respond(F, p).stress -
                   MooneyRivlin::respond(F, matrix).stress - volume),
              1e-12 * kappa);
    const Mat3d dF = random.matrix();
    const Mat3d with = stress_differential(MuscleMooneyRivlin::linearise(F, p), dF);
    // The same by differences of the stress, whose error falls with the square of the step.
    double last = 0;
    for (const double step : {1e-2, 5e-3, 2.5e-3}) {
      const Mat3d difference =
          (0.5 / step) * (MuscleMooneyRivlin::respond(F + step * dF, p).stress -
                          MuscleMooneyRivlin::respond(F - step * dF, p).stress);
      const double error = norm(difference - with) / norm(with);
      if (last > 0) {
        EXPECT_LT(error, 0.3 * last);
      }
      last = error;
    }
  }
}

TEST(DenseTangentTurned, IsTheTangentSeenFromOtherAxes) {
  Random random(4);
  const Parameters<double> p{.mu = 100, .lambda = 300, .shape = {0, 5, 0.1, 0.1, std::cos(0.7)}};
  for (int sample = 0; sample < 20; ++sample) {
    const Mat3d F = random.matrix(), dF = random.matrix(), Q = random.rotation();
    const DenseTangent<double> own = HolzapfelGasserOgden::linearise(F * Q, p);
    const Mat3d expected = times_transpose(stress_differential(own, dF * Q), Q);
    EXPECT_LT(norm(stress_differential(turned(own, Q), dF) - expected), 1e-12 * norm(expected));
  }
}

}  // namespace
}  // namespace isochor::materials
