#include "isochor/sim/tet_forces.h"

#include <algorithm>
#include <limits>

#include "isochor/sim/body_frame.h"
#include "isochor/solve/momenta.h"

namespace isochor::sim {
namespace {

std::vector<double> vertex_areas(std::span<const Vec3d> positions,
                                 std::span<const geometry::Triangle> triangles) {
  std::vector<double> out(positions.size(), 0);
  for (const geometry::Triangle& t : triangles) {
    const Vec3d edges = cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
    for (const std::int32_t v : t) out[v] += norm(edges) / 6;
  }
  return out;
}

std::size_t nearest(std::span<const Vec3d> points, const Vec3d& to) {
  const auto distance = [&](const Vec3d& p) { return norm(p - to); };
  return std::size_t(std::ranges::min_element(points, {}, distance) - points.begin());
}

}  // namespace

TetForces::TetForces(const TetScene& scene, const contact::Colliders& colliders) : scene_(&scene) {
  for (std::size_t c = 0; c < colliders.size(); ++c) names_.push_back(colliders[c].name);
  for (std::size_t b = 0; b < scene.riders.size(); ++b) {
    areas_.push_back(
        vertex_areas(scene.topology.bodies[b].surface.positions, scene.riders[b].triangles));
  }
  forces_.reset(scene.model.node_count(), colliders.size());
  forces_.bones.resize(sliding_points(), {0, 0, 0});
}

std::size_t TetForces::sliding_points() const {
  std::size_t count = 0;
  for (const BoneInTets& bone : scene_->bones) count += bone.bone.points.size();
  return count;
}

void TetForces::keep(const contact::ContactForces& forces) {
  forces_ = forces;
  forces_.bones.resize(sliding_points(), {0, 0, 0});
}

void TetForces::save(files::ByteWriter& writer) const {
  writer.put(forces_.points);
  std::vector<Vec3d> loads;
  for (const contact::ColliderLoad& load : forces_.colliders) {
    loads.insert(loads.end(), {load.force, load.moment});
  }
  writer.put(loads);
  if (!scene_->bones.empty()) writer.put(forces_.bones);
}

void TetForces::load(files::ByteReader& reader) {
  const auto points = reader.get_vector<Vec3d>(), loads = reader.get_vector<Vec3d>();
  if (points.size() != forces_.points.size() || loads.size() != 2 * forces_.colliders.size()) {
    reader.fail("it holds another number of contacts than the scene");
  }
  if (!scene_->bones.empty()) {
    const auto bones = reader.get_vector<Vec3d>();
    if (bones.size() != forces_.bones.size()) {
      reader.fail("it holds another number of points on bones than the scene");
    }
    forces_.bones = bones;
  }
  forces_.points = points;
  for (std::size_t c = 0; c < forces_.colliders.size(); ++c) {
    forces_.colliders[c] = {loads[2 * c], loads[2 * c + 1]};
  }
}

std::vector<NamedReaction> TetForces::reactions(std::span<const Vec3d> positions) const {
  std::vector<NamedReaction> out;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    const contact::ColliderLoad& load = forces_.colliders[c];
    out.push_back({names_[c], -load.force, -load.moment});
  }
  auto force = forces_.bones.begin();
  for (const BoneInTets& bone : scene_->bones) {
    std::vector<solve::Push> pushes;
    for (const contact::SlidingPoint& p : bone.bone.points) {
      pushes.push_back({p.at(positions), *force++});
    }
    const solve::Resultant reaction = solve::resultant(pushes);
    out.push_back({bone.bone.name, reaction.force, reaction.moment});
  }
  return out;
}

void TetForces::add_bones(std::span<Vec3d> force) const {
  auto push = forces_.bones.begin();
  for (const BoneInTets& bone : scene_->bones) {
    for (const contact::SlidingPoint& p : bone.bone.points) {
      for (int i = 0; i < p.count; ++i) force[p.points[i]] += p.weights[i] * *push;
      ++push;
    }
  }
}

std::vector<Vec3d> TetForces::on_vertices(std::size_t body) const {
  const tets::BodyRange& range = scene_->model.bodies[body];
  const std::span<const Vec3d> forces(forces_.points.data() + range.first_node, range.node_count);
  const geometry::TetEmbedding& surface = scene_->riders[body].surface;
  const std::vector<double>& areas = areas_[body];
  // A vertex outside of its tet would take more than all of a node.
  const auto share = [&](std::size_t v, double weight) { return areas[v] * std::max(weight, 0.0); };
  std::vector<double> shares(forces.size(), 0);
  for (std::size_t v = 0; v < areas.size(); ++v) {
    for (const auto& [node, weight] : surface.weights(v)) shares[node] += share(v, weight);
  }
  std::vector<Vec3d> out(areas.size(), Vec3d{0, 0, 0});
  for (std::size_t v = 0; v < areas.size(); ++v) {
    for (const auto& [node, weight] : surface.weights(v)) {
      if (shares[node] > 0) out[v] += (share(v, weight) / shares[node]) * forces[node];
    }
  }
  // Where tets are finer than the surface, nothing rides on some nodes.
  const std::span<const Vec3d> vertices = scene_->topology.bodies[body].surface.positions;
  for (std::size_t n = 0; n < forces.size() && !vertices.empty(); ++n) {
    if (shares[n] > 0 || norm(forces[n]) == 0) continue;
    out[nearest(vertices, scene_->model.rest_positions[range.first_node + n])] += forces[n];
  }
  return out;
}

std::vector<files::Field> TetForces::fields(std::size_t body, std::span<const double> gaps,
                                            bool with_pressure) const {
  const std::vector<Vec3d> forces = on_vertices(body);
  std::vector<double> pressure;
  files::Field force{
      .name = "contact_force", .unit = "N", .support = files::Support::Vertex, .components = 3};
  for (std::size_t v = 0; v < forces.size(); ++v) {
    for (int a = 0; a < 3; ++a) force.values.push_back(static_cast<float>(forces[v][a]));
    pressure.push_back(areas_[body][v] > 0 ? norm(forces[v]) / areas_[body][v] : 0);
  }
  const tets::BodyRange& range = scene_->model.bodies[body];
  std::vector<double> gap(forces.size());
  scene_->riders[body].surface.interpolate(gaps.subspan(range.first_node, range.node_count), gap);
  std::vector<files::Field> out{std::move(force)};
  if (with_pressure) {
    out.push_back(make_field("contact_pressure", "Pa", files::Support::Vertex, pressure));
  }
  out.push_back(make_field("contact_gap", "m", files::Support::Vertex, gap));
  return out;
}

}  // namespace isochor::sim
