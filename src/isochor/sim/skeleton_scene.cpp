#include "isochor/sim/skeleton_scene.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "isochor/base/error.h"
#include "isochor/files/skeleton_file.h"
#include "isochor/math/polar.h"

namespace isochor::sim {
namespace {

using anatomy::Skeleton;
using anatomy::Transform;

double eased(double way, std::string_view ease) {
  return ease == "smooth" ? way * way * (3 - 2 * way) : way;
}

/// Between keys, smoothly or not; what the first and last say beyond them. Key has a frame.
template <class Key, class Mix>
auto between_keys(const std::vector<Key>& keys, double frame, Mix&& mix) {
  const auto after = std::ranges::upper_bound(keys, frame, {}, &Key::frame);
  if (after == keys.begin()) return mix(keys.front(), keys.front(), 0.0);
  if (after == keys.end()) return mix(keys.back(), keys.back(), 0.0);
  const Key& before = *(after - 1);
  return mix(before, *after, (frame - before.frame) / (after->frame - before.frame));
}

[[noreturn]] void fail_unknown(const Skeleton& skeleton, const std::string& name,
                               const std::string& place) {
  std::vector<std::string> names;
  for (const anatomy::Joint& joint : skeleton.joints) names.push_back(joint.name);
  throw Error(
      Fault::Input, place, fmt::format("the skeleton has no joint '{}'", name),
      names.empty() ? "add a [skeleton]" : fmt::format("use one of: {}", fmt::join(names, ", ")));
}

std::size_t joint_named(const Skeleton& skeleton, const std::string& name,
                        const std::string& place) {
  const auto joint = skeleton.find(name);
  if (!joint) fail_unknown(skeleton, name, place);
  return *joint;
}

// ---- Joints written in the scene ----

void check_joint(const JointSpec& spec, const Skeleton& above) {
  if (above.find(spec.name)) {
    throw Error(Fault::Input, spec.place.text("name"),
                fmt::format("'{}' is taken already", spec.name), "names of joints must differ");
  }
  if (!spec.parent.empty() && !above.find(spec.parent)) {
    throw Error(Fault::Input, spec.place.text("parent"),
                fmt::format("no joint above it is called '{}'", spec.parent),
                "list a joint after its parent");
  }
  if (!(norm(spec.axis) > 0)) {
    throw Error(Fault::Input, spec.place.text("axis"), "is a direction without length",
                "give the axis about which it turns, as [0, 0, 1]");
  }
  for (std::size_t k = 1; k < spec.keys.size(); ++k) {
    if (spec.keys[k].frame > spec.keys[k - 1].frame) continue;
    throw Error(Fault::Input, spec.place.text(fmt::format("key[{}].frame", k)),
                fmt::format("{} does not follow {}", spec.keys[k].frame, spec.keys[k - 1].frame),
                "list keys in the order of their frames");
  }
}

/// All joints have the axes of the scene at rest.
Skeleton written_skeleton(const SkeletonSpec& spec) {
  Skeleton skeleton;
  for (const JointSpec& joint : spec.joints) {
    check_joint(joint, skeleton);
    const auto parent = skeleton.find(joint.parent);
    const Vec3d origin = parent ? skeleton.position(*parent) : Vec3d{0, 0, 0};
    skeleton.joints.push_back({.name = joint.name,
                               .parent = parent ? static_cast<int>(*parent) : -1,
                               .local = {.translation = joint.position - origin},
                               .rest = {.translation = joint.position}});
  }
  return skeleton;
}

// ---- Motions as keys ----

/// A scene's steps of time, with the motions of all joints there.
struct Samples {
  std::vector<double> frames;
  std::vector<anatomy::Pose> poses;
  std::vector<std::vector<Transform>> motions;
};

Samples sample_motion(const SceneSpec& scene, const SkeletonMotion& motion) {
  Samples samples;
  const int per_frame = scene.time.substeps;
  for (int k = 0; k <= scene.time.frames * per_frame; ++k) {
    samples.frames.push_back(double(k) / per_frame);
    samples.poses.push_back(motion.pose_at(samples.frames.back()));
    samples.motions.push_back(motions_from_rest(motion.skeleton(), samples.poses.back()));
  }
  return samples;
}

/// The rotation of a joint. Bones are rigid: where a clip stretches one, there is none.
Mat3d rotation_of(const Skeleton& skeleton, std::size_t joint, const Transform& motion,
                  double frame, const std::string& place) {
  constexpr double kLargestStretch = 0.02;
  const Polar<double> polar = polar_decomposition(motion.linear);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (std::abs(polar.S(i, j) - (i == j)) < kLargestStretch) continue;
      throw Error(Fault::Input, place,
                  fmt::format("joint '{}' is scaled at frame {:g}, but bones are rigid",
                              skeleton.joints[joint].name, frame),
                  "export the animation without scaling of joints");
    }
  }
  return polar.R;
}

