#include "isochor/lattice/model.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "isochor/base/error.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

/// The nodes of each block that has cells, none twice.
std::vector<std::set<std::int32_t>> nodes_of_group(const BlockGroup& group, const Block* blocks) {
  std::vector<std::set<std::int32_t>> result;
  for (int b = 0; b < kGroupBlocks; ++b) {
    if (blocks[b].active == 0) continue;
    result.emplace_back();
    for (const auto& slot : group.nodes) result.back().insert(slot[b]);
  }
  return result;
}

TEST(LatticeModel, BlocksOfAGroupAndTilesOfAColourShareNoNode) {
  const Model model = build_model({box_spec(27, 25, 33, 0.1), box_spec(4, 4, 4, 0.2)}, {});
  ASSERT_EQ(model.blocks.size(), kGroupBlocks * model.groups.size());
  EXPECT_GT(model.color_starts.size(), 4u);
  std::int32_t next_group = 0;
  for (std::size_t c = 0; c + 1 < model.color_starts.size(); ++c) {
    std::set<std::int32_t> of_color;
    for (std::int32_t t = model.color_starts[c]; t < model.color_starts[c + 1]; ++t) {
      std::set<std::int32_t> of_tile;
      EXPECT_EQ(model.tile_starts[t], next_group);
      for (std::int32_t g = model.tile_starts[t]; g < model.tile_starts[t + 1]; ++g) {
        std::set<std::int32_t> of_group;
        const Block* blocks = &model.blocks[std::size_t(g) * kGroupBlocks];
        for (const auto& nodes : nodes_of_group(model.groups[g], blocks)) {
          for (const std::int32_t n : nodes) EXPECT_TRUE(of_group.insert(n).second);
        }
        of_tile.merge(of_group);
      }
      for (const std::int32_t n : of_tile) EXPECT_TRUE(of_color.insert(n).second);
      next_group = model.tile_starts[t + 1];
    }
  }
  EXPECT_EQ(std::size_t(next_group), model.groups.size());
}

std::set<std::int32_t> nodes_of(const TileNodes& tiles, std::size_t tile) {
  std::set<std::int32_t> nodes;
  for (const NodeRun& run : tiles.of(tile)) {
    for (std::int32_t n = run.begin; n < run.end; ++n) {
      EXPECT_TRUE(nodes.insert(n).second) << "node " << n << " twice";
    }
  }
  return nodes;
}

TEST(LatticeModel, ATileOpensTheNodesThatNoTileBeforeHas) {
  const Model model = build_model({box_spec(27, 25, 33, 0.1), box_spec(4, 4, 4, 0.2)}, {});
  ASSERT_EQ(model.opened_nodes.first.size(), model.tile_starts.size());
  ASSERT_EQ(model.tile_nodes.first.size(), model.tile_starts.size());
  std::set<std::int32_t> before;
  for (std::size_t t = 0; t + 1 < model.tile_starts.size(); ++t) {
    std::set<std::int32_t> all, fresh;
    for (std::int32_t g = model.tile_starts[t]; g < model.tile_starts[t + 1]; ++g) {
      for (const auto& slot : model.groups[g].nodes) {
        for (const std::int32_t at : slot) {
          all.insert(at / 3);
          if (!before.contains(at / 3)) fresh.insert(at / 3);
        }
      }
    }
    EXPECT_EQ(nodes_of(model.tile_nodes, t), all) << "tile " << t;
    EXPECT_EQ(nodes_of(model.opened_nodes, t), fresh) << "tile " << t;
    before.merge(fresh);
  }
  EXPECT_EQ(before.size(), model.node_count());
}

TEST(LatticeModel, GroupsOfARegularGridAreFull) {
  const Model model = build_model({box_spec(16, 16, 16, 0.1)}, {});
  EXPECT_EQ(model.groups.size(), 512u / kGroupBlocks);
  for (const BlockGroup& group : model.groups) EXPECT_TRUE(group.whole);
}

TEST(LatticeModel, MissingNodesRepeatThoseOfTheirBlock) {
  const Model model = build_model({box_spec(3, 3, 3, 0.1)}, {});
  std::vector<std::set<std::int32_t>> used(model.blocks.size());
  for (const std::int32_t cell : model.cells) {
    for (int c = 0; c < 8; ++c) used[cell / 8].insert(model.corner(cell, c));
  }
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const BlockGroup& group = model.groups[b / kGroupBlocks];
    const std::size_t filled = model.blocks[b].active ? b : b / kGroupBlocks * kGroupBlocks;
    for (const auto& slot : group.nodes) {
      EXPECT_TRUE(used[filled].contains(slot[b % kGroupBlocks] / 3));
    }
  }
}

TEST(LatticeModel, OneGroupKnowsOfTheLastNode) {
  const Model model = build_model({box_spec(3, 3, 3, 0.1), box_spec(2, 2, 2, 0.1)}, {});
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    std::int32_t last = 0;
    for (const auto& slot : model.groups[g].nodes) {
      last = std::max(last, *std::max_element(std::begin(slot), std::end(slot)) / 3);
    }
    EXPECT_EQ(model.groups[g].has_last_node, std::size_t(last) + 1 == model.node_count());
  }
}

TEST(LatticeModel, UnknownMaterialIsRefused) {
  BodySpec spec = box_spec(2, 2, 2, 0.5);
  spec.more_materials.push_back({materials::law_index("neo_hookean"), {}});
  spec.cell_materials.assign(8, 1);
  EXPECT_EQ(build_model({spec}, {}).materials.size(), 2u);
  spec.cell_materials[3] = 2;
  EXPECT_THROW(build_model({spec}, {}), Error);
}

TEST(LatticeModel, MassIsThatOfTheCells) {
  BodySpec spec = box_spec(3, 2, 1, 0.5);
  spec.density = 800;
  const Model model = build_model({spec}, {});
  const double mass = std::accumulate(model.mass.begin(), model.mass.end(), 0.0);
  EXPECT_NEAR(mass, 800 * 6 * 0.125, 1e-10);
}

TEST(LatticeModel, CellsPointAtTheBlocksThatHoldThem) {
  const BodySpec spec = box_spec(5, 3, 3, 0.1);
  const Model model = build_model({spec, spec}, {});
  ASSERT_EQ(model.cells.size(), 2 * 45u);
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    const Block& block = model.blocks[model.cells[c] / 8];
    EXPECT_TRUE(block.active >> (model.cells[c] % 8) & 1);
    EXPECT_EQ(mu_of(model, model.cells[c]), spec.mu[c % 45]);
  }
}

TEST(LatticeModel, NodeInTwoHoldsIsRefused) {
  BodySpec spec = box_spec(2, 2, 2, 0.5);
  const auto everything = [](const Vec3d&) { return true; };
  spec.holds = {hold_where(spec, "first", everything), hold_where(spec, "second", everything)};
  try {
    build_model({spec}, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::Input);
    EXPECT_NE(std::string(error.what()).find("first"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("second"), std::string::npos);
  }
}

}  // namespace
}  // namespace isochor::lattice
