#include "isochor/sim/muscles.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "isochor/anatomy/harmonic_fibres.h"
#include "isochor/base/error.h"
#include "isochor/files/obj_lines.h"
#include "isochor/geometry/orientation.h"
#include "isochor/materials/material_spec.h"
#include "isochor/sim/body_builder.h"

namespace isochor::sim {
namespace {

/// Shares below this make no cell part of a muscle.
constexpr double kLeastShare = 0.01;

/// A muscle's surface, facing outward.
struct MuscleSurface {
  files::SurfaceFile file;
  std::vector<geometry::Triangle> triangles;

  anatomy::Solid solid() const { return {file.mesh.positions, triangles}; }
};

MuscleSurface build_muscle(const MuscleSpec& muscle, double cell_size,
                           const std::filesystem::path& scene_file, Context& context) {
  MuscleSurface surface{.file = build_surface(muscle.shape, cell_size, scene_file)};
  const geometry::SurfaceMesh& mesh = surface.file.mesh;
  surface.triangles =
      geometry::oriented_outward(mesh.positions, geometry::triangulate(mesh), context.arena)
          .triangles;
  if (!(geometry::enclosed_volume(mesh.positions, surface.triangles) > 0)) {
    throw Error(Fault::Input, muscle.place.text("shape"), "the muscle's surface encloses nothing",
                "close it, see 'isochor inspect'");
  }
  return surface;
}

// ---- Fibres ----

std::vector<std::int32_t> triangles_of_group(const EndSpec& end, const MuscleSurface& surface) {
  const std::vector<files::FaceGroup>& groups = surface.file.groups;
  const auto group = std::ranges::find(groups, end.group, &files::FaceGroup::name);
  if (group == groups.end()) {
    std::vector<std::string> known;
    for (const files::FaceGroup& g : groups) known.push_back(g.name);
    throw Error(Fault::Input, end.place.text("group"),
                fmt::format("the muscle's mesh has no group '{}'", end.group),
                known.empty() ? "it has none at all: choose the end by a box, or leave it to be "
                                "found"
                              : fmt::format("it has {}", fmt::join(known, ", ")));
  }
  // The triangles of a face come one after another.
  const geometry::SurfaceMesh& mesh = surface.file.mesh;
  std::vector<std::int32_t> first{0}, chosen;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    first.push_back(first.back() + static_cast<std::int32_t>(mesh.face(f).size()) - 2);
  }
  for (const std::int32_t f : group->faces) {
    for (std::int32_t t = first[f]; t < first[f + 1]; ++t) chosen.push_back(t);
  }
  return chosen;
}

std::vector<std::int32_t> triangles_in_box(const EndSpec& end, const MuscleSurface& surface) {
  const Vec3d low = min(end.low, end.high), high = max(end.low, end.high);
  std::vector<std::int32_t> chosen;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const bool inside = std::ranges::all_of(surface.triangles[t], [&](std::int32_t v) {
      const Vec3d& p = surface.file.mesh.positions[v];
      bool within = true;
      for (int a = 0; a < 3; ++a) within = within && p[a] >= low[a] && p[a] <= high[a];
      return within;
    });
    if (inside) chosen.push_back(static_cast<std::int32_t>(t));
  }
  return chosen;
}

std::vector<std::int32_t> find_end(const EndSpec& end, const MuscleSurface& surface,
                                   std::vector<std::int32_t> anatomy::MuscleEnds::*which) {
  if (end.from == "group") return triangles_of_group(end, surface);
  if (end.from == "box") return triangles_in_box(end, surface);
  return anatomy::ends_along_axis(surface.solid(), end.part).*which;
}

std::vector<anatomy::Polyline> lines_of(const MuscleSpec& muscle,
                                        const std::filesystem::path& scene_file) {
  std::vector<anatomy::Polyline> lines;
  if (!muscle.file.empty()) {
    lines = files::read_obj_lines(scene_file.parent_path() / muscle.file);
    for (anatomy::Polyline& line : lines) {
      for (Vec3d& p : line) p *= muscle.scale;
    }
  }
  for (const LineSpec& given : muscle.lines) {
    anatomy::Polyline& line = lines.emplace_back();
    for (const LineSpec::Point& p : given.points) line.push_back(p.at);
    if (anatomy::length_of(line) > 0) continue;
    throw Error(Fault::Input, given.place.text(), "a line without length",
                "give two different points, as point = [{ at = [0, 0, 0] }, { at = [1, 0, 0] }]");
  }
  std::erase_if(lines, [](const auto& line) { return !(anatomy::length_of(line) > 0); });
  if (lines.empty()) {
    throw Error(Fault::Input, muscle.place.text("file"), "no line in it has a length",
                "export lines with two points or more");
  }
  return lines;
}

