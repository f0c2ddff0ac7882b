#include "isochor/sim/muscles.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "isochor/anatomy/bone_attachments.h"
#include "isochor/base/error.h"
#include "isochor/files/obj_lines.h"
#include "isochor/geometry/orientation.h"
#include "isochor/grid/solid_shares.h"
#include "isochor/materials/material_spec.h"
#include "isochor/sim/body_builder.h"

namespace isochor::sim {
namespace {

/// Shares below this make no cell part of a muscle.
constexpr double kLeastShare = 0.01;

/// The surface of a muscle or a bone, facing outward.
struct TissueSurface {
  files::SurfaceFile file;
  std::vector<geometry::Triangle> triangles;

  anatomy::Solid solid() const { return {file.mesh.positions, triangles}; }
  double volume() const { return geometry::enclosed_volume(file.mesh.positions, triangles); }
};

TissueSurface build_tissue(const ShapeSpec& shape, const std::string& place,
                           std::string_view tissue, double cell_size,
                           const std::filesystem::path& scene_file, Context& context) {
  TissueSurface surface{.file = build_surface(shape, cell_size, scene_file)};
  const geometry::SurfaceMesh& mesh = surface.file.mesh;
  surface.triangles =
      geometry::oriented_outward(mesh.positions, geometry::triangulate(mesh), context.arena)
          .triangles;
  if (!(surface.volume() > 0)) {
    throw Error(Fault::Input, place, fmt::format("the {}'s surface encloses nothing", tissue),
                "close it, see 'isochor inspect'");
  }
  return surface;
}

// ---- Fibres ----

std::vector<std::int32_t> triangles_of_group(const EndSpec& end, const TissueSurface& surface) {
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

std::vector<std::int32_t> triangles_in_box(const EndSpec& end, const TissueSurface& surface) {
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

/// What the fibres of a muscle may be asked to know.
struct Surroundings {
  const std::filesystem::path& scene_file;
  double cell_size;
  std::span<const anatomy::BoneSurface> bones;
  std::span<const std::string> bone_names;
  Context& context;
};

/// Of half a cell, where nothing is said.
anatomy::AttachedEnds attached_ends(const MuscleSpec& muscle, const EndSpec& end,
                                    const TissueSurface& surface, const Surroundings& around) {
  const double touch = end.touch > 0 ? end.touch : 0.5 * around.cell_size;
  anatomy::AttachedEnds found =
      anatomy::ends_at_bones(surface.solid(), around.bones, touch, end.part);
  const auto name = [&](int bone) {
    return bone < 0 ? std::string("the end of its axis") : "'" + around.bone_names[bone] + "'";
  };
  around.context.log(LogLevel::Info,
                     fmt::format("muscle '{}' goes from {} to {}", muscle.name,
                                 name(found.origin_bone), name(found.insertion_bone)));
  return found;
}

anatomy::MuscleEnds find_ends(const MuscleSpec& muscle, const TissueSurface& surface,
                              const Surroundings& around) {
  const auto is_attached = [](const EndSpec& end) { return end.from == "bones"; };
  std::optional<anatomy::AttachedEnds> attached;
  if (is_attached(muscle.origin) || is_attached(muscle.insertion)) {
    attached = attached_ends(muscle, is_attached(muscle.origin) ? muscle.origin : muscle.insertion,
                             surface, around);
  }
  const auto find = [&](const EndSpec& end, std::vector<std::int32_t> anatomy::MuscleEnds::*which) {
    if (end.from == "group") return triangles_of_group(end, surface);
    if (end.from == "box") return triangles_in_box(end, surface);
    return (is_attached(end) ? attached->ends
                             : anatomy::ends_along_axis(surface.solid(), end.part)).*
           which;
  };
  return {find(muscle.origin, &anatomy::MuscleEnds::origin),
          find(muscle.insertion, &anatomy::MuscleEnds::insertion)};
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

anatomy::FibreField fibres_of(const MuscleSpec& muscle, const TissueSurface& surface,
                              const Surroundings& around) {
  if (muscle.fibres == "constant") return anatomy::constant_fibres(muscle.direction);
  if (muscle.fibres == "polylines") {
    return anatomy::fibres_along(lines_of(muscle, around.scene_file));
  }
  // Finer than what cells can tell is of no use.
  const double spacing =
      std::max(anatomy::default_spacing(surface.solid()), 0.25 * around.cell_size);
  return anatomy::harmonic_fibres(surface.solid(), find_ends(muscle, surface, around), spacing,
                                  muscle.place.text(), around.context.arena);
}

// ---- Cells ----

/// What a muscle has of a cell.
struct Part {
  std::int32_t cell = 0;
  double share = 0;  ///< of the cell's material
  Vec3d centroid;    ///< of the muscle in the cell, m
  Vec3d place;       ///< the same in the cell, from 0 to 1
};

/// A muscle on its way into a body.
struct Placed {
  const MuscleSpec& spec;
  materials::Material material;
  anatomy::FibreField fibres;
  std::vector<Part> parts;
};

/// Bones and muscles of a body, in the order in which they are there where they overlap: bones,
/// then muscles, the last one first.
struct Tissues {
  std::vector<const HoldSpec*> bones;
  std::vector<TissueSurface> surfaces;  ///< of bones, then of muscles, as in the scene
  std::vector<std::vector<grid::CellShare>> shares;

  const TissueSurface& muscle(std::size_t m) const { return surfaces[bones.size() + m]; }
  std::vector<grid::CellShare>& shares_of_muscle(std::size_t m) {
    return shares[shares.size() - 1 - m];
  }
};

double volume_of(std::span<const grid::CellShare> shares, const Body& body) {
  double volume = 0;
  for (const grid::CellShare& s : shares) volume += std::min(s.fraction, body.spec.fill[s.cell]);
  return volume * std::pow(body.lattice.spacing, 3);
}

/// Refuses muscles outside of the body, and warns of those that reach out of it.
void check_place(const MuscleSpec& muscle, const TissueSurface& surface,
                 std::span<const grid::CellShare> shares, const Body& body, Context& context) {
  const double inside = volume_of(shares, body) / surface.volume();
  if (!(inside > 0)) {
    const geometry::Bounds at = geometry::bounds_of_faces(surface.file.mesh);
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
  if (inside >= 0.9) return;
  context.log(LogLevel::Warning, fmt::format("{}: only {:.0f} % of the muscle '{}' is in the body",
                                             muscle.place.text(), 100 * inside, muscle.name));
}

/// Bones before muscles, later muscles before earlier ones. Warns where this takes much of a muscle
/// away.
Tissues divide_body(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                    Body& body) {
  constexpr double kMuch = 0.05;
  const double h = body.lattice.spacing;
  Tissues tissues;
  for (const HoldSpec& hold : spec.holds) {
    if (!hold.encloses()) continue;
    tissues.bones.push_back(&hold);
    tissues.surfaces.push_back(
        build_tissue(hold.inside, hold.place.text("inside"), "bone", h, scene_file, context));
  }
  for (const MuscleSpec& muscle : spec.muscles) {
    tissues.surfaces.push_back(
        build_tissue(muscle.shape, muscle.place.text("shape"), "muscle", h, scene_file, context));
  }
  std::vector<grid::SolidSurface> solids;
  for (const TissueSurface& surface : tissues.surfaces) {
    solids.push_back({surface.file.mesh.positions, surface.triangles});
  }
  std::reverse(solids.begin() + std::ptrdiff_t(tissues.bones.size()), solids.end());
  tissues.shares = grid::shares_in_cells(body.lattice, solids, context.arena);
  std::vector<double> before;
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    const auto& shares = tissues.shares_of_muscle(m);
    check_place(spec.muscles[m], tissues.muscle(m), shares, body, context);
    before.push_back(volume_of(shares, body));
  }
  grid::give_to_first(body.lattice, solids, tissues.shares, context.arena);

  for (std::size_t b = 0; b < tissues.bones.size(); ++b) {
    body.parts.push_back({tissues.bones[b]->name, "bone", tissues.surfaces[b].volume(),
                          volume_of(tissues.shares[b], body)});
  }
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    const MuscleSpec& muscle = spec.muscles[m];
    const double left = volume_of(tissues.shares_of_muscle(m), body);
    body.parts.push_back({muscle.name, "muscle", tissues.muscle(m).volume(), left});
    const double lost = 1 - left / before[m];
    if (lost < kMuch) continue;
    context.log(LogLevel::Warning,
                fmt::format("{}: bones, and muscles that stand later in the scene, take {:.0f} % "
                            "of '{}'",
                            muscle.place.text(), 100 * lost, muscle.name));
  }
  return tissues;
}

std::vector<Part> parts_of(std::span<const grid::CellShare> shares, const Body& body) {
  std::vector<Part> parts;
  const auto nodes = body.lattice.cell_nodes();
  for (const grid::CellShare& s : shares) {
    const double fill = body.spec.fill[s.cell];
    if (!(s.fraction > kLeastShare * fill)) continue;
    const Vec3d low = body.lattice.rest_positions[nodes[s.cell][0]];
    parts.push_back({s.cell, std::min(1.0, s.fraction / fill), s.centroid,
                     (1 / body.lattice.spacing) * (s.centroid - low)});
  }
  return parts;
}

/// Of what is in each cell, from 0 to 1.
std::vector<Vec3d> centroids_of_cells(const grid::Lattice& lattice) {
  std::vector<Vec3d> centroids(lattice.cell_count(), Vec3d{0.5, 0.5, 0.5});
  for (const grid::CutCell& cut : lattice.cut_cells) {
    Vec3d& centroid = centroids[cut.cell];
    centroid = {0, 0, 0};
    for (const Vec3d& p : cut.points) centroid += 0.25 * p;
  }
  return centroids;
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
  body.fibre_points[part.cell] = part.place;
}

}  // namespace

void add_tissues(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                 Body& body) {
  Tissues tissues = divide_body(spec, scene_file, context, body);
  if (spec.muscles.empty()) return;
  std::vector<anatomy::BoneSurface> bones;
  std::vector<std::string> bone_names;
  for (std::size_t b = 0; b < tissues.bones.size(); ++b) {
    bones.emplace_back(tissues.surfaces[b].solid(), context.arena);
    bone_names.push_back(tissues.bones[b]->name);
  }
  const Surroundings around{scene_file, body.lattice.spacing, bones, bone_names, context};
  std::vector<Placed> muscles;
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    const MuscleSpec& muscle = spec.muscles[m];
    muscles.push_back({.spec = muscle,
                       .material = materials::resolve(muscle.material),
                       .fibres = fibres_of(muscle, tissues.muscle(m), around),
                       .parts = parts_of(tissues.shares_of_muscle(m), body)});
  }

  const std::size_t cells = body.lattice.cell_count();
  body.spec.cell_materials.assign(cells, 0);
  body.spec.fibres.assign(cells, 1);
  body.spec.fibre_points = centroids_of_cells(body.lattice);
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
