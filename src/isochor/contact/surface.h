#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::contact {

using geometry::Bounds;
using geometry::Triangle;

using Edge = std::array<std::int32_t, 2>;

/// The surfaces of all bodies of a method, as contact sees them: one list of triangles over the
/// points of that method (nodes of tetrahedra, embedded vertices), which may have others inside.
/// Built once; what moves is the list of positions, one for each point of the method.
struct Surface {
  std::vector<Triangle> triangles;   ///< outward
  std::vector<Edge> edges;           ///< of the triangles, each once, lower point first, sorted
  std::vector<std::int32_t> points;  ///< of the triangles, ascending
  std::vector<std::int32_t> bodies;  ///< of each point of the method
  /// Bodies from this number on are obstacles, which move as they are told and do not meet each
  /// other.
  std::int32_t first_obstacle = std::numeric_limits<std::int32_t>::max();

  /// Per point, not zero where it is held: as such points do not meet colliders, parts that have
  /// one do not meet obstacles. Empty: none is.
  std::vector<std::uint8_t> held{};

  bool is_held(std::int32_t point) const { return !held.empty() && held[point] != 0; }
  bool is_obstacle(std::int32_t point) const { return bodies[point] >= first_obstacle; }
  /// A coefficient of friction: that of the obstacle where one of two points is of one, else the
  /// one of bodies with each other.
  double friction_of(std::int32_t a, std::int32_t b, double of_bodies,
                     std::span<const double> of_obstacles) const {
    const std::int32_t last = bodies[a] > bodies[b] ? bodies[a] : bodies[b];
    return last < first_obstacle ? of_bodies : of_obstacles[last - first_obstacle];
  }

  std::size_t point_count() const { return bodies.size(); }
};

/// `bodies` has the body of each point; a collider that moves as told may be one of them, with
/// points of no inverse mass. A triangle with equal corners, or with corners that do not exist, is
/// an input error.
Surface make_surface(std::vector<Triangle> triangles, std::vector<std::int32_t> bodies);

/// The same for one body.
Surface make_surface(std::vector<Triangle> triangles, std::size_t point_count);

}  // namespace isochor::contact
