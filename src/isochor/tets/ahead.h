#pragma once

#include "isochor/base/platform.h"
#include "isochor/tets/model.h"

/// Nodes add up what their tets have, which are in many places of memory. In meshes that are larger
/// than any cache this is what they wait for, unless it is asked for some nodes ahead.
namespace isochor::tets {

inline constexpr int kAhead = 8;  ///< nodes

/// What the tets of a node have in an array of a T per tet.
template <class T>
ISOCHOR_KERNEL void ask_for_tets(const Model& model, std::size_t node, const T* of_tets) {
  if (node >= model.node_count()) return;
  for (std::int32_t u = model.first_use[node]; u < model.first_use[node + 1]; ++u) {
    prefetch(of_tets + model.uses[u] / 4);
  }
}

/// The same of a T per corner of a tet.
template <class T>
ISOCHOR_KERNEL void ask_for_corners(const Model& model, std::size_t node, const T* of_corners) {
  if (node >= model.node_count()) return;
  for (std::int32_t u = model.first_use[node]; u < model.first_use[node + 1]; ++u) {
    prefetch(of_corners + model.uses[u]);
  }
}

}  // namespace isochor::tets
