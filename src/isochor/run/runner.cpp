#include "isochor/run/runner.h"

#include <chrono>
#include <fmt/core.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/run/convergence_log.h"
#include "isochor/run/diagnostics.h"
#include "isochor/run/diagnostics_log.h"
#include "isochor/run/earlier_run.h"

namespace isochor::run {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}
double seconds_since(Clock::time_point start) { return seconds_between(start, Clock::now()); }

/// The manifest of the run that is to be gone on with; none where a new one is started.
std::optional<Manifest> find_earlier(const sim::SceneSpec& scene, const RunOptions& options) {
  const bool from_middle = options.first_frame.value_or(0) > 0;
  if (from_middle && *options.first_frame > scene.time.frames) {
    throw Error(Fault::Input, "--frames",
                fmt::format("frame {} is not in the scene, which ends at frame {}",
                            *options.first_frame, scene.time.frames),
                "choose a smaller frame, or make the scene longer (time.frames)");
  }
  const RunDirectory directory{options.out};
  if ((options.resume || from_middle) && directory.is_run()) {
    Manifest earlier = read_manifest(directory);
    require_same_scene(directory, earlier, scene);
    return earlier;
  }
  if (from_middle) {
    throw Error(Fault::Input, "--frames",
                fmt::format("frame {} needs the one before, and {} holds no run",
                            *options.first_frame, options.out.string()),
                "run from frame 0 first");
  }
  return std::nullopt;
}

class Runner {
 public:
  /// A run that another process writes to, and a scene that is not that of the run to go on with,
  /// are refused before anything large is built.
  Runner(const sim::SceneSpec& scene, const RunOptions& options, Context& context)
      : context_(context),
        options_(options),
        lock_(lock_run(options.out)),
        earlier_(find_earlier(scene, options)),
        simulation_(scene, context) {
    manifest_ = {.version = ISOCHOR_VERSION,
                 .machine = describe_machine(),
                 .threads = context.arena.threads(),
                 .scene_file = scene.file.string(),
                 .scene = sim::resolved_scene(scene),
                 .last_frame = scene.time.frames};
    const int known = earlier_ ? static_cast<int>(earlier_->inputs.size()) - 1 : 0;
    describe_inputs(simulation_, std::max(known, manifest_.last_frame), manifest_);
    if (earlier_) {
      go_on();
    } else {
      start();
    }
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
  void start() {
    directory_ = make_run(options_.out, manifest_, lock_);
    files::write_topology(directory_.topology(), simulation_.topology());
    log_.emplace(directory_.diagnostics(), std::nullopt);
    convergence_.emplace(directory_.convergence(), std::nullopt, context_);
  }

  /// Takes up an earlier run. Its manifest is replaced only when nothing is left that it alone
  /// knows of, so that being killed on the way loses nothing.
  void go_on() {
    directory_ = open_run(options_.out);
    require_same_parts(directory_, *earlier_, manifest_);
    if (earlier_->version != manifest_.version) {
      context_.log(LogLevel::Warning,
                   fmt::format("this run was begun by version {}, and goes on with {}: frames may "
                               "not be those of an unbroken run",
                               earlier_->version, manifest_.version));
    }
    const int wanted =
        options_.first_frame ? *options_.first_frame - 1 : std::numeric_limits<int>::max();
    const Foothold foothold =
        find_foothold(directory_, *earlier_, manifest_, wanted, simulation_, context_);
    refuse_to_lose_frames(foothold, wanted);
    remove_unfinished_files(directory_);
    remove_frames_after(directory_, foothold.last);
    for (int f = 0; f <= foothold.last; ++f) note_frame(f, foothold.hashes[f]);
    // Folders and topology may be missing where a run was killed at its very start.
    make_directory(directory_.topology().parent_path());
    make_directory(directory_.checkpoint(0).parent_path());
    files::write_topology(directory_.topology(), simulation_.topology());
    log_.emplace(directory_.diagnostics(), foothold.last);
    convergence_.emplace(directory_.convergence(), foothold.last, context_);
    write_manifest(directory_, manifest_);
    look_at_kept_rows(foothold.last);
    context_.log(LogLevel::Info, text_of(foothold));
  }

  static std::string text_of(const Foothold& foothold) {
    const auto& [last, same, whole, hashes] = foothold;
    if (last < 0) return "nothing to resume, starting at frame 0";
    if (same == whole) return fmt::format("resuming after frame {}", last);
    return fmt::format("inputs are the same up to frame {}: resuming after {}", same - 1,
                       last == same - 1 ? "it" : fmt::format("frame {}", last));
  }

  void look_at_kept_rows(int last) {
    const bool any = last >= 0 && !std::filesystem::is_empty(directory_.diagnostics());
    const DiagnosticsTable kept =
        any ? read_diagnostics(directory_.diagnostics()) : DiagnosticsTable{};
    for (const char* name : {"solve_seconds", "measure_seconds", "output_seconds"}) {
      const std::vector<double> seconds = kept.values(name);
      earlier_seconds_ += std::accumulate(seconds.begin(), seconds.end(), 0.0);
    }
    const int missing = last + 1 - static_cast<int>(kept.rows.size());
    if (missing > 0) {
      context_.log(LogLevel::Warning, fmt::format("{}: has no rows of {} frames that are kept",
                                                  directory_.diagnostics().string(), missing));
    }
  }

  void refuse_to_lose_frames(const Foothold& foothold, int wanted) const {
    const std::string out = options_.out.string();
    if (options_.first_frame && foothold.last != wanted) {
      throw Error(
          Fault::Input, "--frames",
          fmt::format("frame {} needs the one before, which is not in {}{}", *options_.first_frame,
                      out,
                      foothold.same_inputs < foothold.whole ? " as the scene now asks for it" : ""),
          fmt::format("start at frame {} or earlier", foothold.last + 1));
    }
    // Redoing frames from the middle drops what follows; that must be redone too.
    const int have = directory_.frame_count() - 1;
    if (options_.first_frame.value_or(0) > 0 && last_frame() < have) {
      throw Error(Fault::Input, "--frames",
                  fmt::format("frames {} to {} of {} would be lost", last_frame() + 1, have, out),
                  fmt::format("redo them too (--frames {}:), or copy the run first",
                              *options_.first_frame));
    }
    if (foothold.whole > 0 && foothold.same_inputs == 0) {
      throw Error(Fault::Input, directory_.manifest().string(),
                  "this run was made from another scene: what moves its bodies differs from frame "
                  "0 on, so that no frame could be kept",
                  "put it back, or run without --resume, which keeps the earlier run as "
                  "NAME.previous");
    }
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
    const auto measured = Clock::now();
    write_file_atomic(directory_.checkpoint(frame.index), simulation_.checkpoint());
    log_->add(*report, measures,
              {.measure = seconds_between(start, measured), .write = seconds_since(measured)});
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
      manifest_.wall_seconds = earlier_seconds_ + seconds_since(start_);
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
  std::optional<FileLock> lock_;
  std::optional<Manifest> earlier_;  ///< of the run that is gone on with
  double earlier_seconds_ = 0;       ///< that its frames took
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
