#include "isochor/sim/zones.h"

#include <gtest/gtest.h>
#include <map>

#include "isochor/files/npz.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

TEST(Zones, WorstIsThatOfTheMeansOverZones) {
  const files::TemporaryFolder folder;
  files::NpzArchive archive(folder / "fields.npz");
  archive.add<double>("points", {3, 3}, std::vector<double>{-0.3, 0, 0, 0.1, 0, 0, 0.3, 0, 0});
  archive.add<float>("zone", {3}, std::vector<float>{1, 2, 5});
  archive.finish();
  const auto file =
      write_scene(folder, kBarScene +
                              "[[body.paint]]\nquantity = \"zone\"\nfile = \"fields.npz\"\n"
                              "from = \"zone\"\n");
  Context context(1);
  Simulation simulation(load_scene(file), context);
  while (simulation.frame() < 4) ASSERT_TRUE(simulation.advance());
  const auto [frame, measures] = simulation.snapshot();
  const auto values = [&](std::string_view name) {
    for (const files::Field& field : frame.bodies[0].fields) {
      if (field.name == name && field.support == files::Support::Cell) return field.values;
    }
    return std::vector<float>{};
  };
  // All cells of this bar are full, so that they count alike.
  const std::vector<float> zones = values("zone"), J = values("J");
  ASSERT_EQ(zones.size(), J.size());
  std::map<float, std::pair<double, int>> sums;
  for (std::size_t c = 0; c < zones.size(); ++c) {
    sums[zones[c]].first += J[c];
    ++sums[zones[c]].second;
  }
  ASSERT_EQ(sums.size(), 3u);
  double worst = 0;
  for (const auto& [zone, sum] : sums) {
    const double error = sum.first / sum.second - 1;
    if (std::abs(error) > std::abs(worst)) worst = error;
  }
  ASSERT_TRUE(measures.worst_zone_volume_error);
  EXPECT_NEAR(*measures.worst_zone_volume_error, worst, 1e-6);  // fields are single precision
  EXPECT_GT(std::abs(worst), 1e-3);
  EXPECT_LT(std::abs(worst), measures.worst_cell_volume_error);
}

TEST(Zones, NoneWithoutPaint) {
  Context context(1);
  const Simulation simulation(parse_scene(kBarScene, "scene.toml"), context);
  EXPECT_FALSE(simulation.snapshot().second.worst_zone_volume_error);
}

}  // namespace
}  // namespace isochor::sim
