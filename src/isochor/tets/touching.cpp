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
  return contact::make_surface(std::move(triangles), std::move(bodies));
}

double mean_size(const Model& model) {
  double volume = 0;
  for (const double v : model.volume) volume += v;
  return std::cbrt(6 * std::sqrt(2.0) * volume / double(model.tets.size()));
}

SurfaceScale surface_scale(const Model& model, const contact::Surface& surface) {
  SurfaceScale scale;
  for (const std::int32_t node : surface.points) {
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
  const double count = std::max(1.0, double(surface.points.size()));
  return {scale.stiffness / count, scale.mass / count};
}

contact::ContactEnergy make_contact(const Model& model, const TouchParams& params, double dt) {
  contact::Surface surface = surface_of(model);
  const SurfaceScale scale = surface_scale(model, surface);
  const Vec3d box = geometry::bounds_of(model.rest_positions).size();
  contact::EnergyParams energy{.pairs = params.pairs,
                               .collider_barriers = params.collider_barriers,
                               .friction = params.friction};
  energy.barrier.reach = params.reach > 0 ? params.reach : mean_size(model) / 20;
  energy.barrier.stiffness = scale.stiffness + (dt > 0 ? scale.mass / (dt * dt) : 0);
  energy.slip_speed = params.slip_speed > 0 ? params.slip_speed : 1e-3 * norm(box);
  energy.slip = 0.1 * energy.barrier.reach;
  // A part of an edge of the surface, which for bands is shorter than that of a tet: a list is not
  // to have all neighbours.
  double edges = 0;
  for (const contact::Edge& e : surface.edges) {
    edges += norm(model.rest_positions[e[0]] - model.rest_positions[e[1]]);
  }
  energy.listed = 0.25 * edges / std::max(1.0, double(surface.edges.size()));
  return {std::move(surface), model.rest_positions, model.is_held_at_all(), energy};
}

}  // namespace isochor::tets
