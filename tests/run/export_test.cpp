#include "isochor/run/export.h"

#include <array>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "isochor/files/frame.h"
#include "isochor/files/gltf.h"
#include "isochor/files/obj.h"
#include "isochor/files/ply.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"

namespace isochor::run {
namespace {

namespace fs = std::filesystem;
using files::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A run directory with two boxes of which the second rises by a metre per frame.
class ExportTest : public ::testing::Test {
 protected:
  static constexpr int kFrames = 4;
  static constexpr double kRate = 29.97;

  ExportTest() {
    topology_.bodies.resize(2);
    topology_.bodies[0] = {.name = "left box",
                           .surface = geometry::make_box({0, 0, 0}, {1, 1, 1}, 1)};
    topology_.bodies[1] = {.name = "right/box",
                           .surface = geometry::make_box({3, 0, 0}, {1, 1, 1}, 0.5)};
    fs::create_directories(directory_.root / "frames");
    files::write_topology(directory_.topology(), topology_);
    for (int f = 0; f < kFrames; ++f) files::write_frame(directory_.frame(f), frame(f));
  }

  files::Frame frame(int index) const {
    files::Frame frame{.index = index, .time = index / kRate};
    for (const files::BodyTopology& body : topology_.bodies) {
      frame.bodies.push_back({.vertices = body.surface.positions});
    }
    for (Vec3d& p : frame.bodies[1].vertices) p[1] += index;
    return frame;
  }
  std::vector<std::string> exported(std::string_view format, int first, int last) const {
    std::vector<std::string> names;
    for (const fs::path& path : export_run(directory_, format, first, last)) {
      EXPECT_EQ(path.parent_path(), directory_.exports() / format);
      EXPECT_TRUE(fs::exists(path)) << path;
      names.push_back(path.filename().string());
    }
    return names;
  }
  std::string text_of(const std::string& name) const {
    return read_text_file(directory_.exports() / name);
  }

