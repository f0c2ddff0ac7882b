/// The keys of anatomies, and what they stand for.
#include "isochor/sim/anatomy_spec.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 2> kTurns{"middle", "point"};
constexpr std::array<std::string_view, 2> kEasings{"smooth", "linear"};

/// One pattern.
bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t skip = star; skip <= name.size(); ++skip) {
    if (fits(rest, name.substr(skip))) return true;
  }
  return false;
}

/// Surfaces of a folder, by name.
std::vector<std::filesystem::path> surfaces_of(const AnatomySpec& anatomy,
                                               const std::filesystem::path& scene_file) {
  const std::filesystem::path folder = scene_file.parent_path() / anatomy.folder;
  if (!std::filesystem::is_directory(folder)) {
    throw Error(Fault::Input, anatomy.place.text("folder"),
                fmt::format("there is no folder {}", folder.string()),
                "name a folder of surfaces, relative to the scene");
  }
  const auto known = files::surface_extensions();
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (std::ranges::find(known, entry.path().extension().string()) != known.end()) {
      found.push_back(std::filesystem::path(anatomy.folder) / entry.path().filename());
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Those whose names fit.
std::vector<std::filesystem::path> chosen(const std::vector<std::filesystem::path>& surfaces,
                                          std::string_view patterns, const AnatomySpec& anatomy,
                                          std::string_view key) {
  std::vector<std::filesystem::path> out;
  std::ranges::copy_if(surfaces, std::back_inserter(out), [&](const std::filesystem::path& file) {
    const std::string name = file.stem().string();
    return matches(patterns, name) && !matches(anatomy.without, name);
  });
  if (!out.empty() || patterns.empty()) return out;
  throw Error(Fault::Input, anatomy.place.text(key),
              fmt::format("no surface in '{}' has a name like '{}'", anatomy.folder, patterns),
              "give other patterns, as \"bone_*\", or \"\" for none");
}

ShapeSpec mesh_of(const AnatomySpec& anatomy, const std::filesystem::path& file) {
  return {.kind = "mesh",
          .file = file.generic_string(),
          .scale = anatomy.scale,
          .place = anatomy.place};
}

/// A list of what parts do must speak of some part.
void require_some(std::string_view patterns, const std::vector<std::filesystem::path>& parts,
                  const Place& place, std::string_view key) {
  const bool some = std::ranges::any_of(parts, [&](const std::filesystem::path& file) {
    return matches(patterns, file.stem().string());
  });
  if (some) return;
  std::vector<std::string> names;
  for (const std::filesystem::path& file : parts) names.push_back(file.stem().string());
  throw Error(Fault::Input, place.text(key), fmt::format("none is called '{}'", patterns),
              fmt::format("there are: {}", fmt::join(names, ", ")));
}

void add_bones(const AnatomySpec& anatomy, const std::vector<std::filesystem::path>& files,
               BodySpec& body) {
  for (const std::filesystem::path& file : files) {
    HoldSpec& bone = body.holds.emplace_back();
    bone.name = file.stem().string();
    bone.where = "inside";
    bone.inside = mesh_of(anatomy, file);
    bone.select = "surface";
    bone.stiffness = anatomy.stiffness;
    if (matches(anatomy.slide, bone.name)) bone.slide = "surface";
    bone.place = anatomy.place;
    for (const MovedBonesSpec& move : anatomy.moves) {
      if (!matches(move.bones, bone.name)) continue;
      bone.joint = move.joint;
      bone.animation = move.animation;
      if (const auto at = bone.animation.file.find("{}"); at != std::string::npos) {
        bone.animation.file.replace(at, 2, bone.name);
      }
      bone.turns_about = move.turns_about;
      bone.pivot = move.pivot;
      bone.ease = move.ease;
      bone.keys = move.keys;
    }
  }
  if (!anatomy.slide.empty()) require_some(anatomy.slide, files, anatomy.place, "slide");
  for (const MovedBonesSpec& move : anatomy.moves) {
    require_some(move.bones, files, move.place, "bones");
  }
}

void add_muscles_of(const AnatomySpec& anatomy, const std::vector<std::filesystem::path>& files,
                    BodySpec& body) {
  for (const std::filesystem::path& file : files) {
    MuscleSpec& muscle = body.muscles.emplace_back();
    muscle.name = file.stem().string();
    muscle.shape = mesh_of(anatomy, file);
    muscle.material = anatomy.material;
    muscle.place = anatomy.place;
    for (EndSpec* end : {&muscle.origin, &muscle.insertion}) {
      end->from = "bones";
      end->touch = anatomy.touch;
      end->place = anatomy.place;
    }
    for (const ActiveMusclesSpec& active : anatomy.active) {
      if (!matches(active.muscles, muscle.name)) continue;
      muscle.joint = active.joint;
      muscle.axis = active.axis;
      muscle.bends = active.bends;
      muscle.activations = active.activations;
    }
  }
  for (const ActiveMusclesSpec& active : anatomy.active) {
    require_some(active.muscles, files, active.place, "muscles");
  }
}

}  // namespace

bool matches(std::string_view patterns, std::string_view name) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find(' '), patterns.size());
    if (end > 0 && fits(patterns.substr(0, end), name)) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

