#pragma once

#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/sim/scene_spec.h"

/// Parts of bodies that nothing holds: they have no state of rest.
namespace isochor::sim {

/// Names the hold that they get.
inline constexpr std::string_view kLooseParts = "loose parts";

/// Sets that grow together.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// The nodes of a body whose part does not hang together with set 0, which stands for all that is
/// held, with a warning that they are held where they are. `parts` are the sets of its nodes. An
/// input error where its largest part is among them.
std::vector<std::int32_t> loose_nodes(const BodySpec& body, std::span<const Vec3d> nodes,
                                      std::span<const std::size_t> parts, DisjointSets& sets,
                                      Context& context);

}  // namespace isochor::sim
