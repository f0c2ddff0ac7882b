#pragma once

#include <array>

#include "isochor/geometry/triangle_queries.h"

/// Integrals over the part of a solid that lies in the unit cube.
namespace isochor::geometry {

/// Of 1, x_i and x_i x_j over a solid.
struct Moments {
  double volume = 0;
  Vec3d first{0, 0, 0};
  std::array<double, 6> second{};  ///< xx yy zz yz xz xy

  friend Moments operator+(const Moments& a, const Moments& b);
  friend Moments operator*(double s, const Moments& m);
  Moments& operator+=(const Moments& b) { return *this = *this + b; }
};

/// Place in Moments::second of x_i x_j.
constexpr int second_moment(int i, int j) { return i == j ? i : 6 - i - j; }

/// Of a box with faces along the axes.
Moments box_moments(const Vec3d& low, const Vec3d& high);

/// Moments of a closed solid in the unit cube from its surface, exact up to rounding.
///
/// The divergence theorem with fields along x that vanish on x = 0 leaves integrals over the
/// clipped triangles and over the part of the face x = 1 in the solid. These come the same way from
/// the segments that triangles leave on that face and the part of the edge x = y = 1 in the solid;
/// those from points on that edge and whether the corner (1, 1, 1) is in the solid. So nothing has
/// to be put together from triangles, and what the sum means is plain for any closed surface: the
/// integrals weighted by its winding number.
///
/// A point in the plane of a face counts as outside: the result is that of a cube smaller by
/// nothing, wherever vertices, edges and triangles lie. Corners that triangles share must have
/// exactly the same coordinates.
class CubeMoments {
 public:
  /// Outward, with the unit cube as unit of length; need not touch the cube.
  void add(const TriangleCorners& triangle);

  /// The integrals, if the winding number at the corner (1, 1, 1) is `corner`.
  Moments moments(int corner) const;
  /// The volume for corner = 0.
  double bare_volume() const { return volumes_[0]; }
  /// How far volumes by the fields along x, y and z are apart: rounding for a closed surface,
  /// anything for one that is not.
  double mismatch() const;
  /// Sum of area times normal of the surface in the cube.
  const Vec3d& area() const { return area_; }

 private:
  Moments bare_;  ///< without the corner
  Vec3d volumes_{0, 0, 0};
  Vec3d area_{0, 0, 0};
};

/// The part of a triangle in the unit cube, a convex polygon.
struct CubePolygon {
  /// What made an edge of it: a side of the triangle, or a face of the cube.
  enum Edge : signed char { Side = -1, LowX, HighX, LowY, HighY, LowZ, HighZ };
  /// Three corners, and what six planes can make of them even where rounding bends the polygon.
  static constexpr int kMost = 32;

  int count = 0;
  std::array<Vec3d, kMost> points;
  std::array<Edge, kMost> edges;  ///< from each point to the next

  Vec3d area() const;  ///< times normal
  Vec3d centroid() const;
};
CubePolygon clip_to_cube(const TriangleCorners& triangle);

}  // namespace isochor::geometry
