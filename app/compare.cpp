#include <fmt/core.h>

#include "app/commands.h"
#include "app/progress_line.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/json.h"
#include "isochor/base/text.h"
#include "isochor/run/pages.h"
#include "isochor/run/runner.h"
#include "isochor/sim/capabilities.h"

namespace isochor::app {
namespace {

namespace fs = std::filesystem;
using Methods = std::vector<const sim::Capability*>;

/// "all", or names with commas between them.
Methods parse_methods(std::string_view text) {
  std::vector<std::string_view> known;
  Methods chosen;
  for (const sim::Capability& row : sim::capabilities()) {
    known.push_back(row.name);
    if (text == "all") chosen.push_back(&row);
  }
  for (std::string_view rest = text; text != "all";) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw Error(Fault::Input, "--methods", fmt::format("there is no method '{}'", name),
                  suggest(name, known));
    }
    chosen.push_back(&sim::capabilities()[found - known.begin()]);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return chosen;
}

/// Runs a scene by one method after the other. One that fails does not stop the others.
class MethodRuns {
 public:
  MethodRuns(const CompareCommand& command, const CommonOptions& common)
      : command_(command),
        common_(common),
        scene_(sim::load_scene(command.runs[0], command.settings)),
        context_(common.threads) {
    set_on_interrupt(&context_.cancelled);
    out_ = command.out;
    if (out_.empty()) out_ = fs::path("out") / (command.runs[0].stem().string() + ".methods");
  }

  const fs::path& out() const { return out_; }
  const std::string title() const {
    return scene_.title.empty() ? scene_.file.stem().string() : scene_.title;
  }
  bool interrupted() const { return context_.cancelled; }
  /// Some method that could have run the scene did not get through.
  bool failed() const { return failed_; }

  std::vector<run::Contender> run(const Methods& methods) {
    std::vector<run::Contender> contenders;
    for (const sim::Capability* method : methods) contenders.push_back(run_one(*method));
    if (problem_ && std::ranges::none_of(contenders, has_frames)) throw Error(*problem_);
    return contenders;
  }

 private:
  static bool has_frames(const run::Contender& c) { return c.run && c.run->frame_count() > 0; }

  run::Contender run_one(const sim::Capability& method) {
    run::Contender contender{.title = std::string(method.name)};
    const sim::SceneSpec scene = sim::with_method(scene_, method);
    const std::vector<std::string> missing = sim::obstacles(method, scene);
    if (!missing.empty()) {
      contender.problem =
          "has " + join(std::vector<std::string_view>(missing.begin(), missing.end()));
      say(contender, "cannot run this scene");
      return contender;
    }
    if (context_.cancelled) return contender;
    if (!common_.quiet) fmt::print(stderr, "{}:\n", contender.title);
    ProgressLine line(ProgressLine::style_for(common_.quiet), scene.time.frames);
    show_log(context_, line, common_.quiet);
    context_.on_progress = [&](const Progress& p) { line.update(p); };
    const run::RunOptions options{
        .out = out_ / method.name, .resume = command_.resume, .pictures = false};
    try {
      const run::RunResult result = run::run_scene(
          scene, options, context_,
          [&](const auto& report, const auto& measures) { line.frame_done(report, measures); });
      contender.run = result.directory;
      contender.problem = result.message;
      failed_ = failed_ || result.end == run::RunEnd::Failed;
    } catch (const Error& error) {
      contender.problem = error.what();
      failed_ = true;
      if (!problem_) problem_ = error;
    }
    line.close();
    if (!contender.problem.empty()) say(contender, "did not get to the end");
    return contender;
  }

  void say(const run::Contender& contender, std::string_view what) const {
    fmt::print(stderr, "{}: {}: {}\n", contender.title, what, contender.problem);
  }

  const CompareCommand& command_;
  const CommonOptions& common_;
  const sim::SceneSpec scene_;
  Context context_;
  fs::path out_;
  bool failed_ = false;
  std::optional<Error> problem_;  ///< the first that kept a method from starting
};

void write_page(const fs::path& file, const std::string& title,
                std::span<const run::Contender> contenders, const CommonOptions& common) {
  write_file_atomic(file, run::comparison_page(title, contenders));
  if (common.json) {
    const auto one = [](const run::Contender& c) {
      return Json{{"name", c.title},
                  {"directory", c.run ? Json(c.run->root.string()) : Json()},
                  {"problem", c.problem}};
    };
    fmt::print("{}\n",
               Json{{"page", file.string()}, {"runs", Json::array(contenders, one)}}.text());
  } else if (!common.quiet) {
    fmt::print("{}\n", file.string());
  }
  finish_output();
}

int compare_methods(const CompareCommand& command, const CommonOptions& common) {
  if (command.runs.size() != 1) {
    throw Error(Fault::Input, "compare --methods",
                fmt::format("{} files are named, expected one scene", command.runs.size()),
                "name one scene; runs that exist are compared without --methods");
  }
  const Methods methods = parse_methods(command.methods);
  MethodRuns runs(command, common);
  const std::vector<run::Contender> contenders = runs.run(methods);
  write_page(command.output.empty() ? runs.out() / "comparison.html" : command.output,
             runs.title() + ", by method", contenders, common);
  if (runs.interrupted()) return kInterrupted;
  return runs.failed() ? kFailed : kDone;
}

}  // namespace

int compare_command(const CompareCommand& command, const CommonOptions& common) {
  if (!command.methods.empty()) return compare_methods(command, common);
  if (command.runs.size() < 2) {
    throw Error(Fault::Input, "compare", "one run alone is nothing to compare",
                "name two or more runs, or a scene and --methods all");
  }
  std::vector<run::RunDirectory> runs;
  for (const fs::path& run : command.runs) runs.push_back(run::open_run(run));
  write_page(command.output.empty() ? "comparison.html" : command.output, "Comparison",
             run::contenders_of(runs), common);
  return kDone;
}

}  // namespace isochor::app
