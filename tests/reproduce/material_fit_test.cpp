#include "reproduce/material_fit.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"

namespace isochor::reproduce {
namespace {

using materials::law_index;
constexpr int kMu = FitProblem::kMu;

/// What a test machine would measure of a specimen.
MeasuredCurve synthetic(const Specimen& specimen, int axis, bool cauchy, double low, double high) {
  MeasuredCurve curve{.axis = axis, .cauchy = cauchy};
  for (int k = 0; k <= 12; ++k) curve.stretch.push_back(low + (high - low) * k / 12);
  curve.stress = stress_along(specimen, curve);
  return curve;
}

TEST(MaterialFit, FindsOgdensNumbersAgain) {
  const Specimen made = make_specimen(law_index("ogden"), 2e4, 2e6, {1.7, 4, 0.1, 4, 0});
  const std::vector curves{synthetic(made, 0, false, 0.6, 4)};
  EXPECT_EQ(misfit(made, curves), 0);
  const MaterialFit fit =
      fit_law({law_index("ogden"),
               100,
               {2, 4, 0, 4, 0},
               {{kMu, {1e3, 1e2, 1e6}}, {0, {2.5, 0.5, 3}}, {2, {0.3, 0, 0.5}}}},
              curves);
  EXPECT_NEAR(fit.specimen.parameters.mu, 2e4, 1);
  EXPECT_NEAR(fit.specimen.parameters.shape[0], 1.7, 1e-3);
  EXPECT_NEAR(fit.specimen.parameters.shape[2], 0.1, 1e-3);
  EXPECT_LT(fit.misfit, 1e-5);
  EXPECT_EQ(fit.points, 13u);
}

TEST(MaterialFit, FindsTheFibresOfSkinFromTwoDirections) {
  const double angle = std::cos(0.7);
  const Specimen made =
      make_specimen(law_index("holzapfel_gasser_ogden"), 1e6, 1e8, {0, 30, 0.8, 0.1, angle});
  const std::vector curves{synthetic(made, 0, true, 1, 1.35), synthetic(made, 1, true, 1, 1.45)};
  const FitProblem problem{law_index("holzapfel_gasser_ogden"),
                           100,
                           {},
                           {{kMu, {3e5, 1e4, 1e7}},
                            {1, {100, 1, 1e3}},
                            {2, {0.2, 0.01, 10}},
                            {3, {0.2, 0, 1.0 / 3}},
                            {4, {0.6, 0, 1}}}};
  // Widely spread fibres along the first axis would be a poorer minimum.
  const MaterialFit fit = fit_law(problem, curves, 4, std::vector{0.95, 0.75});
  EXPECT_LT(fit.misfit, 1e-4);
  EXPECT_GT(fit_law(problem, curves).misfit, 1e-2);
  const auto& p = fit.specimen.parameters;
  EXPECT_NEAR(p.mu, 1e6, 1e4);
  EXPECT_NEAR(p.shape[1], 30, 0.3);
  EXPECT_NEAR(p.shape[2], 0.8, 0.02);
  EXPECT_NEAR(p.shape[3], 0.1, 0.002);
  EXPECT_NEAR(p.shape[4], angle, 0.002);
  EXPECT_THAT(numbers_text(problem, fit.specimen), testing::HasSubstr("angle = 40."));
}

TEST(MaterialFit, ErrorsAreRelativeButForNoiseNearRest) {
  const Specimen made = make_specimen(law_index("neo_hookean"), 1e3, 1e5);
  MeasuredCurve curve = synthetic(made, 0, false, 1, 3);
  for (double& s : curve.stress) s *= 1.1;
  const std::vector all{curve};
  // All of it is off by 1 part in 11, except the rest state itself.
  EXPECT_NEAR(misfit(made, all), std::sqrt(12.0 / 13) / 11, 1e-3);
  // An error of a hundredth of the largest stress counts for a tenth at most.
  curve = synthetic(made, 0, false, 1, 3);
  curve.stress[0] += 0.01 * curve.stress.back();
  EXPECT_NEAR(misfit(made, std::vector{curve}), 0.1 / std::sqrt(13.0), 1e-6);
}

}  // namespace
}  // namespace isochor::reproduce
