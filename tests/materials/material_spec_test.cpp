#include "isochor/materials/material_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/materials/presets.h"
#include "isochor/materials/registry.h"
#include "tests/base/field_recorder.h"
#include "tests/files/temporary_folder.h"
#include "tests/math/random_matrix.h"

namespace isochor::materials {
namespace {

TEST(MaterialSpec, YoungAndPoissonBecomeLameParameters) {
  for (const double poisson : {-0.5, 0.0, 0.3, 0.49, 0.4999}) {
    const double young = 5e4;
    const Material lame = resolve({.young = young, .poisson = poisson});
    // The inverse relations of the textbooks; 1 - 2 nu loses up to four digits.
    const double sum = lame.lambda + lame.mu;
    EXPECT_NEAR(lame.mu * (3 * lame.lambda + 2 * lame.mu) / sum, young, 1e-10 * young);
    EXPECT_NEAR(lame.lambda / (2 * sum), poisson, 1e-13);
  }
  const Material rubber = resolve({.young = 3.0, .poisson = 0.25});
  EXPECT_NEAR(rubber.mu, 1.2, 1e-15);
  EXPECT_NEAR(rubber.lambda, 1.2, 1e-15);
}

TEST(MaterialSpec, MuAndLambdaAreTakenAsTheyAre) {
  const Material lame = resolve({.mu = 12.5, .lambda = 0.0});
  EXPECT_EQ(lame.mu, 12.5);
  EXPECT_EQ(lame.lambda, 0);
}

TEST(MaterialSpec, MuAndKappaBecomeLameParameters) {
  const Material m = resolve({.mu = 3.0, .kappa = 12.0});
  EXPECT_EQ(m.mu, 3);
  EXPECT_EQ(m.lambda, 10);
  EXPECT_NEAR(m.kappa(), 12, 1e-15);
  EXPECT_NEAR(m.young(), 9 * 12.0 * 3 / (3 * 12 + 3), 1e-14);
  EXPECT_NEAR(m.poisson(), (3 * 12.0 - 2 * 3) / (2 * (3 * 12 + 3)), 1e-15);
}

TEST(MaterialSpec, OnlyAWholePairIsAccepted) {
  // Of the 32 ways to give five numbers, three are right.
  int right = 0;
  for (int given = 0; given < 32; ++given) {
    MaterialSpec spec{.place = {.file = "a.toml", .line = 4, .column = 1, .key = "body.material"}};
    if (given & 1) spec.young = 1e5;
    if (given & 2) spec.poisson = 0.3;
    if (given & 4) spec.mu = 1e4;
    if (given & 8) spec.lambda = 2e4;
    if (given & 16) spec.kappa = 3e4;
    if (given == 3 || given == 12 || given == 20) {
      EXPECT_GT(resolve(spec).mu, 0);
      ++right;
      continue;
    }
    const Error error = files::error_of([&] { resolve(spec); });
    EXPECT_EQ(error.fault(), Fault::Input) << given;
    EXPECT_EQ(error.place(), "a.toml:4:1: body.material") << given;
    EXPECT_THAT(error.remedy(), testing::HasSubstr("young and poisson, mu and lambda, or mu and"));
  }
  EXPECT_EQ(right, 3);
}

TEST(MaterialSpec, PresetsGiveEverythingAndYieldToWhatIsSaid) {
  for (const Preset& preset : presets()) {
    FieldRecorder fields;
    MaterialSpec spec{.preset = std::string(preset.name)};
    describe(fields, spec);
    const Material material = resolve(spec);
    EXPECT_EQ(kLawNames[material.law], preset.law);
    EXPECT_EQ(material.mu, preset.mu);
    EXPECT_NEAR(material.kappa(), preset.kappa, 1e-9 * preset.kappa);
    EXPECT_EQ(material.density, preset.density);
    for (int i = 0; i < kMaxShape; ++i) {
      EXPECT_NEAR(material.shape[i], preset.shape[i], 1e-12 * std::abs(preset.shape[i]));
    }
    EXPECT_FALSE(preset.source.empty());
    // Described again, as when it is printed, it keeps what was said.
    spec.density = 1;
    spec.mu = 7;
    spec.lambda = 8;
    describe(fields, spec);
    EXPECT_EQ(resolve(spec).density, 1);
    EXPECT_EQ(resolve(spec).mu, 7);
  }
}

TEST(MaterialSpec, PressuresOfALawAreMultiplesOfMu) {
  MaterialSpec spec{.law = "mooney_rivlin", .mu = 1e4, .kappa = 1e6};
  FieldRecorder fields;
  describe(fields, spec);
  EXPECT_EQ(resolve(spec).shape[0], 0);
  spec.pressures[0] = 2e3;
  EXPECT_NEAR(resolve(spec).shape[0], 0.2, 1e-15);
  spec.pressures[0] = 6e3;
  const Error error = files::error_of([&] { resolve(spec); });
  EXPECT_THAT(error.problem(), testing::HasSubstr("more than 0.5 of the shear modulus"));
}

TEST(MaterialSpec, FibreAxesAreARotationWithTheFibreFirst) {
  for (const auto& [fibre, sheet] : {std::pair{Vec3d{0, 0, 2}, Vec3d{0, 1, 0}},
                                     {Vec3d{1, 2, 3}, Vec3d{0, 1, 0}},
                                     {Vec3d{0, 5, 0}, Vec3d{0, 1, 0}}}) {
    const Mat3d Q = resolve({.mu = 1.0, .lambda = 1.0, .fibre = fibre, .sheet = sheet}).axes;
    EXPECT_LT(norm(transpose_times(Q, Q) - Mat3d::identity()), 1e-15);
    EXPECT_NEAR(determinant(Q), 1, 1e-15);
    EXPECT_LT(norm(Q.column[0] - fibre * (1 / norm(fibre))), 1e-15);
  }
  MaterialSpec none{.mu = 1.0, .lambda = 1.0, .fibre = {0, 0, 0}};
  EXPECT_EQ(files::error_of([&] { resolve(none); }).fault(), Fault::Input);
}

TEST(MaterialSpec, SummaryNamesEveryNumberInSi) {
  MaterialSpec spec{.law = "holzapfel_gasser_ogden", .mu = 1e4, .kappa = 1e6};
  FieldRecorder fields;
  describe(fields, spec);
  spec.pressures[1] = 5e3;
  const std::string text = summary(resolve(spec));
  for (const char* part : {"mu = 10000 Pa", "kappa = 1e+06 Pa", "k1 = 5000 Pa", "k2 = 1",
                           "angle = 0 rad", "poisson = ", "kg/m^3"}) {
    EXPECT_THAT(text, testing::HasSubstr(part));
  }
}

TEST(MaterialSpec, AnIncompressibleMaterialHasInfiniteLambdaAndAllElse) {
  MaterialSpec spec;
  spec.young = 6e4;
  spec.poisson = 0.5;
  const Material material = resolve(spec);
  EXPECT_TRUE(material.incompressible());
  EXPECT_EQ(material.poisson(), 0.5);
  EXPECT_DOUBLE_EQ(material.mu, 2e4);
  EXPECT_DOUBLE_EQ(material.young(), 6e4);
  EXPECT_THAT(summary(material), testing::HasSubstr("lambda = infinite, kappa = infinite, young"));
  spec.poisson = 0.4999;
  EXPECT_FALSE(resolve(spec).incompressible());
}

TEST(MaterialSpec, RangesKeepOutWhatHasNoLameParameters) {
  FieldRecorder fields;
  MaterialSpec spec;
  describe(fields, spec);
  EXPECT_THAT(fields.names, testing::ElementsAre("preset", "law", "young", "poisson", "mu",
                                                 "lambda", "kappa", "density"));
  const auto& poisson = fields.numbers["poisson"].range;
  EXPECT_TRUE(poisson.contains(0.5)) << "lambda is infinite";
  EXPECT_FALSE(poisson.contains(0.5001));
  EXPECT_FALSE(poisson.contains(-1));
  EXPECT_TRUE(poisson.contains(0.4999));
  EXPECT_TRUE(poisson.contains(-0.9));
  for (const char* name : {"young", "mu", "density"}) {
    EXPECT_FALSE(fields.numbers[name].range.contains(0)) << name;
    EXPECT_TRUE(fields.numbers[name].range.contains(1e9)) << name;
  }
  EXPECT_TRUE(fields.numbers["lambda"].range.contains(0));
  EXPECT_EQ(fields.numbers["young"].unit, Unit::Pressure);
  EXPECT_EQ(fields.numbers["density"].unit, Unit::Density);
}

TEST(MaterialSpec, LawsToChooseFromAreThoseOfTheRegistry) {
  FieldRecorder fields;
  MaterialSpec spec;
  describe(fields, spec);
  EXPECT_THAT(fields.options["law"], testing::ElementsAreArray(kLawNames));
  EXPECT_GE(law_index(spec.law), 0) << "the default must exist";
}

}  // namespace
}  // namespace isochor::materials
