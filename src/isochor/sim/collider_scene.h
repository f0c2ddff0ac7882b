#pragma once

#include <vector>

#include "isochor/base/context.h"
#include "isochor/contact/obstacle.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The colliders of a scene; times of keys in seconds. Meshes are read from files beside it.
std::vector<contact::Collider> build_colliders(const SceneSpec& scene, Context& context);

/// Those of its colliders that tets of this size, m, meet with all of their surface. Warns where
/// one is thin and the scene wants it to be met by nodes.
std::vector<contact::Obstacle> build_obstacles(const SceneSpec& scene,
                                               std::span<const contact::Collider> colliders,
                                               double tet_size, Context& context);

}  // namespace isochor::sim
