#pragma once

#include <array>

#include "isochor/math/vec3.h"

/// Questions about points whose answers are right whatever the rounding: a quick evaluation with
/// an error bound decides nearly always, exact arithmetic the rest (Shewchuk 1997). They hold where
/// no product of three differences of coordinates overflows or underflows: for differences that
/// are zero or between 1e-90 and 1e100.
namespace isochor::geometry {

/// +1 if d lies on the side of the plane abc that (b - a) x (c - a) points to, -1 if on the
/// other, 0 if the four points lie in one plane.
int plane_side(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

/// Whether an edge of one triangle passes through the inside of the other. Triangles that only
/// touch (in a corner, along an edge, or lying in one plane) do not cross, nor do those that meet
/// along a line that runs exactly from an edge of both to an edge of both.
bool triangles_cross(const std::array<Vec3d, 3>& s, const std::array<Vec3d, 3>& t);

}  // namespace isochor::geometry
