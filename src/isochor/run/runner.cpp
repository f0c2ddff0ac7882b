#include "isochor/run/runner.h"

#include <chrono>
#include <fmt/core.h>
#include <fstream>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/run/convergence_log.h"
#include "isochor/run/diagnostics_log.h"

namespace isochor::run {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Two runs with the same identity have the same frames, as far as both go.
std::string identity_of(sim::SceneSpec scene, const sim::Simulation& simulation) {
  scene.title.clear();
  scene.time.frames = 0;
  Hash hash;
  hash.add(sim::resolved_scene(scene));
  for (const files::BodyTopology& body : simulation.topology().bodies) {
    hash.add(std::as_bytes(std::span(body.surface.positions)));
    hash.add(std::as_bytes(std::span(body.surface.corners)));
  }
  return hash.text();
}

/// The last frame whose file and checkpoint are whole, at most `limit`; -1 if there is none.
int last_whole_frame(const RunDirectory& directory, int limit, sim::Simulation& simulation,
                     Context& context) {
  for (int f = std::min(limit, directory.frame_count() - 1); f >= 0; --f) {
    try {
      files::frame_hash(directory.frame(f));
      simulation.restore(directory.checkpoint(f), read_file(directory.checkpoint(f)));
      return f;
    } catch (const Error& error) {
      context.log(LogLevel::Warning, error.what());
    }
  }
  return -1;
}

void require_same_scene(const RunDirectory& directory, const std::string& identity) {
  if (read_manifest(directory).identity == identity) return;
  throw Error(Fault::Input, directory.manifest().string(),
              "this run was made from another scene, so that it cannot be continued",
              "run without --resume, or into another place (--out DIR)");
}

/// Frames of an earlier run that this one replaces must not be mistaken for its own.
void remove_frames_after(const RunDirectory& directory, int last) {
  for (int f = directory.frame_count() - 1; f > last; --f) {
    std::filesystem::remove(directory.frame(f));
  }
}

class Runner {
 public:
  Runner(const sim::SceneSpec& scene, const RunOptions& options, Context& context)
      : context_(context), options_(options), simulation_(scene, context) {
    manifest_ = {.version = ISOCHOR_VERSION,
                 .machine = describe_machine(),
                 .threads = context.arena.threads(),
                 .scene_file = scene.file.string(),
                 .scene = sim::resolved_scene(scene),
                 .identity = identity_of(scene, simulation_),
                 .last_frame = scene.time.frames};
    open_directory();
  }

  RunResult run(const OnFrame& on_frame) {
    RunResult result{.directory = directory_};
    try {
      while (simulation_.frame() < last_frame()) {
        if (context_.cancelled || !compute_frame(on_frame)) {
          result.end = RunEnd::Interrupted;
          result.message = fmt::format("stopped after frame {}", simulation_.frame());
          break;
        }
      }
    } catch (const Error& error) {
      result.end = RunEnd::Failed;
      result.message = error.what();
    }
    finish(result);
    return result;
  }

 private:
  void open_directory() {
    const bool from_middle = options_.first_frame.value_or(0) > 0;
    if (from_middle && *options_.first_frame > manifest_.last_frame) {
      throw Error(Fault::Input, "--frames",
                  fmt::format("frame {} is not in the scene, which ends at frame {}",
                              *options_.first_frame, manifest_.last_frame),
                  "choose a smaller frame, or make the scene longer (time.frames)");
    }
    if (!(options_.resume || from_middle) || !RunDirectory{options_.out}.is_run()) {
      if (from_middle) {
        throw Error(Fault::Input, "--frames",
                    fmt::format("frame {} needs the one before, and {} holds no run",
                                *options_.first_frame, options_.out.string()),
                    "run from frame 0 first");
      }
      directory_ = make_run(options_.out, manifest_);
      files::write_topology(directory_.topology(), simulation_.topology());
      log_.emplace(directory_.diagnostics(), std::nullopt);
      convergence_.emplace(directory_.convergence(), std::nullopt, context_);
      return;
    }
    directory_ = open_run(options_.out);
    require_same_scene(directory_, manifest_.identity);
    const int wanted =
        options_.first_frame ? *options_.first_frame - 1 : std::numeric_limits<int>::max();
    const int last = last_whole_frame(directory_, wanted, simulation_, context_);
    if (options_.first_frame && last != wanted) {
      throw Error(Fault::Input, "--frames",
                  fmt::format("frame {} needs the one before, which is not in {}",
                              *options_.first_frame, options_.out.string()),
                  fmt::format("start at frame {} or earlier", last + 1));
    }
    if (from_middle) refuse_to_lose_frames();
    remove_frames_after(directory_, last);
    for (int f = 0; f <= last; ++f) note_frame(f, files::frame_hash(directory_.frame(f)));
    // Folders and topology may be missing where a run was killed at its very start.
    make_directory(directory_.topology().parent_path());
    make_directory(directory_.checkpoint(0).parent_path());
    files::write_topology(directory_.topology(), simulation_.topology());
    log_.emplace(directory_.diagnostics(), last);
    convergence_.emplace(directory_.convergence(), last, context_);
    write_manifest(directory_, manifest_);
    context_.log(LogLevel::Info, last >= 0 ? fmt::format("resuming after frame {}", last)
                                           : "nothing to resume, starting at frame 0");
  }

