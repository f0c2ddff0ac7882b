#include "isochor/sim/scenery.h"

#include <algorithm>

#include "isochor/contact/key_span.h"
#include "isochor/contact/perpendicular.h"
#include "isochor/geometry/shapes.h"
#include "isochor/sim/collider_scene.h"

namespace isochor::sim {
namespace {

/// Edges of round things, relative to their radius.
constexpr double kFacet = 0.15;
/// How much farther than all that has an end a plane goes.
constexpr double kPlaneMargin = 0.35;

struct Drawn {
  geometry::SurfaceMesh operator()(const contact::HalfSpace&) const { return {}; }
  geometry::SurfaceMesh operator()(const contact::Box& box) const {
    const Vec3d size = 2 * box.half_size;
    return geometry::make_box({0, 0, 0}, size, std::max({size[0], size[1], size[2]}));
  }
  geometry::SurfaceMesh operator()(const contact::Sphere& sphere) const {
    return geometry::make_sphere({0, 0, 0}, sphere.radius, kFacet * sphere.radius);
  }
  geometry::SurfaceMesh operator()(const contact::Capsule& c) const {
    return geometry::make_capsule({0, -c.half_length, 0}, {0, c.half_length, 0}, c.radius,
                                  kFacet * c.radius);
  }
  geometry::SurfaceMesh operator()(const contact::Cylinder& c) const {
    return geometry::make_cylinder({0, 0, 0}, {0, 1, 0}, c.radius, 2 * c.half_length,
                                   kFacet * c.radius);
  }
  geometry::SurfaceMesh operator()(const contact::Stairs& s) const {
    return geometry::make_stairs({0, 0, 0}, s.steps, s.step,
                                 std::max({s.step[0], s.step[1], s.step[2]}));
  }
  geometry::SurfaceMesh operator()(const contact::Mesh& mesh) const {
    geometry::SurfaceMesh surface;
    surface.positions = mesh.keys.empty() ? mesh.positions : mesh.keys[0].positions;
    for (const contact::Triangle& t : mesh.triangles) surface.add_face(t);
    return surface;
  }
};

/// A square of a plane, below the middle of a box.
geometry::SurfaceMesh square_of(const SceneryPart& plane, const geometry::Bounds& box) {
  const contact::Placement placed = contact::placement_at(plane.keys, plane.keys[0].time);
  const Vec3d normal = plane.endless * (1 / norm(plane.endless));
  Vec3d middle = placed.local(0.5 * (box.low + box.high));
  middle -= dot(middle, normal) * normal;
  const double half = (0.5 + kPlaneMargin) * norm(box.high - box.low);
  const auto [u, v] = contact::tangents_of(normal);
  geometry::SurfaceMesh surface;
  surface.positions = {middle - half * u - half * v, middle + half * u - half * v,
                       middle + half * u + half * v, middle - half * u + half * v};
  surface.add_face(std::array{0, 1, 2, 3});
  return surface;
}

}  // namespace

std::vector<Vec3d> SceneryPart::at(double time) const {
  std::vector<Vec3d> out = surface.positions;
  if (!shapes.empty()) {
    const contact::KeySpan span = contact::key_span(shapes, time);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Vec3d &from = shapes[span.from].positions[i], &to = shapes[span.to].positions[i];
      out[i] = from + span.part * (to - from);
    }
  }
  const contact::Placement placed = contact::placement_at(keys, time);
  const Mat3d rotation = placed.rotation * rotation_from_vector(turned);
  for (Vec3d& x : out) x = placed.translation + rotation * x;
  return out;
}

std::vector<SceneryPart> scenery_of(const SceneSpec& scene, const geometry::Bounds& bodies,
                                    Context& context) {
  std::vector<SceneryPart> parts;
  geometry::Bounds all = bodies;
  for (contact::Collider& collider : build_colliders(scene, context)) {
    SceneryPart& part = parts.emplace_back(SceneryPart{.name = collider.name,
                                                       .surface = std::visit(Drawn{}, collider.shape),
                                                       .keys = collider.keys,
                                                       .shapes = {},
                                                       .turned = collider.turned});
    if (const auto* plane = std::get_if<contact::HalfSpace>(&collider.shape)) {
      part.endless = plane->normal;
      continue;
    }
    if (auto* mesh = std::get_if<contact::Mesh>(&collider.shape)) {
      part.shapes = std::move(mesh->keys);
    }
    const geometry::Bounds box = geometry::bounds_of(part.at(part.keys[0].time));
    all = {min(all.low, box.low), max(all.high, box.high)};
  }
  for (SceneryPart& part : parts) {
    if (norm(part.endless) > 0) part.surface = square_of(part, all);
  }
  return parts;
}

}  // namespace isochor::sim
