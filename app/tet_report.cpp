#include "app/tet_report.h"

#include <cmath>
#include <fmt/core.h>

#include "app/mesh_words.h"
#include "isochor/base/error.h"
#include "isochor/files/tet_file.h"

namespace isochor::app {
namespace {

using geometry::TetDefect;
using geometry::TetReport;

constexpr DefectText kDefects[geometry::kTetDefectKinds] = {
    {"inverted_tets", "inverted tet", "inverted tets", "tet", "negative volume: refused"},
    {"flat_tets", "flat tet", "flat tets", "tet", "no volume for their size: refused"},
    {"slivers", "sliver", "slivers", "tet",
     "a dihedral angle below 5 or above 175 degrees: stiff, and slow to solve"},
    {"crowded_faces", "face of three tets or more", "faces of three tets or more", "tets",
     "tets overlap: delete those that are there twice"},
    {"folded_faces", "folded face", "folded faces", "tets",
     "both tets are on the same side of it: they overlap"},
    {"non_manifold_edges", "non-manifold edge", "non-manifold edges", "vertices",
     "parts touch there along a line: a hinge without stiffness"},
    {"unused_vertices", "unused vertex", "unused vertices", "vertex", "in no tet: ignored"}};

/// A line per ten degrees that have angles, with a bar.
void print_angles(const TetReport& report) {
  constexpr int kWidth = 50;
  const double total = 6.0 * static_cast<double>(report.tets);
  for (int bin = 0; bin < TetReport::kBins; ++bin) {
    const auto count = report.angles[bin];
    if (count == 0) continue;
    const double share = static_cast<double>(count) / total;
    fmt::print("{:>9}..{:<3} {:>10} {:5.1f} % {}\n", 10 * bin, 10 * (bin + 1), count, 100 * share,
               std::string(static_cast<std::size_t>(std::lround(kWidth * share)), '#'));
  }
}

}  // namespace

std::string verdict(const TetReport& report) {
  const std::string parts = fmt::format("{} tets in {}", report.tets,
                                        counted(report.components, "component", "components"));
  const std::int64_t unusable = report[TetDefect::Inverted].count + report[TetDefect::Flat].count;
  if (unusable > 0) {
    return fmt::format("{}, of which {} no volume or a negative one: cannot be simulated", parts,
                       unusable == 1 ? "one has" : fmt::format("{} have", unusable));
  }
  const std::int64_t overlaps =
      report[TetDefect::CrowdedFace].count + report[TetDefect::FoldedFace].count;
  if (overlaps > 0) {
    return fmt::format("{}, but tets overlap at {}: do not trust it", parts,
                       counted(overlaps, "face", "faces"));
  }
  if (report[TetDefect::Sliver].count > 0) {
    return fmt::format("{}, with {}: can be simulated, slowly", parts,
                       counted(report[TetDefect::Sliver].count, "sliver", "slivers"));
  }
  return parts + ": can be simulated as it is";
}

void print_report(const TetReport& report, const std::vector<std::string>& region_names) {
  print_size(report.bounds);
  print_line("vertices", std::to_string(report.vertices));
  print_line("tets", std::to_string(report.tets));
  print_line("boundary",
             fmt::format("{} triangles, area {:.6g}", report.boundary_triangles, report.area));
  print_line("volume", fmt::format("{:.6g}, of a tet {:.4g} to {:.4g}", report.volume,
                                   report.smallest_volume, report.largest_volume));
  for (std::size_t r = 0; r < report.region_volumes.size(); ++r) {
    print_line("region", fmt::format("{}: {:.6g}", region_names[r], report.region_volumes[r]));
  }
  print_edges(report.edge_lengths);
  print_line("angles", fmt::format("dihedral, {:.2f} to {:.2f} degrees", report.smallest_angle,
                                   report.largest_angle));
  print_angles(report);
  print_defects(kDefects, report.defects, [](std::size_t) {});
}

Json to_json(const TetReport& report, const std::vector<std::string>& region_names) {
  Json regions = Json::object();
  for (std::size_t r = 0; r < report.region_volumes.size(); ++r) {
    regions.add(region_names[r], report.region_volumes[r]);
  }
  return {
      {"verdict", verdict(report)},
      {"vertices", report.vertices},
      {"tets", report.tets},
      {"boundary_triangles", report.boundary_triangles},
      {"bounds", to_json(report.bounds)},
      {"volume", report.volume},
      {"area", report.area},
      {"smallest_tet", report.smallest_volume},
      {"largest_tet", report.largest_volume},
      {"components", report.components},
      {"smallest_angle", report.smallest_angle},
      {"largest_angle", report.largest_angle},
      {"angles_by_ten_degrees", Json::array(report.angles, [](std::int64_t n) { return Json(n); })},
      {"edge_lengths", to_json(report.edge_lengths)},
      {"region_volumes", regions},
      {"defects", to_json(kDefects, report.defects)}};
}

int inspect_tets_command(const InspectCommand& command, const CommonOptions& common) {
  if (!command.defects.empty() || command.cell_size > 0) {
    throw Error(Fault::Input, command.mesh.string(),
                "holds tets; --defects and --cell-size are for surfaces", "leave them out");
  }
  files::TetFile file = files::read_tets(command.mesh);
  for (Vec3d& p : file.mesh.positions) p *= command.scale;
  Context context(common.threads);
  const TetReport report = geometry::inspect_tets(file.mesh, context.arena);
  if (common.json) {
    Json json = to_json(report, file.region_names);
    json.add("file", command.mesh.string());
    json.add("scale", command.scale);
    json.add("notes", Json::array(file.notes, [](const std::string& n) { return Json(n); }));
    fmt::print("{}\n", json.text());
  } else {
    fmt::print("{}: {}\n", command.mesh.string(), verdict(report));
    if (!common.quiet) {
      for (const std::string& note : file.notes) print_line("note", note);
      print_report(report, file.region_names);
    }
  }
  finish_output();
  return kDone;
}

}  // namespace isochor::app
