#include "isochor/run/pages.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/materials/material_spec.h"
#include "isochor/run/report_page.h"
#include "isochor/run/runner.h"

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
    {"state", [](const Manifest& m, const DiagnosticsTable&) { return m.status; }},
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
  const sim::Setup setup = simulation.setup();
  ReportInput input{.title = scene.title.empty() ? scene.file.stem().string() : scene.title,
                    .subtitle = "Isochor set-up, before anything is simulated",
                    .scene_text = sim::resolved_scene(scene)};
  input.facts = {{"scene", scene.file.string()},
                 {"frames", std::to_string(scene.time.frames + 1)},
                 {"cells", std::to_string(s.cells)},
                 {"nodes", fmt::format("{}, {} of them held", s.nodes, s.held_nodes)},
                 {"surface vertices", std::to_string(s.surface_vertices)},
                 {"mass", fmt::format("{:.4g} kg", s.mass)},
                 {"volume", fmt::format("{:.4g} m\u00b3", s.volume)},
                 {"memory", fmt::format("{:.1f} MB", double(s.memory) / 1e6)},
                 {"version", "isochor " ISOCHOR_VERSION}};
  for (const sim::BodySpec& body : scene.bodies) {
    input.facts.push_back({body.name, materials::summary(materials::resolve(body.material))});
  }
  input.runs.push_back(
      {input.title, pack_viewer({.topology = simulation.topology(), .setup = setup, .frame = {}})});
  return report_html(input);
}

std::string comparison_page(std::span<const RunDirectory> runs) {
  const std::vector<std::string> titles = titles_of(runs);
  ReportInput input{.title = "Comparison", .subtitle = fmt::format("{} Isochor runs", runs.size())};
  TextTable table{.heading = "In numbers", .columns = {"run"}, .rows = {}};
  for (const Column& column : kColumns) table.columns.emplace_back(column.heading);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].frame_count() == 0) {
      throw Error(Fault::Input, runs[i].root.string(), "holds no whole frame",
                  "run its scene first, or leave it out");
    }
    const Manifest manifest = read_manifest(runs[i]);
    const DiagnosticsTable diagnostics = read_diagnostics(runs[i].diagnostics());
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(titles[i]);
    for (const Column& column : kColumns) row.push_back(column.text(manifest, diagnostics));
    input.runs.push_back({titles[i], pack_run(runs[i])});
  }
  input.tables.push_back(std::move(table));
  return report_html(input);
}

}  // namespace isochor::run
