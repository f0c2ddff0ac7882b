#include "isochor/sim/collider_scene.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/files/surface_file.h"
#include "isochor/sim/body_builder.h"

namespace isochor::sim {
namespace {

contact::Mesh mesh_of(const ColliderSpec& spec, const SceneSpec& scene, Context& context) {
  files::SurfaceFile file = build_surface(spec.shape, 0, scene.file);
  log_notes(spec.shape.file, file.notes, context);
  contact::Mesh mesh;
  mesh.sides = spec.sides == "solid" ? contact::Sides::Solid : contact::Sides::Sheet;
  mesh.triangles = mesh.sides == contact::Sides::Solid
                       ? outward_triangles(file.mesh, spec.place.text("file"), context)
                       : geometry::triangulate(file.mesh);
  mesh.positions = std::move(file.mesh.positions);
  if (!spec.shapes) return mesh;
  for (const ShapeKeySpec& key : *spec.shapes) {
    mesh.keys.push_back({.time = key.frame / scene.time.frame_rate, .positions = key.positions});
  }
  return mesh;
}

contact::Shape shape_of(const ColliderSpec& spec, const SceneSpec& scene, Context& context) {
  const ShapeSpec& shape = spec.shape;
  const std::string_view kind = shape.kind;
  const double half_length = 0.5 * shape.length;
  if (kind == "plane") return contact::HalfSpace{spec.normal};
  if (kind == "box") return contact::Box{0.5 * shape.size};
  if (kind == "sphere") return contact::Sphere{shape.radius};
  if (kind == "capsule") return contact::Capsule{half_length, shape.radius};
  if (kind == "cylinder") return contact::Cylinder{half_length, shape.radius};
  if (kind == "stairs") return contact::Stairs{shape.steps, shape.step};
  return mesh_of(spec, scene, context);
}

/// The rotation vector that takes y to an axis, or to its opposite where that is nearer: what has
/// an axis looks the same from both ends.
Vec3d from_y_to(const Vec3d& axis) {
  const Vec3d y{0, 1, 0};
  const Vec3d turn = cross(y, axis[1] < 0 ? -axis : axis);
  const double sine = norm(turn);
  if (sine == 0) return {0, 0, 0};
  return (std::atan2(sine, std::abs(axis[1])) / sine) * turn;
}

}  // namespace

std::vector<contact::Collider> build_colliders(const SceneSpec& scene, Context& context) {
  std::vector<contact::Collider> out;
  for (const ColliderSpec& spec : scene.colliders) {
    contact::Collider collider{.name = spec.name,
                               .shape = shape_of(spec, scene, context),
                               .keys = {},
                               .friction = spec.friction,
                               .thickness = spec.thickness};
    const std::string_view kind = spec.shape.kind;
    if (kind == "capsule" || kind == "cylinder") collider.turned = from_y_to(spec.shape.axis);
    const Vec3d center = kind == "mesh" ? Vec3d{0, 0, 0} : spec.shape.center;
    for (const KeySpec& key : spec.keys) {
      collider.keys.push_back({.time = key.frame / scene.time.frame_rate,
                               .translation = center + key.translate,
                               .rotation = key.rotate});
    }
    if (spec.keys.empty()) collider.keys.push_back({.translation = center});
    out.push_back(std::move(collider));
  }
  return out;
}

std::vector<contact::Obstacle> build_obstacles(const SceneSpec& scene,
                                               std::span<const contact::Collider> colliders,
                                               double tet_size, Context& context) {
  // Surfaces are stretched until their nodes are several tets apart.
  constexpr double kThin = 6;
  // Nodes keep to the shape, and so out of the reach of its triangles, a twentieth; and faces of
  // tets whose nodes lie on what is round dip into it, by the height of an arc over their
  // diagonals.
  constexpr double kInset = 0.1, kDip = 2.0 / 8 * 1.1;
  std::vector<contact::Obstacle> out;
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    const contact::Collider& collider = colliders[c];
    const std::string& meets = scene.colliders[c].meets;
    if (std::holds_alternative<contact::HalfSpace>(collider.shape)) continue;
    const double thick = contact::girth(collider);
    const bool thin = thick < kThin * tet_size;
    if (meets == "nodes" && thin) {
      context.log(LogLevel::Warning,
                  fmt::format("collider '{}' is {:.2g} m thick, tets {:.2g} m: it may pass between "
                              "their nodes; leave out meets = \"nodes\"",
                              collider.name, thick, tet_size));
    }
    if (meets == "nodes" || (meets == "auto" && !thin)) continue;
    const double dip = contact::is_round(collider.shape) ? kDip * tet_size / (0.5 * thick) : 0;
    out.emplace_back(collider, std::int32_t(c), std::max(kInset, dip) * tet_size);
  }
  return out;
}

}  // namespace isochor::sim
