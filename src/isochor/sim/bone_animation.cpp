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
        "give the mesh at rest and its animation the same scale, and animate bones without "
        "bending or scaling them; a collider that is to change its shape has deforms = true");
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

/// The samples of a file in metres, and where the frames of a scene are among them.
class Samples {
 public:
  Samples(const AnimationSpec& spec, std::size_t vertices, const SceneSpec& scene)
      : pre_roll_(spec.pre_roll * scene.time.frame_rate) {
    files::PointAnimation animation =
        files::read_point_animation(scene.file.parent_path() / spec.file, vertices);
    first_ = animation.first;
    step_ = animation.step;
    start_ = spec.start >= 0 ? spec.start : first_;
    positions_ = std::move(animation.samples);
    for (std::vector<Vec3d>& sample : positions_) {
      for (Vec3d& p : sample) p *= spec.scale;
    }
  }

  std::size_t size() const { return positions_.size(); }
  const std::vector<Vec3d>& operator[](std::size_t sample) const { return positions_[sample]; }
  double file_frame(std::size_t sample) const { return first_ + step_ * double(sample); }

  /// Part of the way from one to the next.
  struct Between {
    std::size_t from, to;
    double part;
  };
  /// At a frame of the scene; beyond the ends of the file the first or the last.
  Between at(double frame) const {
    const double place = place_of(frame);
    const std::size_t before = std::min(std::size_t(place), size() - 1);
    return {before, std::min(before + 1, size() - 1), place - double(before)};
  }
  /// How much of the way from rest to there is gone by then, 0 to 1.
  double gone(double frame) const {
    if (frame >= pre_roll_) return 1;
    const double way = frame / pre_roll_;
    return way * way * (3 - 2 * way);
  }
  /// Whether vertices move in straight lines, evenly, between two frames.
  bool straight(double from, double to) const {
    return from >= pre_roll_ && std::ceil(place_of(to)) - std::floor(place_of(from)) <= 1;
  }

 private:
  double place_of(double frame) const {
    const double file_frame = start_ + std::max(0.0, frame - pre_roll_);
    return std::clamp((file_frame - first_) / step_, 0.0, double(size() - 1));
  }

  double pre_roll_;  ///< frames
  double first_ = 0, step_ = 1, start_ = 0;
  std::vector<std::vector<Vec3d>> positions_;
};

/// Keys of what turns about the bone's middle, at every step of time.
std::vector<KeySpec> keys_of(const AnimationSpec& spec, const Bone& bone, const SceneSpec& scene) {
  const Samples samples(spec, bone.rest.size(), scene);
  std::vector<Pose> poses;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Vec3d turn = poses.empty() ? Vec3d{0, 0, 0} : poses.back().rotation;
    poses.push_back(rigid_fit(bone, samples[s], turn, spec.place.text("file"), spec.file,
                              samples.file_frame(s)));
  }
  const int per_frame = scene.time.substeps;
  std::vector<KeySpec> keys;
  for (int k = 0; k <= scene.time.frames * per_frame; ++k) {
    const double frame = double(k) / per_frame;
    const auto [from, to, part] = samples.at(frame);
    Pose pose = blend(poses[from], poses[to], part);
    if (const double gone = samples.gone(frame); gone < 1) pose = blend({}, pose, gone);
    keys.push_back({.frame = frame, .translate = pose.translation, .rotate = pose.rotation});
  }
  return keys;
}

/// Where vertices are at steps of time, but for those between which they go straight on. Within a
/// step they move evenly, as colliders are taken to.
std::vector<ShapeKeySpec> shapes_of(const AnimationSpec& spec, const std::vector<Vec3d>& rest,
                                    const SceneSpec& scene) {
  const Samples samples(spec, rest.size(), scene);
  const int per_frame = scene.time.substeps, last = scene.time.frames * per_frame;
  std::vector<ShapeKeySpec> keys;
  for (int k = 0; k <= last; ++k) {
    const double frame = double(k) / per_frame, step = 1.0 / per_frame;
    if (k > 0 && k < last && samples.straight(frame - step, frame + step)) continue;
    const auto [from, to, part] = samples.at(frame);
    const double gone = samples.gone(frame);
    std::vector<Vec3d> now(rest.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Vec3d sample = samples[from][i] + part * (samples[to][i] - samples[from][i]);
      now[i] = gone < 1 ? rest[i] + gone * (sample - rest[i]) : sample;
    }
    keys.push_back({.frame = frame, .positions = std::move(now)});
  }
  return keys;
}

std::vector<Vec3d> rest_of(const ShapeSpec& shape, const AnimationSpec& spec,
                           const SceneSpec& scene) {
  if (shape.kind != "mesh") {
    throw Error(Fault::Input, spec.place.text("file"),
                fmt::format("moves a '{}', which has no vertices of its own", shape.kind),
                "give the bone at rest as { kind = \"mesh\", file = \"bone.obj\" }");
  }
  return build_surface(shape, 0, scene.file).mesh.positions;
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
      const Bone bone(rest_of(hold.inside, hold.animation, scene));
      hold.turns_about = "point";
      hold.pivot = bone.middle;
      hold.ease = "linear";
      hold.keys = keys_of(hold.animation, bone, scene);
    }
  }
  for (ColliderSpec& collider : scene.colliders) {
    if (collider.animation.file.empty()) continue;
    std::vector<Vec3d> rest = rest_of(collider.shape, collider.animation, scene);
    if (collider.deforms) {
      collider.shapes = std::make_shared<const std::vector<ShapeKeySpec>>(
          shapes_of(collider.animation, rest, scene));
      continue;
    }
    const Bone bone(std::move(rest));
    collider.keys = keys_of(collider.animation, bone, scene);
    // Meshes turn about the origin.
    for (KeySpec& key : collider.keys) {
      key.translate += bone.middle - rotation_from_vector(key.rotate) * bone.middle;
    }
  }
}

}  // namespace isochor::sim
