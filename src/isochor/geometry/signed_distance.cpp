#include "isochor/geometry/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/geometry/connectivity.h"

namespace isochor::geometry {
namespace {

/// The angle of a triangle at corner `i`.
double angle_at(const TriangleCorners& corners, int i) {
  const Vec3d u = corners[(i + 1) % 3] - corners[i], v = corners[(i + 2) % 3] - corners[i];
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

}  // namespace

SignedDistance::SignedDistance(std::span<const Vec3d> positions,
                               std::span<const Triangle> triangles, ThreadArena& arena)
    : SignedDistance(positions, oriented_outward(positions, triangles, arena), arena) {}

SignedDistance::SignedDistance(std::span<const Vec3d> positions, const Orientation& outward,
                               ThreadArena& arena)
    : positions_(positions.begin(), positions.end()),
      triangles_(renamed(outward.triangles, merge_equal_points(positions))),
      incident_starts_(positions.size() + 1, 0),
      incident_(3 * outward.triangles.size()),
      tree_(std::make_shared<const TriangleBvh>(positions_, triangles_, arena)),
      winding_(tree_) {
  for (const Triangle& t : triangles_) {
    for (const std::int32_t v : t) ++incident_starts_[v];
  }
  std::inclusive_scan(incident_starts_.begin(), incident_starts_.end(), incident_starts_.begin());
  for (std::size_t t = triangles_.size(); t-- > 0;) {
    for (const std::int32_t v : triangles_[t]) {
      incident_[--incident_starts_[v]] = static_cast<std::int32_t>(t);
    }
  }
}

std::size_t SignedDistance::memory() const {
  return positions_.capacity() * sizeof(Vec3d) + triangles_.capacity() * sizeof(Triangle) +
         (incident_.capacity() + incident_starts_.capacity()) * sizeof(std::int32_t) +
         tree_->memory() + winding_.memory();
}

/// Zero for a triangle without area.
Vec3d SignedDistance::unit_normal(std::int32_t triangle) const {
  const Triangle& t = triangles_[triangle];
  const Vec3d& a = positions_[t[0]];
  const Vec3d normal = cross(positions_[t[1]] - a, positions_[t[2]] - a);
  const double length = norm(normal);
  return length > 0 ? normal * (1 / length) : Vec3d{0, 0, 0};
}

/// The sum of the normals of the faces that meet there, at a vertex weighted by their angles: its
/// sign tells inside from outside on a closed surface (Baerentzen and Aanaes 2005).
Vec3d SignedDistance::pseudo_normal(const ClosestPoint& closest) const {
  if (closest.feature == TriangleFeature::Face) return unit_normal(closest.triangle);
  const Triangle& hit = triangles_[closest.triangle];
  const std::int32_t vertex = hit[closest.corner], next = hit[(closest.corner + 1) % 3];
  Vec3d sum{0, 0, 0};
  for (auto i = incident_starts_[vertex]; i < incident_starts_[vertex + 1]; ++i) {
    const Triangle& t = triangles_[incident_[i]];
    if (closest.feature == TriangleFeature::Vertex) {
      const int corner = static_cast<int>(std::find(t.begin(), t.end(), vertex) - t.begin());
      sum += angle_at({positions_[t[0]], positions_[t[1]], positions_[t[2]]}, corner) *
             unit_normal(incident_[i]);
    } else if (std::find(t.begin(), t.end(), next) != t.end()) {
      sum += unit_normal(incident_[i]);
    }
  }
  return sum;
}

SurfaceSample SignedDistance::operator()(const Vec3d& point) const {
  const ClosestPoint closest = tree_->closest_point(point);
  const double sign = is_inside(point) ? -1 : 1;
  const double distance = std::sqrt(closest.squared_distance);
  Vec3d normal = pseudo_normal(closest);
  double length = norm(normal);
  // Both sides of a sheet cancel, and a needle has no normal: the way to the surface is left.
  constexpr double kNoNormal = 1e-9;
  if (length < kNoNormal && distance > 0) {
    normal = (sign / distance) * (point - closest.point);
    length = 1;
  }
  if (length < kNoNormal) return {sign * distance, {0, 0, 1}, closest};
  return {sign * distance, normal * (1 / length), closest};
}

}  // namespace isochor::geometry