void expand_anatomies(SceneSpec& scene) {
  for (BodySpec& body : scene.bodies) {
    for (const AnatomySpec& anatomy : std::exchange(body.anatomies, {})) {
      const auto surfaces = surfaces_of(anatomy, scene.file);
      add_bones(anatomy, chosen(surfaces, anatomy.bones, anatomy, "bones"), body);
      add_muscles_of(anatomy, chosen(surfaces, anatomy.muscles, anatomy, "muscles"), body);
    }
  }
}

void describe(FieldVisitor& visitor, MovedBonesSpec& spec) {
  visitor.place(spec.place);
  visitor.text("bones", spec.bones, "names of bones, as \"bone_ulna bone_radius\"", Need::Required);
  visitor.text("joint", spec.joint, "joint of the [skeleton] that moves them, in place of keys");
  if (!spec.joint.empty()) return;
  visitor.group("animation", spec.animation,
                "of their meshes, in place of keys; {} in the file's name is that of the bone");
  if (!spec.animation.file.empty()) return;
  visitor.choice("turns_about", spec.turns_about, kTurns, "as of a hold");
  if (spec.turns_about == "point") {
    visitor.vector("pivot", spec.pivot.e, Unit::Length, {}, "the point, at rest", Need::Required);
  }
  visitor.choice("ease", spec.ease, kEasings, "as of a hold");
  visitor.list("key", spec.keys, "poses over time");
}

void describe(FieldVisitor& visitor, ActiveMusclesSpec& spec) {
  visitor.place(spec.place);
  visitor.text("muscles", spec.muscles, "names of muscles, as \"muscle_biceps_*\"", Need::Required);
  visitor.text("joint", spec.joint, "as of a muscle");
  if (spec.joint.empty()) {
    visitor.list("activation", spec.activations,
                 "how active they are, with straight lines between keys");
    return;
  }
  visitor.vector("axis", spec.axis.e, Unit::None, {}, "as of a muscle");
  visitor.list("bend", spec.bends, "as of a muscle");
}

void describe(FieldVisitor& visitor, AnatomySpec& spec) {
  visitor.place(spec.place);
  visitor.text("folder", spec.folder, "of surfaces, relative to the scene", Need::Required);
  visitor.number("scale", spec.scale, Unit::None, Range::positive(),
                 "metres per unit of the files: 0.001 for millimetres");
  visitor.text("bones", spec.bones,
               "names of files, without their ending, that are bones: "
               "patterns between blanks, * for anything");
  visitor.text("muscles", spec.muscles, "the same of muscles");
  visitor.text("without", spec.without, "the same of what is left out");
  visitor.number("touch", spec.touch, Unit::Length, Range::at_least(0),
                 "a muscle this close to a bone is attached to it; 0: half a cell");
  visitor.number("stiffness", spec.stiffness, Unit::Bedding, Range::positive(),
                 "of the springs that hold flesh along the surfaces of bones");
  visitor.text("slide", spec.slide, "names of bones that flesh slides over, patterns as above");
  visitor.group("material", spec.material, "of all muscles, as of a muscle");
  visitor.list("move", spec.moves, "bones that move; the later entry counts");
  visitor.list("active", spec.active, "muscles that contract; the later entry counts");
}

}  // namespace isochor::sim
