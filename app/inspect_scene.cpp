#include <fmt/core.h>

#include "app/commands.h"
#include "app/progress_line.h"
#include "isochor/base/error.h"
#include "isochor/base/json.h"
#include "isochor/sim/body_builder.h"

namespace isochor::app {
namespace {

constexpr double kCubicCentimetre = 1e-6;

Json to_json(const sim::PartVolume& part) {
  return {{"name", part.name},
          {"tissue", part.tissue},
          {"surface_m3", part.enclosed},
          {"cells_m3", part.in_cells}};
}

void print_parts(const std::string& name, const sim::Body& body) {
  fmt::print("{}: {} cells of {:g} mm\n", name, body.lattice.cell_count(),
             1000 * body.lattice.spacing);
  if (body.parts.empty()) {
    fmt::print("  neither bones nor muscles\n");
    return;
  }
  fmt::print("  {:44} {:7} {:>14} {:>12} {:>7}\n", "part", "tissue", "surface [cm3]", "cells [cm3]",
             "[%]");
  for (const sim::PartVolume& part : body.parts) {
    fmt::print("  {:44} {:7} {:14.2f} {:12.2f} {:7.1f}\n", part.name, part.tissue,
               part.enclosed / kCubicCentimetre, part.in_cells / kCubicCentimetre,
               100 * part.in_cells / part.enclosed);
  }
}

}  // namespace

int inspect_scene_command(const InspectCommand& command, const CommonOptions& common) {
  const sim::SceneSpec scene = sim::load_scene(command.mesh);
  Context context(common.threads);
  ProgressLine line(ProgressLine::Style::Quiet, 0);
  show_log(context, line, common.quiet);
  std::vector<Json> bodies;
  for (const sim::BodySpec& spec : scene.bodies) {
    if (!(spec.cell_size > 0)) {
      throw Error(Fault::Input, spec.place.text("cell_size"),
                  "is not given, so that there are no cells to look into",
                  "give it, or inspect the file of tets itself");
    }
    const sim::Body body = sim::build_body(spec, scene.file, context);
    if (common.json) {
      bodies.push_back({{"body", spec.name},
                        {"cells", body.lattice.cell_count()},
                        {"parts", Json::array(body.parts, [](const sim::PartVolume& part) {
                           return to_json(part);
                         })}});
    } else {
      print_parts(spec.name, body);
    }
  }
  if (common.json) {
    const Json json{{"scene", command.mesh.string()},
                    {"bodies", Json::array(bodies, [](const Json& body) { return body; })}};
    fmt::print("{}\n", json.text());
  }
  finish_output();
  return kDone;
}

}  // namespace isochor::app
