#pragma once

#include "isochor/anatomy/skeleton.h"
#include "isochor/sim/scene_spec.h"

/// What a skeleton does to a scene: it becomes keys of what its joints move, so that everything
/// that moves by keys moves by joints, in all methods, and is told apart frame by frame alike.
namespace isochor::sim {

/// The keys with which a part of a scene names a joint, beside where it is.
void describe_joint(FieldVisitor& visitor, HoldSpec& spec);

/// The skeleton of a scene in metres, from its file or from what is written.
anatomy::Skeleton build_skeleton(const SkeletonSpec& spec, const std::filesystem::path& scene_file);

/// A skeleton over the frames of a scene.
class SkeletonMotion {
 public:
  /// Reads the file that the scene names.
  SkeletonMotion(const SceneSpec& scene, anatomy::Skeleton skeleton);

  const anatomy::Skeleton& skeleton() const { return skeleton_; }
  /// Root motion included.
  anatomy::Pose pose_at(double frame) const;

 private:
  void find_clip();
  anatomy::Pose written_pose(double frame) const;

  SkeletonSpec spec_;
  anatomy::Skeleton skeleton_;
  double frame_rate_;
  std::size_t clip_ = 0;
};

/// Gives all that names a joint the joint's motion as keys, one for each step of time, makes the
/// capsules of bones, and adds the holds of BodySpec::bones. Reading a scene does so; scenes made
/// otherwise call it once they are complete.
void apply_skeleton(SceneSpec& scene);

/// Without the holds of BodySpec::bones, which the scene does not write.
SceneSpec without_made_bones(SceneSpec scene);

/// Where the root of the skeleton has gone at a frame, m, if its motion is removed from the
/// simulation; what frames add to all positions.
Vec3d root_offset(const SceneSpec& scene, double frame);

}  // namespace isochor::sim
