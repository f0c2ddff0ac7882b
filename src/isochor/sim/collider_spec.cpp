#include "isochor/sim/collider_spec.h"

#include <fmt/format.h>

#include "isochor/base/error.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 7> kColliders{"plane",    "box",    "sphere", "capsule",
                                                     "cylinder", "stairs", "mesh"};
constexpr std::array<std::string_view, 2> kSides{"solid", "sheet"};
constexpr std::array<std::string_view, 3> kMeetings{"auto", "nodes", "surface"};

void require_direction(const Vec3d& v, const std::string& place, std::string_view remedy) {
  if (norm(v) > 0) return;
  throw Error(Fault::Input, place, "is a direction without length", std::string(remedy));
}

}  // namespace

std::span<const std::string_view> collider_kinds() { return kColliders; }

/// Contact of tets is part of steps of backward Euler, which a search for a state of rest is not;
/// lattices know both.
void check_contact(const SceneSpec& scene) {
  for (const ColliderSpec& collider : scene.colliders) {
    const std::string& kind = collider.shape.kind;
    if (kind == "plane") {
      require_direction(collider.normal, collider.place.text("normal"),
                        "give the direction out of the solid, as [0, 1, 0]");
    } else if (kind == "cylinder" || kind == "capsule") {
      require_direction(collider.shape.axis, collider.place.text("axis"),
                        "give the direction of the axis, as [0, 1, 0]");
    } else if (kind == "mesh" && collider.sides == "sheet" && !(collider.thickness > 0)) {
      throw Error(Fault::Input, collider.place.text("thickness"), "is 0, but a sheet has no inside",
                  "give it, as thickness = \"1 cm\", or choose sides = \"solid\"");
    }
  }
  for (const ColliderSpec& collider : scene.colliders) {
    if (scene.method.name != "staggered" || collider.friction == 0) continue;
    throw Error(Fault::Input, collider.place.text("friction"),
                "staggered bodies slide along colliders without friction",
                "leave it out, or choose another method, as method.name = \"lattice\"");
  }
  for (const ColliderSpec& collider : scene.colliders) {
    if (scene.method.name == "tets" || collider.meets != "surface") continue;
    throw Error(Fault::Input, collider.place.text("meets"),
                "is of tets: of other bodies the vertices of their surface meet colliders",
                "leave it out, or choose method.name = \"tets\"");
  }
  // With zones contact is a part of every step, whatever it is.
  if (!scene.has_contact() || scene.method.volume == "zones") return;
  const std::string place = !scene.colliders.empty()    ? scene.colliders[0].place.text()
                            : scene.method.self_contact ? scene.method.place.text("self_contact")
                                                        : scene.bodies[0].place.text("hold");
  const bool tets = scene.method.name == "tets";
  if (tets && !scene.touches()) {
    // Bones alone are a part of steps that have all forces at their end.
    if (!scene.time.moves() || scene.time.integrator == "backward-euler" ||
        scene.time.integrator == "bdf2") {
      return;
    }
    throw Error(Fault::Input, place,
                fmt::format("flesh does not slide over bones with time.integrator = \"{}\"",
                            scene.time.integrator),
                "choose time.integrator = \"bdf2\" or \"backward-euler\"");
  }
  if (scene.time.integrator != "backward-euler" && (tets || scene.time.moves())) {
    throw Error(
        Fault::Input, place,
        fmt::format("there is no contact with time.integrator = \"{}\"", scene.time.integrator),
        tets ? "choose time.integrator = \"backward-euler\""
             : "choose time.integrator = \"backward-euler\" or \"static\"");
  }
  if (tets && scene.time.starts_in_equilibrium()) {
    throw Error(Fault::Input, place, "a search for a state of rest knows no contact",
                "choose time.start = \"rest\"");
  }
}

void describe(FieldVisitor& visitor, ColliderSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the collider in messages", Need::Required);
  visitor.choice("kind", spec.shape.kind, kColliders,
                 "solid things; a plane is all that lies behind it");
  describe_measures(visitor, spec.shape);
  if (spec.shape.kind == "plane") {
    visitor.vector("normal", spec.normal.e, Unit::None, {}, "out of the solid");
  } else if (spec.shape.kind == "mesh") {
    visitor.choice("sides", spec.sides, kSides,
                   "solid: the inside of the mesh; sheet: a surface with two sides");
  }
  if (spec.shape.kind != "plane") {
    visitor.choice(
        "meets", spec.meets, kMeetings,
        "what of tets it meets: nodes alone, between which thin rods and sharp corners may "
        "go, or all of their surface, which costs more; auto: the surface where it is "
        "thinner than six tets");
  }
  visitor.number("friction", spec.friction, Unit::None, Range::at_least(0), "coefficient");
  visitor.number("thickness", spec.thickness, Unit::Length, Range::at_least(0),
                 "by which it is larger than its shape");
  visitor.text("joint", spec.joint, "joint of the [skeleton] that moves it, in place of keys");
  if (!spec.joint.empty()) return;
  if (spec.shape.kind == "mesh") {
    visitor.group("animation", spec.animation, "of the mesh, which moves it in place of keys");
    if (!spec.animation.file.empty()) {
      visitor.flag("deforms", spec.deforms,
                   "the mesh may change its shape, every vertex going its own way; otherwise it "
                   "has to move rigidly");
      return;
    }
  }
  visitor.list("key", spec.keys,
               "motion, at an even pace between keys; turns are about its center, of a mesh about "
               "the origin; without keys it stays where it is");
}

}  // namespace isochor::sim