  files::TemporaryFolder folder_;
  RunDirectory directory_{folder_ / "my run"};
  files::Topology topology_;
};

TEST_F(ExportTest, EveryFormatOfTheListIsWrittenAndLeavesNoTemporary) {
  for (const std::string_view format : export_formats()) {
    EXPECT_FALSE(exported(format, 0, 1).empty()) << format;
    for (const auto& entry : fs::directory_iterator(directory_.exports() / format)) {
      EXPECT_NE(entry.path().extension(), ".part");
      EXPECT_GT(entry.file_size(), 0u);
    }
  }
  EXPECT_THAT(export_formats(), ElementsAre("vtu", "obj", "ply", "usd", "pc2", "gltf", "npz"));
}

TEST_F(ExportTest, PlyHasTheSurfaceOfEveryFrame) {
  EXPECT_THAT(exported("ply", 1, 2),
              ElementsAre("0_left_box_000001.ply", "1_right_box_000001.ply",
                          "0_left_box_000002.ply", "1_right_box_000002.ply"));
  const files::SurfaceFile back =
      files::read_ply(directory_.exports() / "ply/1_right_box_000002.ply");
  ASSERT_EQ(back.mesh.positions.size(), topology_.bodies[1].surface.positions.size());
  for (std::size_t v = 0; v < back.mesh.positions.size(); ++v) {
    EXPECT_EQ(norm(back.mesh.positions[v] - frame(2).bodies[1].vertices[v]), 0);
  }
  EXPECT_EQ(back.mesh.corners, topology_.bodies[1].surface.corners);
}

TEST_F(ExportTest, Pc2HasTheRangeAndTheRestMeshBesideIt) {
  EXPECT_THAT(exported("pc2", 1, 2), ElementsAre("0_left_box.obj", "0_left_box.pc2",
                                                 "1_right_box.obj", "1_right_box.pc2"));
  const std::string cache = text_of("pc2/1_right_box.pc2");
  const std::size_t vertices = topology_.bodies[1].surface.positions.size();
  ASSERT_EQ(cache.size(), 32 + 2 * vertices * 12);
  float first_frame = 0, height = 0;
  std::memcpy(&first_frame, cache.data() + 20, 4);
  EXPECT_EQ(first_frame, 1);
  std::memcpy(&height, cache.data() + 32 + vertices * 12 + 4, 4);
  EXPECT_EQ(height, static_cast<float>(frame(2).bodies[1].vertices[0][1]));
  const files::SurfaceFile rest = files::read_obj(directory_.exports() / "pc2/1_right_box.obj");
  EXPECT_EQ(rest.mesh.corners, topology_.bodies[1].surface.corners);
  EXPECT_EQ(rest.mesh.positions[0][1], topology_.bodies[1].surface.positions[0][1]);
}

TEST_F(ExportTest, UsdHasTheFrameRateOfTheRun) {
  EXPECT_THAT(exported("usd", 1, 2), ElementsAre("my_run.usda"));
  const std::string text = text_of("usd/my_run.usda");
  EXPECT_THAT(text, HasSubstr("framesPerSecond = 29.97\n"));
  EXPECT_THAT(text, HasSubstr("timeCodesPerSecond = 29.97\n"));
  EXPECT_THAT(text, HasSubstr("startTimeCode = 1\n"));
  EXPECT_THAT(text, HasSubstr("endTimeCode = 2\n"));
  EXPECT_THAT(text, HasSubstr("def Xform \"my_run\""));
  EXPECT_THAT(text, HasSubstr("def Mesh \"right_box\""));
}

TEST_F(ExportTest, TheAxisThatGravityPullsAgainstIsUp) {
  exported("usd", 0, 1);
  EXPECT_THAT(text_of("usd/my_run.usda"), HasSubstr("upAxis = \"Y\""));
  exported("gltf", 0, 1);
  EXPECT_THAT(text_of("gltf/my_run.glb"), Not(HasSubstr("rotation")));
  write_manifest(directory_, {.scene = "format = 1\n[world]\ngravity = [0.1, 0, -9.81]\n"});
  exported("usd", 0, 1);
  EXPECT_THAT(text_of("usd/my_run.usda"), HasSubstr("upAxis = \"Z\""));
  exported("gltf", 0, 1);
  EXPECT_THAT(text_of("gltf/my_run.glb"), HasSubstr("\"rotation\":[-0.707106781186547"));
}

TEST_F(ExportTest, GltfHasAllBodies) {
  EXPECT_THAT(exported("gltf", 0, 3), ElementsAre("my_run.glb"));
  const files::SurfaceFile back = files::read_gltf(directory_.exports() / "gltf/my_run.glb");
  EXPECT_EQ(back.mesh.positions.size(), topology_.bodies[0].surface.positions.size() +
                                            topology_.bodies[1].surface.positions.size());
}

TEST_F(ExportTest, NpzHasAFilePerBody) {
  EXPECT_THAT(exported("npz", 2, 2), ElementsAre("0_left_box.npz", "1_right_box.npz"));
  EXPECT_THAT(text_of("npz/0_left_box.npz"), HasSubstr("'shape': (1, 8, 3)"));
}

TEST_F(ExportTest, NpzHasQuantitiesOnVerticesOfEveryFrame) {
  for (int f = 0; f < kFrames; ++f) {
    files::Frame with = frame(f);
    const std::size_t vertices = with.bodies[0].vertices.size();
    with.bodies[0].fields = {{.name = "contact_force",
                              .unit = "N",
                              .support = files::Support::Vertex,
                              .components = 3,
                              .values = std::vector<float>(3 * vertices, 0)},
                             {.name = "contact_gap",
                              .unit = "m",
                              .support = files::Support::Vertex,
                              .values = std::vector<float>(vertices, 0.25f * float(f))}};
    if (f == 2) with.bodies[0].fields.pop_back();
    files::write_frame(directory_.frame(f), with);
  }
  exported("npz", 1, 3);
  const std::string file = text_of("npz/0_left_box.npz");
  EXPECT_THAT(text_of("npz/1_right_box.npz"), Not(HasSubstr("contact")));
  EXPECT_THAT(file, HasSubstr("contact_force.npy"));
  const std::string name = "contact_gap.npy";
  const std::string shape = "'shape': (3, 8), }";
  const std::size_t at = file.find(shape, file.find(name));
  ASSERT_NE(at, std::string::npos);
  std::array<float, 24> values{};
  std::memcpy(values.data(), file.data() + file.find('\n', at) + 1, sizeof values);
  EXPECT_EQ(values[0], 0.25f);
  EXPECT_EQ(values[7], 0.25f);
  EXPECT_TRUE(std::isnan(values[8])) << "a frame that does not have it";
  EXPECT_EQ(values[16], 0.75f);
}

TEST_F(ExportTest, AnEmptyRangeAndAnUnknownFormatAreRefused) {
  const Error empty = error_of([&] { export_run(directory_, "usd", 3, 2); });
  EXPECT_EQ(empty.place(), "--frames");
  EXPECT_EQ(empty.remedy(), "choose from frames 0 to 3");
  EXPECT_EQ(error_of([&] { export_run(directory_, "gtlf", 0, 3); }).remedy(),
            "did you mean 'gltf'?");
  EXPECT_FALSE(fs::exists(directory_.exports()));
}

TEST_F(ExportTest, AFrameOfAnotherRunIsRefusedAndLeavesNothing) {
  files::Frame other = frame(1);
  other.bodies[1].vertices.pop_back();
  files::write_frame(directory_.frame(1), other);
  for (const std::string_view format : {"usd", "pc2", "gltf", "npz"}) {
    const Error error = error_of([&] { export_run(directory_, format, 0, 3); });
    EXPECT_EQ(error.place(), directory_.frame(1).string());
    EXPECT_EQ(error.problem(), "body 'right/box' has 25 vertices, the topology has 26");
  }
  for (const std::string_view format : {"usd", "gltf", "npz"}) {
    EXPECT_TRUE(fs::is_empty(directory_.exports() / format)) << format;
  }
  other.bodies.pop_back();
  files::write_frame(directory_.frame(1), other);
  EXPECT_EQ(error_of([&] { export_run(directory_, "ply", 1, 1); }).problem(),
            "has 1 bodies, the topology has 2");
}

}  // namespace
}  // namespace isochor::run