/// Keys of what moves with a joint and turns about `pivot`. Without any where nothing moves.
std::vector<KeySpec> keys_of(const Skeleton& skeleton, const Samples& samples, std::size_t joint,
                             const Vec3d& pivot, const std::string& place) {
  constexpr double kRounding = 1e-12;
  std::vector<KeySpec> keys;
  Vec3d turn{0, 0, 0};
  bool moves = false;
  for (std::size_t k = 0; k < samples.frames.size(); ++k) {
    const Transform& motion = samples.motions[k][joint];
    turn = anatomy::rotation_vector(rotation_of(skeleton, joint, motion, samples.frames[k], place),
                                    turn);
    KeySpec key{.frame = samples.frames[k], .translate = motion(pivot) - pivot, .rotate = turn};
    // At rest to the last bit, which scenes that start there ask for.
    if (norm(key.rotate) < kRounding) key.rotate = {0, 0, 0};
    if (norm(key.translate) < kRounding * (1 + norm(pivot))) key.translate = {0, 0, 0};
    moves = moves || norm(key.rotate) > 0 || norm(key.translate) > 0;
    keys.push_back(key);
  }
  if (!moves) keys.clear();
  return keys;
}

/// The first joint of a body that goes anywhere: files have others above it that never move.
std::size_t root_of(const Skeleton& skeleton, const Samples& samples) {
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (!skeleton.joints[j].bound) continue;
    const Vec3d rest = skeleton.position(j);
    for (const std::vector<Transform>& motions : samples.motions) {
      constexpr double kNowhere = 1e-9;
      if (norm(motions[j](rest) - rest) > kNowhere * (1 + norm(rest))) return j;
    }
  }
  return 0;
}

/// Takes the way of the root out of all motions.
std::vector<KeySpec> remove_root(const Skeleton& skeleton, Samples& samples) {
  const std::size_t root = root_of(skeleton, samples);
  std::vector<KeySpec> keys;
  for (std::size_t k = 0; k < samples.frames.size(); ++k) {
    const Vec3d rest = skeleton.position(root);
    const Vec3d way = samples.motions[k][root](rest) - rest;
    for (Transform& motion : samples.motions[k]) motion.translation -= way;
    keys.push_back({.frame = samples.frames[k], .translate = way});
  }
  return keys;
}

// ---- What joints move ----

double value_at(const std::vector<BendSpec>& bends, double angle) {
  const auto after = std::ranges::upper_bound(bends, angle, {}, &BendSpec::angle);
  if (after == bends.begin()) return bends.front().value;
  if (after == bends.end()) return bends.back().value;
  const BendSpec& before = *(after - 1);
  const double way = (angle - before.angle) / (after->angle - before.angle);
  return (1 - way) * before.value + way * after->value;
}

void activate(MuscleSpec& muscle, const Skeleton& skeleton, const Samples& samples) {
  const std::size_t joint = joint_named(skeleton, muscle.joint, muscle.place.text("joint"));
  if (muscle.bends.empty()) {
    throw Error(Fault::Input, muscle.place.text("joint"), "says nothing about how active it is",
                "give bend = [{ angle = 0, value = 0 }, { angle = \"90 deg\", value = 1 }]");
  }
  for (std::size_t k = 1; k < muscle.bends.size(); ++k) {
    if (muscle.bends[k].angle > muscle.bends[k - 1].angle) continue;
    throw Error(
        Fault::Input, muscle.place.text(fmt::format("bend[{}].angle", k)),
        fmt::format("{} does not follow {}", muscle.bends[k].angle, muscle.bends[k - 1].angle),
        "list angles in ascending order");
  }
  muscle.activations.clear();
  for (std::size_t k = 0; k < samples.frames.size(); ++k) {
    const double angle = anatomy::bend(skeleton, samples.poses[k], joint, muscle.axis);
    muscle.activations.push_back({samples.frames[k], value_at(muscle.bends, angle)});
  }
}

/// The capsule of a bone: between two joints, which its round ends touch.
ShapeSpec bone_shape(const Vec3d& from, const Vec3d& to, double radius, const Place& place) {
  const double length = norm(to - from);
  if (!(2 * radius < length)) {
    throw Error(Fault::Input, place.text("radius"),
                fmt::format("{} m is too thick for a bone of {:.3g} m", radius, length),
                "choose less than half of its length, or another end");
  }
  return {.kind = "capsule",
          .center = 0.5 * (from + to),
          .axis = to - from,
          .radius = radius,
          .length = length - 2 * radius,
          .place = place};
}

