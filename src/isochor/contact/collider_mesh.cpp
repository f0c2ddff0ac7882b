#include "isochor/contact/collider_mesh.h"

#include <cmath>

#include "isochor/contact/key_span.h"

namespace isochor::contact {
namespace {

Vec3d unit_normal(const geometry::TriangleCorners& t) {
  const Vec3d normal = cross(t[1] - t[0], t[2] - t[0]);
  const double length = norm(normal);
  return length > 0 ? normal * (1 / length) : Vec3d{0, 1, 0};
}

}  // namespace

ColliderMesh::ColliderMesh(const Mesh& mesh, double time, ThreadArena& arena) : mesh_(&mesh) {
  if (mesh.keys.empty()) {
    positions_ = mesh.positions;
  } else {
    const KeySpan span = key_span(mesh.keys, time);
    const auto &from = mesh.keys[span.from].positions, &to = mesh.keys[span.to].positions;
    positions_.resize(from.size());
    velocities_.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      positions_[i] = from[i] + span.part * (to[i] - from[i]);
      velocities_[i] = (to[i] - from[i]) * (1 / span.length);
    }
  }
  bounds_ = geometry::bounds_of(positions_);
  if (mesh.sides == Sides::Solid) {
    solid_ = std::make_unique<geometry::SignedDistance>(positions_, mesh.triangles, arena);
  } else {
    sheet_ = std::make_unique<geometry::TriangleBvh>(positions_, mesh.triangles, arena);
  }
}

ColliderMesh::Sample ColliderMesh::operator()(const Vec3d& point) const {
  Sample sample{};
  geometry::ClosestPoint closest;
  if (solid_) {
    const geometry::SurfaceSample s = (*solid_)(point);
    closest = s.closest;
    sample.shape = {s.distance, s.normal};
  } else {
    closest = sheet_->closest_point(point);
    sample.shape = {std::sqrt(closest.squared_distance),
                    unit_normal(corners(closest.triangle, positions_))};
  }
  // Off the surface the shortest way is the gradient; on it only the surface has a normal.
  constexpr double kOn = 1e-12;
  const Vec3d offset = point - closest.point;
  const double length = norm(offset);
  if (length > kOn * norm(bounds_.size())) {
    sample.shape.normal = offset * ((sample.shape.distance < 0 ? -1 : 1) / length);
  }
  if (!velocities_.empty()) {
    // Asked of the triangle as it was given: the distance may have turned it round.
    const Vec3d weights =
        geometry::closest_point_on(corners(closest.triangle, positions_), closest.point)
            .barycentric;
    const auto v = corners(closest.triangle, velocities_);
    sample.velocity = weights[0] * v[0] + weights[1] * v[1] + weights[2] * v[2];
  }
  return sample;
}

}  // namespace isochor::contact
