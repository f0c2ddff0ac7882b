#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/run/diagnostics.h"
#include "isochor/run/part_table.h"
#include "isochor/run/plot.h"
#include "isochor/run/render.h"
#include "isochor/run/report_page.h"
#include "isochor/run/runner.h"
#include "isochor/run/scenery.h"

namespace isochor::run {
namespace {

/// They stand in for the viewer where it cannot run.
constexpr int kMostPictures = 7;

/// Frames for pictures: evenly spread, the first and the last among them.
std::vector<int> chosen_frames(int count) {
  std::vector<int> frames;
  const int pictures = std::min(count, kMostPictures);
  frames.reserve(pictures);
  for (int i = 0; i < pictures; ++i) {
    frames.push_back(pictures == 1
                         ? 0
                         : static_cast<int>(std::lround(double(i) * (count - 1) / (pictures - 1))));
  }
  return frames;
}

/// All pictures share camera and colour scale.
std::vector<Picture> draw_pictures(const RunDirectory& directory, const sim::Setup& setup,
                                   Context& context) {
  files::Topology topology = files::read_topology(directory.topology());
  std::vector<files::Frame> frames;
  for (const int f : chosen_frames(directory.frame_count())) {
    frames.push_back(files::read_frame(directory.frame(f)));
  }
  if (frames.empty()) return {};
  context.log(LogLevel::Info, fmt::format("drawing {} pictures for the report", frames.size()));
  RenderOptions options{.width = 1120, .height = 700, .field = "von_mises"};
  options.up = up_of_run(read_manifest(directory).scene);
  View view = fit_view(topology, frames, options);
  const FieldRange range = field_range(topology, frames, options.field);
  options.field_min = range.low;
  options.field_max = range.high;
  const auto scenery = without_ground(setup.scenery, options, view);
  add_scenery(scenery, topology);
  std::vector<Picture> pictures;
  for (files::Frame& frame : frames) {
    if (context.cancelled) break;
    add_scenery(scenery, frame);
    options.caption = fmt::format("frame {}", frame.index);
    pictures.push_back({encode_png(render(topology, frame, options, view, context.arena)),
                        fmt::format("Frame {}, {:.3f} s", frame.index, frame.time)});
  }
  return pictures;
}

std::vector<Fact> facts_of(const Manifest& manifest, const DiagnosticsTable& table) {
  std::vector<Fact> facts{
      {"scene", manifest.scene_file},
      {"frames", fmt::format("{} of {}", manifest.frames.size(), manifest.last_frame + 1)},
      {"wall time", fmt::format("{:.1f} s", manifest.wall_seconds)},
      {"threads", std::to_string(manifest.threads)},
      {"machine", manifest.machine},
      {"version", "isochor " + manifest.version}};
  const auto largest = [&](std::string_view name) {
    double most = 0;
    for (const double v : table.values(name)) most = std::max(most, std::abs(v));
    return most;
  };
  if (!table.rows.empty()) {
    facts.push_back({"largest residual", fmt::format("{:.2e}", largest("residual"))});
    facts.push_back(
        {"largest volume error", fmt::format("{:.3f} %", 100 * largest("volume_error"))});
    if (table.column("worst_zone_volume_error") >= 0) {
      facts.push_back(
          {"worst zone", fmt::format("{:.3f} %", 100 * largest("worst_zone_volume_error"))});
    }
    facts.push_back(
        {"worst cell", fmt::format("{:.2f} %", 100 * largest("worst_cell_volume_error"))});
    facts.push_back({"most inverted cells", fmt::format("{:.0f}", largest("inverted_cells"))});
  }
  facts.push_back({"hash of the scene", manifest.identity});
  if (!manifest.frames.empty())
    facts.push_back({"hash of the last frame", manifest.frames.back().hash});
  return facts;
}

std::vector<TitledSvg> plots_of(const RunDirectory& directory, const DiagnosticsTable& table) {
  std::vector<TitledSvg> plots;
  const auto add = [&](std::vector<TitledSvg> more) {
    std::move(more.begin(), more.end(), std::back_inserter(plots));
  };
  if (std::filesystem::exists(directory.convergence())) {
    add(convergence_plot(read_diagnostics(directory.convergence())));
  }
  const int frames = directory.frame_count();
  if (frames > 0) add(volume_histogram(files::read_frame(directory.frame(frames - 1))));
  add(standard_plots(table));
  return plots;
}

std::string status_text(const Manifest& manifest) {
  if (manifest.status == "done") return "done and converged";
  return manifest.message.empty() ? manifest.status : manifest.status + ": " + manifest.message;
}

}  // namespace

ViewerData pack_run(const RunDirectory& directory, const sim::Setup& setup) {
  files::Topology topology = files::read_topology(directory.topology());
  add_scenery(setup.scenery, topology);
  sim::Setup known = setup;
  known.bodies.resize(topology.bodies.size());
  return pack_viewer({.topology = topology,
                      .setup = known,
                      .frame_count = directory.frame_count(),
                      .frame =
                          [&](int f) {
                            files::Frame frame = files::read_frame(directory.frame(f));
                            add_scenery(setup.scenery, frame);
                            return frame;
                          },
                      .up = up_of_run(read_manifest(directory).scene)});
}

void write_report(const RunDirectory& directory, const std::string& title, const sim::Setup& setup,
                  bool pictures, Context& context) {
  const Manifest manifest = read_manifest(directory);
  ReportInput input{.title = title,
                    .subtitle = "Isochor run",
                    .status = status_text(manifest),
                    .ok = manifest.status == "done",
                    .scene_text = manifest.scene};
  if (!manifest.frames.empty()) input.diagnostics = read_diagnostics(directory.diagnostics());
  input.facts = facts_of(manifest, input.diagnostics);
  input.plots = plots_of(directory, input.diagnostics);
  std::vector<std::string> bodies;
  for (const auto& body : files::read_topology(directory.topology()).bodies) {
    bodies.push_back(body.name);
  }
  input.tables = part_tables(setup, bodies);
  // Without any frame it shows the set-up: that is where to look for what went wrong.
  input.runs.push_back({title, pack_run(directory, setup)});
  if (pictures) input.pictures = draw_pictures(directory, setup, context);
  const std::vector<double> cuts = input.diagnostics.values("cut_steps");
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (cuts[i] > 0) {
      input.warnings.push_back(
          fmt::format("frame {:.0f}: {:.0f} steps did not converge and were cut",
                      input.diagnostics.rows[i][0], cuts[i]));
    }
  }
  write_file_atomic(directory.report(), report_html(input));
}

}  // namespace isochor::run
