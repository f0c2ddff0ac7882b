#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "isochor/run/run_directory.h"
#include "isochor/run/viewer_data.h"
#include "isochor/sim/simulation.h"

namespace isochor::run {

struct RunOptions {
  std::filesystem::path out;
  bool resume = false;
  std::optional<int> first_frame;  ///< recompute from here; the frame before must be there
  std::optional<int> last_frame;   ///< stop after this one
  bool pictures = true;            ///< in the report
};

enum class RunEnd { Done, Failed, Interrupted };

struct RunResult {
  RunEnd end = RunEnd::Done;
  std::string message;  ///< of a failure
  RunDirectory directory;
  int frames = 0;  ///< whole frames in the directory
};

/// After each frame, for whoever shows progress.
using OnFrame = std::function<void(const sim::FrameReport&, const sim::Measures&)>;

/// The main job: simulates the scene and leaves a run directory with a report. Input errors are
/// thrown before anything on disk is touched; a failure on the way is returned, with all whole
/// frames, a manifest and a report in place.
RunResult run_scene(const sim::SceneSpec& scene, const RunOptions& options, Context& context,
                    const OnFrame& on_frame);

/// The frames of a run for a page; the set-up is that of its scene, where it is known.
ViewerData pack_run(const RunDirectory& directory, const sim::Setup& setup = {});

/// Writes report.html from what the run directory holds.
void write_report(const RunDirectory& directory, const std::string& title, const sim::Setup& setup,
                  bool pictures, Context& context);

}  // namespace isochor::run
