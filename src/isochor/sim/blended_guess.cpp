#include "isochor/sim/blended_guess.h"

#include <cmath>
#include <queue>
#include <tuple>

namespace isochor::sim {
namespace {

/// How weights fall with the distance from a hold.
constexpr double kPower = 4;

/// The node of a driver that another node may be near to, and how far it is.
struct Label {
  double distance;  ///< m
  std::int32_t node, driver, source;
  bool operator>(const Label& other) const {
    return std::tie(distance, node, driver, source) >
           std::tie(other.distance, other.node, other.driver, other.source);
  }
};

/// Nodes that have a common edge of a cell, per node.
std::vector<std::vector<std::int32_t>> neighbours_of(const lattice::Model& model) {
  std::vector<std::vector<std::int32_t>> out(model.node_count());
  for (const std::int32_t cell : model.cells) {
    for (int c = 0; c < 8; ++c) {
      for (int a = 0; a < 3; ++a) {
        const std::int32_t from = model.corner(cell, c), to = model.corner(cell, c ^ 1 << a);
        if (std::ranges::find(out[from], to) == out[from].end()) out[from].push_back(to);
      }
    }
  }
  return out;
}

}  // namespace

BlendedGuess::BlendedGuess(const LatticeScene& scene) {
  const lattice::Model& model = scene.model();
  std::priority_queue<Label, std::vector<Label>, std::greater<>> front;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    for (const std::int32_t n : model.holds[h].nodes) front.push({0, n, std::int32_t(h), n});
  }
  bool soft = false;
  for (std::size_t g = 0; g < scene.soft_holds.size(); ++g) {
    if (scene.soft_holds[g].points.empty()) continue;
    soft = true;
    const lattice::SpringGroup& group = model.spring_groups[g];
    for (std::int32_t s = group.first; s < group.first + group.count; ++s) {
      for (std::int32_t t = model.springs.first[s]; t < model.springs.first[s + 1]; ++t) {
        const std::int32_t n = model.springs.terms[t].index;
        front.push({0, n, std::int32_t(model.holds.size() + g), n});
      }
    }
  }
  const std::size_t first_bone = scene.driver_count() - scene.bones.size();
  for (std::size_t b = 0; b < scene.bones.size(); ++b) {
    soft = true;
    const BoneInFlesh& bone = scene.bones[b];
    for (const grid::Embedding::Point& point : bone.points.points) {
      for (const std::int32_t of_body : point.nodes) {
        const std::int32_t n = model.bodies[bone.body].first_node + of_body;
        front.push({0, n, std::int32_t(first_bone + b), n});
      }
    }
  }
  if (!soft) return;
  // Holds spread through cells, not across gaps: a finger does not go with the next one.
  const auto neighbours = neighbours_of(model);
  std::vector<std::size_t> count(model.node_count(), 0);
  std::vector<std::array<double, kNearest>> distances(model.node_count());
  blends_.resize(model.node_count());
  while (!front.empty()) {
    const Label label = front.top();
    front.pop();
    Blend& blend = blends_[label.node];
    std::size_t& known = count[label.node];
    const auto end = blend.driver.begin() + std::ptrdiff_t(known);
    if (known == kNearest || std::find(blend.driver.begin(), end, label.driver) != end) continue;
    blend.driver[known] = label.driver;
    distances[label.node][known++] = label.distance;
    for (const std::int32_t n : neighbours[label.node]) {
      if (count[n] == kNearest) continue;
      const double distance = norm(model.rest_positions[n] - model.rest_positions[label.source]);
      front.push({distance, n, label.driver, label.source});
    }
  }
  for (std::size_t n = 0; n < blends_.size(); ++n) {
    double sum = 0;
    // On a hold, with all that are there alike.
    const bool held = count[n] > 0 && distances[n][0] == 0;
    for (std::size_t k = 0; k < count[n]; ++k) {
      const double d = distances[n][k];
      sum += blends_[n].weight[k] = held ? double(d == 0) : std::pow(distances[n][0] / d, kPower);
    }
    for (double& weight : blends_[n].weight) weight = sum > 0 ? weight / sum : 0;
  }
}

std::vector<Vec3d> BlendedGuess::at(const LatticeScene& scene, const Guides& guides,
                                    double last_time, double time, std::span<const Vec3d> positions,
                                    ThreadArena& arena) const {
  if (blends_.empty()) return {};
  struct Motion {
    Mat3d rotation = Mat3d::identity();
    Vec3d from{0, 0, 0}, to{0, 0, 0};
  };
  std::vector<Motion> motions;
  bool moves = false;
  for (std::size_t d = 0; d < scene.driver_count(); ++d) {
    const Driver& driver = scene.driver(d);
    const Pose before = pose_at(driver, guides[d], last_time);
    const Pose after = pose_at(driver, guides[d], time);
    moves |=
        d >= scene.holds.size() &&
        norm(after.translation - before.translation) + norm(after.rotation - before.rotation) > 0;
    motions.push_back(
        {rotation_from_vector(after.rotation) * transpose(rotation_from_vector(before.rotation)),
         driver.center + before.translation, driver.center + after.translation});
  }
  if (!moves) return {};
  std::vector<Vec3d> out(positions.size());
  parallel_for(arena, out.size(), 1024, [&](std::size_t n) {
    Vec3d sum{0, 0, 0};
    double left = 1;
    for (std::size_t k = 0; k < kNearest; ++k) {
      const double weight = blends_[n].weight[k];
      if (weight == 0) continue;
      const Motion& motion = motions[blends_[n].driver[k]];
      sum += weight * (motion.to + motion.rotation * (positions[n] - motion.from));
      left -= weight;
    }
    out[n] = sum + left * positions[n];
  });
  return out;
}

}  // namespace isochor::sim
