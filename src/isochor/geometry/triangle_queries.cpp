#include "isochor/geometry/triangle_queries.h"

#include <algorithm>
#include <cmath>

namespace isochor::geometry {
namespace {

/// Nearest on the edge from corner `i` to the next.
ClosestPoint closest_on_edge(const TriangleCorners& triangle, int i, const Vec3d& point) {
  const int j = (i + 1) % 3;
  const Vec3d edge = triangle[j] - triangle[i], offset = point - triangle[i];
  const double along = dot(edge, offset), square = dot(edge, edge);
  ClosestPoint hit;
  if (along <= 0 || along >= square) {
    hit.feature = TriangleFeature::Vertex;
    hit.corner = static_cast<std::int8_t>(along <= 0 ? i : j);
    hit.barycentric[hit.corner] = 1;
    hit.point = triangle[hit.corner];
  } else {
    const double t = along / square;
    hit.feature = TriangleFeature::Edge;
    hit.corner = static_cast<std::int8_t>(i);
    hit.barycentric[i] = 1 - t;
    hit.barycentric[j] = t;
    hit.point = triangle[i] + t * edge;
  }
  const Vec3d d = point - hit.point;
  hit.squared_distance = dot(d, d);
  return hit;
}

}  // namespace

ClosestPoint closest_point_on(const TriangleCorners& triangle, const Vec3d& point) {
  const Vec3d u = triangle[1] - triangle[0], v = triangle[2] - triangle[0], normal = cross(u, v);
  // The normal of a needle is noise.
  const double longest = std::max(dot(u, u), dot(v, v));
  const bool has_area = dot(normal, normal) > 1e-28 * longest * longest;
  // On which side of each edge the foot of the perpendicular lies, as twice an area times |normal|.
  Vec3d part;
  for (int i = 0; i < 3; ++i) {
    part[i] = dot(normal, cross(triangle[(i + 1) % 3] - triangle[i], point - triangle[i]));
  }
  ClosestPoint best;
  if (has_area && part[0] > 0 && part[1] > 0 && part[2] > 0) {
    best.barycentric = Vec3d{part[1], part[2], part[0]} * (1 / (part[0] + part[1] + part[2]));
    best.point = triangle[0] + best.barycentric[1] * u + best.barycentric[2] * v;
    const Vec3d d = point - best.point;
    best.squared_distance = dot(d, d);
    return best;
  }
  // Only an edge that the foot lies beyond can hold the nearest point.
  for (int i = 0; i < 3; ++i) {
    if (has_area && part[i] > 0) continue;
    const ClosestPoint hit = closest_on_edge(triangle, i, point);
    if (hit.squared_distance < best.squared_distance) best = hit;
  }
  return best;
}

Ray::Ray(const Vec3d& origin, const Vec3d& direction) : origin_(origin), direction_(direction) {
  const Vec3d size{std::abs(direction[0]), std::abs(direction[1]), std::abs(direction[2])};
  const int longest = size[0] > size[1] ? (size[0] > size[2] ? 0 : 2) : (size[1] > size[2] ? 1 : 2);
  axis_ = {(longest + 1) % 3, (longest + 2) % 3, longest};
  // Keeps the sense of rotation, so that the signs below do not depend on the direction.
  if (direction[longest] < 0) std::swap(axis_[0], axis_[1]);
  shear_ = Vec3d{direction[axis_[0]], direction[axis_[1]], 1} * (1 / direction[longest]);
}

std::optional<double> Ray::meets(const TriangleCorners& triangle) const {
  Vec3d p[3];
  for (int i = 0; i < 3; ++i) {
    const Vec3d offset = triangle[i] - origin_;
    const double along = offset[axis_[2]];
    p[i] = {offset[axis_[0]] - shear_[0] * along, offset[axis_[1]] - shear_[1] * along,
            shear_[2] * along};
  }
  // Areas of the three triangles that the ray's point makes with the edges.
  const double u = p[2][0] * p[1][1] - p[2][1] * p[1][0];
  const double v = p[0][0] * p[2][1] - p[0][1] * p[2][0];
  const double w = p[1][0] * p[0][1] - p[1][1] * p[0][0];
  if (std::min({u, v, w}) < 0 && std::max({u, v, w}) > 0) return std::nullopt;
  const double area = u + v + w;
  if (area == 0) return std::nullopt;
  return (u * p[0][2] + v * p[1][2] + w * p[2][2]) / area;
}

}  // namespace isochor::geometry
