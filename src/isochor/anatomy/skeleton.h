#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/anatomy/rigid_motion.h"

/// Skeletons: joints at rest, how they move, and what that does to points that follow them.
namespace isochor::anatomy {

struct Joint {
  std::string name;
  int parent = -1;  ///< comes before its children; -1 for a root
  /// Where it stands in its parent while no clip moves it. A file's nodes need not stand as the
  /// skin was bound.
  LocalTransform local;
  Transform rest;  ///< where it is when the body has its shape at rest, in the body's coordinates
  /// Whether a body is bound to it. Others only carry their children, as a node above all bones
  /// that turns the file upright.
  bool bound = true;
  bool tip = false;  ///< the end of a chain: a bone leads to it, none begins there
};

/// How values between two keys are found.
enum class Between { Step, Linear, Cubic };

/// Keys of a quantity; before the first and after the last it does not change. Cubic ones have
/// three values a key: the tangent in, the value, the tangent out, per second.
template <class Value>
struct Track {
  std::vector<double> times;  ///< s, ascending
  std::vector<Value> values;
  Between between = Between::Linear;
};

struct JointTracks {
  Track<Vec3d> translation, scale;
  Track<Quaternion> rotation;
};

/// An animation: per joint of its skeleton. Tracks without keys leave a joint as it stands.
struct Clip {
  std::string name;
  std::vector<JointTracks> joints;

  double duration() const;  ///< s, the time of the last key
};

struct Skeleton {
  std::vector<Joint> joints;
  /// From the space in which poses are composed to that of the body at rest.
  Transform base;
  std::vector<Clip> clips;

  /// Nothing where there is no joint of this name.
  std::optional<std::size_t> find(std::string_view name) const;
  Vec3d position(std::size_t joint) const { return joints[joint].rest.translation; }
};

/// Per joint, in its parent.
using Pose = std::vector<LocalTransform>;

/// The pose in which nothing has moved from rest.
Pose rest_pose(const Skeleton& skeleton);
/// A clip at a time in seconds.
Pose sample(const Skeleton& skeleton, const Clip& clip, double time);
Pose blend(const Pose& a, const Pose& b, double way);

/// How every joint takes points of the body at rest to where they are in a pose:
/// base G_j rest_j^-1, with G_j the product of the local transforms from the root to j.
std::vector<Transform> motions_from_rest(const Skeleton& skeleton, const Pose& pose);

/// How far a joint has turned in its parent since rest, rad, 0 to pi; about `axis`, in the axes of
/// the body at rest, where that has a length: -pi to pi, without what turns about others.
double bend(const Skeleton& skeleton, const Pose& pose, std::size_t joint,
            const Vec3d& axis = {0, 0, 0});

/// Joints are told apart by their names: what has the name of an earlier one gets a number after it.
void make_names_differ(Skeleton& skeleton);

/// Lengths times a factor: rest, poses and clips.
Skeleton scaled(Skeleton skeleton, double factor);

/// A joint and how much of a point follows it.
struct Influence {
  std::int32_t joint = 0;
  double weight = 0;
};

/// Influences of points: those of point k are first[k] up to first[k + 1]. Weights sum to one.
struct SkinWeights {
  std::vector<std::int32_t> first{0};
  std::vector<Influence> influences;

  std::size_t count() const { return first.size() - 1; }
  std::span<const Influence> of(std::size_t point) const {
    return std::span(influences).subspan(first[point], first[point + 1] - first[point]);
  }
  /// The influences of a further point, brought to a sum of one. Those without weight are left out.
  void add(std::span<const Influence> of_point);
};

/// A straight bone, m at rest, that moves with a joint.
struct BoneSegment {
  std::int32_t joint = 0;
  Vec3d from{0, 0, 0}, to{0, 0, 0};
};
/// From every bound joint to each of its bound children.
std::vector<BoneSegment> bone_segments(const Skeleton& skeleton);

/// Weights 1 / distance^4 of the four nearest bones: what a rig has before anybody paints it.
SkinWeights weights_by_distance(std::span<const Vec3d> points, std::span<const BoneSegment> bones);

/// Linear blend skinning: the mean, by weights, of where a point's joints would take it.
std::vector<Vec3d> blend_skinning(const SkinWeights& weights, std::span<const Transform> motions,
                                  std::span<const Vec3d> rest);

}  // namespace isochor::anatomy