std::size_t end_of(const HoldSpec& hold, const Skeleton& skeleton, std::size_t joint) {
  if (!hold.to.empty()) return joint_named(skeleton, hold.to, hold.place.text("to"));
  std::vector<std::size_t> children;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    if (skeleton.joints[j].parent == static_cast<int>(joint)) children.push_back(j);
  }
  if (children.size() == 1) return children[0];
  std::vector<std::string> names;
  for (const std::size_t child : children) names.push_back(skeleton.joints[child].name);
  throw Error(Fault::Input, hold.place.text("to"),
              fmt::format("is missing, and '{}' has {} children", hold.joint, children.size()),
              children.empty() ? "give the bone as where = \"inside\" with a shape"
                               : fmt::format("use one of: {}", fmt::join(names, ", ")));
}

void attach(HoldSpec& hold, const Skeleton& skeleton, const Samples& samples) {
  const std::size_t joint = joint_named(skeleton, hold.joint, hold.place.text("joint"));
  if (hold.where == "bone" && !hold.from_bones) {
    const std::size_t end = end_of(hold, skeleton, joint);
    hold.inside =
        bone_shape(skeleton.position(joint), skeleton.position(end), hold.radius, hold.place);
  }
  hold.turns_about = "point";
  hold.pivot = skeleton.position(joint);
  hold.ease = "linear";
  hold.keys = keys_of(skeleton, samples, joint, hold.pivot, hold.place.text("joint"));
}

/// Capsules between all bound joints, and beyond the last ones.
void add_bones(BodySpec& body, const Skeleton& skeleton) {
  const BonesSpec& bones = body.bones;
  std::vector<int> children(skeleton.joints.size(), 0);
  std::vector<anatomy::BoneSegment> segments = anatomy::bone_segments(skeleton);
  for (const anatomy::BoneSegment& segment : segments) ++children[segment.joint];
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const anatomy::Joint& joint = skeleton.joints[j];
    const bool ends = children[j] == 0 && joint.bound && !joint.tip && joint.parent >= 0;
    if (!ends || !(bones.end > 0)) continue;
    const Vec3d from = skeleton.position(j);
    const Vec3d onward = from + bones.end * (from - skeleton.position(joint.parent));
    segments.push_back({static_cast<std::int32_t>(j), from, joint.end.value_or(onward)});
  }
  std::set<std::string> taken;
  for (const HoldSpec& hold : body.holds) taken.insert(hold.name);
  for (const anatomy::BoneSegment& segment : segments) {
    const double length = norm(segment.to - segment.from);
    if (!(length > 0)) continue;
    HoldSpec hold{.where = "bone", .joint = skeleton.joints[segment.joint].name};
    hold.name = hold.joint;
    for (int k = 2; !taken.insert(hold.name).second; ++k) {
      hold.name = fmt::format("{}-{}", hold.joint, k);
    }
    hold.place = bones.place;
    hold.from_bones = true;
    hold.radius = std::min(bones.radius, bones.slenderness * length);
    hold.inside = bone_shape(segment.from, segment.to, hold.radius, bones.place);
    hold.stiffness = bones.stiffness;
    if (hold.stiffness > 0) hold.select = "surface";
    body.holds.push_back(std::move(hold));
  }
}

/// Whatever names a joint, where there is none.
void refuse_joints(const SceneSpec& scene) {
  const auto refuse = [](const std::string& joint, const std::string& place) {
    if (!joint.empty()) fail_unknown({}, joint, place);
  };
  for (const BodySpec& body : scene.bodies) {
    for (const HoldSpec& hold : body.holds) refuse(hold.joint, hold.place.text("joint"));
    for (const MuscleSpec& muscle : body.muscles) refuse(muscle.joint, muscle.place.text("joint"));
    if (body.bones.radius > 0) {
      throw Error(Fault::Input, body.bones.place.text("radius"),
                  "there are no joints to lie between", "add a [skeleton]");
    }
  }
  for (const ColliderSpec& collider : scene.colliders) {
    refuse(collider.joint, collider.place.text("joint"));
  }
}

}  // namespace

Skeleton build_skeleton(const SkeletonSpec& spec, const std::filesystem::path& scene_file) {
  if (spec.written()) return written_skeleton(spec);
  return anatomy::scaled(
      spec.given ? *spec.given : files::read_skeleton(scene_file.parent_path() / spec.file),
      spec.scale);
}

SkeletonMotion::SkeletonMotion(const SceneSpec& scene, Skeleton skeleton)
    : spec_(scene.skeleton), skeleton_(std::move(skeleton)), frame_rate_(scene.time.frame_rate) {
  if (spec_.written()) return;
  find_clip();
  const double length = skeleton_.clips.empty() ? 0 : skeleton_.clips[clip_].duration();
  if (spec_.start > 0 && spec_.start > length && !spec_.repeat) {
    throw Error(Fault::Input, spec_.place.text("start"),
                fmt::format("{:g} s is beyond the end of the clip, which is {:.4g} s long",
                            spec_.start, length),
                "start earlier, or give repeat = true");
  }
}

