#include "isochor/sim/nodal_loads.h"

#include <algorithm>

#include "isochor/sim/motion.h"

namespace isochor::sim {

std::vector<Vec3d> NodalLoads::at(double time, const TimeSpec& timing) const {
  const double way = timing.moves() && time > 0 ? 1.0 : std::clamp(time - since_, 0.0, 1.0);
  if (way == 1) return after_;
  std::vector<Vec3d> loads = before_;
  for (std::size_t n = 0; n < loads.size(); ++n) {
    loads[n] = loads[n] * (1 - way) + after_[n] * way;
  }
  return loads;
}

std::span<Vec3d> NodalLoads::renew(double time, const TimeSpec& timing, std::int32_t first,
                                   std::int32_t count) {
  if (after_.empty()) {
    before_.assign(node_count_, {0, 0, 0});
    after_ = before_;
  }
  before_ = at(time, timing);
  since_ = time;
  const auto nodes = std::span(after_).subspan(first, count);
  std::ranges::fill(nodes, Vec3d{0, 0, 0});
  return nodes;
}

void NodalLoads::save(files::ByteWriter& writer) const {
  writer.put(since_);
  writer.put(before_);
  writer.put(after_);
}

NodalLoads NodalLoads::load(files::ByteReader& reader, std::size_t node_count) {
  NodalLoads loads(node_count);
  loads.since_ = reader.get<double>();
  loads.before_ = reader.get_vector<Vec3d>();
  loads.after_ = reader.get_vector<Vec3d>();
  if ((!loads.after_.empty() && loads.after_.size() != node_count) ||
      loads.before_.size() != loads.after_.size()) {
    reader.fail("it holds loads on another number of nodes than the scene has");
  }
  return loads;
}

void add_tractions(std::span<const SurfaceLoad> tractions, std::size_t node_count, double time,
                   std::vector<Vec3d>& loads) {
  for (const SurfaceLoad& load : tractions) {
    loads.resize(node_count, Vec3d{0, 0, 0});
    const Vec3d traction = load_at(load.spec, time) * load.spec.traction;
    for (std::size_t n = 0; n < load.areas.size(); ++n) {
      loads[std::size_t(load.first_node) + n] += load.areas[n] * traction;
    }
  }
}

double work_of(std::span<const Vec3d> loads, std::span<const Vec3d> positions,
               std::span<const Vec3d> rest_positions) {
  double work = 0;
  for (std::size_t n = 0; n < loads.size(); ++n) {
    work += dot(loads[n], positions[n] - rest_positions[n]);
  }
  return work;
}

void spread_by_mass(const Vec3d& force, std::span<const double> mass, std::span<Vec3d> loads) {
  double total = 0;
  for (const double m : mass) total += m;
  for (std::size_t n = 0; n < mass.size(); ++n) loads[n] = (mass[n] / total) * force;
}

}  // namespace isochor::sim
