#include "isochor/sim/staggered_contact.h"

#include <algorithm>
#include <limits>

#include "isochor/sim/body_frame.h"
#include "isochor/sim/collider_scene.h"
#include "isochor/solve/momenta.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/pressure_search.h"

namespace isochor::sim {
namespace {

using staggered::SolveReport;

/// Of the spacing: what a vertex may be off a collider that it touches.
constexpr double kClose = 0.01;
constexpr int kMostSolves = 100;
constexpr double kFollows = 0.1;

double spacing_of(const StaggeredBody& body) { return body.model.levels[0].spacing[0]; }

}  // namespace

StaggeredContact::StaggeredContact(const SceneSpec& spec, const StaggeredScene& scene,
                                   Context& context)
    : scene_(scene), context_(context), colliders_(build_colliders(spec, context), context.arena) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const StaggeredBody& body = scene.bodies[b];
    const std::vector<Vec3d>& rest = scene.topology.bodies[b].surface.positions;
    // Vertices that follow unknown faces in part are free: those that holds move alone are not.
    Motion moved(body.model);
    staggered::for_each_unknown<3>(body.model,
                                   [&](const staggered::Index<3>&, int k, std::size_t place) {
                                     if (k < 3) moved.u[place] = 1;
                                   });
    const std::vector<Vec3d> follows = vertices(b, moved);
    std::vector<double> areas(rest.size());
    for (const auto& [i, j, k] : body.triangles) {
      const double third = norm(cross(rest[j] - rest[i], rest[k] - rest[i])) / 6;
      for (const std::int32_t v : {i, j, k}) {
        if (norm(follows[v] - rest[v]) > kFollows) areas[v] += third;
      }
    }
    areas_.push_back(std::move(areas));
    loads_.emplace_back(body.model.unknowns());
  }
}

StaggeredContact::Pressures StaggeredContact::none() const {
  Pressures out;
  for (const auto& areas : areas_) out.emplace_back(areas.size());
  return out;
}

StaggeredContact::Nearest StaggeredContact::nearest(const contact::PlacedColliders& placed,
                                                    const Vec3d& x) {
  Nearest out{.depth = -std::numeric_limits<double>::infinity()};
  for (std::size_t c = 0; c < placed.size(); ++c) {
    const contact::ColliderSample sample = placed.sample(c, x);
    if (-sample.distance > out.depth) out = {c, -sample.distance, sample.normal};
  }
  return out;
}

std::vector<Vec3d> StaggeredContact::vertices(std::size_t b, const Motion& motion) const {
  const files::BodyTopology& topology = scene_.topology.bodies[b];
  std::vector<Vec3d> nodes(topology.rest_nodes.size()), out(topology.surface.positions.size());
  scene_.bodies[b].nodes.to_nodes(motion.u, nodes, context_.arena);
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] += topology.rest_nodes[n];
  scene_.bodies[b].surface.interpolate(nodes, out);
  return out;
}

void StaggeredContact::set_load(std::size_t b, std::span<const double> pressures,
                                std::span<const Vec3d> pushes) {
  const StaggeredBody& body = scene_.bodies[b];
  std::vector<double>& load = loads_[b];
  std::ranges::fill(load, 0.0);
  // By the transpose of how vertices ride on faces, so that depths follow pressures as a matrix
  // that is symmetric; tractions that balance a uniform stress do not, and their search diverges.
  std::vector<Vec3d> nodal(scene_.topology.bodies[b].rest_nodes.size(), Vec3d{0, 0, 0});
  for (std::size_t v = 0; v < pressures.size(); ++v) {
    if (pressures[v] == 0) continue;
    const Vec3d force = pressures[v] * areas_[b][v] * pushes[v];
    for (const auto& [node, weight] : body.surface.weights(v)) nodal[node] += weight * force;
  }
  body.nodes.add_forces(body.model, nodal, load);
}

SolveReport StaggeredContact::touch(std::size_t b, double time, bool again, Motion& motion,
                                    std::vector<double>& pressures,
                                    const std::function<SolveReport(Motion&)>& solve) {
  const StaggeredBody& body = scene_.bodies[b];
  const contact::PlacedColliders placed = colliders_.at(time, context_.arena);
  const Motion first = motion;
  std::vector<double> depths(pressures.size());
  std::vector<Vec3d> pushes(pressures.size());
  const auto look = [&] {
    const std::vector<Vec3d> x = vertices(b, motion);
    parallel_for(context_.arena, x.size(), 256, [&](std::size_t v) {
      const Nearest found = nearest(placed, x[v]);
      depths[v] = found.depth;
      pushes[v] = found.push;
    });
  };
  look();
  staggered::PressureSearch search(areas_[b], 0.3 * body.model.material.mu / spacing_of(body));
  SolveReport report;
  for (int solves = 1, cycles = 0;; ++solves) {
    set_load(b, pressures, pushes);
    if (again) motion = first;
    report = solve(motion);
    cycles += report.iterations;
    report.iterations = cycles;
    if (!report.converged) return report;
    look();
    if (search.off(depths, pressures) <= kClose * spacing_of(body)) return report;
    if (solves == kMostSolves || context_.cancelled) {
      report.converged = false;
      return report;
    }
    search.update(depths, pressures);
  }
}

StaggeredContact::Picture StaggeredContact::picture(std::span<const std::vector<Vec3d>> vertices,
                                                    const Pressures& pressures, double time) const {
  Picture out;
  const contact::PlacedColliders placed = colliders_.at(time, context_.arena);
  std::vector<std::vector<solve::Push>> by_collider(colliders_.size());
  for (std::size_t b = 0; b < vertices.size(); ++b) {
    files::Field force{
        .name = "contact_force", .unit = "N", .support = files::Support::Vertex, .components = 3};
    std::vector<double> gap;
    for (std::size_t v = 0; v < vertices[b].size(); ++v) {
      const Nearest found = nearest(placed, vertices[b][v]);
      const Vec3d push = pressures[b][v] * areas_[b][v] * found.push;
      for (int a = 0; a < 3; ++a) force.values.push_back(static_cast<float>(push[a]));
      gap.push_back(-found.depth);
      if (areas_[b][v] > 0) out.measures.deepest = std::max(out.measures.deepest, found.depth);
      if (pressures[b][v] == 0) continue;
      ++out.measures.collider_contacts;
      by_collider[found.collider].push_back({vertices[b][v], push});
    }
    out.fields.push_back(
        {std::move(force),
         make_field("contact_pressure", "Pa", files::Support::Vertex, pressures[b]),
         make_field("contact_gap", "m", files::Support::Vertex, gap)});
  }
  for (std::size_t c = 0; c < by_collider.size(); ++c) {
    const solve::Resultant sum = solve::resultant(by_collider[c]);
    out.reactions.push_back({colliders_[c].name, sum.force, sum.moment});
  }
  return out;
}

void StaggeredContact::poison() {
  for (auto& load : loads_) {
    std::ranges::fill(load, std::numeric_limits<double>::quiet_NaN());
  }
}

std::unique_ptr<StaggeredContact> make_staggered_contact(const SceneSpec& spec,
                                                         const StaggeredScene& scene,
                                                         Context& context) {
  if (spec.colliders.empty()) return nullptr;
  return std::make_unique<StaggeredContact>(spec, scene, context);
}

}  // namespace isochor::sim
