#include "isochor/tets/touching.h"

#include <algorithm>
#include <cmath>

namespace isochor::tets {

contact::Surface surface_of(const Model& model) {
  std::vector<std::int32_t> bodies(model.node_count(), 0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyRange& body = model.bodies[b];
    std::fill_n(bodies.begin() + body.first_node, body.node_count, std::int32_t(b));
  }
  std::vector<geometry::Triangle> triangles = geometry::boundary_triangles(model.tets);
  for (const shells::SheetTriangle& t : model.sheets.triangles) {
    // Skin is on the outside of tets, which is there already.
    if (model.bodies[bodies[t.points[0]]].tet_count == 0) triangles.push_back(t.points);
  }
  const auto count = std::int32_t(model.bodies.size());
  auto first = std::int32_t(model.first_obstacle_node);
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    const contact::Obstacle& obstacle = model.obstacles[o];
    std::fill_n(bodies.begin() + first, obstacle.vertex_count(), count + std::int32_t(o));
    for (geometry::Triangle t : obstacle.triangles()) {
      for (std::int32_t& n : t) n += first;
      triangles.push_back(t);
    }
    first += std::int32_t(obstacle.vertex_count());
  }
  contact::Surface surface = contact::make_surface(std::move(triangles), std::move(bodies));
  surface.first_obstacle = count;
  surface.held = model.is_held_at_all();
  return surface;
}

double mean_size(const Model& model) {
  double volume = 0;
  for (const double v : model.volume) volume += v;
  return std::cbrt(6 * std::sqrt(2.0) * volume / double(model.tets.size()));
}

SurfaceScale surface_scale(const Model& model, const contact::Surface& surface) {
  SurfaceScale scale;
  double count = 0;
  for (const std::int32_t node : surface.points) {
    if (surface.is_obstacle(node)) continue;
    ++count;
    scale.mass += model.mass[node];
    for (std::int32_t u = model.first_use[node]; u < model.first_use[node + 1]; ++u) {
      const std::int32_t tet = model.uses[u] / 4, corner = model.uses[u] % 4;
      // Rows of G are the gradients of the weights of corners 1 to 3; those of all four sum to
      // zero.
      const Mat3d G = transpose(model.gradient[tet]);
      const Vec3d g = corner > 0 ? G.column[corner - 1] : G.column[0] + G.column[1] + G.column[2];
      scale.stiffness += model.volume[tet] * model.mu[tet] * dot(g, g);
    }
    for (std::int32_t u = model.sheets.first_use[node]; u < model.sheets.first_use[node + 1]; ++u) {
      const std::size_t term = model.sheets.uses[u] / 4;
      if (term >= model.sheets.triangles.size()) continue;
      const shells::SheetTriangle& t = model.sheets.triangles[term];
      const auto& [along, across] = t.gradients[model.sheets.uses[u] % 4];
      scale.stiffness += t.volume * shells::modulus_of(model.sheets.laws[t.sheet]) / 3 *
                         (along * along + across * across);
    }
  }
  count = std::max(1.0, count);
  return {scale.stiffness / count, scale.mass / count};
}

void add_obstacles(const Model& model, std::span<const Vec3d> positions,
                   const contact::PlacedColliders& placed, contact::ContactForces& forces) {
  std::size_t node = model.first_obstacle_node;
  for (const contact::Obstacle& obstacle : model.obstacles) {
    contact::ColliderLoad& load = forces.colliders[obstacle.collider()];
    const Vec3d origin = placed.placement(obstacle.collider()).translation;
    for (const std::size_t end = node + obstacle.vertex_count(); node < end; ++node) {
      load.force += forces.points[node];
      load.moment += cross(positions[node] - origin, forces.points[node]);
    }
  }
}

std::vector<double> obstacle_friction(const Model& model) {
  std::vector<double> out;
  for (const contact::Obstacle& obstacle : model.obstacles) out.push_back(obstacle.friction());
  return out;
}

contact::ContactEnergy make_contact(const Model& model, const TouchParams& params, double dt) {
  contact::Surface surface = surface_of(model);
  const SurfaceScale scale = surface_scale(model, surface);
  const Vec3d box =
      geometry::bounds_of(std::span(model.rest_positions).first(model.first_obstacle_node)).size();
  contact::EnergyParams energy{.pairs = params.pairs,
                               .among_bodies = params.among_bodies,
                               .collider_barriers = params.collider_barriers,
                               .friction = params.friction};
  energy.obstacle_friction = obstacle_friction(model);
  energy.barrier.reach = params.reach > 0 ? params.reach : mean_size(model) / 20;
  energy.barrier.stiffness = scale.stiffness + (dt > 0 ? scale.mass / (dt * dt) : 0);
  energy.slip_speed = params.slip_speed > 0 ? params.slip_speed : 1e-3 * norm(box);
  energy.slip = 0.1 * energy.barrier.reach;
  // A part of an edge of the surface, which for bands is shorter than that of a tet: a list is not
  // to have all neighbours.
  double edges = 0, count = 0;
  for (const contact::Edge& e : surface.edges) {
    if (surface.is_obstacle(e[0])) continue;
    edges += norm(model.rest_positions[e[0]] - model.rest_positions[e[1]]);
    ++count;
  }
  energy.listed = 0.25 * edges / std::max(1.0, count);
  return {std::move(surface), model.rest_positions, model.is_held_at_all(), energy};
}

}  // namespace isochor::tets
