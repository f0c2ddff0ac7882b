#pragma once

#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The values of the key collider.kind.
std::span<const std::string_view> collider_kinds();

/// An input error where colliders or contact among bodies cannot be as a scene has them.
void check_contact(const SceneSpec& scene);

}  // namespace isochor::sim
