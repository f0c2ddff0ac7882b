#include "isochor/run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "isochor/run/diagnostics.h"
#include "isochor/run/export.h"
#include "tests/run/run_fixture.h"

namespace isochor::run {
namespace {

using files::error_of;
using ::testing::HasSubstr;

using RunnerTest = RunFixture;

TEST_F(RunnerTest, RunLeavesEverythingInItsPlace) {
  const RunResult result = run(options("a"));
  EXPECT_EQ(result.end, RunEnd::Done);
  EXPECT_EQ(result.frames, 5);
  const Manifest manifest = read_manifest(result.directory);
  EXPECT_EQ(manifest.status, "done");
  ASSERT_EQ(manifest.frames.size(), 5u);
  EXPECT_EQ(manifest.frames[3].file, "frames/000003.frame");
  EXPECT_EQ(manifest.frames[3].hash.size(), 16u);
  const DiagnosticsTable table = read_diagnostics(result.directory.diagnostics());
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.values("frame"), (std::vector<double>{0, 1, 2, 3, 4}));
  for (const double residual : table.values("residual")) EXPECT_LE(residual, 1e-6);
  EXPECT_EQ(table.values("reaction.bar.right.fx").size(), 5u);
  EXPECT_THAT(read_text_file(result.directory.report()), HasSubstr("A bar"));
}

TEST_F(RunnerTest, ResumedRunHasTheFramesOfAnUnbrokenOne) {
  const RunResult whole = run(options("whole"));
  RunOptions resumed = options("broken");
  const RunResult broken = run_until(resumed, 2);
  EXPECT_EQ(broken.end, RunEnd::Interrupted);
  EXPECT_EQ(broken.frames, 3);
  EXPECT_EQ(read_manifest(broken.directory).status, "interrupted");
  resumed.resume = true;
  const RunResult done = run(resumed);
  EXPECT_EQ(done.end, RunEnd::Done);
  EXPECT_EQ(hashes(done), hashes(whole));
  EXPECT_EQ(read_diagnostics(done.directory.diagnostics()).rows.size(), 5u);
}

TEST_F(RunnerTest, ResumeGoesBackBehindADamagedFrame) {
  const RunResult whole = run(options("whole"));
  RunOptions resumed = options("broken");
  const RunResult broken = run_until(resumed, 3);
  files::write_quickly(broken.directory.frame(3), "half a fra");
  resumed.resume = true;
  std::string log;
  context_.log = [&](LogLevel, std::string_view text) { log += std::string(text) + "\n"; };
  const RunResult done = run(resumed);
  EXPECT_THAT(log, HasSubstr("resuming after frame 2"));
  EXPECT_EQ(hashes(done), hashes(whole));
}

TEST_F(RunnerTest, ResumeOfAnotherSceneIsRefusedAndLosesNothing) {
  const RunResult first = run(options("a"));
  sim::write_scene(folder_, sim::replaced(sim::kBarScene, "20 kPa", "30 kPa"));
  RunOptions resumed = options("a");
  resumed.resume = true;
  EXPECT_THAT(error_of([&] { run(resumed); }).what(), HasSubstr("another scene"));
  EXPECT_EQ(hashes(first).size(), 5u);
  EXPECT_EQ(read_manifest(first.directory).status, "done");
}

TEST_F(RunnerTest, MoreFramesAreAddedByResuming) {
  run(options("a"));
  sim::write_scene(folder_, sim::replaced(sim::kBarScene, "frames = 4", "frames = 6"));
  RunOptions resumed = options("a");
  resumed.resume = true;
  int computed = 0;
  const RunResult result = run(resumed, [&](const auto&, const auto&) { ++computed; });
  EXPECT_EQ(computed, 2);
  EXPECT_EQ(result.frames, 7);
}

TEST_F(RunnerTest, RerunKeepsTheEarlierRun) {
  const auto first = hashes(run(options("a")));
  const RunResult again = run(options("a"));
  EXPECT_EQ(hashes(again), first);
  EXPECT_EQ(read_manifest(open_run(folder_ / "a.previous")).frames.size(), 5u);
}

TEST_F(RunnerTest, WhatStandsInTheWayOfTheEarlierRunIsNotDeleted) {
  const auto first = hashes(run(options("a")));
  std::filesystem::create_directory(folder_ / "a.previous");
  files::write_quickly(folder_ / "a.previous/thesis.txt", "precious");
  EXPECT_THAT(error_of([&] { run(options("a")); }).what(), HasSubstr("in the way"));
  EXPECT_EQ(read_text_file(folder_ / "a.previous/thesis.txt"), "precious");
  EXPECT_EQ(read_manifest(open_run(folder_ / "a")).frames.size(), first.size());
}

TEST_F(RunnerTest, RedoingTheMiddleNeverLosesTheEnd) {
  const auto first = hashes(run(options("a")));
  RunOptions middle = options("a");
  middle.first_frame = 1;
  middle.last_frame = 2;
  EXPECT_THAT(error_of([&] { run(middle); }).what(), HasSubstr("frames 3 to 4"));
  middle.first_frame = 9;
  middle.last_frame.reset();
  EXPECT_THAT(error_of([&] { run(middle); }).what(), HasSubstr("ends at frame 4"));
  EXPECT_EQ(RunDirectory{folder_ / "a"}.frame_count(), 5);
}

TEST_F(RunnerTest, ForeignDirectoryIsRefusedAndUntouched) {
  std::filesystem::create_directory(folder_ / "photos");
  files::write_quickly(folder_ / "photos/cat.jpg", "meow");
  EXPECT_THAT(error_of([&] { run(options("photos")); }).what(), HasSubstr("not a run"));
  EXPECT_EQ(read_text_file(folder_ / "photos/cat.jpg"), "meow");
}

TEST_F(RunnerTest, FramesCanBeRedoneFromTheMiddle) {
  const auto first = hashes(run(options("a")));
  RunOptions tail = options("a");
  tail.first_frame = 3;
  int computed = 0;
  const RunResult result = run(tail, [&](const auto&, const auto&) { ++computed; });
  EXPECT_EQ(computed, 2);
  EXPECT_EQ(hashes(result), first);
  tail.out = folder_ / "nothing-there";
  EXPECT_THAT(error_of([&] { run(tail); }).what(), HasSubstr("needs the one before"));
}

TEST_F(RunnerTest, FailedRunSaysWhyAndKeepsItsFrames) {
  sim::write_scene(folder_,
                   sim::kBarScene + "\n[method.newton]\nmax_iterations = 2\ntolerance = 1e-9\n");
  const RunResult result = run(options("a"));
  EXPECT_EQ(result.end, RunEnd::Failed);
  EXPECT_THAT(result.message, HasSubstr("no equilibrium found"));
  const Manifest manifest = read_manifest(result.directory);
  EXPECT_EQ(manifest.status, "failed");
  EXPECT_EQ(static_cast<int>(manifest.frames.size()), result.frames);
  EXPECT_THAT(read_text_file(result.directory.report()), HasSubstr("no equilibrium found"));
  // The iterations that led nowhere are what a reader wants to see.
  const DiagnosticsTable convergence = read_diagnostics(result.directory.convergence());
  ASSERT_FALSE(convergence.rows.empty());
  EXPECT_EQ(convergence.rows.back()[0], result.frames);
}

TEST_F(RunnerTest, ExportWritesTheDeformedSurfaceInTheUsersOrder) {
  const RunResult result = run(options("a"));
  const auto objs = export_run(result.directory, "obj", 0, 4);
  ASSERT_EQ(objs.size(), 5u);
  EXPECT_EQ(objs[4].filename(), "bar_000004.obj");
  const auto collections = export_run(result.directory, "vtu", 1, 3);
  ASSERT_EQ(collections.size(), 2u);
  EXPECT_THAT(read_text_file(collections[0]), HasSubstr("bar_volume_000003.vtu"));
  EXPECT_THAT(error_of([&] { export_run(result.directory, "vtx", 0, 4); }).what(),
              HasSubstr("did you mean 'vtu'?"));
}

}  // namespace
}  // namespace isochor::run
