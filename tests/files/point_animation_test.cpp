#include "isochor/files/point_animation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/pc2.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string animation_error(const std::filesystem::path& path, std::size_t vertices) {
  try {
    read_point_animation(path, vertices);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::filesystem::path write_cache(const TemporaryFolder& folder) {
  Pc2Writer writer(folder / "a.pc2", 2, 7, 3);
  for (int f = 0; f < 3; ++f) {
    writer.add(std::vector<Vec3d>{{double(f), 0.5, -2}, {4, 5, 6}});
  }
  writer.finish();
  return folder / "a.pc2";
}

void write_triangle(const std::filesystem::path& path, double x, int more = 0) {
  std::string text = fmt::format("v {} 0 0\nv 1 0 0\nv 0 1 0\n", x);
  for (int k = 0; k < more; ++k) text += "v 0 0 1\n";
  write_file_atomic(path, text + "f 1 2 3\n");
}

TEST(PointAnimation, ACacheIsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const PointAnimation a = read_point_animation(write_cache(folder), 2);
  EXPECT_EQ(a.first, 7);
  EXPECT_EQ(a.step, 1);
  ASSERT_EQ(a.samples.size(), 3u);
  EXPECT_EQ(a.samples[2][0][0], 2);
  EXPECT_EQ(a.samples[1][1][2], 6);
}

TEST(PointAnimation, ASequenceIsReadByItsNumbers) {
  const TemporaryFolder folder;
  for (const int f : {8, 9, 10}) write_triangle(folder / fmt::format("b_{:03}.obj", f), 0.1 * f);
  write_triangle(folder / "b_rest.obj", 5);
  const PointAnimation a = read_point_animation(folder / "b_###.obj", 3);
  EXPECT_EQ(a.first, 8);
  ASSERT_EQ(a.samples.size(), 3u);
  EXPECT_NEAR(a.samples[2][0][0], 1, 1e-12);
}

TEST(PointAnimation, WhatDoesNotFitIsAnErrorThatNamesFileCauseAndRemedy) {
  const TemporaryFolder folder;
  const std::filesystem::path cache = write_cache(folder);
  EXPECT_THAT(animation_error(cache, 3), AllOf(HasSubstr("a.pc2"), HasSubstr("2 vertices"),
                                               HasSubstr("has 3"), HasSubstr("same mesh")));
  const std::string bytes = read_text_file(cache);
  write_file_atomic(folder / "short.pc2", bytes.substr(0, bytes.size() - 5));
  EXPECT_THAT(animation_error(folder / "short.pc2", 2),
              AllOf(HasSubstr("short.pc2"), HasSubstr("2 of 3 samples")));
  write_file_atomic(folder / "other.pc2", "POINTCLOUD");
  EXPECT_THAT(animation_error(folder / "other.pc2", 2), HasSubstr("not a Pointcache 2"));
  for (const int f : {1, 2, 4}) write_triangle(folder / fmt::format("c{}.obj", f), 0);
  EXPECT_THAT(animation_error(folder / "c#.obj", 3),
              AllOf(HasSubstr("c#.obj"), HasSubstr("frame 3 is missing")));
  write_triangle(folder / "c3.obj", 0, 1);
  EXPECT_THAT(animation_error(folder / "c#.obj", 3),
              AllOf(HasSubstr("c3.obj"), HasSubstr("4 vertices")));
  EXPECT_THAT(animation_error(folder / "d_##.obj", 3), HasSubstr("no file has this name"));
  EXPECT_THAT(animation_error(folder / "c1.obj", 3), HasSubstr(".pc2"));
}

}  // namespace
}  // namespace isochor::files
