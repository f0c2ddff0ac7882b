#include "isochor/files/ply_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "isochor/base/file.h"
#include "isochor/files/ply.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using geometry::SurfaceMesh;
using ::testing::ElementsAre;
using ::testing::StartsWith;

bool same_points(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Vec3d& p, const Vec3d& q) { return norm(p - q) == 0; });
}

TEST(PlyWriter, ReadsBackAsTheSameSurface) {
  const TemporaryFolder folder;
  SurfaceMesh mesh = geometry::make_sphere({0.1, 0.2, 0.3}, 1.0 / 3, 0.1);
  mesh.add_face(geometry::Triangle{0, 1, 2});
  write_ply(folder / "a.ply", mesh.positions, mesh);
  const SurfaceFile back = read_ply(folder / "a.ply");
  EXPECT_TRUE(same_points(back.mesh.positions, mesh.positions));
  EXPECT_EQ(back.mesh.corners, mesh.corners);
  EXPECT_EQ(back.mesh.face_starts, mesh.face_starts);
  EXPECT_TRUE(back.attributes.empty());
  EXPECT_EQ(folder.file_count(), 1u) << "no temporary is left";
}

TEST(PlyWriter, BytesAreTheFormatsOwn) {
  const TemporaryFolder folder;
  SurfaceMesh mesh{.positions = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  mesh.add_face(geometry::Triangle{2, 0, 1});
  const std::vector<std::array<float, 3>> colours{{0, 0.5f, 1}, {-1, 2, 0.2f}, {1, 1, 1}};
  write_ply(folder / "a.ply", mesh.positions, mesh, colours);
  const std::string text = read_text_file(folder / "a.ply");
  EXPECT_THAT(text, StartsWith("ply\nformat binary_little_endian 1.0\n"));
  const std::size_t body = text.find("end_header\n") + 11;
  ASSERT_EQ(text.size() - body, 3 * (3 * 8 + 3) + 1 + 3 * 4u);
  // The colours of the first two vertices, clamped, and the list of the face.
  const auto byte = [&](std::size_t i) {
    return static_cast<int>(static_cast<unsigned char>(text[body + i]));
  };
  EXPECT_THAT((std::array{byte(24), byte(25), byte(26)}), ElementsAre(0, 128, 255));
  EXPECT_THAT((std::array{byte(51), byte(52), byte(53)}), ElementsAre(0, 255, 51));
  EXPECT_THAT((std::array{byte(81), byte(82), byte(86), byte(90)}), ElementsAre(3, 2, 0, 1));
}

TEST(PlyWriter, ColoursReadBack) {
  const TemporaryFolder folder;
  SurfaceMesh mesh{.positions = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  mesh.add_face(geometry::Triangle{2, 0, 1});
  const std::vector<std::array<float, 3>> colours{{0, 1, 0}, {1, 0, 0.2f}, {1, 1, 1}};
  write_ply(folder / "a.ply", mesh.positions, mesh, colours);
  const SurfaceFile back = read_ply(folder / "a.ply");
  ASSERT_EQ(back.attributes.size(), 1u);
  EXPECT_EQ(back.attributes[0].name, "color");
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(back.attributes[0].values[i], colours[i / 3][i % 3], 1e-6);
  }
}

TEST(PlyWriter, FacesMayHaveMoreCornersThanAByteCounts) {
  const TemporaryFolder folder;
  SurfaceMesh mesh;
  for (int i = 0; i < 300; ++i) mesh.positions.push_back({double(i), double(i) * i, 0});
  std::vector<std::int32_t> all(300);
  std::iota(all.begin(), all.end(), 0);
  mesh.add_face(all);
  mesh.add_face(geometry::Triangle{5, 6, 7});
  write_ply(folder / "a.ply", mesh.positions, mesh);
  const SurfaceFile back = read_ply(folder / "a.ply");
  EXPECT_EQ(back.mesh.corners, mesh.corners);
  EXPECT_EQ(back.mesh.face_starts, mesh.face_starts);
}

TEST(PlyWriter, RefusesColoursForOtherVertices) {
  const TemporaryFolder folder;
  const SurfaceMesh mesh = geometry::make_box({0, 0, 0}, {1, 1, 1}, 1);
  const std::vector<std::array<float, 3>> one(1);
  const Error error = error_of([&] { write_ply(folder / "a.ply", mesh.positions, mesh, one); });
  EXPECT_EQ(error.problem(), "1 colours for 8 vertices");
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace isochor::files
