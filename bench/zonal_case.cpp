#include "bench/zonal_case.h"

#include <algorithm>
#include <cmath>

#include "reproduce/puck.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::bench {

tets::State ZonalCase::start() const {
  tets::State state = tets::make_state(model);
  for (std::size_t i = 0; i < state.velocities.size(); ++i) {
    if (!model.held[i]) state.velocities[i] = velocity;
  }
  return state;
}

std::vector<Vec3d> ZonalCase::held_at(int frame) const {
  std::vector<Vec3d> out;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    for (const std::int32_t n : model.holds[h].nodes) {
      out.push_back(model.rest_positions[n] + (h == 1 ? frame : 0) * motion);
    }
  }
  return out;
}

ZonalCase puck_case(double spacing, ThreadArena& arena) {
  tets::BodySpec body{.name = "puck", .mesh = reproduce::make_puck(spacing, arena)};
  body.materials = {reproduce::with_penalty(reproduce::kFleshShear, 100e3, 9)};
  body.holds = reproduce::puck_holds(body.mesh, spacing);
  body.zones = {tets::whole_zone(body.mesh)};
  return {.model = tets::build_model({body}, {}, arena),
          .motion = {0, 0, -0.02 * reproduce::kPuckHeight}};
}

ZonalCase ball_case(double spacing, ThreadArena& arena) {
  const double mu = reproduce::kFleshShear;
  tets::BodySpec body{.name = "ball",
                      .mesh = reproduce::stuffed_ball({0, 1, 0}, 1, spacing, arena)};
  body.materials = {reproduce::with_penalty(mu, 2 * mu * 0.45 / (1 - 0.9), 1)};
  body.holds = {
      reproduce::hold_where(body.mesh, "ground", [&](const Vec3d& x) { return x[1] < 0.1; })};
  body.zones = {tets::whole_zone(body.mesh)};
  return {
      .model = tets::build_model({body}, {.integrator = solve::Integrator::BackwardEuler}, arena),
      .gravity = {0, -9.81, 0},
      .dt = 1e-3,
      .velocity = {0, -10, 0}};
}

KktError kkt_error(const ZonalCase& c, const tets::State& before, const tets::State& after,
                   ThreadArena& arena) {
  const tets::Model& model = c.model;
  std::vector<Vec3d> force(model.node_count());
  tets::ElasticMemory memory(model);
  tets::elastic_force(model, {after.positions}, force, memory, arena);
  tets::add_zone_force(model, after, force, arena);
  double free = 0, held = 0, outer = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    Vec3d load = model.mass[i] * c.gravity;
    if (c.dt > 0) {
      const Vec3d away = after.positions[i] - before.positions[i] - c.dt * before.velocities[i];
      const Vec3d inertia = (-model.mass[i] / (c.dt * c.dt)) * away;
      outer += dot(inertia, inertia);
      force[i] += inertia;
    }
    outer += dot(load, load);
    force[i] += load;
    (model.held[i] ? held : free) += dot(force[i], force[i]);
  }
  return {.stationarity = std::sqrt(free) / (std::sqrt(held) + std::sqrt(outer)),
          .volume = tets::zone_report(model, after, arena).worst};
}

}  // namespace isochor::bench
