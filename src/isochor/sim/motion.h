#pragma once

#include "isochor/math/mat3.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// A rigid motion of a hold about a point.
struct Pose {
  Vec3d translation{0, 0, 0};
  Vec3d rotation{0, 0, 0};  ///< rotation vector, rad

  Vec3d operator()(const Vec3d& point, const Vec3d& center) const {
    return center + translation + rotation_from_vector(rotation) * (point - center);
  }
};

/// Part of the way from one pose to another, 0 to 1.
Pose blend(const Pose& a, const Pose& b, double way);

/// Where a hold is at `time`, in frames: between its keys, at rest without any, and coming up from
/// rest before frame 0.
Pose pose_at(const HoldSpec& hold, double time);

/// How large a load is at `time`, in frames, as a factor: between its keys, and coming up from
/// nothing before frame 0.
double load_at(const LoadSpec& load, double time);

/// How active a muscle is at `time`, in frames: between its keys, and coming up from nothing before
/// frame 0.
double activation_at(const std::vector<ActivationSpec>& keys, double time);

/// The volume that a zone is to have at `time`, in frames, over that at rest: between its keys, and
/// coming up from rest before frame 0.
double zone_volume_at(const std::vector<ZoneKeySpec>& keys, double time);

/// Of all materials of a body: its own, then its muscles.
void add_activations_at(const BodySpec& body, double time, std::vector<double>& to);

}  // namespace isochor::sim
