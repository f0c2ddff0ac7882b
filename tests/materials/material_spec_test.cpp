#include "isochor/materials/material_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/materials/registry.h"
#include "tests/base/field_recorder.h"
#include "tests/files/temporary_folder.h"

namespace isochor::materials {
namespace {

TEST(MaterialSpec, YoungAndPoissonBecomeLameParameters) {
  for (const double poisson : {-0.5, 0.0, 0.3, 0.49, 0.4999}) {
    const double young = 5e4;
    const Lame lame = lame_parameters({.young = young, .poisson = poisson});
    // The inverse relations of the textbooks; 1 - 2 nu loses up to four digits.
    const double sum = lame.lambda + lame.mu;
    EXPECT_NEAR(lame.mu * (3 * lame.lambda + 2 * lame.mu) / sum, young, 1e-10 * young);
    EXPECT_NEAR(lame.lambda / (2 * sum), poisson, 1e-13);
  }
  const Lame rubber = lame_parameters({.young = 3.0, .poisson = 0.25});
  EXPECT_NEAR(rubber.mu, 1.2, 1e-15);
  EXPECT_NEAR(rubber.lambda, 1.2, 1e-15);
}

TEST(MaterialSpec, MuAndLambdaAreTakenAsTheyAre) {
  const Lame lame = lame_parameters({.mu = 12.5, .lambda = 0.0});
  EXPECT_EQ(lame.mu, 12.5);
  EXPECT_EQ(lame.lambda, 0);
}

TEST(MaterialSpec, OnlyAWholePairIsAccepted) {
  // Of the sixteen ways to give four numbers, two are right.
  for (int given = 0; given < 16; ++given) {
    MaterialSpec spec{.place = {.file = "a.toml", .line = 4, .column = 1, .key = "body.material"}};
    if (given & 1) spec.young = 1e5;
    if (given & 2) spec.poisson = 0.3;
    if (given & 4) spec.mu = 1e4;
    if (given & 8) spec.lambda = 2e4;
    if (given == 3 || given == 12) {
      EXPECT_GT(lame_parameters(spec).mu, 0);
      continue;
    }
    const Error error = files::error_of([&] { lame_parameters(spec); });
    EXPECT_EQ(error.fault(), Fault::Input) << given;
    EXPECT_EQ(error.place(), "a.toml:4:1: body.material") << given;
    EXPECT_THAT(error.remedy(), testing::HasSubstr("young and poisson, or mu and lambda"));
  }
}

TEST(MaterialSpec, RangesKeepOutWhatHasNoLameParameters) {
  FieldRecorder fields;
  MaterialSpec spec;
  describe(fields, spec);
  EXPECT_THAT(fields.names,
              testing::ElementsAre("law", "young", "poisson", "mu", "lambda", "density"));
  const auto& poisson = fields.numbers["poisson"].range;
  EXPECT_FALSE(poisson.contains(0.5));
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
