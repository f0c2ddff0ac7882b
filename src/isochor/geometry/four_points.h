#pragma once

#include "isochor/geometry/cube_moments.h"
#include "isochor/math/mat3.h"

/// Quadrature with four points of equal weight [Patterson12 sec 3.1]: exact for polynomials of
/// degree two on a solid of any shape, if the points have its moments.
namespace isochor::geometry {

using FourPoints = std::array<Vec3d, 4>;

/// Where a solid lies: its centroid, and the symmetric root of the covariance of its points.
struct Spread {
  Vec3d centroid;
  Mat3d root;
};
/// The volume must be positive. What rounding makes of a spread below zero counts as zero.
Spread spread_of(const Moments& moments);

/// The factorisations of [Patterson12 (9), (10)] with equal weights are the rotations R: the points
/// are the corners of a regular tetrahedron, centroid + root R (+-1, +-1, +-1) with an even number
/// of minus signs. In a whole cell R = 1 gives every other Gauss point.
FourPoints four_points(const Spread& spread, const Mat3d& rotation);

/// Of the points, each with a quarter of the volume.
Moments moments_of(const FourPoints& points, double volume);

/// How well the points see a trilinear cell, of which they are in coordinates from 0 to 1: the
/// harmonic mean of the stiffnesses, with unit modulus and one at its corners as norm, against the
/// twelve motions that no affine map makes. Zero where one of them goes unseen, as with the
/// points that the paper prints for a whole cell, whose single element has a seventh motion without
/// energy. It is between once and twelve times the least of these stiffnesses and costs a
/// factorisation instead of eigenvalues.
double hourglass_stiffness(const FourPoints& points);

}  // namespace isochor::geometry
