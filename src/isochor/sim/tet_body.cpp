#include "isochor/sim/tet_body.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "isochor/base/error.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/stuffing.h"
#include "isochor/geometry/tet_quality.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/tet_muscles.h"

namespace isochor::sim {
namespace {

double mean_edge(const geometry::TetMesh& mesh) {
  double sum = 0;
  for (const geometry::Tet& tet : mesh.tets) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < a; ++b) sum += norm(mesh.positions[tet[a]] - mesh.positions[tet[b]]);
    }
  }
  return sum / (6.0 * static_cast<double>(mesh.tets.size()));
}

std::vector<Vec3d> middles_of(const geometry::TetMesh& mesh) {
  std::vector<Vec3d> middles;
  middles.reserve(mesh.tets.size());
  for (const auto& [a, b, c, d] : mesh.tets) {
    middles.push_back(
        0.25 * (mesh.positions[a] + mesh.positions[b] + mesh.positions[c] + mesh.positions[d]));
  }
  return middles;
}

/// Refuses what cannot be simulated and says what is slow or overlaps, in the words of `inspect`.
void look_at_tets(const std::string& file, const geometry::TetMesh& mesh, Context& context) {
  using geometry::TetDefect;
  const geometry::TetReport report = geometry::inspect_tets(mesh, context.arena);
  geometry::refuse_unusable_tets(report, file);
  const auto warn = [&](const std::string& text) {
    context.log(LogLevel::Warning, fmt::format("{}: {}; see 'isochor inspect'", file, text));
  };
  if (const std::int64_t slivers = report[TetDefect::Sliver].count) {
    warn(
        fmt::format("{} of {} tets, with dihedral angles from {:.2g} to {:.4g} degrees: stiff, "
                    "and slow to solve",
                    files::counted(static_cast<std::size_t>(slivers), "sliver", "slivers"),
                    report.tets, report.smallest_angle, report.largest_angle));
  }
  if (const std::int64_t faces =
          report[TetDefect::CrowdedFace].count + report[TetDefect::FoldedFace].count) {
    warn(fmt::format("tets overlap at {}: do not trust it",
                     files::counted(static_cast<std::size_t>(faces), "face", "faces")));
  }
}

/// Gives tets of named regions the materials that the scene has for these.
void add_regions(const BodySpec& spec, const files::TetFile& file, tets::BodySpec& out) {
  if (spec.regions.empty()) return;
  const std::vector<std::int32_t>& regions = file.mesh.regions;
  out.tet_materials.assign(file.mesh.tets.size(), 0);
  for (const RegionSpec& region : spec.regions) {
    const auto name = std::ranges::find(file.region_names, region.name);
    if (name == file.region_names.end()) {
      throw Error(Fault::Input, region.place.text("name"),
                  fmt::format("{} has no region '{}'", spec.tets, region.name),
                  file.region_names.empty()
                      ? "it has no regions; leave out [[body.region]]"
                      : fmt::format("use one of: {}", fmt::join(file.region_names, ", ")));
    }
    const auto number = std::int32_t(name - file.region_names.begin());
    const auto material = static_cast<std::uint8_t>(out.materials.size());
    out.materials.push_back(materials::resolve(region.material));
    for (std::size_t t = 0; t < regions.size(); ++t) {
      if (regions[t] == number) out.tet_materials[t] = material;
    }
  }
}

}  // namespace

files::TetFile read_body_tets(const BodySpec& spec, const std::filesystem::path& scene_file) {
  files::TetFile file = files::read_tets(scene_file.parent_path() / spec.tets);
  for (Vec3d& p : file.mesh.positions) p *= spec.tets_scale;
  return file;
}

geometry::SurfaceMesh boundary_surface(const geometry::TetMesh& mesh) {
  const std::vector<geometry::Triangle> triangles = geometry::boundary_triangles(mesh.tets);
  std::vector<std::int32_t> number(mesh.positions.size(), -1);
  for (const geometry::Triangle& t : triangles) {
    for (const std::int32_t n : t) number[n] = 0;
  }
  geometry::SurfaceMesh surface;
  for (std::size_t n = 0; n < number.size(); ++n) {
    if (number[n] < 0) continue;
    number[n] = static_cast<std::int32_t>(surface.positions.size());
    surface.positions.push_back(mesh.positions[n]);
  }
  for (const geometry::Triangle& t : triangles) {
    surface.add_face(std::array{number[t[0]], number[t[1]], number[t[2]]});
  }
  return surface;
}

TetBody build_tet_body(const BodySpec& spec, const std::filesystem::path& scene_file,
                       Context& context) {
  TetBody body;
  files::TetFile file;
  if (!spec.tets.empty()) {
    file = read_body_tets(spec, scene_file);
    log_notes(spec.tets, file.notes, context);
    look_at_tets(spec.tets, file.mesh, context);
  }
  if (spec.shows_tets()) {
    body.surface.mesh = boundary_surface(file.mesh);
  } else {
    body.surface = build_surface(spec.shape, spec.cell_size, scene_file);
    log_notes(spec.shape.file, body.surface.notes, context);
  }
  body.triangles = outward_triangles(body.surface.mesh, spec.place.text("shape"), context);
  if (spec.tets.empty()) {
    const geometry::SignedDistance inside(body.surface.mesh.positions, body.triangles,
                                          context.arena);
    file.mesh = geometry::stuff(inside, {.spacing = spec.cell_size, .grading = spec.grading},
                                context.arena);
  }
  body.spacing = spec.cell_size > 0 ? spec.cell_size : mean_edge(file.mesh);
  body.spec.name = spec.name;
  body.spec.materials = {materials::resolve(spec.material)};
  body.spec.mass_damping = spec.damping.mass;
  body.spec.stiffness_damping = spec.damping.stiffness;
  add_regions(spec, file, body.spec);
  const std::vector<Vec3d> middles = middles_of(file.mesh);
  body.spec.mesh = std::move(file.mesh);
  add_tissues(spec, scene_file, context, body);
  std::ranges::move(
      paint_cells(middles, body.surface, spec.paints, context.arena, scene_file.parent_path()),
      std::back_inserter(body.fields));
  for (const CellField& field : body.fields) {
    if (field.name == "stiffness") body.spec.stiffness = field.values;
    if (field.name == "activation") body.spec.activation = field.values;
  }
  std::ranges::move(painted_groups(spec, body.surface), std::back_inserter(body.surface.groups));
  body.region_names = std::move(file.region_names);
  return body;
}

}  // namespace isochor::sim
