#include "isochor/sim/body_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isochor::sim {
namespace {

/// Goes beyond what nodes have, as cubics do.
struct Overshooting {
  void interpolate(std::span<const Vec3d> nodes, std::span<Vec3d> out) const {
    std::ranges::copy(nodes, out.begin());
  }
  void interpolate(std::span<const double>, std::span<double> out) const {
    out[0] = -1;
    out[1] = 2;
    out[2] = 9;
  }
};

TEST(BodyFrame, FieldsOfTheSurfaceStayWithinThoseOfNodes) {
  files::BodyTopology topology;
  topology.rest_nodes.assign(3, Vec3d{0, 0, 0});
  topology.surface.positions.assign(3, Vec3d{0, 0, 0});
  const std::vector<double> per_cell{1}, per_node{0.5, 2, 4};
  const Quantity stress{"von_mises", "Pa", per_cell, per_node};
  const files::BodyFrame frame =
      make_body_frame(topology, topology.rest_nodes, Overshooting{}, std::span(&stress, 1), {});
  ASSERT_EQ(frame.fields.back().name, "von_mises");
  EXPECT_THAT(frame.fields.back().values, testing::ElementsAre(0.5f, 2.0f, 4.0f));
}

}  // namespace
}  // namespace isochor::sim
