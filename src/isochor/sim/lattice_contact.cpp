#include "isochor/sim/lattice_contact.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "isochor/sim/body_frame.h"
#include "isochor/sim/collider_scene.h"

namespace isochor::sim {
namespace {

/// Vertices of triangles as points; those of one place that ride on the same cell are one point.
lattice::ContactSurface surface_of(const LatticeScene& scene,
                                   std::vector<std::vector<std::int32_t>>& points) {
  lattice::ContactSurface out;
  for (std::size_t b = 0; b < scene.riders.size(); ++b) {
    const Rider& rider = scene.riders[b];
    const std::vector<Vec3d>& positions = scene.topology.bodies[b].surface.positions;
    const std::int32_t first_node = scene.model().bodies[b].first_node;
    std::map<std::tuple<double, double, double, std::int32_t>, std::int32_t> known;
    std::vector<std::int32_t>& of_vertex = points.emplace_back(positions.size(), -1);
    const auto point_of = [&](std::int32_t v) {
      if (of_vertex[v] >= 0) return of_vertex[v];
      const Vec3d& x = positions[v];
      const auto [at, is_new] = known.try_emplace(
          {x[0], x[1], x[2], rider.surface.points[v].nodes[0]}, std::int32_t(out.rest.size()));
      of_vertex[v] = at->second;
      if (!is_new) return of_vertex[v];
      out.rest.push_back(x);
      out.bodies.push_back(std::int32_t(b));
      for (const auto& [node, weight] : rider.surface.weights(v)) {
        out.weights.push_back({first_node + node, weight});
      }
      out.first.push_back(std::int32_t(out.weights.size()));
      return of_vertex[v];
    };
    for (const geometry::Triangle& t : rider.triangles) {
      const geometry::Triangle corners{point_of(t[0]), point_of(t[1]), point_of(t[2])};
      const bool degenerate = corners[0] == corners[1] || corners[1] == corners[2] ||
                              corners[2] == corners[0];
      if (!degenerate) out.triangles.push_back(corners);
    }
  }
  return out;
}

lattice::ContactParams params_of(const MethodSpec& method) {
  return {.scheme = method.variant == "paper" ? lattice::ContactScheme::Published
                                              : lattice::ContactScheme::Barrier,
          .self_contact = method.self_contact,
          .friction = method.friction};
}

}  // namespace

LatticeContact::LatticeContact(const SceneSpec& spec, const LatticeScene& scene, Context& context)
    : contacts_(scene.model(), surface_of(scene, points_), build_colliders(spec, context),
                params_of(spec.method), context.arena),
      forces_(contacts_.surface().point_count(), Vec3d{0, 0, 0}),
      loads_(contacts_.colliders().size()) {}

void LatticeContact::keep_forces() {
  contact::ContactForces now = contacts_.forces();
  forces_ = std::move(now.points);
  loads_ = std::move(now.colliders);
}

void LatticeContact::save(files::ByteWriter& writer) const {
  writer.put(forces_);
  std::vector<Vec3d> loads;
  for (const contact::ColliderLoad& load : loads_) {
    loads.insert(loads.end(), {load.force, load.moment});
  }
  writer.put(loads);
}

void LatticeContact::load(files::ByteReader& reader) {
  const auto forces = reader.get_vector<Vec3d>(), loads = reader.get_vector<Vec3d>();
  if (forces.size() != forces_.size() || loads.size() != 2 * loads_.size()) {
    reader.fail("it holds another number of contacts than the scene");
  }
  forces_ = forces;
  for (std::size_t c = 0; c < loads_.size(); ++c) loads_[c] = {loads[2 * c], loads[2 * c + 1]};
}

LatticeContact::Picture LatticeContact::picture(std::span<const Vec3d> nodes, double time) {
  Picture out;
  const contact::ContactReport report = contacts_.report(nodes, time, contacts_.reach());
  out.measures.collider_contacts = std::size_t(report.near_points);
  out.measures.deepest = report.deepest_penetration();
  if (contacts_.params().self_contact) out.measures.crossings = report.crossings.count();
  for (std::size_t c = 0; c < loads_.size(); ++c) {
    out.reactions.push_back(
        {contacts_.colliders()[c].name, -loads_[c].force, -loads_[c].moment});
  }
  const std::vector<double> gaps = contacts_.gaps(nodes, time);
  for (const std::vector<std::int32_t>& of_vertex : points_) {
    files::Field force{.name = "contact_force",
                       .unit = "N",
                       .support = files::Support::Vertex,
                       .components = 3};
    std::vector<double> pressure, gap;
    for (const std::int32_t p : of_vertex) {
      const Vec3d f = p < 0 ? Vec3d{0, 0, 0} : forces_[p];
      for (int a = 0; a < 3; ++a) force.values.push_back(static_cast<float>(f[a]));
      const double area = p < 0 ? 0 : contacts_.areas()[p];
      pressure.push_back(area > 0 ? norm(f) / area : 0);
      gap.push_back(p < 0 ? contacts_.reach() : gaps[p]);
    }
    out.fields.push_back(
        {std::move(force),
         make_field("contact_pressure", "Pa", files::Support::Vertex, pressure),
         make_field("contact_gap", "m", files::Support::Vertex, gap)});
  }
  return out;
}

std::unique_ptr<LatticeContact> make_lattice_contact(const SceneSpec& spec,
                                                     const LatticeScene& scene, Context& context) {
  if (!spec.has_contact()) return nullptr;
  return std::make_unique<LatticeContact>(spec, scene, context);
}

}  // namespace isochor::sim
