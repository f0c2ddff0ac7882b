#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "tests/app/program.h"
#include "tests/sim/test_scene.h"

namespace isochor::app {
namespace {

using files::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PagesTest : public ::testing::Test {
 protected:
  std::string run_into(const std::string& name) {
    const std::string out = (folder_ / name).string();
    EXPECT_EQ(
        run_program(folder_, {"run", scene_, "--out", out, "--quiet", "--no-pictures"}).status, 0);
    return out;
  }

  TemporaryFolder folder_;
  std::string scene_ = sim::write_scene(folder_).string();
};

TEST_F(PagesTest, PreviewShowsTheSetUpAndSimulatesNothing) {
  const std::string page = (folder_ / "setup.html").string();
  const bool before = std::filesystem::exists("out");
  const Outcome outcome = run_program(folder_, {"check", scene_, "--preview", page});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("setup.html"));
  const std::string html = slurp(page);
  EXPECT_THAT(html, HasSubstr("bar.right"));
  EXPECT_THAT(html, HasSubstr("\"frames\": []"));
  EXPECT_EQ(std::filesystem::exists("out"), before);
  EXPECT_THAT(run_program(folder_, {"check", scene_}).err, Not(HasSubstr("preview")));
}

TEST_F(PagesTest, PreviewHasANameOfItsOwn) {
  const Outcome outcome = run_program(folder_, {"check", scene_, "--preview"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("scene.preview.html"));
  EXPECT_TRUE(std::filesystem::remove("scene.preview.html"));
}

TEST_F(PagesTest, ReportHoldsEveryFrameAndIteration) {
  const std::string out = run_into("a");
  const std::string html = slurp(out + "/report.html");
  EXPECT_THAT(html, HasSubstr("\"index\": 4,"));
  EXPECT_THAT(html, HasSubstr("Residual per Newton iteration"));
  EXPECT_THAT(html, HasSubstr("Histogram of J, frame 4"));
  EXPECT_THAT(
      slurp(out + "/convergence.csv"),
      StartsWith("frame,step_begin [frames],newton_iterations,krylov_iterations,residual\n0,"));
}

TEST_F(PagesTest, ComparisonPutsRunsSideBySide) {
  const std::string a = run_into("a"), b = run_into("b"), page = (folder_ / "c.html").string();
  EXPECT_EQ(run_program(folder_, {"compare", a, b, "-o", page}).status, 0);
  const std::string html = slurp(page);
  EXPECT_THAT(html, HasSubstr("data-run=\"1\" data-title=\"b\""));
  EXPECT_THAT(html, HasSubstr("<th>operator applications</th>"));
  const Outcome alone = run_program(folder_, {"compare", a});
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(run_program(folder_, {"compare", a, scene_}).status, 2);
}

TEST_F(PagesTest, ViewServesTheReportUntilItIsInterrupted) {
  const std::string out = run_into("a");
  const auto said = folder_ / "address";
  const pid_t child = start({"view", out}, said, folder_ / "e");
  std::string address;
  for (int i = 0; i < 5000 && !address.ends_with("/\n"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    address = slurp(said);
  }
  EXPECT_THAT(address, StartsWith("http://127.0.0.1:"));
  ::kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 0) << slurp(folder_ / "e");

  std::filesystem::remove(out + "/report.html");
  const Outcome without = run_program(folder_, {"view", out});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, HasSubstr("has no report"));
}

}  // namespace
}  // namespace isochor::app
