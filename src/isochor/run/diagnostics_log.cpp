#include "isochor/run/diagnostics_log.h"

#include <fmt/core.h>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/run/diagnostics.h"
#include "isochor/shells/fit.h"

namespace isochor::run {
namespace {

struct Cell {
  std::string name;
  double value;
};

void add_vector(const std::string& name, const char* unit, const Vec3d& v, std::vector<Cell>& to) {
  for (int a = 0; a < 3; ++a) {
    to.push_back({fmt::format("{}{} [{}]", name, static_cast<char>('x' + a), unit), v[a]});
  }
}

void add_motion(const sim::MotionMeasures& m, std::vector<Cell>& to) {
  to.push_back({"kinetic_energy [J]", m.kinetic_energy});
  to.push_back({"damping_loss [J]", m.damping_loss});
  to.push_back({"hold_work [J]", m.hold_work});
  to.push_back({"integrator_loss [J]", m.integrator_loss});
  add_vector("center_of_mass.", "m", m.center_of_mass, to);
  add_vector("momentum.", "kg m/s", m.momentum, to);
  add_vector("angular_momentum.", "kg m^2/s", m.angular_momentum, to);
}

void add_contact(const sim::ContactMeasures& m, std::vector<Cell>& to) {
  to.push_back({"collider_contacts", double(m.collider_contacts)});
  to.push_back({"deepest_penetration [m]", m.deepest});
  if (m.smallest_gap) to.push_back({"smallest_gap [m]", *m.smallest_gap});
  if (m.pair_contacts) to.push_back({"pair_contacts", double(*m.pair_contacts)});
  if (m.crossings) to.push_back({"crossing_pairs", double(*m.crossings)});
  if (m.worst_ring_volume_error) {
    to.push_back({"worst_ring_volume_error", *m.worst_ring_volume_error});
  }
}

/// Pressures in all units that those who wear, fit and prescribe bands have them in.
void add_pressure(const std::string& name, double pressure, std::vector<Cell>& to) {
  to.push_back({name + " [Pa]", pressure});
  to.push_back({name + "_kpa [kPa]", 1e-3 * pressure});
  to.push_back({name + "_mmhg [mmHg]", pressure / shells::kMillimetreOfMercury});
}

void add_band(const sim::NamedBand& m, std::vector<Cell>& to) {
  const std::string name = fmt::format("band.{}.", m.name);
  to.push_back({name + "girth [m]", m.girth});
  to.push_back({name + "body_girth [m]", m.body_girth});
  to.push_back({name + "rest_body_girth [m]", m.rest_body_girth});
  to.push_back({name + "tension [N/m]", m.tension});
  add_pressure(name + "pressure", m.pressure, to);
  add_pressure(name + "most_pressure", m.most_pressure, to);
}

/// The columns, once: header and rows both come from here.
std::vector<Cell> cells_of(const sim::FrameReport& r, const sim::Measures& m,
                           const OutputSeconds& seconds) {
  std::vector<Cell> cells{{"frame", double(r.frame)},
                          {"time [s]", r.time},
                          {"steps", double(r.steps)},
                          {"cut_steps", double(r.cut_steps)},
                          {"newton_iterations", double(r.newton_iterations)},
                          {"krylov_iterations", double(r.krylov_iterations)},
                          {"operator_applications", double(r.operator_applications)},
                          {"residual", r.residual},
                          {"elastic_energy [J]", m.elastic_energy},
                          {"spring_energy [J]", m.spring_energy},
                          {"gravity_energy [J]", m.gravity_energy},
                          {"volume_error", m.volume_error},
                          {"worst_cell_volume_error", m.worst_cell_volume_error},
                          {"min_j", m.min_j},
                          {"inverted_cells", double(m.inverted_cells)},
                          {"solve_seconds [s]", r.solve_seconds},
                          {"measure_seconds [s]", seconds.measure},
                          {"output_seconds [s]", seconds.write}};
  if (m.worst_zone_volume_error) {
    cells.push_back({"worst_zone_volume_error", *m.worst_zone_volume_error});
  }
  for (const sim::NamedZone& zone : m.zones) {
    cells.push_back({fmt::format("zone.{}.volume", zone.name), zone.volume});
    cells.push_back({fmt::format("zone.{}.pressure [Pa]", zone.name), zone.pressure});
  }
  for (const sim::NamedBand& band : m.bands) add_band(band, cells);
  if (m.motion) add_motion(*m.motion, cells);
  if (m.contact) add_contact(*m.contact, cells);
  for (const sim::NamedReaction& reaction : m.reactions) {
    add_vector(fmt::format("reaction.{}.f", reaction.name), "N", reaction.force, cells);
    add_vector(fmt::format("reaction.{}.m", reaction.name), "N m", reaction.moment, cells);
  }
  return cells;
}

/// A name as a CSV cell; names are the user's and may hold commas or quotes.
std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace

DiagnosticsLog::DiagnosticsLog(std::filesystem::path path, std::optional<int> keep_through)
    : path_(std::move(path)) {
  std::string kept;
  if (keep_through && *keep_through >= 0 && std::filesystem::exists(path_)) {
    const std::string table = read_text_file(path_);
    header_ = rows_through(table, -1);
    kept = rows_through(table, *keep_through);
  }
  write_file_atomic(path_, kept);
}

void DiagnosticsLog::add(const sim::FrameReport& report, const sim::Measures& measures,
                         const OutputSeconds& seconds) {
  std::string header, row;
  for (const Cell& cell : cells_of(report, measures, seconds)) {
    const char* comma = row.empty() ? "" : ",";
    header += comma + quoted(cell.name);
    row += fmt::format("{}{}", comma, cell.value);
  }
  header += '\n';
  row += '\n';
  if (header_.empty()) {
    row = header + row;
  } else if (header_ != header) {
    throw Error(Fault::Input, path_.string(), "has other columns than this version writes",
                "move the file away, then go on with --resume; its rows stay in the one moved");
  }
  append_to_file(path_, row);
  header_ = header;
}

}  // namespace isochor::run
