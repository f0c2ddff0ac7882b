#pragma once

#include <memory>

#include "isochor/geometry/connectivity.h"
#include "isochor/geometry/triangle_queries.h"
#include "isochor/geometry/winding_number.h"

namespace isochor::grid {

/// A surface made ready to be cut into cells. Refers to the positions it was made of.
///
/// What files hold beside the body is told from it: closed surfaces that enclose nothing, or less
/// than a sixteenth of a cell beside a body a hundred times larger, are left out, as strays of a
/// scan; surfaces that are mostly rim, such as the lashes of a character, are sheets.
struct BodySurface {
  BodySurface(const geometry::SurfaceMesh& surface, double spacing, ThreadArena& arena);

  std::span<const Vec3d> positions;
  std::vector<geometry::Triangle> triangles;  ///< outward
  /// Per side of each triangle the next one round that edge: going on, one meets all of them.
  std::vector<geometry::Triangle> neighbours;
  std::vector<std::uint8_t> in_sheet;  ///< per triangle
  bool closed = true;  ///< no surface has a rim: the winding number is whole everywhere
  std::shared_ptr<const geometry::TriangleBvh> tree;
  std::unique_ptr<const geometry::WindingNumber> winding;

  geometry::TriangleCorners corners(std::int32_t t) const {
    const auto& [a, b, c] = triangles[t];
    return {positions[a], positions[b], positions[c]};
  }
  bool is_inside(const Vec3d& point) const { return (*winding)(point) > 0.5; }
  geometry::Bounds bounds() const;  ///< of all triangles; a point where there is none

 private:
  struct Component;
  std::vector<std::int32_t> find_neighbours(std::vector<double>& rims, ThreadArena& arena);
  std::vector<Component> find_components(std::span<const std::int32_t> component_of,
                                         std::span<const double> rims) const;
  void leave_out(std::span<const std::uint8_t> unwanted);
};

/// A triangle and what it is known to belong to.
struct NamedTriangle {
  std::int32_t triangle;
  int name;
};
/// Calls f(name, other name) for names that the surface inside a box connects: across edges, and
/// where triangles cross.
void find_connections(const BodySurface& body, const geometry::Bounds& box,
                      std::span<const NamedTriangle> named, FunctionRef<void(int, int)> f);

}  // namespace isochor::grid
