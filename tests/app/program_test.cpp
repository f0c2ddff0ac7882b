#include "tests/app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/sim/test_scene.h"

namespace isochor::app {
namespace {

using files::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

std::vector<std::string> frame_hashes(const std::filesystem::path& run) {
  const Json manifest = Json::parse(slurp(run / "run.json"));
  std::vector<std::string> hashes;
  for (const Json& f : manifest.at("frames")) hashes.push_back(f.at("hash"));
  return hashes;
}

TEST(Cli, HashesAreTheSameForAnyThreadCount) {
  const TemporaryFolder folder;
  const std::string scene = sim::write_scene(folder).string();
  std::vector<std::string> reference;
  for (const char* threads : {"1", "2", "5"}) {
    const auto out = folder / threads;
    ASSERT_EQ(run_program(folder, {"run", scene, "--out", out.string(), "--threads", threads,
                                   "--quiet", "--no-pictures"})
                  .status,
              0);
    if (reference.empty()) reference = frame_hashes(out);
    EXPECT_EQ(frame_hashes(out), reference) << threads << " threads";
  }
  EXPECT_EQ(reference.size(), 5u);
}

TEST(Cli, ARunInTimeResumesToTheSameHashesAndReportsItsEnergies) {
  const TemporaryFolder folder;
  const std::string scene =
      sim::write_scene(folder, sim::replaced(sim::kBarScene, "frames = 4\n",
                                             "frames = 4\nintegrator = \"bdf2\"\nsubsteps = 2\n"))
          .string();
  const auto whole = folder / "whole", parts = folder / "parts";
  const auto run = [&](const std::filesystem::path& out, const char* frames) {
    return run_program(folder, {"run", scene, "--out", out.string(), "--no-pictures", "--resume",
                                "--frames", frames})
        .status;
  };
  ASSERT_EQ(run(whole, ":4"), 0);
  ASSERT_EQ(run(parts, ":2"), 0);
  ASSERT_EQ(run(parts, ":4"), 0);
  EXPECT_EQ(frame_hashes(parts), frame_hashes(whole));
  const std::string report = slurp(whole / "report.html");
  for (const char* words : {"kinetic energy", "Energy balance", "Linear momentum"}) {
    EXPECT_THAT(report, HasSubstr(words));
  }
}

TEST(Cli, InterruptEndsWithWholeFramesAndStatus130) {
  const TemporaryFolder folder;
  const std::string scene =
      sim::write_scene(folder, sim::replaced(sim::kBarScene, "\"10 cm\"", "\"4 cm\"")).string();
  const auto out = folder / "out";
  const pid_t child =
      start({"run", scene, "--out", out.string(), "--no-pictures"}, folder / "o", folder / "e");
  for (int i = 0; i < 20000 && !std::filesystem::exists(out / "frames/000000.frame"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130) << slurp(folder / "e");
  const Json manifest = Json::parse(slurp(out / "run.json"));
  EXPECT_EQ(manifest.at("status"), "interrupted");
  EXPECT_GE(manifest.at("frames").size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(out / "report.html"));
}

TEST(Cli, JsonIsOneDocumentOnStandardOutput) {
  const TemporaryFolder folder;
  const std::string scene = sim::write_scene(folder).string();
  const Outcome run = run_program(
      folder, {"run", scene, "--out", (folder / "out").string(), "--json", "--no-pictures"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(Json::parse(run.out).at("status"), "done");
  const Outcome check = run_program(folder, {"--json", "check", scene});
  EXPECT_EQ(Json::parse(check.out).at("cells"), 6 * 2 * 2);
  EXPECT_TRUE(Json::parse(run_program(folder, {"list", "--json"}).out).contains("methods"));
}

TEST(Cli, CheckPrintsASceneThatRuns) {
  const TemporaryFolder folder;
  const std::string scene = sim::write_scene(folder).string();
  const Outcome check = run_program(folder, {"check", scene});
  EXPECT_EQ(check.status, 0);
  EXPECT_THAT(check.out, AllOf(HasSubstr("24 cells"), HasSubstr("mu = 7692.31 Pa")));
  files::write_quickly(folder / "resolved.toml", check.out);
  EXPECT_EQ(run_program(folder, {"check", (folder / "resolved.toml").string()}).out, check.out);
}

TEST(Cli, RenderedPictureIsAPng) {
  const TemporaryFolder folder;
  const std::string scene = sim::write_scene(folder).string(), out = (folder / "out").string();
  ASSERT_EQ(run_program(folder, {"run", scene, "--out", out, "--quiet", "--no-pictures"}).status,
            0);
  const std::string png = (folder / "x.png").string();
  const Outcome o =
      run_program(folder, {"render", out, "-o", png, "--width", "80", "--height", "50", "--samples",
                           "1", "--field", "pressure", "--frame", "2"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(slurp(png).substr(1, 3), "PNG");
}

TEST(Cli, OneLinePerFrameWhereThereIsNoTerminal) {
  const TemporaryFolder folder;
  const std::string scene = sim::write_scene(folder).string();
  const Outcome o =
      run_program(folder, {"run", scene, "--out", (folder / "out").string(), "--no-pictures"});
  for (int f = 0; f <= 4; ++f) EXPECT_THAT(o.err, HasSubstr("frame " + std::to_string(f) + "/4"));
}

}  // namespace
}  // namespace isochor::app
