#include "isochor/lattice/block_groups.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "isochor/math/z_curve.h"

namespace isochor::lattice {
namespace {

std::vector<std::int32_t> order_on_curve(const grid::Lattice& lattice,
                                         std::span<const std::int32_t> chosen) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> places;
  places.reserve(chosen.size());
  for (const std::int32_t b : chosen) {
    const grid::Index3& at = lattice.blocks[b].coordinate;
    places.emplace_back(
        place_on_z_curve({std::uint32_t(at[0]), std::uint32_t(at[1]), std::uint32_t(at[2])}), b);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::int32_t> order;
  order.reserve(places.size());
  for (const auto& [place, block] : places) order.push_back(block);
  return order;
}

/// Groups that are being filled.
class OpenGroups {
 public:
  explicit OpenGroups(const grid::Lattice& lattice)
      : blocks_(lattice.blocks), groups_of_(lattice.rest_positions.size(), 0) {}

  void add(std::int32_t block) {
    std::uint32_t taken = 0;
    for_each_node(block, [&](std::int32_t n) { taken |= groups_of_[n]; });
    // The oldest group that shares no node with the block.
    int slot = -1;
    for (const int s : ages_) {
      if (!(taken >> s & 1)) {
        slot = s;
        break;
      }
    }
    if (slot < 0) {
      if (ages_.size() == kSlots) close(ages_.front());
      slot = std::countr_one(used_);
      used_ |= 1u << slot;
      ages_.push_back(slot);
      counts_[slot] = 0;
    }
    for_each_node(block, [&](std::int32_t n) { groups_of_[n] |= std::uint16_t(1u << slot); });
    members_[slot][counts_[slot]++] = block;
    if (counts_[slot] == kGroupBlocks) close(slot);
  }

  std::vector<BlockList> finish() {
    while (!ages_.empty()) close(ages_.front());
    return std::move(closed_);
  }

 private:
  static constexpr std::size_t kSlots = 16;

  template <class F>
  void for_each_node(std::int32_t block, F&& f) {
    for (const std::int32_t n : blocks_[block].nodes) {
      if (n != grid::kNoNode) f(n);
    }
  }

  void close(int slot) {
    BlockList& members = members_[slot];
    for (int i = 0; i < counts_[slot]; ++i) {
      for_each_node(members[i],
                    [&](std::int32_t n) { groups_of_[n] &= std::uint16_t(~(1u << slot)); });
    }
    std::fill(members.begin() + counts_[slot], members.end(), -1);
    closed_.push_back(members);
    used_ &= ~(1u << slot);
    ages_.erase(std::find(ages_.begin(), ages_.end(), slot));
  }

  std::span<const grid::Block> blocks_;
  std::vector<std::uint16_t> groups_of_;  ///< per node, bit per slot
  std::array<BlockList, kSlots> members_{};
  std::array<int, kSlots> counts_{};
  std::uint32_t used_ = 0;
  std::vector<int> ages_;  ///< slots in use, the oldest first
  std::vector<BlockList> closed_;
};

/// A colour per tile, the first that none of its nodes has seen. Tiles for which 64 colours are
/// not enough begin again with the next 64.
std::vector<int> color_tiles(const Model& model) {
  const std::size_t tiles = model.tile_starts.size() - 1;
  std::vector<int> colors(tiles, -1);
  std::vector<std::int32_t> left(tiles);
  std::iota(left.begin(), left.end(), 0);
  for (int first = 0; !left.empty(); first += 64) {
    std::vector<std::uint64_t> seen(model.node_count(), 0);
    std::vector<std::int32_t> later;
    for (const std::int32_t tile : left) {
      const auto nodes_of_tile = [&](auto&& f) {
        for (std::int32_t g = model.tile_starts[tile]; g < model.tile_starts[tile + 1]; ++g) {
          for (const auto& slot : model.groups[g].nodes) {
            for (const std::int32_t n : slot) f(seen[n / 3]);
          }
        }
      };
      std::uint64_t taken = 0;
      nodes_of_tile([&](std::uint64_t& colors_here) { taken |= colors_here; });
      if (~taken == 0) {
        later.push_back(tile);
        continue;
      }
      const int color = std::countr_one(taken);
      colors[tile] = first + color;
      nodes_of_tile([&](std::uint64_t& colors_here) { colors_here |= std::uint64_t{1} << color; });
    }
    left = std::move(later);
  }
  return colors;
}

/// The nodes of one more tile, as runs.
void add_tile(std::vector<std::int32_t>& nodes, TileNodes& tiles) {
  std::sort(nodes.begin(), nodes.end());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && nodes[i] == nodes[i - 1] + 1) {
      ++tiles.runs.back().end;
    } else {
      tiles.runs.push_back({nodes[i], nodes[i] + 1});
    }
  }
  tiles.first.push_back(static_cast<std::int32_t>(tiles.runs.size()));
}

}  // namespace

