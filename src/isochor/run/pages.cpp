#include "isochor/run/pages.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/materials/material_spec.h"
#include "isochor/run/part_table.h"
#include "isochor/run/report_page.h"
#include "isochor/run/runner.h"
#include "isochor/run/scenery.h"

namespace isochor::run {
namespace {

struct Column {
  const char* heading;
  std::string (*text)(const Manifest&, const DiagnosticsTable&);
};

double sum_of(const DiagnosticsTable& table, std::string_view name) {
  const std::vector<double> values = table.values(name);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const DiagnosticsTable& table, std::string_view name) {
  double most = 0;
  for (const double v : table.values(name)) most = std::max(most, std::abs(v));
  return most;
}

constexpr Column kColumns[] = {
    {"frames",
     [](const Manifest&, const DiagnosticsTable& t) { return std::to_string(t.rows.size()); }},
    {"Newton iterations",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.0f}", sum_of(t, "newton_iterations"));
     }},
    {"Krylov iterations",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.0f}", sum_of(t, "krylov_iterations"));
     }},
    {"operator applications",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.0f}", sum_of(t, "operator_applications"));
     }},
    {"solver [s]",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.2f}", sum_of(t, "solve_seconds"));
     }},
    {"wall time [s]",
     [](const Manifest& m, const DiagnosticsTable&) {
       return fmt::format("{:.2f}", m.wall_seconds);
     }},
    {"largest residual",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.2e}", largest(t, "residual"));
     }},
    {"volume error [%]",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.4f}", 100 * largest(t, "volume_error"));
     }},
    {"worst cell [%]",
     [](const Manifest&, const DiagnosticsTable& t) {
       return fmt::format("{:.2f}", 100 * largest(t, "worst_cell_volume_error"));
     }},
    {"machine", [](const Manifest& m, const DiagnosticsTable&) { return m.machine; }},
};

/// "out/a" and "out/b" are told apart by their last part; where these are equal, by the whole.
std::vector<std::string> titles_of(std::span<const RunDirectory> runs) {
  std::vector<std::string> titles;
  for (const RunDirectory& run : runs) {
    titles.push_back(std::filesystem::absolute(run.root).lexically_normal().filename().string());
    if (titles.back().empty()) titles.back() = run.root.string();
  }
  std::vector<std::string> sorted = titles;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    for (std::size_t i = 0; i < runs.size(); ++i) titles[i] = runs[i].root.string();
  }
  return titles;
}

}  // namespace

std::string preview_page(const sim::Simulation& simulation) {
  const sim::SceneSpec& scene = simulation.scene();
  const sim::Summary s = simulation.summary();
  sim::Setup setup = simulation.setup();
  files::Topology topology = simulation.topology();
  add_scenery(setup.scenery, topology);
  setup.bodies.resize(topology.bodies.size());
  ReportInput input{.title = scene.title.empty() ? scene.file.stem().string() : scene.title,
                    .subtitle = "Isochor set-up, before anything is simulated",
                    .scene_text = sim::resolved_scene(scene)};
  input.facts = {{"scene", scene.file.string()},
                 {"frames", std::to_string(scene.time.frames + 1)},
                 {std::string(s.elements), std::to_string(s.cells)},
                 {"nodes", fmt::format("{}, {} of them held", s.nodes, s.held_nodes)},
                 {"surface vertices", std::to_string(s.surface_vertices)},
                 {"mass", fmt::format("{:.4g} kg", s.mass)},
                 {"volume", fmt::format("{:.4g} m\u00b3", s.volume)},
                 {"memory", fmt::format("{:.1f} MB", double(s.memory) / 1e6)},
                 {"version", "isochor " ISOCHOR_VERSION}};
  std::vector<std::string> bodies;
  for (const sim::BodySpec& body : scene.bodies) {
    input.facts.push_back({body.name, materials::summary(materials::resolve(body.material))});
    bodies.push_back(body.name);
  }
  input.tables = part_tables(setup, bodies);
  input.runs.push_back({input.title, pack_viewer({.topology = topology,
                                                  .setup = setup,
                                                  .frame = {},
                                                  .up = up_of_run(input.scene_text)})});
  return report_html(input);
}

std::vector<Contender> contenders_of(std::span<const RunDirectory> runs) {
  const std::vector<std::string> titles = titles_of(runs);
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].frame_count() == 0) {
      throw Error(Fault::Input, runs[i].root.string(), "holds no whole frame",
                  "run its scene first, or leave it out");
    }
    contenders.push_back({titles[i], runs[i], read_manifest(runs[i]).message});
  }
  return contenders;
}

std::string comparison_page(const std::string& title, std::span<const Contender> contenders) {
  ReportInput input{.title = title};
  TextTable table{.heading = "In numbers", .columns = {"run", "state"}, .rows = {}};
  for (const Column& column : kColumns) table.columns.emplace_back(column.heading);
  for (const Contender& c : contenders) {
    std::vector<std::string>& row = table.rows.emplace_back();
    const bool shown = c.run && c.run->frame_count() > 0;
    const std::optional<Manifest> manifest =
        c.run ? std::optional(read_manifest(*c.run)) : std::nullopt;
    const std::string state = manifest ? manifest->status : "not run";
    row = {c.title, c.problem.empty() ? state : state + ": " + c.problem};
    const DiagnosticsTable diagnostics =
        shown ? read_diagnostics(c.run->diagnostics()) : DiagnosticsTable{};
    for (const Column& column : kColumns) {
      row.push_back(shown ? column.text(*manifest, diagnostics) : "\u2013");
    }
    if (shown) input.runs.push_back({c.title, pack_run(*c.run)});
  }
  input.subtitle = fmt::format("{} Isochor runs", input.runs.size());
  input.tables.push_back(std::move(table));
  return report_html(input);
}

}  // namespace isochor::run
