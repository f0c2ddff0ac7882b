#include "app/commands.h"

#include <charconv>
#include <cstdio>
#include <fmt/core.h>

#include "app/progress_line.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/json.h"
#include "isochor/base/text.h"
#include "isochor/files/surface_file.h"
#include "isochor/files/tet_file.h"
#include "isochor/materials/presets.h"
#include "isochor/materials/registry.h"
#include "isochor/run/export.h"
#include "isochor/run/image.h"
#include "isochor/run/runner.h"
#include "isochor/run/scenery.h"
#include "isochor/sim/capabilities.h"
#include "reproduce/experiment.h"

namespace isochor::app {
namespace {

std::string megabytes(std::size_t bytes) { return fmt::format("{:.1f} MB", double(bytes) / 1e6); }

int frame_index(const std::string& text, int count, const std::filesystem::path& run) {
  if (count == 0) {
    throw Error(Fault::Input, run.string(), "holds no whole frame", "run the scene first");
  }
  if (text == "last") return count - 1;
  int index = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (code != std::errc{} || end != text.data() + text.size() || index < 0 || index >= count) {
    throw Error(Fault::Input, "--frame", fmt::format("'{}' is not a frame of this run", text),
                fmt::format("give 0 to {} or 'last'", count - 1));
  }
  return index;
}

/// The capability matrix.
void print_methods() {
  fmt::print("methods\n");
  for (const sim::Capability& c : sim::capabilities()) {
    fmt::print("  {}: {}; {}; volume: {}; materials: {}\n", c.name, c.source, c.elements, c.volume,
               c.materials.empty() ? "all" : join(c.materials));
  }
  fmt::print("what they can do\n  {:<20}", "");
  for (const sim::FeatureName& f : sim::feature_names()) fmt::print("  {}", f.name);
  for (const sim::Capability& c : sim::capabilities()) {
    fmt::print("\n  {:<20}", c.name);
    for (const sim::FeatureName& f : sim::feature_names()) {
      fmt::print("  {:<{}}", c.has(f.feature) ? "yes" : "-", f.name.size());
    }
  }
  fmt::print("\n");
}

}  // namespace

void show_log(Context& context, ProgressLine& line, bool quiet) {
  context.log = [&line, quiet](LogLevel level, std::string_view text) {
    if (quiet && level == LogLevel::Info) return;
    line.close();
    fmt::print(stderr, "{}{}\n", level == LogLevel::Warning ? "warning: " : "", text);
  };
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    throw Error(Fault::System, "standard output", "cannot be written to",
                "free space, or send it elsewhere");
  }
}

FrameRange parse_frames(const std::string& text) {
  FrameRange range;
  if (text.empty()) return range;
  const auto number = [&](std::string_view part) -> std::optional<int> {
    if (part.empty()) return std::nullopt;
    int value = -1;
    const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (code != std::errc{} || end != part.data() + part.size() || value < 0) {
      throw Error(Fault::Input, "--frames", fmt::format("'{}' is not a range of frames", text),
                  "write A:B, A: or :B with frames counted from 0");
    }
    return value;
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    range.first = range.last = number(text);
  } else {
    range.first = number(std::string_view(text).substr(0, colon));
    range.last = number(std::string_view(text).substr(colon + 1));
  }
  if (range.first && range.last && *range.first > *range.last) {
    throw Error(Fault::Input, "--frames", fmt::format("'{}' runs backwards", text),
                "write the smaller frame first");
  }
  return range;
}

