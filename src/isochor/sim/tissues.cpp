#include "isochor/sim/tissues.h"

#include <algorithm>
#include <fmt/format.h>

#include "isochor/anatomy/bone_attachments.h"
#include "isochor/base/error.h"
#include "isochor/files/obj_lines.h"
#include "isochor/geometry/orientation.h"
#include "isochor/sim/body_builder.h"

namespace isochor::sim {
namespace {

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
  double spacing;
  std::span<const anatomy::BoneSurface> bones;
  std::span<const std::string> bone_names;
  Context& context;
};

/// Of half a cell, where nothing is said.
anatomy::AttachedEnds attached_ends(const MuscleSpec& muscle, const EndSpec& end,
                                    const TissueSurface& surface, const Surroundings& around) {
  const double touch = end.touch > 0 ? end.touch : 0.5 * around.spacing;
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
  const double spacing = std::max(anatomy::default_spacing(surface.solid()), 0.25 * around.spacing);
  return anatomy::harmonic_fibres(surface.solid(), find_ends(muscle, surface, around), spacing,
                                  muscle.place.text(), around.context.arena);
}

// ---- Volumes ----

/// Refuses a muscle outside of the body, and warns of one that reaches out of it.
void check_place(const MuscleSpec& muscle, const TissueSurface& surface, double volume,
                 const BodyPlace& body, Context& context) {
  const double inside = volume / surface.volume();
  if (!(inside > 0)) {
    const geometry::Bounds at = geometry::bounds_of_faces(surface.file.mesh);
    const geometry::Bounds& in = body.bounds;
    throw Error(
        Fault::Input, muscle.place.text("shape"),
        fmt::format("no {} of the body has a part of the muscle '{}', which reaches from ({:.4g}, "
                    "{:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m; the body from ({:.4g}, {:.4g}, "
                    "{:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m",
                    body.element, muscle.name, at.low[0], at.low[1], at.low[2], at.high[0],
                    at.high[1], at.high[2], in.low[0], in.low[1], in.low[2], in.high[0], in.high[1],
                    in.high[2]),
        "move the muscle into the body, or give its scale");
  }
  if (inside >= 0.9) return;
  context.log(LogLevel::Warning, fmt::format("{}: only {:.0f} % of the muscle '{}' is in the body",
                                             muscle.place.text(), 100 * inside, muscle.name));
}

}  // namespace

std::vector<std::size_t> Tissues::precedence() const {
  std::vector<std::size_t> order;
  for (std::size_t b = 0; b < bones.size(); ++b) order.push_back(b);
  for (std::size_t s = surfaces.size(); s-- > bones.size();) order.push_back(s);
  return order;
}

Tissues build_tissues(const BodySpec& spec, double spacing, const std::filesystem::path& scene_file,
                      Context& context) {
  Tissues tissues;
  for (const HoldSpec& hold : spec.holds) {
    if (!hold.encloses()) continue;
    tissues.bones.push_back(&hold);
    tissues.surfaces.push_back(
        build_tissue(hold.inside, hold.place.text("inside"), "bone", spacing, scene_file, context));
  }
  for (const MuscleSpec& muscle : spec.muscles) {
    tissues.surfaces.push_back(build_tissue(muscle.shape, muscle.place.text("shape"), "muscle",
                                            spacing, scene_file, context));
  }
  return tissues;
}

std::vector<PartVolume> part_volumes(const BodySpec& spec, const Tissues& tissues,
                                     std::span<const double> alone, std::span<const double> left,
                                     const BodyPlace& body, Context& context) {
  constexpr double kMuch = 0.05;
  const std::size_t bones = tissues.bones.size();
  std::vector<PartVolume> parts;
  for (std::size_t b = 0; b < bones; ++b) {
    parts.push_back({tissues.bones[b]->name, "bone", tissues.surfaces[b].volume(), left[b]});
  }
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    const MuscleSpec& muscle = spec.muscles[m];
    check_place(muscle, tissues.muscle(m), alone[bones + m], body, context);
    parts.push_back({muscle.name, "muscle", tissues.muscle(m).volume(), left[bones + m]});
    const double lost = 1 - left[bones + m] / alone[bones + m];
    if (lost < kMuch) continue;
    context.log(LogLevel::Warning,
                fmt::format("{}: bones, and muscles that stand later in the scene, take {:.0f} % "
                            "of '{}'",
                            muscle.place.text(), 100 * lost, muscle.name));
  }
  return parts;
}

std::vector<anatomy::FibreField> muscle_fibres(const BodySpec& spec, const Tissues& tissues,
                                               double spacing,
                                               const std::filesystem::path& scene_file,
                                               Context& context) {
  std::vector<anatomy::BoneSurface> bones;
  std::vector<std::string> names;
  for (std::size_t b = 0; b < tissues.bones.size(); ++b) {
    bones.emplace_back(tissues.surfaces[b].solid(), context.arena);
    names.push_back(tissues.bones[b]->name);
  }
  const Surroundings around{scene_file, spacing, bones, names, context};
  std::vector<anatomy::FibreField> fibres;
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    fibres.push_back(fibres_of(spec.muscles[m], tissues.muscle(m), around));
  }
  return fibres;
}

Error nothing_left(const MuscleSpec& muscle, std::string_view element) {
  return {Fault::Input, muscle.place.text(),
          fmt::format("no {} is left to the muscle '{}': others have more of every one", element,
                      muscle.name),
          fmt::format("make {}s smaller, or muscles apart from each other", element)};
}

}  // namespace isochor::sim
