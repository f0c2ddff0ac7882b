#pragma once

#include "isochor/geometry/surface_mesh.h"

/// Closed surfaces that the project makes itself: watertight, turned outward, with faces of about
/// `edge` metres and all vertices exactly on the shape that is meant. Lengths are in metres and
/// positive; an axis is any direction but zero, its length does not matter. What makes no shape (a
/// tube without a wall) is an input error.
namespace isochor::geometry {

/// A box about `center`, its faces divided into squares.
SurfaceMesh make_box(const Vec3d& center, const Vec3d& size, double edge);

/// A sphere about `center`: a cube of squares, pushed out.
SurfaceMesh make_sphere(const Vec3d& center, double radius, double edge);

/// The same stretched along x, y and z.
SurfaceMesh make_ellipsoid(const Vec3d& center, const Vec3d& radii, double edge);

/// A cylinder about `center`, its rims rounded with radius `rounding`: 0 for sharp ones, at most
/// `radius` and half of `length`, which is that of the whole.
SurfaceMesh make_cylinder(const Vec3d& center, const Vec3d& axis, double radius, double length,
                          double edge, double rounding = 0);

/// A short cylinder whose rim is a half circle. `thickness` is less than twice `radius`.
SurfaceMesh make_puck(const Vec3d& center, const Vec3d& axis, double radius, double thickness,
                      double edge);

/// All points within `radius` of the segment from a to b.
SurfaceMesh make_capsule(const Vec3d& a, const Vec3d& b, double radius, double edge);

/// A cylinder with a hole along its axis.
SurfaceMesh make_tube(const Vec3d& center, const Vec3d& axis, double inner_radius,
                      double outer_radius, double length, double edge);

/// A ring about `axis`: a circle of `tube_radius` led around one of `ring_radius`, which is larger.
SurfaceMesh make_torus(const Vec3d& center, const Vec3d& axis, double ring_radius,
                       double tube_radius, double edge);

/// A box whose height (y) narrows linearly from both ends in x to `waist` in its middle, as in
/// figure 5 of Patterson et al. 2012.
SurfaceMesh make_bow_tie(const Vec3d& center, const Vec3d& size, double waist, double edge);

/// A solid staircase, rising towards x. `foot` is the middle of the first riser's lower edge;
/// `step` is the going (x), the rise (y) and the width (z) of one step.
SurfaceMesh make_stairs(const Vec3d& foot, int steps, const Vec3d& step, double edge);

}  // namespace isochor::geometry
