#pragma once

#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// An input error where skin or bands cannot be as a scene has them.
void check_sheets(const SceneSpec& scene);

}  // namespace isochor::sim
