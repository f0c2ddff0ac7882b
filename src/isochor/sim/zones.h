#pragma once

#include <optional>
#include <span>

#include "isochor/base/function_ref.h"
#include "isochor/sim/lattice_scene.h"

namespace isochor::sim {

/// (Volume of a zone) / (at rest) - 1, of the zone where it is largest in size. A zone is what is
/// painted with the same number of the quantity "zone" on a body. `J` is per cell of the body, and
/// `rest_volume(cell)` is that of the material in it, m^3. None without zones.
std::optional<double> worst_zone_volume_error(std::span<const CellField> painted,
                                              std::span<const double> J,
                                              FunctionRef<double(std::size_t)> rest_volume);

/// The one that is larger in size.
std::optional<double> worse(std::optional<double> a, std::optional<double> b);

/// Of all bodies; `J` is per cell of the model.
std::optional<double> worst_zone_volume_error(const LatticeScene& scene, std::span<const double> J);

}  // namespace isochor::sim
