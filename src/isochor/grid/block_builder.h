#pragma once

#include "isochor/grid/lattice.h"

namespace isochor::grid {

/// A cell before it has a block: its place and a name for the node at each corner.
struct LooseCell {
  Index3 at;
  std::array<std::int32_t, 8> nodes;
};

/// Puts cells into blocks and numbers their nodes in the order of blocks. Two cells go into one
/// block if they agree on all nodes that it has room for once. Names are below `name_count`.
/// Fills Lattice::blocks and rest_positions and returns the number of each cell in the order of
/// Lattice::for_each_cell; `node_of_name`, where asked for, says what the names became.
std::vector<std::int32_t> build_blocks(std::span<const LooseCell> cells, std::size_t name_count,
                                       Lattice& lattice,
                                       std::vector<std::int32_t>* node_of_name = nullptr);

}  // namespace isochor::grid
