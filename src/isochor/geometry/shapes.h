#pragma once

#include "isochor/geometry/surface_mesh.h"

/// Closed surfaces that the project makes itself.
namespace isochor::geometry {

/// A box about `center`, its faces divided into squares of about `edge` metres.
SurfaceMesh make_box(const Vec3d& center, const Vec3d& size, double edge);

/// A sphere about `center`: a cube of squares, pushed out; quads of about `edge` metres.
SurfaceMesh make_sphere(const Vec3d& center, double radius, double edge);

}  // namespace isochor::geometry
