#pragma once

#include <span>

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// The cells around each node, ascending.
class NodeCells {
 public:
  NodeCells(std::span<const std::array<std::int32_t, 8>> cell_nodes, std::size_t node_count)
      : starts_(node_count + 1, 0) {
    for (const auto& nodes : cell_nodes) {
      for (const std::int32_t n : nodes) ++starts_[n];
    }
    for (std::size_t n = 1; n < starts_.size(); ++n) starts_[n] += starts_[n - 1];
    cells_.resize(starts_.back());
    for (std::size_t c = cell_nodes.size(); c-- > 0;) {
      for (const std::int32_t n : cell_nodes[c]) {
        cells_[--starts_[n]] = static_cast<std::int32_t>(c);
      }
    }
  }

  std::span<const std::int32_t> operator[](std::int32_t node) const {
    return std::span(cells_).subspan(starts_[node], starts_[node + 1] - starts_[node]);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::int32_t> cells_;
};

}  // namespace isochor::grid
