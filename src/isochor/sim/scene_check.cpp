#include "isochor/sim/scene_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "isochor/base/error.h"
#include "isochor/sim/capabilities.h"
#include "isochor/sim/collider_spec.h"
#include "isochor/sim/motion.h"
#include "isochor/sim/muscles.h"
#include "isochor/sim/sag_free.h"
#include "isochor/sim/sheet_spec.h"
#include "isochor/sim/zone_spec.h"

namespace isochor::sim {
namespace {

void require_unique(std::set<std::string>& names, const std::string& name, const Place& place) {
  if (name.empty()) throw Error(Fault::Input, place.text("name"), "is empty", "give it a name");
  if (!names.insert(name).second) {
    throw Error(Fault::Input, place.text("name"), fmt::format("'{}' is taken already", name),
                "names must differ: files and diagnostics are told apart by them");
  }
}

/// Keys of a motion, or of anything else that changes with frames.
template <class Key>
void check_order(const std::vector<Key>& keys, std::string_view name, const Place& place) {
  for (std::size_t k = 1; k < keys.size(); ++k) {
    if (!(keys[k].frame > keys[k - 1].frame)) {
      throw Error(Fault::Input, place.text(fmt::format("{}[{}].frame", name, k)),
                  fmt::format("{} does not follow {}", keys[k].frame, keys[k - 1].frame),
                  "list keys in the order of their frames");
    }
  }
}

void check_hold(const HoldSpec& hold) {
  check_order(hold.keys, "key", hold.place);
  if (hold.stiffness > 0 && hold.select != "surface") {
    throw Error(Fault::Input, hold.place.text("stiffness"),
                "is the stiffness of springs, but nodes are held rigidly",
                "give select = \"surface\" too, or leave it out");
  }
  if (hold.where == "group" && hold.select != "surface") {
    throw Error(Fault::Input, hold.place.text("where"),
                "a group has faces of the surface, but nodes are held",
                "give select = \"surface\" too, or choose another region");
  }
  if (hold.slide == "none") return;
  if (hold.slide == "surface") {
    if (hold.stiffness > 0 && hold.encloses()) return;
    throw Error(Fault::Input, hold.place.text("slide"),
                "only what springs hold at a bone slides along its surface",
                "give where = \"inside\" or \"bone\", select = \"surface\" and stiffness too");
  }
  if (hold.stiffness > 0) {
    throw Error(Fault::Input, hold.place.text("slide"),
                "a soft hold does not slide in a plane or along a line",
                "choose slide = \"surface\", or leave out stiffness and select = \"surface\"");
  }
  if (!(norm(hold.direction) > 0)) {
    throw Error(Fault::Input, hold.place.text("direction"), "is a direction without length",
                "give the normal of the plane or the direction of the line, as [0, 0, 1]");
  }
}

void check_load(const LoadSpec& load) {
  check_order(load.keys, "key", load.place);
  const bool nothing = load.kind == "pressure" ? load.pressure == 0 : !(norm(load.traction) > 0);
  if (!nothing) return;
  throw Error(Fault::Input, load.place.text(load.kind), "is a load of nothing",
              load.kind == "pressure" ? "give it, as pressure = \"3 kPa\""
                                      : "give it, as traction = [0, \"-3 kPa\", 0]");
}

/// What only makes sense where time passes.
void check_static(const BodySpec& body) {
  const auto refuse = [&](std::string_view key, std::string_view what) {
    throw Error(Fault::Input, body.place.text(key), fmt::format("a static scene has no {}", what),
                "choose time.integrator = \"bdf2\", or leave it out");
  };
  if (body.damping.mass > 0) refuse("damping.mass", "damping");
  if (body.damping.stiffness > 0) refuse("damping.stiffness", "damping");
  if (norm(body.velocity) > 0) refuse("velocity", "velocities");
  if (norm(body.angular_velocity) > 0) refuse("angular_velocity", "velocities");
}

/// A scene that starts from the shape at rest has its holds there.
void check_start(const HoldSpec& hold) {
  const Pose first = pose_at(hold, 0);
  if (norm(first.translation) == 0 && norm(first.rotation) == 0) return;
  throw Error(Fault::Input, hold.place.text(hold.joint.empty() ? "key[0]" : "joint"),
              "moves the hold at frame 0, where the bodies still have their shape at rest",
              hold.joint.empty() ? "begin the motion at rest, or set time.start = \"equilibrium\""
                                 : "give skeleton.pre_roll, or set time.start = \"equilibrium\"");
}

void check_ties(const SceneSpec& scene, const std::set<std::string>& bodies) {
  std::set<std::string> names;
  for (const TieSpec& tie : scene.ties) {
    require_unique(names, tie.name, tie.place);
    for (const auto& [key, body] :
         {std::pair("first", tie.first), std::pair("second", tie.second)}) {
      if (bodies.contains(body)) continue;
      throw Error(Fault::Input, tie.place.text(key), fmt::format("there is no body '{}'", body),
                  fmt::format("use one of: {}", fmt::join(bodies, ", ")));
    }
    if (tie.first == tie.second) {
      throw Error(Fault::Input, tie.place.text("second"), "is the first body again",
                  "name two bodies");
    }
  }
}

/// What no single field can know.

}  // namespace

void check_scene(const SceneSpec& scene) {
  if (scene.bodies.empty()) {
    throw Error(Fault::Input, scene.file.string(), "has no body", "add a [[body]]");
  }
  std::set<std::string> bodies;
  for (const BodySpec& body : scene.bodies) {
    require_unique(bodies, body.name, body.place);
    materials::resolve(body.material);
    check_order(body.activations, "activation", body.place);
    const bool has_active_region = std::ranges::any_of(
        body.regions, [](const RegionSpec& region) { return is_active(region.material); });
    if (!body.activations.empty() && !has_active_region) {
      require_active_law(body.material, body.place.text("activation"), body.name);
    }
    std::set<std::string> muscles;
    for (const MuscleSpec& muscle : body.muscles) {
      require_unique(muscles, muscle.name, muscle.place);
      check_order(muscle.activations, "activation", muscle.place);
      check_muscle(muscle);
    }
    const bool tied = std::ranges::any_of(scene.ties, [&](const TieSpec& tie) {
      return tie.first == body.name || tie.second == body.name;
    });
    if (!scene.time.moves()) check_static(body);
    if (body.holds.empty() && !tied && scene.time.starts_in_equilibrium()) {
      throw Error(Fault::Input, body.place.text(),
                  fmt::format("nothing holds '{}', so that it has no state of rest", body.name),
                  scene.time.moves() ? "add a [[body.hold]], or set time.start = \"rest\""
                                     : "add a [[body.hold]], or let time pass: "
                                       "time.integrator = \"bdf2\"");
    }
    std::set<std::string> holds;
    for (const HoldSpec& hold : body.holds) {
      require_unique(holds, hold.name, hold.place);
      check_hold(hold);
      if (!scene.time.starts_in_equilibrium()) check_start(hold);
    }
    std::set<std::string> regions;
    for (const RegionSpec& region : body.regions) {
      require_unique(regions, region.name, region.place);
      materials::resolve(region.material);
    }
    std::set<std::string> loads;
    for (const LoadSpec& load : body.loads) {
      require_unique(loads, load.name, load.place);
      check_load(load);
    }
  }
  check_zones(scene);
  check_ties(scene, bodies);
  std::set<std::string> colliders;
  for (const ColliderSpec& collider : scene.colliders) {
    require_unique(colliders, collider.name, collider.place);
    check_order(collider.keys, "key", collider.place);
  }
  check_contact(scene);
  check_sheets(scene);
  check_sag_free(scene);
  check_capabilities(scene);
}

}  // namespace isochor::sim