int run_command(const RunCommand& command, const CommonOptions& common) {
  const FrameRange range = parse_frames(command.frames);
  const sim::SceneSpec scene = sim::load_scene(command.scene, command.settings);
  Context context(common.threads);
  set_on_interrupt(&context.cancelled);
  ProgressLine line(ProgressLine::style_for(common.quiet),
                    std::min(range.last.value_or(scene.time.frames), scene.time.frames));
  show_log(context, line, common.quiet);
  context.on_progress = [&](const Progress& p) { line.update(p); };

  run::RunOptions options{.out = command.out,
                          .resume = command.resume,
                          .first_frame = range.first,
                          .last_frame = range.last,
                          .pictures = !command.no_pictures};
  if (options.out.empty()) options.out = std::filesystem::path("out") / command.scene.stem();
  const auto on_frame = [&](const sim::FrameReport& report, const sim::Measures& measures) {
    line.frame_done(report, measures);
  };
  const run::RunResult result = run::run_scene(scene, options, context, on_frame);
  line.close();

  constexpr const char* kEnds[] = {"done", "failed", "interrupted"};
  constexpr int kStatus[] = {kDone, kFailed, kInterrupted};
  const auto end = static_cast<int>(result.end);
  if (common.json) {
    const Json json{{"status", kEnds[end]},
                    {"message", result.message},
                    {"directory", result.directory.root.string()},
                    {"frames", result.frames},
                    {"report", result.directory.report().string()}};
    fmt::print("{}\n", json.text());
  }
  if (result.end != run::RunEnd::Done) {
    fmt::print(stderr, "isochor: {}\n", result.message);
    fmt::print(stderr, "  {} whole frames are in {}; go on with --resume\n", result.frames,
               result.directory.root.string());
  } else if (!common.quiet && !common.json) {
    fmt::print("{} frames in {}\nreport: {}\n", result.frames, result.directory.root.string(),
               result.directory.report().string());
  }
  finish_output();
  return kStatus[end];
}

int check_command(const CheckCommand& command, const CommonOptions& common) {
  const sim::SceneSpec scene = sim::load_scene(command.scene, command.settings);
  Context context(common.threads);
  ProgressLine line(ProgressLine::Style::Quiet, 0);
  show_log(context, line, common.quiet);
  const sim::Simulation simulation(scene, context);
  const sim::Summary s = simulation.summary();
  if (command.preview) write_preview(command, simulation, common);
  if (common.json) {
    const auto material = [](const sim::BodySpec& body) {
      return Json{{"body", body.name},
                  {"resolved", materials::summary(materials::resolve(body.material))}};
    };
    const Json json{{"scene", sim::resolved_scene(scene)},
                    {"materials", Json::array(scene.bodies, material)},
                    {"elements", s.elements},
                    {"cells", s.cells},
                    {"nodes", s.nodes},
                    {"held_nodes", s.held_nodes},
                    {"surface_vertices", s.surface_vertices},
                    {"mass_kg", s.mass},
                    {"volume_m3", s.volume},
                    {"memory_bytes", s.memory}};
    fmt::print("{}\n", json.text());
  } else {
    fmt::print("{}", sim::resolved_scene(scene));
    fmt::print(
        "\n# would be simulated: {} {}, {} nodes ({} held), {} surface vertices,\n"
        "# {:.4g} kg, {:.4g} m^3 inside the surfaces, {} of memory\n",
        s.cells, s.elements, s.nodes, s.held_nodes, s.surface_vertices, s.mass, s.volume,
        megabytes(s.memory));
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const materials::Material material = materials::resolve(scene.bodies[b].material);
      fmt::print("# {}: {}\n", scene.bodies[b].name, materials::summary(material));
    }
  }
  finish_output();
  return kDone;
}

