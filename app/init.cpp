#include <fmt/core.h>

#include "app/commands.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/json.h"
#include "isochor/sim/starter_scene.h"

namespace isochor::app {

int init_command(const InitCommand& command, const CommonOptions& common) {
  const std::filesystem::path output =
      command.output.empty() ? std::filesystem::path(command.mesh.stem().string() + ".toml")
                             : command.output;
  if (std::filesystem::exists(output)) {
    throw Error(Fault::Input, output.string(), "is there already", "give another name with -o");
  }
  Context context(common.threads);
  const sim::StarterScene scene =
      sim::make_starter_scene(command.mesh, command.skeleton, output, context);
  write_file_atomic(output, scene.text);
  if (common.json) {
    const Json guesses = Json::array(scene.guesses, [](const std::string& g) { return Json(g); });
    fmt::print("{}\n", Json{{"scene", output.string()}, {"guesses", guesses}}.text());
  } else if (!common.quiet) {
    for (const std::string& guess : scene.guesses) fmt::print("{}\n", guess);
    fmt::print("wrote {0}; now: isochor run {0}\n", output.string());
  }
  finish_output();
  return kDone;
}

}  // namespace isochor::app
