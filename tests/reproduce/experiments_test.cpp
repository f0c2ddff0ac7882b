#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

std::vector<Row> run(std::string_view id, const ExperimentOptions& options = {}) {
  // Tests run side by side, one on each core: threads of two experiments would wait for each other.
  Context context(1);
  for (const Experiment& e : experiments()) {
    if (e.id == id) return e.run(options, context);
  }
  ADD_FAILURE() << "no experiment " << id;
  return {};
}

/// Every claim of an experiment, or of one of its variants, holds, and there are some.
void expect_holds(std::string_view id, const ExperimentOptions& options = {},
                  std::string_view variant = {}) {
  int claims = 0;
  for (const Row& row : run(id, options)) {
    if (!variant.empty() && row.variant != variant) continue;
    const auto verdict = holds(row.relation, row.ours, row.bound);
    claims += verdict.has_value();
    EXPECT_TRUE(verdict.value_or(true))
        << row.quantity << ", " << row.variant << ": " << row.ours.value_or(-1) << " " << row.note;
  }
  EXPECT_GT(claims, 0);
}

TEST(Reproduce, ANumberThatIsOnlyShownClaimsNothing) {
  EXPECT_EQ(claim_text(Relation::Shown, 19.8, 1), "");
  EXPECT_EQ(claim_text(Relation::AtMost, std::nullopt, std::nullopt), "");
  EXPECT_EQ(claim_text(Relation::AtMost, 0.5, 1), "<= 1: holds");
  EXPECT_EQ(claim_text(Relation::AtMost, std::nullopt, 1), "<= 1: DOES NOT HOLD");
}

TEST(Reproduce, McAdamsHourglass) { expect_holds("mcadams/hourglass"); }
TEST(Reproduce, SlowMcAdamsDifferential) { expect_holds("mcadams/differential"); }
TEST(Reproduce, SlowMcAdamsGauss) { expect_holds("mcadams/gauss"); }
TEST(Reproduce, SlowMcAdamsFas) { expect_holds("mcadams/fas"); }
TEST(Reproduce, SlowMcAdamsIndefinite) { expect_holds("mcadams/indefinite"); }
TEST(Reproduce, SlowMcAdamsMultigrid) {
  const std::filesystem::path data = ISOCHOR_SOURCE_DIR "/../shared/data";
  expect_holds("mcadams/multigrid", {.data = data});
  if (!std::filesystem::is_directory(data / "classic")) {
    GTEST_SKIP() << "without the meshes of " << data;
  }
}
TEST(Reproduce, McAdamsSvd) { expect_holds("mcadams/svd"); }
TEST(Reproduce, AnatomyFibres) { expect_holds("anatomy/fibres"); }
TEST(Reproduce, GridEmbedding) { expect_holds("grid/embedding"); }
TEST(Reproduce, GridSeparation) { expect_holds("grid/separation"); }
TEST(Reproduce, IrvingConservation) { expect_holds("irving/conservation"); }
TEST(Reproduce, IrvingMinres) { expect_holds("irving/minres"); }
TEST(Reproduce, SlowIrvingDrop) { expect_holds("irving/drop"); }
TEST(Reproduce, SlowIrvingMuscle) { expect_holds("irving/muscle"); }
TEST(Reproduce, SlowIrvingPlates) { expect_holds("irving/plates"); }
TEST(Reproduce, SlowIrvingSphere) { expect_holds("irving/sphere"); }
TEST(Reproduce, SlowIrvingStairs) { expect_holds("irving/stairs"); }
TEST(Reproduce, SlowIrvingTori) { expect_holds("irving/tori"); }
TEST(Reproduce, SlowTetsStuffing) { expect_holds("tets/stuffing"); }
TEST(Reproduce, SlowPattersonBowtie) { expect_holds("patterson/bowtie"); }
TEST(Reproduce, SlowPattersonJumps) { expect_holds("patterson/jumps"); }
TEST(Reproduce, SlowPattersonTube) { expect_holds("patterson/tube"); }
/// The published matrix does not do what is claimed for it: those rows do not hold.
TEST(Reproduce, SlowPattersonDefectCorrectionOursConvergesLikeTheExactMatrix) {
  int claims = 0;
  for (const Row& row : run("patterson/defect-correction")) {
    if (row.variant != "best" || !row.bound) continue;
    ++claims;
    EXPECT_EQ(holds(row.relation, row.ours, row.bound), true) << row.quantity;
  }
  EXPECT_EQ(claims, 6);
}
TEST(Reproduce, PattersonQuadrature) { expect_holds("patterson/quadrature"); }
TEST(Reproduce, SlowRobustRecovery) { expect_holds("robust/recovery"); }
TEST(Reproduce, RobustScale) { expect_holds("robust/scale"); }
TEST(Reproduce, SheenPenalty) { expect_holds("sheen/penalty"); }
TEST(Reproduce, SlowVerifyBars) { expect_holds("verify/bars"); }
TEST(Reproduce, SlowVerifyHertz) { expect_holds("verify/hertz"); }
// Near the angle at which a block begins to slide the published scheme is off, and its rows say
// why.
TEST(Reproduce, SlowVerifySlopeHoldsButForThePublishedSchemeNearTheAngleOfFriction) {
  int claims = 0;
  for (const Row& row : run("verify/slope")) {
    const auto is_of = [&](const char* friction) {
      return row.quantity.find(friction) != std::string::npos;
    };
    if (row.variant == "paper" && (is_of("friction 0.49") || is_of("friction 0.51"))) continue;
    ++claims;
    EXPECT_EQ(holds(row.relation, row.ours, row.bound), true) << row.quantity;
  }
  EXPECT_EQ(claims, 5 + 5 + 3);
}
TEST(Reproduce, SlowVerifyMms) { expect_holds("verify/mms"); }
// One point per cell is too stiff in torsion; its rows say so.
TEST(Reproduce, SlowVerifyTorsion) { expect_holds("verify/torsion", {}, "paper"); }

TEST(Reproduce, MaterialsCurvesHoldToClosedFormsAndPresetsToTheirMeasurements) {
  const std::filesystem::path data = ISOCHOR_SOURCE_DIR "/../shared/data";
  expect_holds("materials/curves", {.data = data});
  if (!std::filesystem::is_directory(data / "measurement")) {
    GTEST_SKIP() << "presets not compared: no measurements in " << data;
  }
}

TEST(Reproduce, MaterialsCurvesSayWhereTheyLookedForMeasurements) {
  int empty = 0;
  for (const Row& row : run("materials/curves", {.data = "nowhere"})) {
    if (row.ours) continue;
    ++empty;
    EXPECT_THAT(row.note, testing::HasSubstr("nowhere"));
    EXPECT_EQ(row.relation, Relation::Shown) << row.quantity;
  }
  EXPECT_EQ(empty, 3);
}

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
