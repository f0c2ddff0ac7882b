#include "isochor/run/pages.h"

#include <fmt/core.h>

#include "app/commands.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/json.h"
#include "isochor/run/report_server.h"

namespace isochor::app {

void write_preview(const CheckCommand& command, const sim::Simulation& simulation,
                   const CommonOptions& common) {
  std::filesystem::path file = command.preview_file;
  if (file.empty()) file = command.scene.stem().string() + ".preview.html";
  write_file_atomic(file, run::preview_page(simulation));
  if (!common.quiet) fmt::print(stderr, "preview: {}\n", file.string());
}

int view_command(const ViewCommand& command, const CommonOptions& common) {
  const run::RunDirectory directory = run::open_run(command.run);
  if (!std::filesystem::exists(directory.report())) {
    throw Error(Fault::Input, command.run.string(), "has no report: the run has not ended",
                "wait for it, or go on with 'isochor run SCENE --resume'");
  }
  Context context(1);
  set_on_interrupt(&context.cancelled);
  LocalServer server(command.port);
  const std::string address = fmt::format("http://127.0.0.1:{}/", server.port());
  if (common.json) {
    fmt::print("{}\n", Json{{"address", address}}.text());
  } else {
    fmt::print("{}\n", address);
  }
  if (!common.quiet) fmt::print(stderr, "Ctrl-C ends it\n");
  finish_output();
  const auto answer = [&](const HttpRequest& request) {
    return run::answer_request(directory, server.port(), request);
  };
  server.serve(answer, context.cancelled);
  return kDone;
}

}  // namespace isochor::app
