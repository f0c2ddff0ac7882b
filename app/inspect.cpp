#include <fmt/core.h>

#include "app/commands.h"
#include "app/mesh_words.h"
#include "app/tet_report.h"
#include "isochor/files/ply_writer.h"
#include "isochor/files/surface_file.h"
#include "isochor/files/tet_file.h"
#include "isochor/geometry/defect_mesh.h"

namespace isochor::app {
namespace {

using geometry::Defect;
using geometry::MeshReport;

constexpr DefectText kDefects[geometry::kDefectKinds] = {
    {"boundary_edges", "boundary edge", "boundary edges", "vertices",
     "rims of holes or sheets: inside is where the winding number is above a half"},
    {"non_manifold_edges", "non-manifold edge", "non-manifold edges", "vertices",
     "three faces or more meet: the solid is still defined, its outside at the edge is not"},
    {"flipped_edges", "flipped edge", "flipped edges", "vertices",
     "neighbours disagree which side is out: turn the faces to agree"},
    {"degenerate_triangles", "degenerate triangle", "degenerate triangles", "face",
     "no area: ignored"},
    {"duplicate_triangles", "duplicate triangle", "duplicate triangles", "faces",
     "the same corners as an earlier one: delete one of them if the inside looks wrong"},
    {"self_intersecting_pairs", "self-intersecting pair", "self-intersecting pairs", "faces",
     "the surface passes through itself: what overlaps is one body there, and touches itself"},
    {"coincident_vertices", "coincident vertex", "coincident vertices", "vertices",
     "equal coordinates: treated as one vertex, harmless"},
    {"unused_vertices", "unused vertex", "unused vertices", "vertex",
     "in no face: carried along with the nearest part of the body"},
};

/// One line: whether this can be simulated, and what to look out for.
std::string verdict(const MeshReport& report) {
  std::string parts = counted(report.components, "component", "components");
  if (geometry::is_flat(report.volume, report.bounds)) {
    return fmt::format("encloses no volume ({}): cannot be simulated as a solid", parts);
  }
  std::vector<std::string> found;
  for (const Defect d : {Defect::BoundaryEdge, Defect::NonManifoldEdge, Defect::FlippedEdge,
                         Defect::SelfIntersection}) {
    const DefectText& t = kDefects[static_cast<int>(d)];
    if (report[d].count > 0) found.push_back(counted(report[d].count, t.one, t.many));
  }
  if (!report.watertight) {
    return fmt::format("has {}: inside is decided by the winding number", enumerated(found));
  }
  if (report.flat_components > 0) {
    parts += fmt::format(" of which {} no volume (delete what is loose)",
                         report.flat_components == 1
                             ? "one encloses"
                             : fmt::format("{} enclose", report.flat_components));
  }
  if (!found.empty()) {
    return fmt::format("watertight, {}, but with {}: parts that overlap become one", parts,
                       enumerated(found));
  }
  if (report.volume < 0) {
    return fmt::format("watertight, {}, but inside out: is simulated as if it were not", parts);
  }
  if (report.inward_components > 0) {
    return fmt::format(
        "watertight, {}: can be simulated; {}", parts,
        report.inward_components == 1
            ? "one that faces inward is a cavity if it lies inside another"
            : fmt::format("{} that face inward are cavities if they lie inside others",
                          report.inward_components));
  }
  return fmt::format("watertight, {}: can be simulated as it is", parts);
}

void print_size(const MeshReport& report, double scale) {
  app::print_size(report.bounds);
  const std::string guess = geometry::guess_units(report.bounds);
  print_line("units", scale == 1 ? fmt::format("{}; a guess from the size alone", guess)
                                 : fmt::format("lengths of the file times {:g}", scale));
  print_line("vertices", std::to_string(report.vertices));
  print_line("faces", report.faces == report.triangles
                          ? std::to_string(report.faces)
                          : fmt::format("{} ({} triangles)", report.faces, report.triangles));
  print_line("area", fmt::format("{:.6g}", report.area));
  print_line("volume", fmt::format("{:.6g}{}", report.volume,
                                   report.watertight ? "" : " (not watertight: only a measure)"));
  if (report.genus) {
    print_line("genus", fmt::format("{} (Euler characteristic {})", *report.genus,
                                    report.euler_characteristic));
  }
}

void print_parts(const MeshReport& report) {
  print_edges(report.edge_lengths);
  print_line("components", std::to_string(report.components));
  if (report.components < 2) return;
  for (const geometry::SurfaceComponent& c : report.largest_components) {
    fmt::print("  {:>10} triangles, area {:<10.4g} volume {:<11.4g} at {}\n", c.triangles, c.area,
               c.volume, text(0.5 * (c.bounds.low + c.bounds.high)));
  }
  const auto listed = static_cast<std::int64_t>(report.largest_components.size());
  if (report.components > listed) fmt::print("  and {} smaller\n", report.components - listed);
}

void print_thickness(const MeshReport& report, double cell_size) {
  const geometry::Thickness& t = report.thickness;
  if (t.hits == 0) {
    print_line("thickness", "no ray cast inward meets the surface again");
    return;
  }
  print_line("thickness",
             fmt::format("median {:.4g}, 99 % above {:.4g}, thinnest {:.4g} under face {} at {}",
                         t.median, t.first_percentile, t.smallest, t.thinnest, text(t.where)));
  if (cell_size > 0) {
    print_line("", fmt::format("{:.3g} % of the surface is thinner than two cells of {:g}{}",
                               100 * t.thin_share, cell_size,
                               t.thin_share > 0 ? ", and so too stiff there" : ""));
  }
}

void print_defects(const MeshReport& report) {
  app::print_defects(kDefects, report.defects, [&](std::size_t d) {
    if (static_cast<Defect>(d) != Defect::BoundaryEdge) return;
    fmt::print("  in {}, the longest of {}, {:.4g} around, about {}\n",
               counted(report.boundary_loops, "loop", "loops"),
               counted(report.longest_loops[0].edges, "edge", "edges"),
               report.longest_loops[0].length, text(report.longest_loops[0].center));
  });
}

using app::to_json;

Json to_json(const geometry::SurfaceComponent& c) {
  return {{"triangles", c.triangles},
          {"area", c.area},
          {"volume", c.volume},
          {"bounds", to_json(c.bounds)}};
}
Json to_json(const geometry::BoundaryLoop& l) {
  return {{"edges", l.edges}, {"length", l.length}, {"center", to_json(l.center)}};
}

Json to_json(const geometry::Thickness& t, double cell_size) {
  Json json{{"rays", t.rays}, {"hits", t.hits}};
  if (t.hits > 0) {
    json.add("smallest", t.smallest);
    json.add("face", t.thinnest);
    json.add("at", to_json(t.where));
    json.add("first_percentile", t.first_percentile);
    json.add("median", t.median);
  }
  if (cell_size > 0) {
    json.add("cell_size", cell_size);
    json.add("share_below_two_cells", t.thin_share);
  }
  return json;
}

Json to_json(const MeshReport& report, const InspectCommand& command,
             const std::vector<std::string>& notes) {
  const auto item = [](const auto& i) { return to_json(i); };
  return {{"file", command.mesh.string()},
          {"scale", command.scale},
          {"verdict", verdict(report)},
          {"watertight", report.watertight},
          {"vertices", report.vertices},
          {"faces", report.faces},
          {"triangles", report.triangles},
          {"bounds", to_json(report.bounds)},
          {"units_guess", geometry::guess_units(report.bounds)},
          {"area", report.area},
          {"volume", report.volume},
          {"euler_characteristic", report.euler_characteristic},
          {"genus", report.genus},
          {"edge_lengths", to_json(report.edge_lengths)},
          {"components", report.components},
          {"flat_components", report.flat_components},
          {"inward_components", report.inward_components},
          {"largest_components", Json::array(report.largest_components, item)},
          {"boundary_loops", report.boundary_loops},
          {"longest_loops", Json::array(report.longest_loops, item)},
          {"thickness", to_json(report.thickness, command.cell_size)},
          {"defects", to_json(kDefects, report.defects)},
          {"notes", Json::array(notes, [](const std::string& n) { return Json(n); })}};
}

}  // namespace

int inspect_command(const InspectCommand& command, const CommonOptions& common) {
  if (command.mesh.extension() == ".toml") return inspect_scene_command(command, common);
  if (files::is_tet_file(command.mesh)) return inspect_tets_command(command, common);
  files::SurfaceFile file = files::read_surface(command.mesh);
  for (Vec3d& p : file.mesh.positions) p *= command.scale;
  Context context(common.threads);
  const MeshReport report =
      geometry::inspect_mesh(file.mesh, context.arena, {.cell_size = command.cell_size});
  if (!command.defects.empty()) {
    const geometry::ColouredMesh coloured = geometry::defect_mesh(report, file.mesh);
    files::write_ply(command.defects, coloured.mesh.positions, coloured.mesh, coloured.colours);
  }
  if (common.json) {
    fmt::print("{}\n", to_json(report, command, file.notes).text());
  } else {
    fmt::print("{}: {}\n", command.mesh.string(), verdict(report));
    if (!common.quiet) {
      print_size(report, command.scale);
      print_parts(report);
      print_thickness(report, command.cell_size);
      for (const std::string& note : file.notes) print_line("note", note);
      print_defects(report);
      if (!command.defects.empty()) fmt::print("{}\n", command.defects.string());
    }
  }
  finish_output();
  return kDone;
}

}  // namespace isochor::app
