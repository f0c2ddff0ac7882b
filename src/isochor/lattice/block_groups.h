#pragma once

#include <array>
#include <span>
#include <vector>

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// Numbers of blocks, -1 where there is none.
using BlockList = std::array<std::int32_t, kGroupBlocks>;

/// Deals some of a lattice's blocks into groups that share no node, and keeps those together that
/// lie together: blocks come along a Z-shaped curve (Morton 1966) and each goes into the first
/// group with room for it. On a regular grid eight groups fill up at once, one per parity.
std::vector<BlockList> group_blocks(const grid::Lattice& lattice,
                                    std::span<const std::int32_t> chosen);

/// Cuts groups into tiles, sorts these by colour and returns the order of groups. Fills
/// Model::tile_starts and color_starts; group g has the nodes that Model::groups[g] names.
std::vector<std::int32_t> make_tiles(Model& model);

/// Fills Model::tile_nodes and opened_nodes, once groups are in the order of make_tiles().
void find_tile_nodes(Model& model);

}  // namespace isochor::lattice