int render_command(const RenderCommand& command, const CommonOptions& common) {
  const run::RunDirectory directory = run::open_run(command.run);
  files::Topology topology = files::read_topology(directory.topology());
  const int index = frame_index(command.frame, directory.frame_count(), command.run);
  files::Frame frame = files::read_frame(directory.frame(index));
  run::RenderOptions options = command.options;
  if (!command.camera.empty()) {
    options.camera_direction = Vec3d{command.camera[0], command.camera[1], command.camera[2]};
  }
  if (!command.cut.empty()) {
    options.cut = run::CutPlane{{command.cut[0], command.cut[1], command.cut[2]}, command.cut[3]};
  }
  Context context(common.threads);
  const run::Manifest manifest = run::read_manifest(directory);
  options.up = run::up_of_run(manifest.scene);
  run::View view = run::fit_view(topology, std::span(&frame, 1), options);
  const auto scenery = run::without_ground(
      run::scenery_of_run(manifest.scene, manifest.scene_file, topology, context), options, view);
  run::add_scenery(scenery, topology);
  run::add_scenery(scenery, frame);
  const run::Image image = run::render(topology, frame, options, view, context.arena);
  std::filesystem::path output = command.output;
  if (output.empty()) output = directory.root / fmt::format("frame_{:06}.png", index);
  write_file_atomic(output, run::encode_png(image));
  if (!common.quiet) fmt::print("{}\n", output.string());
  finish_output();
  return kDone;
}

int export_command(const ExportCommand& command, const CommonOptions& common) {
  const run::RunDirectory directory = run::open_run(command.run);
  const FrameRange range = parse_frames(command.frames);
  const int last = frame_index(range.last ? std::to_string(*range.last) : "last",
                               directory.frame_count(), command.run);
  const auto files = run::export_run(directory, command.format, range.first.value_or(0), last);
  if (!common.quiet) {
    for (const auto& file : files) fmt::print("{}\n", file.string());
  }
  finish_output();
  return kDone;
}

int list_command(const CommonOptions& common) {
  if (common.json) {
    const auto name = [](std::string_view n) { return Json(n); };
    const auto method = [&](const sim::Capability& c) {
      Json settings = Json::object(), can = Json::object();
      for (const auto& s : c.settings) settings.add("method." + std::string(s.key), s.value);
      for (const auto& f : sim::feature_names()) can.add(std::string(f.name), c.has(f.feature));
      return Json{{"name", c.name},
                  {"method", c.method},
                  {"settings", settings},
                  {"source", c.source},
                  {"elements", c.elements},
                  {"volume", c.volume},
                  {"materials", c.materials.empty() ? Json("all") : Json::array(c.materials, name)},
                  {"can", can}};
    };
    const auto preset = [](const materials::Preset& p) {
      return Json{{"name", p.name}, {"law", p.law}, {"source", p.source}};
    };
    const Json json{{"methods", Json::array(sim::capabilities(), method)},
                    {"materials", Json::array(materials::kLawNames, name)},
                    {"presets", Json::array(materials::presets(), preset)},
                    {"experiments", Json::array(reproduce::experiments(),
                                                [](const auto& e) { return Json(e.id); })},
                    {"meshes_read", Json::array(files::surface_extensions(), name)},
                    {"tets_read", Json::array(files::tet_extensions(), name)},
                    {"export_formats", Json::array(run::export_formats(), name)}};
    fmt::print("{}\n", json.text());
  } else {
    print_methods();
    fmt::print("materials\n");
    for (const auto name : materials::kLawNames) fmt::print("  {}\n", name);
    fmt::print("presets\n");
    for (const auto& p : materials::presets()) {
      fmt::print("  {}: {}; {}\n", p.name, p.law, p.source);
    }
    fmt::print("experiments\n");
    for (const auto& e : reproduce::experiments()) fmt::print("  {}: {}\n", e.id, e.title);
    fmt::print("meshes read\n");
    for (const auto e : files::surface_extensions()) fmt::print("  {}\n", e);
    fmt::print("tets read\n");
    for (const auto e : files::tet_extensions()) fmt::print("  {}\n", e);
    fmt::print("formats written\n");
    for (const auto f : run::export_formats()) fmt::print("  {}\n", f);
  }
  finish_output();
  return kDone;
}

int reference_command() {
  fmt::print("{}", sim::scene_reference());
  finish_output();
  return kDone;
}

}  // namespace isochor::app
