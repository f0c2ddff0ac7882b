/// The keys of animated bone meshes, and what they become.
#include "isochor/sim/bone_animation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "isochor/anatomy/rigid_motion.h"
#include "isochor/base/error.h"
#include "isochor/files/point_animation.h"
#include "isochor/math/polar.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/motion.h"

namespace isochor::sim {
namespace {

Vec3d mean_of(std::span<const Vec3d> points) {
  Vec3d sum{0, 0, 0};
  for (const Vec3d& p : points) sum += p;
  return sum * (1 / static_cast<double>(points.size()));
}

/// A mesh at rest that moves about its middle.
struct Bone {
  explicit Bone(std::vector<Vec3d> vertices) : rest(std::move(vertices)), middle(mean_of(rest)) {
    for (const Vec3d& p : rest) size = std::max(size, norm(p - middle));
  }

  std::vector<Vec3d> rest;
  Vec3d middle;
  double size = 0;  ///< the farthest from the middle, m
};

/// The rigid motion nearest to a sample in the sense of least squares (Kabsch 1976): the rotation
/// of the polar decomposition of sum (x - mean x) (X - mean X)^T.
Pose rigid_fit(const Bone& bone, std::span<const Vec3d> now, const Vec3d& last_turn,
               const std::string& place, const std::string& file, double frame) {
  constexpr double kLargestChange = 0.02;  // of the bone's size, as of joints
  const Vec3d middle = mean_of(now);
  Mat3d sum = Mat3d::zero();
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Vec3d x = now[i] - middle, X = bone.rest[i] - bone.middle;
    for (int j = 0; j < 3; ++j) sum.column[j] += X[j] * x;
  }
  const Mat3d R = polar_decomposition(sum).R;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double away = norm(now[i] - middle - R * (bone.rest[i] - bone.middle));
    if (!(away > kLargestChange * bone.size)) continue;
    throw Error(
        Fault::Input, place,
        fmt::format("'{}' changes its shape: at frame {:g} vertex {} is {:.3g} m from where "
                    "a rigid motion has it",
                    file, frame, i, away),
        "give the mesh at rest and its animation the same scale, and animate bones "
        "without bending or scaling them");
  }
  Pose pose{middle - bone.middle, anatomy::rotation_vector(R, last_turn)};
  // Caches are rounded to single precision; scenes that start at rest ask for every bit of it.
  constexpr double kRounding = 1e-6;
  if (norm(pose.rotation) < kRounding) pose.rotation = {0, 0, 0};
  if (norm(pose.translation) < kRounding * (bone.size + norm(bone.middle))) {
    pose.translation = {0, 0, 0};
  }
  return pose;
}

/// Poses of all samples, and of times between them.
class Motion {
 public:
  Motion(const AnimationSpec& spec, const Bone& bone, const std::filesystem::path& scene_file) {
    files::PointAnimation animation =
        files::read_point_animation(scene_file.parent_path() / spec.file, bone.rest.size());
    first_ = animation.first;
    step_ = animation.step;
    Vec3d turn{0, 0, 0};
    for (std::vector<Vec3d>& sample : animation.samples) {
      for (Vec3d& p : sample) p *= spec.scale;
      const double frame = first_ + step_ * static_cast<double>(poses_.size());
      poses_.push_back(rigid_fit(bone, sample, turn, spec.place.text("file"), spec.file, frame));
      turn = poses_.back().rotation;
    }
  }

  double first() const { return first_; }
  /// At a frame of the file; beyond its ends the first or the last.
  Pose at(double frame) const {
    const double place =
        std::clamp((frame - first_) / step_, 0.0, static_cast<double>(poses_.size() - 1));
    const std::size_t before = std::min(std::size_t(place), poses_.size() - 1),
                      after = std::min(before + 1, poses_.size() - 1);
    return blend(poses_[before], poses_[after], place - static_cast<double>(before));
  }

 private:
  double first_ = 0, step_ = 1;
  std::vector<Pose> poses_;
};

/// Keys of what turns about the bone's middle, at every step of time.
std::vector<KeySpec> keys_of(const AnimationSpec& spec, const Bone& bone, const SceneSpec& scene) {
  const Motion motion(spec, bone, scene.file);
  const double start = spec.start >= 0 ? spec.start : motion.first();
  const int per_frame = scene.time.substeps;
  std::vector<KeySpec> keys;
  for (int k = 0; k <= scene.time.frames * per_frame; ++k) {
    const double frame = double(k) / per_frame;
    const double since = frame - spec.pre_roll * scene.time.frame_rate;
    Pose pose = motion.at(start + std::max(0.0, since));
    if (since < 0) {
      const double way = frame / (spec.pre_roll * scene.time.frame_rate);
      pose = blend({}, pose, way * way * (3 - 2 * way));
    }
    keys.push_back({.frame = frame, .translate = pose.translation, .rotate = pose.rotation});
  }
  return keys;
}

Bone bone_of(const ShapeSpec& shape, const AnimationSpec& spec, const SceneSpec& scene) {
  if (shape.kind != "mesh") {
    throw Error(Fault::Input, spec.place.text("file"),
                fmt::format("moves a '{}', which has no vertices of its own", shape.kind),
                "give the bone at rest as { kind = \"mesh\", file = \"bone.obj\" }");
  }
  return Bone(build_surface(shape, 0, scene.file).mesh.positions);
}

}  // namespace

void describe(FieldVisitor& visitor, AnimationSpec& spec) {
  visitor.place(spec.place);
  visitor.text("file", spec.file,
               "a .pc2 file, or a sequence as \"ulna_####.obj\", relative to the scene: the "
               "vertices of the mesh over time");
  if (spec.file.empty()) return;
  visitor.number("scale", spec.scale, Unit::None, Range::positive(),
                 "metres per unit of the file: 0.01 for centimetres");
  visitor.number("start", spec.start, Unit::None, {},
                 "frame of the file at frame 0; below 0: its first");
  visitor.number("pre_roll", spec.pre_roll, Unit::Time, Range::at_least(0),
                 "time in which it comes smoothly from rest to that frame");
}

void apply_animations(SceneSpec& scene) {
  for (BodySpec& body : scene.bodies) {
    for (HoldSpec& hold : body.holds) {
      if (hold.animation.file.empty()) continue;
      const Bone bone = bone_of(hold.inside, hold.animation, scene);
      hold.turns_about = "point";
      hold.pivot = bone.middle;
      hold.ease = "linear";
      hold.keys = keys_of(hold.animation, bone, scene);
    }
  }
  for (ColliderSpec& collider : scene.colliders) {
    if (collider.animation.file.empty()) continue;
    const Bone bone = bone_of(collider.shape, collider.animation, scene);
    collider.keys = keys_of(collider.animation, bone, scene);
    // Meshes turn about the origin.
    for (KeySpec& key : collider.keys) {
      key.translate += bone.middle - rotation_from_vector(key.rotate) * bone.middle;
    }
  }
}

}  // namespace isochor::sim
