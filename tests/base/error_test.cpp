#include "isochor/base/error.h"

#include <gtest/gtest.h>

namespace isochor {
namespace {

TEST(BaseError, SaysWhereWhatAndWhatToDo) {
  const Error error(Fault::Input, "a.toml:3:1: young", "is -5, expected > 0", "give a stiffness");
  EXPECT_STREQ(error.what(),
               "a.toml:3:1: young: is -5, expected > 0\n"
               "  to mend it: give a stiffness");
  EXPECT_EQ(error.fault(), Fault::Input);
  EXPECT_EQ(error.place(), "a.toml:3:1: young");
  EXPECT_EQ(error.problem(), "is -5, expected > 0");
  EXPECT_EQ(error.remedy(), "give a stiffness");
}

TEST(BaseError, WithoutARemedyEndsAfterTheProblem) {
  EXPECT_STREQ(Error(Fault::System, "disk", "is full", "").what(), "disk: is full");
}

TEST(BaseError, SurvivesBeingCaughtAsAStandardException) {
  try {
    throw Error(Fault::Simulation, "frame 3", "did not converge", "smaller steps");
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("frame 3"), std::string::npos);
  }
}

}  // namespace
}  // namespace isochor
