#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/run/run_directory.h"
#include "isochor/sim/capabilities.h"
#include "tests/app/program.h"
#include "tests/sim/test_scene.h"

namespace isochor::app {
namespace {

using sim::kBarScene;
using sim::replaced;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CompareTest : public ::testing::Test {
 protected:
  Outcome compare(const std::string& methods, const std::string& scene = kBarScene,
                  const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"compare", "--methods",
                                   methods,   sim::write_scene(folder_, scene).string(),
                                   "--out",   (folder_ / "m").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder_, words);
  }
  std::string page() const { return slurp(folder_ / "m/comparison.html"); }
  run::Manifest manifest(const std::string& method) const {
    return run::read_manifest({folder_ / ("m/" + method)});
  }

  files::TemporaryFolder folder_{files::TemporaryFolder::Where::Memory};
};

TEST_F(CompareTest, OneSceneRunsThroughEveryMethodThatHasStaticsAtTheSameTolerance) {
  // Published cycles on the staggered grid are many.
  const Outcome outcome = compare("all", kBarScene, {"--set", "method.newton.max_iterations=1000"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const sim::Capability& method : sim::capabilities()) {
    const std::string name(method.name);
    if (!method.has(sim::Feature::Static)) {
      EXPECT_THAT(page(), HasSubstr("<td>" + name + "</td><td>not run: has no static"));
      continue;
    }
    EXPECT_EQ(manifest(name).status, "done") << name;
    EXPECT_EQ(manifest(name).frames.size(), 5u) << name;
    EXPECT_THAT(manifest(name).scene, HasSubstr("tolerance = 1e-06")) << name;
    EXPECT_THAT(page(), HasSubstr("data-title=\"" + name + "\""));
  }
  for (const char* column : {"operator applications", "wall time [s]", "volume error [%]"}) {
    EXPECT_THAT(page(), HasSubstr("<th>" + std::string(column) + "</th>"));
  }
}

TEST_F(CompareTest, MethodThatCannotRunTheSceneStandsInTheTableWithItsReason) {
  const Outcome outcome =
      compare("lattice,lattice-fas",
              replaced(kBarScene, "frames = 4\n", "frames = 1\nintegrator = \"bdf2\"\n"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("lattice-fas: cannot run this scene: has no dynamic"));
  EXPECT_THAT(page(), AllOf(HasSubstr("<td>lattice-fas</td><td>not run: has no dynamic"),
                            Not(HasSubstr("data-title=\"lattice-fas\""))));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/lattice-fas"));
}

TEST_F(CompareTest, MethodThatFailsIsShownAndTheOthersGoOn) {
  // A file where the run of one method would be.
  std::filesystem::create_directory(folder_ / "m");
  files::write_quickly(folder_ / "m/lattice-paper", "in the way");
  const Outcome outcome = compare("lattice-paper,lattice", kBarScene, {"--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(page(), HasSubstr("<td>lattice-paper</td><td>not run: "));
  EXPECT_EQ(manifest("lattice").status, "done");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("is a file"), HasSubstr("\"directory\": null")));
}

TEST_F(CompareTest, RunThatFailsOnItsWayKeepsItsFramesAndItsMessage) {
  const Outcome outcome =
      compare("lattice", kBarScene + "\n[method.newton]\nmax_iterations = 2\ntolerance = 1e-9\n");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(page(), HasSubstr("failed: "));
  EXPECT_THAT(page(), HasSubstr("no equilibrium found"));
}

TEST_F(CompareTest, ResumedComparisonComputesOnlyWhatIsMissing) {
  ASSERT_EQ(compare("lattice").status, 0);
  const Outcome outcome = compare("lattice,lattice-paper", kBarScene, {"--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("resuming after frame 4"));
  EXPECT_EQ(manifest("lattice-paper").frames.size(), 5u);
}

TEST_F(CompareTest, WrongArgumentsAreInputErrors) {
  const Outcome misspelt = compare("lattice,latice-fas");
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'lattice-fas'?"));
  const Outcome missing =
      compare("all", replaced(kBarScene, "kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
                              "kind = \"mesh\"\nfile = \"no-such.obj\""));
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no-such.obj"));
  EXPECT_EQ(compare("all", kBarScene, {"more.toml"}).status, 2);
}

}  // namespace
}  // namespace isochor::app
