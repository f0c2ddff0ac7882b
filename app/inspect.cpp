#include <fmt/core.h>

#include "app/commands.h"
#include "app/tet_report.h"
#include "isochor/base/json.h"
#include "isochor/files/ply_writer.h"
#include "isochor/files/surface_file.h"
#include "isochor/files/tet_file.h"
#include "isochor/geometry/defect_mesh.h"
#include "isochor/geometry/mesh_report.h"

namespace isochor::app {
namespace {

using geometry::Defect;
using geometry::DefectPlace;
using geometry::MeshReport;

/// How a kind of defect is spoken of.
struct DefectText {
  const char* key;      ///< in JSON
  const char* one;      ///< of it there is
  const char* many;     ///< of it there are
  const char* indices;  ///< what the indices of a place are
  const char* meaning;  ///< for a simulation
};
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

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// Without the sign that a zero may have.
std::string text(const Vec3d& p) {
  return fmt::format("[{:.6g} {:.6g} {:.6g}]", p[0] + 0.0, p[1] + 0.0, p[2] + 0.0);
}

/// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += i + 1 == words.size() ? " and " : ", ";
    all += words[i];
  }
  return all;
}

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

void print_line(const char* name, const std::string& value) {
  fmt::print("{:<12} {}\n", name, value);
}

void print_size(const MeshReport& report, double scale) {
  const Vec3d size = report.bounds.size();
  print_line("size", fmt::format("{:.6g} x {:.6g} x {:.6g}, from {} to {}", size[0], size[1],
                                 size[2], text(report.bounds.low), text(report.bounds.high)));
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
  const auto& e = report.edge_lengths;
  print_line("edges",
             fmt::format("{:.4g} to {:.4g}, median {:.4g}", e.smallest, e.largest, e.median));
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
  std::vector<std::string> absent;
  for (std::size_t d = 0; d < geometry::kDefectKinds; ++d) {
    const DefectText& name = kDefects[d];
    const geometry::DefectList& list = report.defects[d];
    if (list.count == 0) {
      absent.emplace_back(name.many);
      continue;
    }
    fmt::print("\n{}: {}\n", counted(list.count, name.one, name.many), name.meaning);
    if (static_cast<Defect>(d) == Defect::BoundaryEdge) {
      fmt::print("  in {}, the longest of {}, {:.4g} around, about {}\n",
                 counted(report.boundary_loops, "loop", "loops"),
                 counted(report.longest_loops[0].edges, "edge", "edges"),
                 report.longest_loops[0].length, text(report.longest_loops[0].center));
    }
    for (const DefectPlace& place : list.first) {
      const auto [a, b] = place.indices;
      fmt::print("  {:<9}{:<17} at {}\n", name.indices,
                 b < 0 ? std::to_string(a) : fmt::format("{}, {}", a, b), text(place.position));
    }
    const auto listed = static_cast<std::int64_t>(list.first.size());
    if (list.count > listed) fmt::print("  and {} more\n", list.count - listed);
  }
  if (!absent.empty()) fmt::print("\nno {}\n", enumerated(absent));
  if (absent.size() < geometry::kDefectKinds) fmt::print("indices count from 0\n");
}

Json to_json(const Vec3d& p) {
  return Json::array(p.e, [](double x) { return Json(x); });
}
Json to_json(const geometry::Bounds& box) {
  return {{"low", to_json(box.low)}, {"high", to_json(box.high)}};
}
Json to_json(const geometry::SurfaceComponent& c) {
  return {{"triangles", c.triangles},
          {"area", c.area},
          {"volume", c.volume},
          {"bounds", to_json(c.bounds)}};
}
Json to_json(const geometry::BoundaryLoop& l) {
  return {{"edges", l.edges}, {"length", l.length}, {"center", to_json(l.center)}};
}

Json to_json(const geometry::DefectList& list, const DefectText& name) {
  const auto place = [&](const DefectPlace& p) -> Json {
    const auto [a, b] = p.indices;
    const Json which = b < 0 ? Json(a) : Json::array(p.indices, [](auto i) { return Json(i); });
    return {{name.indices, which}, {"at", to_json(p.position)}};
  };
  return {
      {"count", list.count}, {"meaning", name.meaning}, {"first", Json::array(list.first, place)}};
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
  const auto& e = report.edge_lengths;
  Json defects = Json::object();
  for (std::size_t d = 0; d < geometry::kDefectKinds; ++d) {
    defects.add(kDefects[d].key, to_json(report.defects[d], kDefects[d]));
  }
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
          {"edge_lengths",
           Json{{"smallest", e.smallest}, {"median", e.median}, {"largest", e.largest}}},
          {"components", report.components},
          {"flat_components", report.flat_components},
          {"inward_components", report.inward_components},
          {"largest_components", Json::array(report.largest_components, item)},
          {"boundary_loops", report.boundary_loops},
          {"longest_loops", Json::array(report.longest_loops, item)},
          {"thickness", to_json(report.thickness, command.cell_size)},
          {"defects", defects},
          {"notes", Json::array(notes, [](const std::string& n) { return Json(n); })}};
}

}  // namespace

int inspect_command(const InspectCommand& command, const CommonOptions& common) {
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