std::vector<BlockList> group_blocks(const grid::Lattice& lattice,
                                    std::span<const std::int32_t> chosen) {
  OpenGroups open(lattice);
  for (const std::int32_t b : order_on_curve(lattice, chosen)) open.add(b);
  return open.finish();
}

std::vector<std::int32_t> make_tiles(Model& model) {
  // 64 full groups are 32x16x16 cells, whose nodes fit into a second-level cache beside what
  // streams through it. Small models are cut finer, so that threads find work.
  constexpr std::int32_t kLargest = 64, kColors = 8, kTilesPerColor = 16;
  const auto groups = static_cast<std::int32_t>(model.groups.size());
  const std::int32_t size = std::clamp(groups / (kColors * kTilesPerColor), 1, kLargest);
  model.tile_starts.clear();
  for (std::int32_t g = 0; g < groups; g += size) model.tile_starts.push_back(g);
  model.tile_starts.push_back(groups);

  const std::vector<int> colors = color_tiles(model);
  std::vector<std::int32_t> tiles(colors.size());
  std::iota(tiles.begin(), tiles.end(), 0);
  std::stable_sort(tiles.begin(), tiles.end(),
                   [&](std::int32_t a, std::int32_t b) { return colors[a] < colors[b]; });
  std::vector<std::int32_t> order, starts;
  model.color_starts.clear();
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    if (t == 0 || colors[tiles[t]] != colors[tiles[t - 1]]) {
      model.color_starts.push_back(static_cast<std::int32_t>(t));
    }
    starts.push_back(static_cast<std::int32_t>(order.size()));
    for (std::int32_t g = model.tile_starts[tiles[t]]; g < model.tile_starts[tiles[t] + 1]; ++g) {
      order.push_back(g);
    }
  }
  starts.push_back(groups);
  model.color_starts.push_back(static_cast<std::int32_t>(tiles.size()));
  model.tile_starts = std::move(starts);
  return order;
}

void find_tile_nodes(Model& model) {
  std::vector<std::int32_t> last_tile(model.node_count(), -1);
  std::vector<std::int32_t> nodes, opened;
  for (std::size_t tile = 0; tile + 1 < model.tile_starts.size(); ++tile) {
    nodes.clear();
    opened.clear();
    for (std::int32_t g = model.tile_starts[tile]; g < model.tile_starts[tile + 1]; ++g) {
      for (const auto& slot : model.groups[g].nodes) {
        for (const std::int32_t at : slot) {
          std::int32_t& last = last_tile[at / 3];
          if (last == std::int32_t(tile)) continue;
          nodes.push_back(at / 3);
          if (last < 0) opened.push_back(at / 3);
          last = std::int32_t(tile);
        }
      }
    }
    add_tile(nodes, model.tile_nodes);
    add_tile(opened, model.opened_nodes);
  }
}

}  // namespace isochor::lattice
