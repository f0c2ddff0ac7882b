#pragma once

#include <array>

#include "isochor/math/vec3.h"

namespace isochor::geometry {

/// Whether a triangle has a point in common with an axis-aligned box, by separating axes
/// (Akenine-Möller 2001). Touching counts as overlap.
bool triangle_overlaps_box(const std::array<Vec3d, 3>& triangle, const Vec3d& center,
                           const Vec3d& half_size);

}  // namespace isochor::geometry
