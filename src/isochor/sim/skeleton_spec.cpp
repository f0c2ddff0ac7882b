/// The keys of skeletons and of what they move.
#include <array>

#include "isochor/sim/skeleton_scene.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 2> kRootMotions{"keep", "remove"};
constexpr std::array<std::string_view, 2> kJointEases{"smooth", "linear"};

}  // namespace

void describe_joint(FieldVisitor& visitor, HoldSpec& spec) {
  const bool bone = spec.where == "bone";
  visitor.text("joint", spec.joint, "joint of the [skeleton] that moves it, in place of keys",
               bone ? Need::Required : Need::Optional);
  if (!bone) return;
  visitor.text("to", spec.to, "joint where the bone ends; without it the only child of its joint");
  visitor.number("radius", spec.radius, Unit::Length, Range::positive(),
                 "of the capsule, whose round ends touch the two joints", Need::Required);
}

void describe(FieldVisitor& visitor, BonesSpec& spec) {
  visitor.place(spec.place);
  visitor.number("radius", spec.radius, Unit::Length, Range::at_least(0),
                 "of capsules between joints; 0: none are made");
  visitor.number("slenderness", spec.slenderness, Unit::None, Range::between(0.01, 0.49),
                 "radius of short bones in parts of their length");
  visitor.number("end", spec.end, Unit::None, Range::at_least(0),
                 "a joint without children has a bone that goes on by this part of its parent's");
  visitor.number("stiffness", spec.stiffness, Unit::Bedding, Range::at_least(0),
                 "of springs that hold the flesh at their surface, per area; 0: nodes inside are "
                 "held rigidly");
}

void describe(FieldVisitor& visitor, BendSpec& spec) {
  visitor.number("angle", spec.angle, Unit::Angle, {}, "of the joint, from rest", Need::Required);
  visitor.number("value", spec.value, Unit::None, Range::between(0, 1),
                 "0: relaxed, 1: as strong as it can be", Need::Required);
}

void describe(FieldVisitor& visitor, JointKeySpec& spec) {
  visitor.number("frame", spec.frame, Unit::None, Range::at_least(0), "when", Need::Required);
  visitor.number("angle", spec.angle, Unit::Angle, {}, "turned about the joint's axis");
  visitor.vector("translate", spec.translate.e, Unit::Length, {}, "moved in its parent");
}

void describe(FieldVisitor& visitor, JointSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the joint", Need::Required);
  visitor.text("parent", spec.parent, "a joint above it in the list; without it a root");
  visitor.vector("position", spec.position.e, Unit::Length, {}, "at rest", Need::Required);
  visitor.vector("axis", spec.axis.e, Unit::None, {}, "about which it turns, at rest");
  visitor.choice("ease", spec.ease, kJointEases, "motion between keys");
  visitor.list("key", spec.keys, "motion against its parent; without keys there is none");
}

void describe(FieldVisitor& visitor, SkeletonSpec& spec) {
  visitor.place(spec.place);
  visitor.text("file", spec.file, "glTF or BVH file, relative to the scene");
  if (spec.file.empty()) {
    visitor.list("joint", spec.joints, "joints written here, in place of a file");
  } else {
    visitor.number("scale", spec.scale, Unit::None, Range::positive(),
                   "metres per unit of the file: 0.01 for centimetres");
    visitor.text("clip", spec.clip, "name of its animation; without it the first");
    visitor.number("start", spec.start, Unit::Time, Range::at_least(0),
                   "where in the clip to begin");
    visitor.number("speed", spec.speed, Unit::None, Range::at_least(0),
                   "seconds of the clip per second");
    visitor.flag("repeat", spec.repeat, "begin again at the end of the clip, as walk cycles do");
    visitor.number("pre_roll", spec.pre_roll, Unit::Time, Range::at_least(0),
                   "time in which it comes smoothly from rest to the first pose");
  }
  visitor.choice("root_motion", spec.root_motion, kRootMotions,
                 "where the root joint goes: kept, or removed from the simulation and added to "
                 "its frames, so that bodies feel no way of it");
}

}  // namespace isochor::sim
