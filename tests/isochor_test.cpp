#include "isochor/isochor.h"

#include <gtest/gtest.h>

#include "tests/sim/test_scene.h"

namespace isochor {
namespace {

TEST(PublicApi, SceneIsSteppedAndReadBack) {
  const files::TemporaryFolder folder;
  Simulation simulation(sim::write_scene(folder).string(), {"time.frames=2"}, 1);
  EXPECT_EQ(simulation.frame_count(), 2);
  ASSERT_EQ(simulation.body_count(), 1);
  EXPECT_EQ(simulation.body_name(0), "bar");
  simulation.step();
  EXPECT_EQ(simulation.frame(), 0);
  const std::vector<double> before = simulation.surface_positions(0);
  simulation.step();
  const std::vector<double> after = simulation.surface_positions(0);
  EXPECT_EQ(before.size(), after.size());
  EXPECT_NE(before, after);
  EXPECT_LT(std::abs(simulation.volume_error()), 0.1);
  const std::vector<int> triangles = simulation.surface_triangles(0);
  EXPECT_EQ(triangles.size(), 3 * 2 * 2 * (6 * 2 + 6 * 2 + 2 * 2));
  EXPECT_LT(*std::max_element(triangles.begin(), triangles.end()), int(before.size() / 3));
  EXPECT_THROW(simulation.body_name(7), Failure);
}

TEST(PublicApi, FailureCarriesTheWholeMessage) {
  try {
    Simulation simulation("no-such-scene.toml");
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("no-such-scene.toml"), std::string::npos);
  }
}

}  // namespace
}  // namespace isochor
