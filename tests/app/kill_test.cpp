/// A run that is killed whenever and as often as it may be ends like one that was left in peace.
#include <chrono>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

#include "isochor/run/diagnostics.h"
#include "tests/app/program.h"
#include "tests/sim/test_scene.h"

namespace isochor::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Files = std::map<std::string, std::string>;

/// What a run leaves, without what tells of times: the two pages with numbers of their own, and
/// columns of seconds.
Files files_of(const fs::path& run) {
  Files all;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(run).string();
    all[name] = name == "run.json" || name == "report.html" ? "" : slurp(entry.path());
  }
  std::string& numbers = all["diagnostics.csv"];
  numbers.clear();
  const run::DiagnosticsTable table = run::read_diagnostics(run / "diagnostics.csv");
  for (const std::string& column : table.columns) {
    const std::string name = run::parse_column(column).name;
    if (name.ends_with("_seconds")) continue;
    numbers += name;
    for (const double value : table.values(name)) numbers += fmt::format(" {}", value);
    numbers += '\n';
  }
  const std::string manifest = slurp(run / "run.json");
  all["run.json"] = manifest.substr(manifest.find("\"inputs\""));
  return all;
}

/// Kills a run, and each that goes on with it, until one gets through; then starts anew.
void kill_and_resume(const std::string& scene_text, const files::TemporaryFolder& folder,
                     unsigned seed) {
  constexpr int kKills = 50;
  const std::string scene = sim::write_scene(folder, scene_text).string();
  const auto arguments = [&](const std::string& name) {
    return std::vector<std::string>{
        "run",           scene,       "--out", (folder / name).string(), "--resume", "--quiet",
        "--no-pictures", "--threads", "1"};
  };
  const auto begin = Clock::now();
  ASSERT_EQ(run_program(folder, arguments("whole")).status, 0);
  const std::chrono::duration<double> whole = Clock::now() - begin;
  const Files expected = files_of(folder / "whole");

  std::mt19937 random(seed);
  std::uniform_real_distribution<double> moment(0, whole.count());
  int kills = 0, early = 0, late = 0;
  for (int runs = 0; kills < kKills; ++runs) {
    const std::string name = "run" + std::to_string(runs);
    for (bool done = false; !done;) {
      const pid_t child = start(arguments(name), folder / "o", folder / "e");
      if (kills < kKills) {
        std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
        ::kill(child, SIGKILL);
      }
      const int status = wait_for(child);
      done = status == 0;
      if (done) continue;
      ASSERT_EQ(status, 128 + SIGKILL) << slurp(folder / "e");
      ++kills;
      early += !fs::exists(folder / name / "frames/000000.frame");
      late += fs::exists(folder / name / "frames/000006.frame");
    }
    const Files found = files_of(folder / name);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [file, contents] : expected) {
      ASSERT_TRUE(found.contains(file)) << file;
      EXPECT_TRUE(found.at(file) == contents) << file << " after kill " << kills;
    }
  }
  ::testing::Test::RecordProperty("killed before frame 0", early);
  ::testing::Test::RecordProperty("killed after the last frame", late);
}

/// In time, where a state is more than positions.
const std::string kMovingBar =
    sim::replaced(sim::kBarScene, "frames = 4\n", "frames = 6\nintegrator = \"bdf2\"\n");

TEST(Kill, AtFiftyRandomMomentsARunResumesToTheSameBits) {
  const files::TemporaryFolder folder(files::TemporaryFolder::Where::Memory);
  kill_and_resume(kMovingBar, folder, 2011);
}

TEST(Kill, SlowOnADiskTheSameHolds) {
  const files::TemporaryFolder folder;
  kill_and_resume(sim::replaced(kMovingBar, "10 cm", "5 cm"), folder, 2012);
}

}  // namespace
}  // namespace isochor::app
