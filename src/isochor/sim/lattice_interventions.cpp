/// LatticeMethod where a caller moves holds and pushes bodies between two frames.
#include "isochor/base/error.h"
#include "isochor/sim/lattice_method.h"

namespace isochor::sim {

void LatticeMethod::move_hold(const std::string& name, const Pose& pose) {
  std::vector<std::string> names;
  for (const lattice::Hold& hold : model_.holds) names.push_back(hold.name);
  for (const lattice::SpringGroup& group : model_.spring_groups) names.push_back(group.name);
  for (const lattice::HeldSurface& hold : model_.surfaces.holds) names.push_back(hold.name);
  for (const BoneInFlesh& bone : scene_.bones) names.push_back(bone.name);
  const std::size_t number = find_hold(name, names, time_, timing_);
  const Driver& driver = scene_.driver(number);
  if (driver.points.empty()) {
    throw Error(Fault::Input, name, "is a tie, which moves with its bodies", "move a hold");
  }
  std::optional<Guide>& guide = guides_[number];
  guide = Guide{.since = time_, .from = pose_at(driver, guide, time_), .to = pose};
}

std::span<Vec3d> LatticeMethod::renew_loads(const lattice::BodyRange& range) {
  return loads_.renew(time_, timing_, range.first_node, range.node_count);
}

void LatticeMethod::push_surface(std::size_t body, std::span<const Vec3d> forces) {
  const std::span<Vec3d> loads = renew_loads(model_.bodies[body]);
  for (std::size_t v = 0; v < forces.size(); ++v) {
    if (dot(forces[v], forces[v]) == 0) continue;
    for (const auto& [node, weight] : scene_.riders[body].surface.weights(v)) {
      loads[node] += weight * forces[v];
    }
  }
}

void LatticeMethod::push_mass(std::size_t body, const Vec3d& force) {
  const lattice::BodyRange& range = model_.bodies[body];
  spread_by_mass(force, std::span(model_.mass).subspan(range.first_node, range.node_count),
                 renew_loads(range));
}

}  // namespace isochor::sim
