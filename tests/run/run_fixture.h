#pragma once

#include <gtest/gtest.h>

#include "isochor/run/runner.h"
#include "tests/sim/test_scene.h"

namespace isochor::run {

/// Runs a small scene into folders that go away.
class RunFixture : public ::testing::Test {
 protected:
  RunResult run(
      const RunOptions& options, const OnFrame& on_frame = [](const auto&, const auto&) {}) {
    return run_scene(sim::load_scene(scene_), options, context_, on_frame);
  }
  RunOptions options(const std::string& name) const {
    return {.out = folder_ / name, .pictures = false};
  }
  /// Stops as Ctrl-C would, once a frame is written.
  RunResult run_until(const RunOptions& options, int frame) {
    const RunResult result = run(options, [&](const sim::FrameReport& report, const auto&) {
      if (report.frame == frame) context_.cancelled = true;
    });
    context_.cancelled = false;
    return result;
  }
  static std::vector<std::string> hashes(const RunResult& result) {
    std::vector<std::string> all;
    for (const auto& f : read_manifest(result.directory).frames) all.push_back(f.hash);
    return all;
  }

  files::TemporaryFolder folder_{files::TemporaryFolder::Where::Memory};
  std::filesystem::path scene_ = sim::write_scene(folder_);
  Context context_{1};
};

}  // namespace isochor::run
