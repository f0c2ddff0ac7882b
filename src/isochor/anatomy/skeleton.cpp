#include "isochor/anatomy/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace isochor::anatomy {
namespace {

Vec3d mixed(const Vec3d& a, const Vec3d& b, double way) { return (1 - way) * a + way * b; }
Quaternion mixed(const Quaternion& a, const Quaternion& b, double way) { return slerp(a, b, way); }

Vec3d sum(const std::array<double, 4>& h, const Vec3d& a, const Vec3d& b, const Vec3d& c,
          const Vec3d& d) {
  return h[0] * a + h[1] * b + h[2] * c + h[3] * d;
}
Quaternion sum(const std::array<double, 4>& h, const Quaternion& a, const Quaternion& b,
               const Quaternion& c, const Quaternion& d) {
  return normalised(
      {sum(h, a.v, b.v, c.v, d.v), h[0] * a.w + h[1] * b.w + h[2] * c.w + h[3] * d.w});
}

/// Cubic Hermite interpolation over a span of `dt` seconds.
template <class Value>
Value cubic(const Value* from, const Value* to, double s, double dt) {
  const double s2 = s * s, s3 = s2 * s;
  const std::array h{2 * s3 - 3 * s2 + 1, dt * (s3 - 2 * s2 + s), -2 * s3 + 3 * s2, dt * (s3 - s2)};
  return sum(h, from[1], from[2], to[1], to[0]);
}

template <class Value>
Value value_at(const Track<Value>& track, double time, const Value& otherwise) {
  if (track.times.empty()) return otherwise;
  const std::size_t stride = track.between == Between::Cubic ? 3 : 1, middle = stride / 2;
  const auto value = [&](std::size_t key) { return track.values[stride * key + middle]; };
  const auto after = std::ranges::upper_bound(track.times, time);
  if (after == track.times.begin()) return value(0);
  if (after == track.times.end()) return value(track.times.size() - 1);
  const std::size_t next = after - track.times.begin(), key = next - 1;
  const double dt = track.times[next] - track.times[key];
  const double way = (time - track.times[key]) / dt;
  switch (track.between) {
    case Between::Step:
      return value(key);
    case Between::Linear:
      return mixed(value(key), value(next), way);
    case Between::Cubic:
      break;
  }
  return cubic(&track.values[3 * key], &track.values[3 * next], way, dt);
}

/// From roots down: each joint's transform after that of its parent.
std::vector<Transform> composed(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Transform> all;
  for (std::size_t j = 0; j < pose.size(); ++j) {
    const Transform local = transform_of(pose[j]);
    const int parent = skeleton.joints[j].parent;
    all.push_back(parent < 0 ? local : all[parent] * local);
  }
  return all;
}

double distance(const Vec3d& p, const BoneSegment& bone) {
  const Vec3d along = bone.to - bone.from;
  const double squared = dot(along, along);
  const double t = squared > 0 ? std::clamp(dot(p - bone.from, along) / squared, 0.0, 1.0) : 0;
  return norm(p - bone.from - t * along);
}

}  // namespace

double Clip::duration() const {
  double last = 0;
  const auto extend = [&](const auto& track) {
    if (!track.times.empty()) last = std::max(last, track.times.back());
  };
  for (const JointTracks& tracks : joints) {
    extend(tracks.translation);
    extend(tracks.rotation);
    extend(tracks.scale);
  }
  return last;
}

std::optional<std::size_t> Skeleton::find(std::string_view name) const {
  const auto joint = std::ranges::find(joints, name, &Joint::name);
  if (joint == joints.end()) return std::nullopt;
  return joint - joints.begin();
}

Pose rest_pose(const Skeleton& skeleton) {
  Pose pose;
  for (const Joint& joint : skeleton.joints) {
    const Transform& parent = joint.parent < 0 ? skeleton.base : skeleton.joints[joint.parent].rest;
    pose.push_back(local_of(inverse(parent) * joint.rest));
  }
  return pose;
}