  /// Redoing frames from the middle drops what follows; that must be redone too.
  void refuse_to_lose_frames() const {
    const int have = directory_.frame_count() - 1;
    if (last_frame() >= have) return;
    throw Error(
        Fault::Input, "--frames",
        fmt::format("frames {} to {} of {} would be lost", last_frame() + 1, have,
                    options_.out.string()),
        fmt::format("redo them too (--frames {}:), or copy the run first", *options_.first_frame));
  }

  int last_frame() const {
    return std::min(options_.last_frame.value_or(manifest_.last_frame), manifest_.last_frame);
  }

  /// False if cancelled. The frame file is written last: once it is there, the frame is whole.
  bool compute_frame(const OnFrame& on_frame) {
    const std::optional<sim::FrameReport> report = simulation_.advance();
    convergence_->write();
    if (!report) return false;
    const auto start = Clock::now();
    const auto [frame, measures] = simulation_.snapshot();
    write_file_atomic(directory_.checkpoint(frame.index), simulation_.checkpoint());
    log_->add(*report, measures, seconds_since(start));
    note_frame(frame.index, files::write_frame(directory_.frame(frame.index), frame));
    on_frame(*report, measures);
    return true;
  }

  void note_frame(int index, std::uint64_t hash) {
    manifest_.frames.push_back(
        {index, directory_.frame(index).lexically_relative(directory_.root).string(),
         fmt::format("{:016x}", hash)});
  }

  /// Leaves manifest and report. What goes wrong here makes a run that was done a failed one.
  void finish(RunResult& result) {
    constexpr const char* kStatus[] = {"done", "failed", "interrupted"};
    result.frames = static_cast<int>(manifest_.frames.size());
    try {
      manifest_.status = kStatus[static_cast<int>(result.end)];
      manifest_.message = result.message;
      manifest_.wall_seconds = seconds_since(start_);
      write_manifest(directory_, manifest_);
      convergence_->write();  // the iterations of a frame that failed
      const sim::SceneSpec& scene = simulation_.scene();
      write_report(directory_, scene.title.empty() ? scene.file.stem().string() : scene.title,
                   simulation_.setup(), options_.pictures && result.end != RunEnd::Interrupted,
                   context_);
    } catch (const Error& error) {
      if (result.end != RunEnd::Done) {
        context_.log(LogLevel::Warning, error.what());
        return;
      }
      result.end = RunEnd::Failed;
      result.message = error.what();
    }
  }

  const Clock::time_point start_ = Clock::now();
  Context& context_;
  const RunOptions& options_;
  sim::Simulation simulation_;
  RunDirectory directory_;
  Manifest manifest_;
  std::optional<DiagnosticsLog> log_;
  std::optional<ConvergenceLog> convergence_;
};

}  // namespace

RunResult run_scene(const sim::SceneSpec& scene, const RunOptions& options, Context& context,
                    const OnFrame& on_frame) {
  return Runner(scene, options, context).run(on_frame);
}

}  // namespace isochor::run
