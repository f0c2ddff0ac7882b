#pragma once

#include <functional>
#include <span>

#include "isochor/geometry/cube_moments.h"
#include "isochor/geometry/surface_mesh.h"

namespace isochor::reproduce {

/// Moments of a closed solid in the unit cube by subdivision: every triangle makes a tetrahedron
/// with one point, positive or negative, which the planes of the cube split into ever smaller ones.
/// Slow, and another way than the library's.
geometry::Moments split_moments(std::span<const Vec3d> positions,
                                std::span<const geometry::Triangle> triangles);

/// The integral of a polynomial of degree six over the solid in the unit cube, in the same way.
double split_integral(std::span<const Vec3d> positions,
                      std::span<const geometry::Triangle> triangles,
                      const std::function<double(const Vec3d&)>& polynomial);

/// Of a half-space n . x < distance in the unit cube, in closed form; the parts of n must be
/// positive.
geometry::Moments half_space_moments(const Vec3d& n, double distance);

}  // namespace isochor::reproduce