anatomy::FibreField fibres_of(const MuscleSpec& muscle, const MuscleSurface& surface,
                              const std::filesystem::path& scene_file, Context& context) {
  if (muscle.fibres == "constant") return anatomy::constant_fibres(muscle.direction);
  if (muscle.fibres == "polylines") return anatomy::fibres_along(lines_of(muscle, scene_file));
  const anatomy::MuscleEnds ends{
      find_end(muscle.origin, surface, &anatomy::MuscleEnds::origin),
      find_end(muscle.insertion, surface, &anatomy::MuscleEnds::insertion)};
  return anatomy::harmonic_fibres(surface.solid(), ends, anatomy::default_spacing(surface.solid()),
                                  muscle.place.text(), context.arena);
}

// ---- Cells ----

/// What a muscle has of a cell.
struct Part {
  std::int32_t cell = 0;
  double share = 0;  ///< of the cell's material
  Vec3d centroid;    ///< of the muscle in the cell, m
};

/// A muscle on its way into a body.
struct Placed {
  const MuscleSpec& spec;
  materials::Material material;
  anatomy::FibreField fibres;
  std::vector<Part> parts;
};

/// The cells of a lattice that a surface reaches into, as a grid of their own; empty: none.
struct Window {
  grid::Index3 first;
  geometry::RegularGrid grid;

  Window(const grid::Lattice& lattice, const geometry::SurfaceMesh& mesh) {
    const geometry::Bounds box = geometry::bounds_of_faces(mesh);
    const double h = lattice.spacing;
    for (int a = 0; a < 3; ++a) {
      const double low = (box.low[a] - lattice.origin[a]) / h;
      const double high = (box.high[a] - lattice.origin[a]) / h;
      const double end = lattice.size[a];
      first[a] = static_cast<std::int32_t>(std::clamp(std::floor(low), 0.0, end));
      const auto last = static_cast<std::int32_t>(std::clamp(std::ceil(high), 0.0, end));
      grid.size[a] = std::max(0, last - first[a]);
      grid.origin[a] = lattice.origin[a] + h * first[a];
    }
    grid.spacing = h;
  }

  /// The number of a cell of the lattice in the grid, or -1.
  std::int64_t find(const grid::Index3& at) const {
    for (int a = 0; a < 3; ++a) {
      if (at[a] < first[a] || at[a] >= first[a] + grid.size[a]) return -1;
    }
    return static_cast<std::int64_t>(
        grid.index(at[0] - first[0], at[1] - first[1], at[2] - first[2]));
  }
};

std::vector<Part> parts_of(const MuscleSurface& surface, const Body& body, ThreadArena& arena) {
  const Window window(body.lattice, surface.file.mesh);
  std::vector<Part> parts;
  if (window.grid.cell_count() == 0) return parts;
  const std::vector<geometry::Moments> moments = geometry::moments_in_cells(
      surface.file.mesh.positions, surface.triangles, window.grid, arena);
  const double h = body.lattice.spacing;
  std::int32_t cell = 0;
  body.lattice.for_each_cell([&](std::size_t b, int lane) {
    const grid::Block& block = body.lattice.blocks[b];
    const std::int64_t found = window.find(grid::cell_coordinate(block, lane));
    const double fill = body.spec.fill[cell];
    if (found >= 0 && moments[found].volume > kLeastShare * fill) {
      const geometry::Moments& m = moments[found];
      const Vec3d low = body.lattice.rest_positions[block.nodes[grid::block_node(lane, 0)]];
      parts.push_back({cell, std::min(1.0, m.volume / fill), low + (h / m.volume) * m.first});
    }
    ++cell;
  });
  return parts;
}

/// Of the material in cells, m^3.
double volume_of(const std::vector<Part>& parts, const Body& body) {
  double volume = 0;
  for (const Part& part : parts) volume += part.share * body.spec.fill[part.cell];
  return volume * std::pow(body.lattice.spacing, 3);
}

/// Later muscles go before earlier ones. Warns where this takes much of a muscle away.
void resolve_overlaps(std::vector<Placed>& muscles, const Body& body, Context& context) {
  constexpr double kMuch = 0.05;
  std::vector<double> left(body.lattice.cell_count(), 1);
  for (auto muscle = muscles.rbegin(); muscle != muscles.rend(); ++muscle) {
    const double before = volume_of(muscle->parts, body);
    for (Part& part : muscle->parts) {
      part.share = std::min(part.share, left[part.cell]);
      left[part.cell] -= part.share;
    }
    const double lost = 1 - volume_of(muscle->parts, body) / before;
    if (lost < kMuch) continue;
    context.log(LogLevel::Warning,
                fmt::format("{}: muscles that stand later in the scene take {:.0f} % of '{}'",
                            muscle->spec.place.text(), 100 * lost, muscle->spec.name));
  }
}

