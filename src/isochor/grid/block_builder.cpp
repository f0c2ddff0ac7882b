#include "isochor/grid/block_builder.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace isochor::grid {
namespace {

Index3 block_coordinate(const LooseCell& cell) {
  return {cell.at[0] / 2, cell.at[1] / 2, cell.at[2] / 2};
}
int lane_of(const LooseCell& cell) {
  return (cell.at[0] & 1) + 2 * (cell.at[1] & 1) + 4 * (cell.at[2] & 1);
}
bool x_fastest(const Index3& a, const Index3& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

bool has_room(const Block& block, int lane, const LooseCell& cell) {
  bool room = !block.has(lane);
  for (int c = 0; c < 8 && room; ++c) {
    const std::int32_t node = block.nodes[block_node(lane, c)];
    room = node == kNoNode || node == cell.nodes[c];
  }
  return room;
}

/// The order of cells by their blocks, x fastest, and by lane.
std::vector<std::int32_t> block_order(std::span<const LooseCell> cells) {
  std::vector<std::int32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::int32_t i, std::int32_t j) {
    const Index3 a = block_coordinate(cells[i]), b = block_coordinate(cells[j]);
    return a == b ? lane_of(cells[i]) < lane_of(cells[j]) : x_fastest(a, b);
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  return order;
}

/// Replaces names by numbers, in the order in which blocks, their cells and corners come.
std::vector<std::int32_t> number_nodes(std::size_t name_count, Lattice& lattice) {
  std::vector<std::int32_t> number(name_count, kNoNode);
  for (Block& block : lattice.blocks) {
    const std::array<std::int32_t, 27> names = block.nodes;
    for (int lane = 0; lane < 8; ++lane) {
      if (!block.has(lane)) continue;
      for (int c = 0; c < 8; ++c) {
        std::int32_t& node = number[names[block_node(lane, c)]];
        if (node == kNoNode) {
          node = static_cast<std::int32_t>(lattice.rest_positions.size());
          const Index3 at = shifted(cell_coordinate(block, lane), c);
          lattice.rest_positions.push_back(lattice.origin + lattice.spacing * Vec3d{double(at[0]),
                                                                                    double(at[1]),
                                                                                    double(at[2])});
        }
        block.nodes[block_node(lane, c)] = node;
      }
    }
  }
  return number;
}

}  // namespace

std::vector<std::int32_t> build_blocks(std::span<const LooseCell> cells, std::size_t name_count,
                                       Lattice& lattice, std::vector<std::int32_t>* node_of_name) {
  std::vector<std::int32_t> block_of(cells.size());
  std::size_t first_copy = 0;
  for (const std::int32_t i : block_order(cells)) {
    const LooseCell& cell = cells[i];
    const Index3 coordinate = block_coordinate(cell);
    const int lane = lane_of(cell);
    if (lattice.blocks.empty() || lattice.blocks.back().coordinate != coordinate) {
      first_copy = lattice.blocks.size();
    }
    std::size_t b = first_copy;
    while (b < lattice.blocks.size() && !has_room(lattice.blocks[b], lane, cell)) ++b;
    if (b == lattice.blocks.size()) {
      lattice.blocks.push_back({.nodes = {},
                                .coordinate = coordinate,
                                .copy = static_cast<std::int32_t>(b - first_copy)});
      lattice.blocks.back().nodes.fill(kNoNode);
    }
    Block& block = lattice.blocks[b];
    block.active = static_cast<std::uint8_t>(block.active | 1 << lane);
    for (int c = 0; c < 8; ++c) block.nodes[block_node(lane, c)] = cell.nodes[c];
    block_of[i] = static_cast<std::int32_t>(b);
  }
  std::vector<std::int32_t> number = number_nodes(name_count, lattice);
  if (node_of_name) *node_of_name = std::move(number);

  std::vector<std::int32_t> first_cells{0};
  for (const Block& block : lattice.blocks) {
    first_cells.push_back(first_cells.back() + std::popcount(block.active));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const unsigned before = (1u << lane_of(cells[i])) - 1;
    block_of[i] =
        first_cells[block_of[i]] + std::popcount(lattice.blocks[block_of[i]].active & before);
  }
  return block_of;
}

}  // namespace isochor::grid
