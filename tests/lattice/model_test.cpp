#include "isochor/lattice/model.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "isochor/base/error.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

TEST(LatticeModel, BlocksOfOneColourShareNoNode) {
  const Model model = build_model({box_spec(7, 5, 3, 0.1), box_spec(4, 4, 4, 0.2)}, {});
  EXPECT_EQ(model.color_starts.size() - 1, 8u) << "a regular grid needs the eight parities";
  for (std::size_t c = 0; c + 1 < model.color_starts.size(); ++c) {
    std::set<std::int32_t> seen;
    for (std::int32_t b = model.color_starts[c]; b < model.color_starts[c + 1]; ++b) {
      for (const std::int32_t n : model.blocks[b].nodes) {
        if (n != grid::kNoNode) {
          EXPECT_TRUE(seen.insert(n).second);
        }
      }
    }
  }
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
    EXPECT_EQ(block.mu[model.cells[c] % 8], spec.mu[c % 45]);
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
