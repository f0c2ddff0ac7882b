/// LatticeMethod where a caller moves holds and pushes bodies between two frames.
#include <algorithm>
#include <fmt/format.h>

#include "isochor/base/error.h"
#include "isochor/sim/lattice_method.h"

namespace isochor::sim {

void LatticeMethod::move_hold(const std::string& name, const Pose& pose) {
  if (time_ < 0 && !timing_.starts_in_equilibrium()) {
    throw Error(Fault::Input, name,
                "is to move before frame 0, where the bodies still have their shape at rest",
                "compute frame 0 first, or set time.start = \"equilibrium\"");
  }
  std::vector<std::string> names;
  for (const lattice::Hold& hold : model_.holds) names.push_back(hold.name);
  for (const lattice::SpringGroup& group : model_.spring_groups) names.push_back(group.name);
  for (const lattice::HeldSurface& hold : model_.surfaces.holds) names.push_back(hold.name);
  const std::size_t number = std::ranges::find(names, name) - names.begin();
  if (number == names.size()) {
    throw Error(Fault::Input, name, "there is no hold of this name",
                names.empty() ? "add a [[body.hold]]"
                              : fmt::format("use one of: {}", fmt::join(names, ", ")));
  }
  if (scene_.driver(number).points.empty()) {
    throw Error(Fault::Input, name, "is a tie, which moves with its bodies", "move a hold");
  }
  guides_[number] =
      Guide{.since = time_, .from = driver_pose(scene_, guides_, number, time_), .to = pose};
}

std::vector<Vec3d> LatticeMethod::loads_at(double time) const {
  const double way = timing_.moves() && time > 0 ? 1.0 : std::clamp(time - loads_.since, 0.0, 1.0);
  if (way == 1) return loads_.after;
  std::vector<Vec3d> loads = loads_.before;
  for (std::size_t n = 0; n < loads.size(); ++n) {
    loads[n] = loads[n] * (1 - way) + loads_.after[n] * way;
  }
  return loads;
}

std::span<Vec3d> LatticeMethod::renew_loads(const lattice::BodyRange& range) {
  if (loads_.after.empty()) {
    loads_.before.assign(model_.node_count(), {0, 0, 0});
    loads_.after = loads_.before;
  }
  loads_.before = loads_at(time_);
  loads_.since = time_;
  const auto nodes = std::span(loads_.after).subspan(range.first_node, range.node_count);
  std::ranges::fill(nodes, Vec3d{0, 0, 0});
  return nodes;
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
  const auto mass = std::span(model_.mass).subspan(range.first_node, range.node_count);
  double total = 0;
  for (const double m : mass) total += m;
  const std::span<Vec3d> loads = renew_loads(range);
  for (std::size_t n = 0; n < mass.size(); ++n) loads[n] = (mass[n] / total) * force;
}

/// That they have done since the bodies were at rest, had they always been the same.
double LatticeMethod::work_of_loads(std::span<const Vec3d> loads) const {
  double work = 0;
  for (std::size_t n = 0; n < loads.size(); ++n) {
    work += dot(loads[n], state_.positions[n] - model_.rest_positions[n]);
  }
  return work;
}

void LatticeMethod::save_interventions(files::ByteWriter& writer) const {
  for (const std::optional<Guide>& guide : guides_) {
    writer.put(std::uint8_t{guide.has_value()});
    if (!guide) continue;
    writer.put(guide->since);
    writer.put(std::array{guide->from.translation, guide->from.rotation, guide->to.translation,
                          guide->to.rotation});
  }
  writer.put(loads_.since);
  writer.put(loads_.before);
  writer.put(loads_.after);
}

void LatticeMethod::load_interventions(files::ByteReader& reader) {
  Guides guides(guides_.size());
  for (std::optional<Guide>& guide : guides) {
    if (reader.get<std::uint8_t>() == 0) continue;
    const double since = reader.get<double>();
    const std::vector<Vec3d> v = reader.get_vector<Vec3d>();
    if (v.size() != 4) reader.fail("a moved hold has too few or too many numbers");
    guide = Guide{.since = since, .from = {v[0], v[1]}, .to = {v[2], v[3]}};
  }
  Loads loads{.since = reader.get<double>()};
  loads.before = reader.get_vector<Vec3d>();
  loads.after = reader.get_vector<Vec3d>();
  if ((!loads.after.empty() && loads.after.size() != model_.node_count()) ||
      loads.before.size() != loads.after.size()) {
    reader.fail("it holds loads on another number of nodes than the scene has");
  }
  guides_ = std::move(guides);
  loads_ = std::move(loads);
}

}  // namespace isochor::sim
