#pragma once

#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The values of the keys method.zones and body.zone.where.
std::span<const std::string_view> zone_methods();
std::span<const std::string_view> zone_places();

/// An input error where zones cannot be as a scene has them.
void check_zones(const SceneSpec& scene);

}  // namespace isochor::sim
