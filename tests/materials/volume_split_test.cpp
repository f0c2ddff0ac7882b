#include "isochor/materials/volume_split.h"

#include <gtest/gtest.h>

#include "isochor/materials/volume_laws.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

Mat3d near_identity(Random& random, double amplitude) {
  Mat3d F = Mat3d::identity();
  for (int e = 0; e < 9; ++e) F(e % 3, e / 3) += amplitude * random.uniform(-1, 1);
  return F;
}

Parameters<double> lively(int law) {
  Parameters<double> p{1.7, 5.3, 0.4};
  const auto shape = shape_parameters(law);
  for (std::size_t i = 0; i < shape.size(); ++i) p.shape[i] = shape[i].fallback + 0.1;
  return p;
}

TEST(VolumeSplit, IsTheLawItself) {
  Random random(1);
  for (int law = 0; law < int(kLawCount); ++law) {
    const VolumeSplit& split = volume_split(law);
    const Parameters<double> p = lively(law);
    Parameters<double> without = p, penalty{};
    without.lambda = -split.mu_share * p.mu;
    penalty.shape[0] = split.has_penalty ? p.shape[0] : 0;
    for (int trial = 0; trial < 50; ++trial) {
      const Mat3d F = near_identity(random, 0.4);
      with_law(law, [&]<class Law>(Law) {
        with_measure(split.measure, [&]<class M>(M) {
          const double m = M::respond(F, penalty).energy;
          const double whole = Law::energy(F, p);
          EXPECT_NEAR(whole, Law::energy(F, without) + 0.5 * split.kappa(p.mu, p.lambda) * m * m,
                      1e-12 * (1 + std::abs(whole)))
              << kLawNames[std::size_t(law)];
        });
      });
    }
  }
}

/// Errors of first derivatives fall by 100 where steps fall by 10, until rounding takes over.
TEST(VolumeMeasure, GradientAndCurvatureAreDerivatives) {
  Random random(2);
  Parameters<double> p{};
  p.shape[0] = 2.5;
  for (int kind = 0; kind < int(kVolumeMeasureNames.size()); ++kind) {
    with_measure(VolumeMeasure(kind), [&]<class M>(M) {
      for (int trial = 0; trial < 10; ++trial) {
        const Mat3d F = near_identity(random, 0.3), D = near_identity(random, 1);
        double errors[2], gradient_errors[2];
        for (int k = 0; k < 2; ++k) {
          const double e = k == 0 ? 1e-2 : 1e-3;
          const Response<double> plus = M::respond(F + e * D, p), minus = M::respond(F - e * D, p);
          errors[k] = std::abs((plus.energy - minus.energy) / (2 * e) -
                               contract(M::respond(F, p).stress, D));
          const Mat3d change = (plus.stress - minus.stress) * (1 / (2 * e));
          const bool linear = VolumeMeasure(kind) == VolumeMeasure::Linear;
          const Svd<double> f = linear ? Svd<double>{} : svd(F);
          PrincipalTangent<double> t;
          t.U = linear ? Mat3d::identity() : f.U;
          t.V = linear ? Mat3d::identity() : f.V;
          M::tangent_of(linear ? Vec3d{F(0, 0), F(1, 1), F(2, 2)} : f.sigma, p, t);
          const Mat3d difference = change - stress_differential(t, D);
          gradient_errors[k] = std::sqrt(contract(difference, difference));
        }
        EXPECT_LT(errors[1], 0.02 * errors[0] + 1e-11) << kVolumeMeasureNames[std::size_t(kind)];
        EXPECT_LT(gradient_errors[1], 0.02 * gradient_errors[0] + 1e-11)
            << kVolumeMeasureNames[std::size_t(kind)];
      }
    });
  }
}

TEST(VolumeMeasure, IsZeroAtRestWithTheIdentityAsGradient) {
  for (int kind = 0; kind < int(kVolumeMeasureNames.size()); ++kind) {
    with_measure(VolumeMeasure(kind), [&]<class M>(M) {
      const Response<double> r = M::respond(Mat3d::identity(), Parameters<double>{});
      EXPECT_EQ(r.energy, 0);
      const Mat3d difference = r.stress - Mat3d::identity();
      EXPECT_LT(contract(difference, difference), 1e-28);
    });
  }
}

}  // namespace
}  // namespace isochor::materials
