#include "isochor/files/pc2.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;

template <class T>
T number_at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(Pc2, HoldsHeaderAndSamplesInOrder) {
  const TemporaryFolder folder;
  Pc2Writer writer(folder / "a.pc2", 2, 7, 3);
  for (int f = 0; f < 3; ++f) {
    writer.add(std::vector<Vec3d>{{double(f), 0.1, -2}, {4, 5, 6e-9}});
  }
  writer.finish();

  const std::string bytes = read_text_file(folder / "a.pc2");
  ASSERT_EQ(bytes.size(), 32 + 3 * 2 * 3 * sizeof(float));
  EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
  EXPECT_EQ(number_at<std::int32_t>(bytes, 12), 1) << "version";
  EXPECT_EQ(number_at<std::int32_t>(bytes, 16), 2) << "points";
  EXPECT_EQ(number_at<float>(bytes, 20), 7) << "first frame";
  EXPECT_EQ(number_at<float>(bytes, 24), 1) << "frames per sample";
  EXPECT_EQ(number_at<std::int32_t>(bytes, 28), 3) << "samples";
  for (std::size_t f = 0; f < 3; ++f) {
    std::vector<float> sample(6);
    std::memcpy(sample.data(), bytes.data() + 32 + f * 24, 24);
    EXPECT_THAT(sample, ElementsAre(float(f), 0.1f, -2, 4, 5, 6e-9f));
  }
}

TEST(Pc2, AnIncompleteAnimationLeavesNothing) {
  const TemporaryFolder folder;
  {
    Pc2Writer writer(folder / "a.pc2", 1, 0, 2);
    EXPECT_THROW(writer.add(std::vector<Vec3d>(2)), std::logic_error);
    writer.add(std::vector<Vec3d>(1));
    EXPECT_THROW(writer.finish(), std::logic_error);
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace isochor::files
