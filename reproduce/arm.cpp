#include "reproduce/arm.h"

#include "isochor/geometry/organic_shapes.h"
#include "isochor/sim/skeleton_scene.h"

namespace isochor::reproduce {
namespace {

constexpr double kBoneStiffness = 1e8;  ///< N/m^3

sim::HoldSpec bone(const std::string& part, const std::string& joint) {
  sim::HoldSpec hold{.name = part, .where = "inside"};
  hold.inside = {.kind = "arm", .part = part};
  hold.select = "surface";
  hold.stiffness = kBoneStiffness;
  hold.joint = joint;
  return hold;
}

}  // namespace

sim::SceneSpec make_bending_arm(const BendingArm& arm) {
  sim::SceneSpec scene;
  scene.title = "Bending arm";
  scene.time.frames = arm.frames;
  scene.method.volume = arm.volume;
  // Joints do not depend on the edges of the skin.
  constexpr double kCoarse = 0.02;
  const geometry::ArmShape shape = geometry::make_arm(kCoarse);
  scene.skeleton.joints = {
      {.name = "shoulder", .position = shape.shoulder},
      {.name = "elbow",
       .parent = "shoulder",
       .position = shape.elbow,
       .ease = "linear",
       .keys = {{.frame = 0}, {.frame = double(arm.frames), .angle = arm.angle}}},
      {.name = "wrist", .parent = "elbow", .position = shape.wrist}};
  sim::BodySpec& body = scene.bodies.emplace_back();
  body.name = "arm";
  body.cell_size = arm.cell_size;
  body.shape = {.kind = "arm", .edge = arm.edge};
  body.material.law = arm.law;
  body.material.young = arm.young;
  body.material.poisson = arm.poisson;
  body.holds = {bone("humerus", "shoulder"), bone("radius", "elbow"), bone("ulna", "elbow")};
  sim::apply_skeleton(scene);
  return scene;
}

std::vector<Vec3d> blend_skinned(const sim::SceneSpec& scene, std::span<const Vec3d> rest,
                                 double frame) {
  const sim::SkeletonMotion motion(scene, sim::build_skeleton(scene.skeleton, scene.file));
  const anatomy::Skeleton& skeleton = motion.skeleton();
  return anatomy::blend_skinning(
      anatomy::weights_by_distance(rest, anatomy::bone_segments(skeleton)),
      anatomy::motions_from_rest(skeleton, motion.pose_at(frame)), rest);
}

}  // namespace isochor::reproduce
