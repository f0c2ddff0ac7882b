#pragma once

#include <optional>
#include <span>

#include "isochor/sim/lattice_scene.h"

namespace isochor::sim {

/// (Volume of a zone) / (at rest) - 1, of the zone where it is largest in size. A zone is what is
/// painted with the same number of the quantity "zone" on a body; `J` is per cell of the model, and
/// cells count by the material in them. None without zones.
std::optional<double> worst_zone_volume_error(const LatticeScene& scene, std::span<const double> J);

}  // namespace isochor::sim
