#include "isochor/run/viewer_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/run/shown_surface.h"
#include "tests/run/viewer_sample.h"

namespace isochor::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string joined(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

TEST(ViewerData, EverythingIsThereWhereItFits) {
  const ViewerSample sample(5);
  const ViewerData data = pack_viewer(sample.source());
  EXPECT_EQ(data.blocks.size(), 6u);
  EXPECT_THAT(data.header, HasSubstr("\"cells\": 64"));
  // Steps of 16 bits in a box that is 3.4 m long at frame 4.
  EXPECT_EQ(joined(data.notes),
            "positions are rounded by at most 0.026 mm\n"
            "fields by at most 0.012 % of their range\n");
}

TEST(ViewerData, TheLatticeGoesFirstThenFramesThenVertices) {
  const ViewerSample sample(100);
  // Three numbers of two bytes per vertex, and two fields on those of the block.
  const std::size_t per_frame = 10 * sample.topology.bodies[0].surface.positions.size() +
                                6 * sample.topology.bodies[1].surface.positions.size();

  const ViewerData no_lattice = pack_viewer(sample.source(), 100 * per_frame);
  EXPECT_EQ(no_lattice.blocks.size(), 101u);
  EXPECT_THAT(no_lattice.header, HasSubstr("\"cells\": 0"));
  EXPECT_THAT(joined(no_lattice.notes), HasSubstr("inside the bodies is left out"));

  const ViewerData fewer_frames = pack_viewer(sample.source(), 50 * per_frame);
  EXPECT_EQ(fewer_frames.blocks.size(), 51u);
  EXPECT_THAT(joined(fewer_frames.notes), HasSubstr("of 100 frames are shown"));
  EXPECT_THAT(joined(fewer_frames.notes), Not(HasSubstr("surface vertices")));
  EXPECT_THAT(fewer_frames.header, HasSubstr("\"index\": 0,"));
  EXPECT_THAT(fewer_frames.header, HasSubstr("\"index\": 99,"));

  const ViewerData fewer_vertices = pack_viewer(sample.source(), 24 * per_frame / 2);
  EXPECT_EQ(fewer_vertices.blocks.size(), 25u);
  EXPECT_THAT(joined(fewer_vertices.notes), HasSubstr("surface vertices are shown"));
}

TEST(ViewerData, WithoutFramesTheSetUpIsThere) {
  const ViewerSample sample(0);
  const ViewerData data = pack_viewer(sample.source());
  EXPECT_EQ(data.blocks.size(), 1u);
  EXPECT_THAT(data.header, HasSubstr("\"block.left\""));
  EXPECT_THAT(data.header, HasSubstr("\"points\": 2,"));
}

TEST(ViewerData, NothingInTheHeaderLooksLikeMarkup) {
  ViewerSample sample(1);
  sample.topology.bodies[0].name = "</script><script>alert(1)";
  EXPECT_THAT(pack_viewer(sample.source()).header, Not(HasSubstr("<")));
}

TEST(ViewerData, AFrameOfNotANumberIsPacked) {
  ViewerSample sample(2);
  for (Vec3d& p : sample.frames[1].bodies[0].vertices) p = {NAN, NAN, NAN};
  for (float& v : sample.frames[1].bodies[0].fields[0].values) v = NAN;
  EXPECT_EQ(pack_viewer(sample.source()).blocks.size(), 3u);
}

TEST(ShownSurface, ThinningKeepsVerticesOfTheUserAndAClosedShape) {
  const geometry::SurfaceMesh ball = geometry::make_sphere({1, 2, 3}, 1, 0.02);
  const ShownSurface thin = thinned(ball, 2000);
  EXPECT_LE(thin.vertices.size(), 2000u);
  EXPECT_GT(thin.vertices.size(), 800u);
  std::vector<Vec3d> positions;
  for (const std::int32_t v : thin.vertices) positions.push_back(ball.positions[v]);
  const double volume = geometry::enclosed_volume(positions, thin.triangles);
  EXPECT_NEAR(volume, 4.18879, 0.05 * 4.18879);
}

}  // namespace
}  // namespace isochor::run
