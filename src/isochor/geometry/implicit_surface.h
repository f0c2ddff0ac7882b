#pragma once

#include "isochor/base/function_ref.h"
#include "isochor/geometry/surface_mesh.h"

/// Bodies as functions of space, and surfaces made of them.
namespace isochor::geometry {

/// Negative inside a body, positive outside; in metres, and nowhere steeper than a distance: values
/// at two points differ by no more than the points do.
using ImplicitBody = FunctionRef<double(const Vec3d&)>;

/// The surface of a body as quads of about `edge` metres: closed, every edge shared by exactly two
/// faces, turned outward, whatever the function does. Vertices lie on the surface as precisely as
/// Newton's method puts them there. Parts and gaps thinner than `edge` may be lost or bridged.
/// A body that does not lie within the interior of `box`, or of which the grid finds nothing, is an
/// input error.
SurfaceMesh mesh_implicit_body(ImplicitBody body, const Bounds& box, double edge);

}  // namespace isochor::geometry
