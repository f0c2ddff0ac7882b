#include "isochor/base/text.h"

#include <gtest/gtest.h>
#include <vector>

namespace isochor {
namespace {

constexpr std::string_view kKeys[] = {"young", "poisson", "mu", "lambda", "density", "law"};

TEST(BaseNearestName, FindsMisspelledNames) {
  EXPECT_EQ(nearest_name("young", kKeys), "young");
  EXPECT_EQ(nearest_name("yung", kKeys), "young");
  EXPECT_EQ(nearest_name("younng", kKeys), "young");
  EXPECT_EQ(nearest_name("poisin", kKeys), "poisson");
  EXPECT_EQ(nearest_name("lamda", kKeys), "lambda");
  EXPECT_EQ(nearest_name("densitty", kKeys), "density");
  EXPECT_EQ(nearest_name("nu", kKeys), "mu");
}

TEST(BaseNearestName, SwappedNeighboursCountAsOneMistake) {
  EXPECT_EQ(nearest_name("lwa", kKeys), "law");      // of three letters, one mistake is allowed
  EXPECT_EQ(nearest_name("yuong", kKeys), "young");  // of five, too
  EXPECT_EQ(nearest_name("um", kKeys), "mu");
}

TEST(BaseNearestName, CaseDoesNotMatter) {
  EXPECT_EQ(nearest_name("Young", kKeys), "young");
  EXPECT_EQ(nearest_name("LAMBDA", kKeys), "lambda");
  EXPECT_EQ(nearest_name("Pois", kKeys), "poisson");
}

TEST(BaseNearestName, PrefixesAndLongerWordsAreNear) {
  EXPECT_EQ(nearest_name("pois", kKeys), "poisson");
  EXPECT_EQ(nearest_name("dens", kKeys), "density");
  EXPECT_EQ(nearest_name("youngs_modulus", kKeys), "young");
  EXPECT_EQ(nearest_name("density_scale", kKeys), "density");
}

TEST(BaseNearestName, NothingNearIsEmpty) {
  EXPECT_EQ(nearest_name("colour", kKeys), "");
  EXPECT_EQ(nearest_name("x", kKeys), "");
  EXPECT_EQ(nearest_name("", kKeys), "");
  EXPECT_EQ(nearest_name("po", kKeys), "");
  EXPECT_EQ(nearest_name("young", {}), "");
}

TEST(BaseNearestName, AShortNameIsNoPrefixWorthNaming) {
  EXPECT_EQ(nearest_name("multigrid", kKeys), "");
}

TEST(BaseNearestName, TheNearestOfSeveralWins) {
  constexpr std::string_view names[] = {"node", "mode", "model"};
  EXPECT_EQ(nearest_name("modell", names), "model");
  EXPECT_EQ(nearest_name("nod", names), "node");
  EXPECT_EQ(nearest_name("mode", names), "mode");
}

TEST(BaseText, JoinPutsSeparatorsBetween) {
  EXPECT_EQ(join(kKeys), "young, poisson, mu, lambda, density, law");
  EXPECT_EQ(join(std::span(kKeys).first(2), " or "), "young or poisson");
  EXPECT_EQ(join(std::span(kKeys).first(1)), "young");
  EXPECT_EQ(join({}), "");
}

TEST(BaseText, SuggestNamesTheNearestOrAll) {
  EXPECT_EQ(suggest("yuong", kKeys), "did you mean 'young'?");
  EXPECT_EQ(suggest("colour", kKeys), "known here: young, poisson, mu, lambda, density, law");
}

}  // namespace
}  // namespace isochor
