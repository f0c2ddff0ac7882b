#pragma once

#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// What no single key can tell: names that differ, keys in order, parts that fit the method. An
/// input error with the place in the scene's file where they do not.
void check_scene(const SceneSpec& scene);

}  // namespace isochor::sim
