#include <gtest/gtest.h>

#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

/// Every claim of an experiment holds, and there are some.
void expect_holds(std::string_view id) {
  for (const Experiment& e : experiments()) {
    if (e.id != id) continue;
    Context context;
    int claims = 0;
    for (const Row& row : e.run({}, context)) {
      const auto verdict = holds(row.relation, row.ours, row.bound);
      claims += verdict.has_value();
      EXPECT_TRUE(verdict.value_or(true)) << row.quantity << ", " << row.variant << ": "
                                          << row.ours.value_or(-1) << " " << row.note;
    }
    EXPECT_GT(claims, 0);
    return;
  }
  ADD_FAILURE() << "no experiment " << id;
}

TEST(Reproduce, McAdamsHourglass) { expect_holds("mcadams/hourglass"); }
TEST(Reproduce, McAdamsSvd) { expect_holds("mcadams/svd"); }

TEST(ReproduceRow, ClaimHoldsByItsRelationAndFailsWithoutAMeasurement) {
  EXPECT_EQ(holds(Relation::AtMost, 1.0, 1.0), true);
  EXPECT_EQ(holds(Relation::Below, 1.0, 1.0), false);
  EXPECT_EQ(holds(Relation::AtLeast, 0.5, 1.0), false);
  EXPECT_EQ(holds(Relation::Above, 2.0, 1.0), true);
  EXPECT_EQ(holds(Relation::AtMost, std::nullopt, 1.0), false);
  EXPECT_EQ(holds(Relation::Shown, 3.0, std::nullopt), std::nullopt);
}

}  // namespace
}  // namespace isochor::reproduce
