#include "reproduce/markers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::reproduce {
namespace {

constexpr const char* kMarkerHead = "time_s,A_x_m,A_y_m,A_z_m,B_x_m,B_y_m,B_z_m\n";

MarkerRecord record_of(const std::string& text) {
  const files::TemporaryFolder folder;
  write_file_atomic(folder / "markers.csv", text);
  return read_markers(folder / "markers.csv");
}

TEST(Markers, FramesWithoutAMarkerAreLeftOutOfMeans) {
  const MarkerRecord record = record_of(
      std::string(kMarkerHead) + "0,1,2,3,4,5,6\n0.01,nan,nan,nan,9,9,9\n0.02,3,2,3,4,7,6\n");
  EXPECT_THAT(record.names, testing::ElementsAre("A", "B"));
  EXPECT_EQ(record.positions.size(), 3u);
  const std::vector<Vec3d> mean = record.mean(0, 3);
  EXPECT_EQ(mean[0], (Vec3d{2, 2, 3}));
  EXPECT_EQ(mean[1], (Vec3d{4, 6, 6}));
  EXPECT_DOUBLE_EQ(record.scatter(0, 0, 3), 1);
}

TEST(Markers, DamagedTablesAreRefused) {
  EXPECT_THROW(record_of(""), Error);
  EXPECT_THROW(record_of("time_s,A_x_m\n"), Error);
  EXPECT_THROW(record_of(std::string(kMarkerHead) + "0,1,2,3\n"), Error);
}

TEST(Markers, ARigidMotionIsFoundFromPoints) {
  const std::vector<Vec3d> from{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0.3, 0.2, 0.5}};
  const Mat3d turn = rotation_from_vector({0.4, -1.1, 0.7});
  std::vector<Vec3d> to;
  for (const Vec3d& p : from) to.push_back(turn * p + Vec3d{5, -2, 1});
  const RigidMotion motion = closest_motion(from, to);
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_LT(norm(motion(from[i]) - to[i]), 1e-14);
  EXPECT_NEAR(determinant(motion.rotation), 1, 1e-14);
}

}  // namespace
}  // namespace isochor::reproduce
