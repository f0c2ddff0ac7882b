#include "isochor/sim/body_builder.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iterator>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/orientation.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/anchored_lattice.h"
#include "isochor/grid/sliver_cells.h"
#include "isochor/materials/registry.h"
#include "isochor/sim/muscles.h"
#include "isochor/sim/tet_body.h"

namespace isochor::sim {
namespace {

/// Those parts of a person that are made, moved to where the scene wants them.
geometry::SurfaceMesh grown(const ShapeSpec& shape, double edge) {
  geometry::SurfaceMesh mesh = shape.kind == "arm" ? geometry::make_arm_part(shape.part, edge)
                               : shape.kind == "hand"
                                   ? geometry::make_hand(edge)
                                   : geometry::make_figure_part(shape.part, edge);
  for (Vec3d& p : mesh.positions) p = shape.scale * p + shape.center;
  return mesh;
}

geometry::SurfaceMesh make_shape(const ShapeSpec& shape, double cell_size) {
  const double edge = shape.edge > 0 ? shape.edge : cell_size;
  const Vec3d &c = shape.center, &axis = shape.axis;
  const double r = shape.radius, length = shape.length;
  const std::string_view kind = shape.kind;
  if (kind == "box") return geometry::make_box(c, shape.size, edge);
  if (kind == "sphere") return geometry::make_sphere(c, r, edge);
  if (kind == "ellipsoid") return geometry::make_ellipsoid(c, 0.5 * shape.size, edge);
  if (kind == "bow_tie") return geometry::make_bow_tie(c, shape.size, shape.waist, edge);
  if (kind == "stairs") return geometry::make_stairs(c, shape.steps, shape.step, edge);
  if (kind == "arm" || kind == "hand" || kind == "figure") return grown(shape, edge / shape.scale);
  if (!(norm(axis) > 0)) {
    throw Error(Fault::Input, shape.place.text("axis"), "is a direction without length",
                "give the direction of the axis, as [1, 0, 0]");
  }
  if (kind == "cylinder") return geometry::make_cylinder(c, axis, r, length, edge);
  if (kind == "puck") return geometry::make_puck(c, axis, r, length, edge);
  if (kind == "tube") return geometry::make_tube(c, axis, shape.inner_radius, r, length, edge);
  if (kind == "torus") return geometry::make_torus(c, axis, r, shape.inner_radius, edge);
  const Vec3d half = (0.5 * length / norm(axis)) * axis;
  return geometry::make_capsule(c - half, c + half, r, edge);
}

/// How much of each cell is material. Cells with next to none would be so soft that they mean
/// nothing; padding is there to carry the surface, not to be felt.
std::vector<double> cell_fill(const grid::Lattice& lattice, const std::string& boundary) {
  constexpr double kLeastWeighted = 0.05, kPadding = 1e-3;
  const double least = boundary == "whole" ? 1 : boundary == "cut" ? 0 : kLeastWeighted;
  std::vector<double> fill;
  for (std::size_t c = 0; c < lattice.cell_count(); ++c) {
    const bool padding = lattice.labels[c] == grid::CellLabel::Exterior;
    fill.push_back(padding ? kPadding : std::clamp(double(lattice.fractions[c]), least, 1.0));
  }
  return fill;
}

}  // namespace

files::SurfaceFile build_surface(const ShapeSpec& shape, double cell_size,
                                 const std::filesystem::path& scene_file) {
  if (shape.kind != "mesh") return {.mesh = make_shape(shape, cell_size)};
  files::SurfaceFile file =
      shape.given ? *shape.given : files::read_surface(scene_file.parent_path() / shape.file);
  for (Vec3d& p : file.mesh.positions) p *= shape.scale;
  return file;
}

files::SurfaceFile build_surface(const BodySpec& body, const std::filesystem::path& scene_file) {
  if (!body.shows_tets()) return build_surface(body.shape, body.cell_size, scene_file);
  const files::TetFile file = read_body_tets(body, scene_file);
  return {.mesh = boundary_surface(file.mesh), .notes = file.notes};
}

void log_notes(const std::string& file, const std::vector<std::string>& notes, Context& context) {
  for (const std::string& note : notes) {
    context.log(LogLevel::Info, fmt::format("{}: {}", file, note));
  }
}

std::vector<geometry::Triangle> outward_triangles(const geometry::SurfaceMesh& surface,
                                                  const std::string& place, Context& context) {
  geometry::Orientation outward =
      geometry::oriented_outward(surface.positions, geometry::triangulate(surface), context.arena);
  if (outward.turned > 0) {
    context.log(LogLevel::Warning,
                fmt::format("{}: {} of {} triangles face inward; the body is simulated as if they "
                            "did not",
                            place, outward.turned, outward.triangles.size()));
  }
  return std::move(outward.triangles);
}

grid::Lattice build_cells(const BodySpec& spec, const geometry::SurfaceMesh& surface,
                          ThreadArena& arena) {
  const bool cut = spec.boundary == "cut";
  const double least = spec.skin.law == "none" ? grid::kLeastFraction : grid::kLeastUnderSkin;
  const grid::LatticeOptions options{.spacing = spec.cell_size,
                                     .padding = spec.padding,
                                     .separate = spec.separate,
                                     .quadrature = cut,
                                     .least_fraction = cut ? least : 0.0};
  const std::string place = spec.place.text();
  return spec.rest ? grid::build_anchored_lattice(surface, spec.rest->anchor, options, place, arena)
                   : grid::build_lattice(surface, options, place, arena);
}

Body build_body(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context) {
  Body body;
  files::SurfaceFile file = build_surface(spec, scene_file);
  log_notes(spec.shows_tets() ? spec.tets : spec.shape.file, file.notes, context);
  body.surface = file.mesh;
  body.lattice = build_cells(spec, body.surface, context.arena);
  body.triangles = outward_triangles(body.surface, spec.place.text("shape"), context);
  const std::size_t cells = body.lattice.cell_count();
  std::vector<double> fill = cell_fill(body.lattice, spec.boundary);
  const double h = body.lattice.spacing;
  // Where surfaces overlap, the divergence theorem counts twice what is there once.
  const double enclosed =
      std::abs(geometry::enclosed_volume(body.surface.positions, body.triangles));
  const double filled = h * h * h * std::accumulate(fill.begin(), fill.end(), 0.0);
  if (enclosed < 0.5 * h * h * h * static_cast<double>(cells) && spec.padding == 0) {
    context.log(LogLevel::Warning,
                fmt::format("{}: the surface fills only {:.0f} % of its cells; smaller ones follow "
                            "it better",
                            spec.place.text("cell_size"),
                            100 * enclosed / (h * h * h * static_cast<double>(cells))));
  }
  const materials::Material material = materials::resolve(spec.material);
  body.spec = {.name = spec.name,
               .lattice = body.lattice,
               .law = material.law,
               .shape = material.shape,
               .mu = std::vector<double>(cells, material.mu),
               .lambda = std::vector<double>(cells, material.lambda),
               .axes = materials::is_isotropic(material.law)
                           ? std::vector<Mat3d>{}
                           : std::vector<Mat3d>(cells, material.axes),
               .fill = std::move(fill),
               // The body weighs what its surface encloses.
               .density = spec.material.density * std::min(1.0, enclosed / filled),
               .mass_damping = spec.damping.mass,
               .stiffness_damping = spec.damping.stiffness,
               .holds = {}};
  add_tissues(spec, scene_file, context, body);
  for (CellField& field : paint_cells(middles_of_cells(body.lattice), file, spec.paints,
                                      context.arena, scene_file.parent_path())) {
    body.fields.push_back(std::move(field));
  }
  body.texture_coordinates = std::move(file.texture_coordinates);
  std::ranges::move(painted_groups(spec, file), std::back_inserter(file.groups));
  body.groups = std::move(file.groups);
  for (const CellField& field : body.fields) {
    if (field.name == "activation") body.spec.activation = field.values;
    for (std::size_t c = 0; field.name == "stiffness" && c < cells; ++c) {
      body.spec.mu[c] *= field.values[c];
      body.spec.lambda[c] *= field.values[c];
    }
  }
  return body;
}

}  // namespace isochor::sim
