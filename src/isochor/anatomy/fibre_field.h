#pragma once

#include <functional>
#include <vector>

#include "isochor/math/vec3.h"

/// Muscles: what they have that a surface does not show.
namespace isochor::anatomy {

/// The unit direction of a muscle's fibres at a point of it at rest. Safe to call from several
/// threads.
using FibreField = std::function<Vec3d(const Vec3d&)>;

/// `direction` is not zero.
FibreField constant_fibres(const Vec3d& direction);

/// A line that fibres follow, from point to point, m.
using Polyline = std::vector<Vec3d>;
double length_of(const Polyline& line);

/// Fibres along lines, each with a length. At a point, the directions of all lines where they are
/// nearest to it are blended with weights that fall with the fourth power of the distance: a fibre
/// on a line follows it. Along a line the direction turns smoothly. Which end of a line comes first
/// does not matter: all are turned to point as the first one does.
FibreField fibres_along(const std::vector<Polyline>& lines);

}  // namespace isochor::anatomy