void SkeletonMotion::find_clip() {
  if (spec_.clip.empty()) return;
  const auto clip = std::ranges::find(skeleton_.clips, spec_.clip, &anatomy::Clip::name);
  if (clip == skeleton_.clips.end()) {
    std::vector<std::string> names;
    for (const anatomy::Clip& known : skeleton_.clips) names.push_back(known.name);
    throw Error(Fault::Input, spec_.place.text("clip"),
                fmt::format("{} has no clip '{}'", spec_.file, spec_.clip),
                names.empty() ? "it has no animation; leave the key out"
                              : fmt::format("use one of: {}", fmt::join(names, ", ")));
  }
  clip_ = clip - skeleton_.clips.begin();
}

anatomy::Pose SkeletonMotion::written_pose(double frame) const {
  anatomy::Pose pose = anatomy::rest_pose(skeleton_);
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    const JointSpec& joint = spec_.joints[j];
    if (joint.keys.empty()) continue;
    const JointKeySpec key = between_keys(
        joint.keys, frame, [&](const JointKeySpec& a, const JointKeySpec& b, double way) {
          const double s = eased(way, joint.ease);
          return JointKeySpec{.angle = (1 - s) * a.angle + s * b.angle,
                              .translate = (1 - s) * a.translate + s * b.translate};
        });
    pose[j].translation += key.translate;
    pose[j].rotation =
        anatomy::quaternion_of(rotation_from_vector((key.angle / norm(joint.axis)) * joint.axis));
  }
  return pose;
}

anatomy::Pose SkeletonMotion::pose_at(double frame) const {
  if (spec_.written()) return written_pose(frame);
  if (skeleton_.clips.empty()) return anatomy::rest_pose(skeleton_);
  const anatomy::Clip& clip = skeleton_.clips[clip_];
  const double since = frame / frame_rate_ - spec_.pre_roll;
  double time = spec_.start + spec_.speed * std::max(0.0, since);
  if (spec_.repeat && clip.duration() > 0) time = std::fmod(time, clip.duration());
  anatomy::Pose pose = anatomy::sample(skeleton_, clip, time);
  if (since >= 0) return pose;
  const double way = 1 + since / spec_.pre_roll;
  return anatomy::blend(anatomy::rest_pose(skeleton_), pose, eased(way, "smooth"));
}

void apply_skeleton(SceneSpec& scene) {
  scene.skeleton.root_keys.clear();
  if (!scene.skeleton.exists()) return refuse_joints(scene);
  const SkeletonMotion motion(scene, build_skeleton(scene.skeleton, scene.file));
  const Skeleton& skeleton = motion.skeleton();
  Samples samples = sample_motion(scene, motion);
  if (scene.skeleton.root_motion == "remove") {
    if (!scene.colliders.empty()) {
      throw Error(Fault::Input, scene.skeleton.place.text("root_motion"),
                  "colliders stand in a space in which the skeleton no longer moves",
                  "choose root_motion = \"keep\"");
    }
    scene.skeleton.root_keys = remove_root(skeleton, samples);
  }
  for (BodySpec& body : scene.bodies) {
    std::erase_if(body.holds, [](const HoldSpec& hold) { return hold.from_bones; });
    if (body.bones.radius > 0) add_bones(body, skeleton);
    for (HoldSpec& hold : body.holds) {
      if (!hold.joint.empty()) attach(hold, skeleton, samples);
    }
    for (MuscleSpec& muscle : body.muscles) {
      if (!muscle.joint.empty()) activate(muscle, skeleton, samples);
    }
  }
  for (ColliderSpec& collider : scene.colliders) {
    if (collider.joint.empty()) continue;
    const std::string place = collider.place.text("joint");
    const std::size_t joint = joint_named(skeleton, collider.joint, place);
    const Vec3d pivot = collider.shape.kind == "mesh" ? Vec3d{0, 0, 0} : collider.shape.center;
    collider.keys = keys_of(skeleton, samples, joint, pivot, place);
  }
}

SceneSpec without_made_bones(SceneSpec scene) {
  for (BodySpec& body : scene.bodies) {
    std::erase_if(body.holds, [](const HoldSpec& hold) { return hold.from_bones; });
  }
  return scene;
}

Vec3d root_offset(const SceneSpec& scene, double frame) {
  const std::vector<KeySpec>& keys = scene.skeleton.root_keys;
  if (keys.empty()) return {0, 0, 0};
  return between_keys(keys, frame, [](const KeySpec& a, const KeySpec& b, double way) {
    return (1 - way) * a.translate + way * b.translate;
  });
}

}  // namespace isochor::sim
