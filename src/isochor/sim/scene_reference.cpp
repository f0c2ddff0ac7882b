#include <fmt/format.h>

#include "isochor/materials/registry.h"
#include "isochor/scene/printer.h"
#include "isochor/sim/collider_spec.h"
#include "isochor/sim/scene_spec.h"
#include "isochor/sim/zone_spec.h"

namespace isochor::sim {

std::string scene_reference() {
  std::string text = scene::print_reference(SceneSpec{});
  // Keys that depend on another key's value.
  const auto add = [&](std::string_view when, const auto& spec, std::string_view path) {
    text += fmt::format("\nWith `{}`:\n\n{}", when, scene::print_reference(spec, path));
  };
  add("integrator = \"bdf2\"", TimeSpec{.integrator = "bdf2"}, "time");
  for (const std::string_view kind : shape_kinds()) {
    if (kind == "box") continue;
    add(fmt::format("kind = \"{}\"", kind), ShapeSpec{.kind = std::string(kind)}, "body.shape");
  }
  for (std::size_t law = 0; law < materials::kLawCount; ++law) {
    if (materials::shape_parameters(int(law)).empty()) continue;
    const std::string name(materials::kLawNames[law]);
    add(fmt::format("law = \"{}\"", name), materials::MaterialSpec{.law = name}, "body.material");
  }
  add("file = \"fields.vtu\"", PaintSpec{.file = "fields.vtu"}, "body.paint");
  MuscleSpec muscle;
  add("a `[[body.muscle]]`", muscle, "body.muscle");
  add("a `[[body.anatomy]]`", AnatomySpec{}, "body.anatomy");
  add("tets = \"body.msh\"", BodySpec{.tets = "body.msh"}, "body");
  add("a `[[body.region]]`", RegionSpec{}, "body.region");
  add("law = \"area\"", SkinSpec{.law = "area"}, "body.skin");
  add("a `[[body.band]]`", BandSpec{}, "body.band");
  add("where = \"box\"", HoldSpec{.where = "box"}, "body.hold");
  add("where = \"group\"", HoldSpec{.where = "group", .select = "surface"}, "body.hold");
  add("where = \"bone\"", HoldSpec{.where = "bone", .joint = "elbow"}, "body.hold");
  add("animation = { file = \"ulna.pc2\" }", AnimationSpec{.file = "ulna.pc2"},
      "body.hold.animation");
  add("joint = \"elbow\"", MuscleSpec{.joint = "elbow"}, "body.muscle");
  add("file = \"walk.glb\"", SkeletonSpec{.file = "walk.glb"}, "skeleton");
  add("kind = \"traction\"", LoadSpec{.where = "all", .kind = "traction"}, "body.load");
  add("slide = \"plane\"", HoldSpec{.where = "all", .slide = "plane"}, "body.hold");
  add("a `[[body.zone]]`", ZoneSpec{}, "body.zone");
  for (const std::string_view where : zone_places()) {
    if (where == "all") continue;
    add(fmt::format("where = \"{}\"", where), ZoneSpec{.where = std::string(where)}, "body.zone");
  }
  add("volume = \"mixed\"` and `quadrature = \"four-points\"",
      MethodSpec{.volume = "mixed", .quadrature = "four-points"}, "method");
  add("volume = \"zones\"", MethodSpec{.volume = "zones"}, "method");
  add("self_contact = true", MethodSpec{.self_contact = true}, "method");
  for (const std::string_view kind : collider_kinds()) {
    add(fmt::format("a `[[collider]]` of kind = \"{}\"", kind),
        ColliderSpec{.shape = {.kind = std::string(kind), .axis = {0, 1, 0}}}, "collider");
  }
  add("kind = \"mesh\"` and `animation = { file = \"flag.pc2\" }",
      ColliderSpec{.shape = {.kind = "mesh"}, .animation = {.file = "flag.pc2"}}, "collider");
  return text;
}

}  // namespace isochor::sim
