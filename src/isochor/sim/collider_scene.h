#pragma once

#include <vector>

#include "isochor/base/context.h"
#include "isochor/contact/colliders.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The colliders of a scene; times of keys in seconds. Meshes are read from files beside it.
std::vector<contact::Collider> build_colliders(const SceneSpec& scene, Context& context);

}  // namespace isochor::sim