Pose sample(const Skeleton& skeleton, const Clip& clip, double time) {
  Pose pose;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const LocalTransform& still = skeleton.joints[j].local;
    const JointTracks& tracks = clip.joints[j];
    pose.push_back({.translation = value_at(tracks.translation, time, still.translation),
                    .rotation = value_at(tracks.rotation, time, still.rotation),
                    .scale = value_at(tracks.scale, time, still.scale)});
  }
  return pose;
}

Pose blend(const Pose& a, const Pose& b, double way) {
  Pose pose;
  for (std::size_t j = 0; j < a.size(); ++j) pose.push_back(blend(a[j], b[j], way));
  return pose;
}

std::vector<Transform> motions_from_rest(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Transform> motions = composed(skeleton, pose);
  for (std::size_t j = 0; j < motions.size(); ++j) {
    motions[j] = skeleton.base * motions[j] * inverse(skeleton.joints[j].rest);
  }
  return motions;
}

double bend(const Skeleton& skeleton, const Pose& pose, std::size_t joint, const Vec3d& axis) {
  const Quaternion rest = rest_pose(skeleton)[joint].rotation;
  const Mat3d turned = rotation(pose[joint].rotation) * transpose(rotation(rest));
  // In the axes of the parent at rest, which are turned against those of the body.
  const int parent = skeleton.joints[joint].parent;
  const Transform& frame = parent < 0 ? skeleton.base : skeleton.joints[parent].rest;
  const Quaternion q = quaternion_of(turned);
  if (!(norm(axis) > 0)) return 2 * std::atan2(norm(q.v), std::abs(q.w));
  const Vec3d local = transpose(rotation(local_of(frame).rotation)) * axis;
  const double twist = dot(q.v, local) / norm(local);
  return 2 * std::atan2(q.w < 0 ? -twist : twist, std::abs(q.w));
}

void make_names_differ(Skeleton& skeleton) {
  std::set<std::string> taken;
  for (Joint& joint : skeleton.joints) {
    const std::string name = joint.name;
    for (int k = 2; !taken.insert(joint.name).second; ++k) {
      joint.name = name + " " + std::to_string(k);
    }
  }
}

Skeleton scaled(Skeleton skeleton, double factor) {
  skeleton.base.translation *= factor;
  for (Joint& joint : skeleton.joints) {
    joint.rest.translation *= factor;
    joint.local.translation *= factor;
  }
  for (Clip& clip : skeleton.clips) {
    for (JointTracks& tracks : clip.joints) {
      for (Vec3d& v : tracks.translation.values) v *= factor;
    }
  }
  return skeleton;
}

void SkinWeights::add(std::span<const Influence> of_point) {
  double sum = 0;
  for (const Influence& influence : of_point) sum += influence.weight;
  for (const Influence& influence : of_point) {
    if (influence.weight > 0) influences.push_back({influence.joint, influence.weight / sum});
  }
  first.push_back(static_cast<std::int32_t>(influences.size()));
}

std::vector<BoneSegment> bone_segments(const Skeleton& skeleton) {
  std::vector<BoneSegment> bones;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.parent < 0 || !joint.bound || !skeleton.joints[joint.parent].bound) continue;
    bones.push_back({joint.parent, skeleton.position(joint.parent), skeleton.position(j)});
  }
  return bones;
}

SkinWeights weights_by_distance(std::span<const Vec3d> points, std::span<const BoneSegment> bones) {
  constexpr std::size_t kMost = 4;
  SkinWeights weights;
  std::vector<Influence> near;
  for (const Vec3d& p : points) {
    near.clear();
    for (const BoneSegment& bone : bones) {
      const double d = std::max(distance(p, bone), 1e-9 * norm(bone.to - bone.from));
      near.push_back({bone.joint, 1 / (d * d * d * d)});
    }
    const std::size_t kept = std::min(kMost, near.size());
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(kept),
                              std::ranges::greater{}, &Influence::weight);
    weights.add(std::span(near).first(kept));
  }
  return weights;
}

std::vector<Vec3d> blend_skinning(const SkinWeights& weights, std::span<const Transform> motions,
                                  std::span<const Vec3d> rest) {
  std::vector<Vec3d> points;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    Vec3d point{0, 0, 0};
    for (const Influence& influence : weights.of(k)) {
      point += influence.weight * motions[influence.joint](rest[k]);
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace isochor::anatomy