Placed place_muscle(const MuscleSpec& muscle, const Body& body,
                    const std::filesystem::path& scene_file, Context& context) {
  const double h = body.lattice.spacing;
  const MuscleSurface surface = build_muscle(muscle, h, scene_file, context);
  Placed placed{.spec = muscle,
                .material = materials::resolve(muscle.material),
                .fibres = {},
                .parts = parts_of(surface, body, context.arena)};
  const geometry::SurfaceMesh& mesh = surface.file.mesh;
  if (placed.parts.empty()) {
    const geometry::Bounds at = geometry::bounds_of_faces(mesh);
    const geometry::Bounds in = geometry::bounds_of_faces(body.surface);
    throw Error(
        Fault::Input, muscle.place.text("shape"),
        fmt::format(
            "no cell of the body has a part of the muscle '{}', which reaches from ({:.4g}, "
            "{:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m; the body from ({:.4g}, {:.4g}, "
            "{:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m",
            muscle.name, at.low[0], at.low[1], at.low[2], at.high[0], at.high[1], at.high[2],
            in.low[0], in.low[1], in.low[2], in.high[0], in.high[1], in.high[2]),
        "move the muscle into the body, or give its scale");
  }
  const double whole = geometry::enclosed_volume(mesh.positions, surface.triangles);
  const double inside = volume_of(placed.parts, body) / whole;
  if (inside < 0.9) {
    context.log(LogLevel::Warning,
                fmt::format("{}: only {:.0f} % of the muscle '{}' is in the body",
                            muscle.place.text(), 100 * inside, muscle.name));
  }
  placed.fibres = fibres_of(muscle, surface, scene_file, context);
  return placed;
}

/// Gives a cell to a muscle.
void set_cell(const Placed& muscle, const Part& part, lattice::BodySpec& body) {
  const materials::Material& m = muscle.material;
  double &mu = body.mu[part.cell], &lambda = body.lambda[part.cell];
  // Pressures of both are the same, so that what adds up is compliance.
  const double compliance = part.share / m.kappa() + (1 - part.share) / (lambda + 2 * mu / 3);
  mu = part.share * m.mu + (1 - part.share) * mu;
  lambda = 1 / compliance - 2 * mu / 3;
  body.axes[part.cell] =
      materials::axes_along(muscle.fibres(part.centroid), muscle.spec.material.sheet);
  // Laws take the stiffness of fibres in multiples of mu.
  body.fibres[part.cell] = part.share * m.mu / mu;
}

}  // namespace

void add_muscles(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                 Body& body) {
  std::vector<Placed> muscles;
  for (const MuscleSpec& muscle : spec.muscles) {
    muscles.push_back(place_muscle(muscle, body, scene_file, context));
  }
  resolve_overlaps(muscles, body, context);

  const std::size_t cells = body.lattice.cell_count();
  body.spec.cell_materials.assign(cells, 0);
  body.spec.fibres.assign(cells, 1);
  if (body.spec.axes.empty()) body.spec.axes.assign(cells, Mat3d::identity());
  // Per cell, the part of the muscle that has most of it.
  std::vector<const Part*> owned(cells, nullptr);
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    body.spec.more_materials.push_back({muscles[m].material.law, muscles[m].material.shape});
    for (const Part& part : muscles[m].parts) {
      const Part*& best = owned[part.cell];
      if (!(part.share > kLeastShare) || (best && best->share > part.share)) continue;
      best = &part;
      body.spec.cell_materials[part.cell] = static_cast<std::uint8_t>(m + 1);
    }
  }
  CellField field{.name = "muscle", .values = std::vector<double>(cells, 0)};
  for (std::size_t c = 0; c < cells; ++c) {
    const int number = body.spec.cell_materials[c];
    if (number == 0) continue;
    set_cell(muscles[std::size_t(number - 1)], *owned[c], body.spec);
    field.values[c] = number;
  }
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    if (std::ranges::find(body.spec.cell_materials, m + 1) != body.spec.cell_materials.end()) {
      continue;
    }
    throw Error(Fault::Input, muscles[m].spec.place.text(),
                fmt::format("no cell is left to the muscle '{}': others have more of every one",
                            muscles[m].spec.name),
                "make cells smaller, or muscles apart from each other");
  }
  body.fields.push_back(std::move(field));
}

}  // namespace isochor::sim
