/// The keys of muscles, and what is asked of them together.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"
#include "isochor/sim/muscles.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 3> kFibres{"harmonic", "polylines", "constant"};
constexpr std::array<std::string_view, 4> kEnds{"auto", "bones", "group", "box"};
constexpr std::array kActiveLaws{materials::Muscle::kName, materials::MuscleMooneyRivlin::kName,
                                 materials::Guccione::kName};

}  // namespace

void describe(FieldVisitor& visitor, EndSpec& spec) {
  visitor.place(spec.place);
  visitor.choice("from", spec.from, kEnds,
                 "which triangles of the muscle: those at one end of its longest axis, those that "
                 "touch a bone there (a hold inside a surface), a group of its mesh, or all in a "
                 "box");
  if (spec.from == "bones") {
    visitor.number("touch", spec.touch, Unit::Length, Range::at_least(0),
                   "how close to a bone is touching it; 0: half a cell");
  }
  if (spec.from == "auto" || spec.from == "bones") {
    visitor.number("part", spec.part, Unit::None, Range::between(0.001, 0.5),
                   "of the muscle's length that is its end, where no bone decides");
  } else if (spec.from == "group") {
    visitor.text("group", spec.group, "of faces in the muscle's mesh file", Need::Required);
  } else {
    visitor.vector("low", spec.low.e, Unit::Length, {}, "corner of the box", Need::Required);
    visitor.vector("high", spec.high.e, Unit::Length, {}, "opposite corner", Need::Required);
  }
}

void describe(FieldVisitor& visitor, LineSpec::Point& spec) {
  visitor.vector("at", spec.at.e, Unit::Length, {}, "a point of the line", Need::Required);
}

void describe(FieldVisitor& visitor, LineSpec& spec) {
  visitor.place(spec.place);
  visitor.list("point", spec.points, "two or more");
}

void describe(FieldVisitor& visitor, MuscleSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the muscle in messages", Need::Required);
  visitor.group("shape", spec.shape, "the muscle's surface, closed, inside the body");
  visitor.choice("fibres", spec.fibres, kFibres,
                 "between its two ends by a harmonic function, along lines, or in one direction");
  if (spec.fibres == "constant") {
    visitor.vector("direction", spec.direction.e, Unit::None, {}, "of all fibres");
  } else if (spec.fibres == "polylines") {
    visitor.text("file", spec.file, "OBJ file with lines (elements l), relative to the scene");
    visitor.number("scale", spec.scale, Unit::None, Range::positive(),
                   "metres per unit of that file: 0.001 for millimetres");
    visitor.list("line", spec.lines, "lines given here, beside those of a file");
  } else {
    visitor.group("origin", spec.origin, "where fibres begin");
    visitor.group("insertion", spec.insertion, "where they end");
  }
  visitor.group("material", spec.material,
                "what the muscle is made of; its direction and density are not used: fibres go "
                "as said here, and it weighs what the body does");
  visitor.text("joint", spec.joint, "joint of the [skeleton] whose bend decides how active it is");
  if (spec.joint.empty()) {
    visitor.list("activation", spec.activations,
                 "how active it is, with straight lines between keys");
    return;
  }
  visitor.vector("axis", spec.axis.e, Unit::None, {},
                 "about which its bend counts, at rest; zeros: any");
  visitor.list("bend", spec.bends, "how active it is at angles, with straight lines between them");
}

bool is_active(const materials::MaterialSpec& material) {
  return std::ranges::find(kActiveLaws, material.law) != kActiveLaws.end();
}

void require_active_law(const materials::MaterialSpec& material, const std::string& place,
                        const std::string& name) {
  if (is_active(material)) return;
  throw Error(Fault::Input, place,
              fmt::format("'{}' is not a muscle: its law is {}", name, material.law),
              fmt::format("set material.law to {}, or leave activation out",
                          fmt::join(kActiveLaws, " or ")));
}

void check_muscle(const MuscleSpec& muscle) {
  const materials::Material material = materials::resolve(muscle.material);
  if (materials::is_isotropic(material.law)) {
    throw Error(Fault::Input, muscle.place.text("material.law"),
                fmt::format("'{}' has no fibres", muscle.material.law),
                "choose a law with a direction, such as muscle_mooney_rivlin");
  }
  if (!muscle.activations.empty()) {
    require_active_law(muscle.material, muscle.place.text("activation"), muscle.name);
  }
  if (muscle.fibres == "constant" && !(norm(muscle.direction) > 0)) {
    throw Error(Fault::Input, muscle.place.text("direction"), "is a direction without length",
                "give the direction of the fibres, as [1, 0, 0]");
  }
  if (muscle.fibres == "polylines" && muscle.file.empty() && muscle.lines.empty()) {
    throw Error(Fault::Input, muscle.place.text("fibres"), "there are no lines to follow",
                "name a file of them, or give them as [[body.muscle.line]]");
  }
}

}  // namespace isochor::sim
