#pragma once

#include <optional>

#include "isochor/base/function_ref.h"
#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/signed_distance.h"
#include "isochor/geometry/tet_mesh.h"

/// Solids filled with well-shaped tetrahedra: isosurface stuffing (Labelle and Shewchuk 2007).
namespace isochor::geometry {

struct StuffingOptions {
  double spacing = 0;  ///< m, edge of the cubic cells that the tets are made of
  /// How often the tets may double their size on the way inward. Those at the surface are small
  /// everywhere.
  int grading = 0;
};

/// A body as seen by stuffing. What is asked may be asked by many threads at once.
struct StuffedBody {
  Bounds bounds;
  FunctionRef<bool(const Vec3d&)> is_inside;
  /// Whether the ball about a point is inside; nothing where the surface goes through it, or might.
  FunctionRef<std::optional<bool>(const Vec3d&, double radius)> has_ball;
  /// Which part of the way from a point inside to one outside is inside, 0 to 1.
  FunctionRef<double(const Vec3d& inside, const Vec3d& outside)> crossing;
};

/// Fills a body with tets of positive volume that fit together face to face. All dihedral angles
/// are above 10 and below 165 degrees, whatever the body is like; vertices of the boundary are on
/// its surface. What is thinner than a cell may be lost, and what is closer may be joined. Edges
/// and corners of the surface are blunted by about a cell. The cost is proportional to the number
/// of tets and of cells in the body's box; the result does not depend on the number of threads. A
/// spacing at which nothing is found or too much would be made is an input error.
TetMesh stuff(const StuffedBody& body, const StuffingOptions& options, ThreadArena& arena);

/// The same for a surface of any quality: inside is where the winding number is above a half.
TetMesh stuff(const SignedDistance& surface, const StuffingOptions& options, ThreadArena& arena);

/// The same for a function, of which nothing reaches out of `box`.
TetMesh stuff(ImplicitBody body, const Bounds& box, const StuffingOptions& options,
              ThreadArena& arena);

}  // namespace isochor::geometry
