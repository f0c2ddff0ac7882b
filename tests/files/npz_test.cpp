#include "isochor/files/npz.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;

/// The checksum as its definition has it, bit by bit.
std::uint32_t slow_crc(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/// A reader that starts at the end, as zip readers do, and believes no field that another one
/// contradicts.
class NpzReader {
 public:
  struct Array {
    std::string header, bytes;

    template <class T>
    std::vector<T> values() const {
      std::vector<T> numbers(bytes.size() / sizeof(T));
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
      return numbers;
    }
  };

  explicit NpzReader(const std::filesystem::path& path) : file_(read_text_file(path)) {
    const std::size_t end = file_.size() - 22;
    EXPECT_EQ(number<std::uint32_t>(end), 0x06054b50u);
    std::uint64_t count = number<std::uint16_t>(end + 10), size = number<std::uint32_t>(end + 12);
    std::uint64_t at = number<std::uint32_t>(end + 16);
    std::uint64_t directory_end = end;
    if (at == 0xffffffff) {
      wide_ = true;
      EXPECT_EQ(number<std::uint32_t>(end - 20), 0x07064b50u);
      const auto record = number<std::uint64_t>(end - 12);
      EXPECT_EQ(number<std::uint32_t>(record), 0x06064b50u);
      EXPECT_EQ(record + 12 + number<std::uint64_t>(record + 4), end - 20);
      EXPECT_EQ(number<std::uint64_t>(record + 32), count);
      size = number<std::uint64_t>(record + 40);
      at = number<std::uint64_t>(record + 48);
      directory_end = record;
    }
    const std::uint64_t start = at;
    for (; count > 0; --count) at = read_entry(at);
    EXPECT_EQ(at, directory_end);
    EXPECT_EQ(at - start, size);
    EXPECT_EQ(local_end_, start) << "members touch each other and the directory";
  }

  const Array& operator[](const std::string& name) const { return arrays_.at(name + ".npy"); }
  std::size_t count() const { return arrays_.size(); }
  bool wide() const { return wide_; }

 private:
  template <class T>
  T number(std::uint64_t at) const {
    T value;
    std::memcpy(&value, file_.data() + at, sizeof value);
    return value;
  }

  std::uint64_t read_entry(std::uint64_t at) {
    EXPECT_EQ(number<std::uint32_t>(at), 0x02014b50u);
    const auto crc = number<std::uint32_t>(at + 16);
    std::uint64_t size = number<std::uint32_t>(at + 24);
    std::uint64_t offset = number<std::uint32_t>(at + 42);
    const auto name_size = number<std::uint16_t>(at + 28), extra = number<std::uint16_t>(at + 30);
    const std::string name = file_.substr(at + 46, name_size);
    if (size == 0xffffffff) {
      EXPECT_EQ(extra, 28);
      size = number<std::uint64_t>(at + 46 + name_size + 4);
      offset = number<std::uint64_t>(at + 46 + name_size + 20);
    }

    // The local header must say the same.
    EXPECT_EQ(number<std::uint32_t>(offset), 0x04034b50u);
    EXPECT_EQ(number<std::uint16_t>(offset + 8), 0) << "stored";
    EXPECT_EQ(number<std::uint32_t>(offset + 14), crc);
    EXPECT_EQ(file_.substr(offset + 30, name_size), name);
    EXPECT_EQ(number<std::uint64_t>(offset + 30 + name_size + 4), size);
    const std::uint64_t data = offset + 30 + name_size + number<std::uint16_t>(offset + 28);
    EXPECT_EQ(slow_crc(std::string_view(file_).substr(data, size)), crc) << name;
    local_end_ = data + size;

    EXPECT_EQ(file_.substr(data, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t header = number<std::uint16_t>(data + 8);
    EXPECT_EQ((10 + header) % 64, 0u);
    Array array{file_.substr(data + 10, header),
                file_.substr(data + 10 + header, size - 10 - header)};
    EXPECT_EQ(array.header.back(), '\n');
    array.header.erase(array.header.find_last_not_of(" \n") + 1);
    arrays_[name] = array;
    return at + 46 + name_size + extra;
  }

  std::string file_;
  std::map<std::string, Array> arrays_;
  std::uint64_t local_end_ = 0;
  bool wide_ = false;
};

TEST(NpzArchive, TheChecksumIsThatOfTheStandard) { EXPECT_EQ(slow_crc("123456789"), 0xcbf43926u); }

TEST(NpzArchive, ArraysComeBackWithTypeAndShape) {
  const TemporaryFolder folder;
  NpzArchive archive(folder / "a.npz");
  archive.add<double>("x", {2, 3}, std::vector<double>{1, 2, 3, 4, 5, 0.1});
  archive.begin<std::int32_t>("pieces", {4});
  archive.append<std::int32_t>(std::vector{7, -8});
  archive.append<std::int32_t>(std::vector{9, 1 << 30});
  archive.end();
  archive.add<float>("nothing", {0, 3}, {});
  archive.finish();
  const NpzReader file(folder / "a.npz");
  EXPECT_FALSE(file.wide());
  ASSERT_EQ(file.count(), 3u);
  EXPECT_EQ(file["x"].header, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_THAT(file["x"].values<double>(), ElementsAre(1, 2, 3, 4, 5, 0.1));
  EXPECT_EQ(file["pieces"].header, "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }");
  EXPECT_THAT(file["pieces"].values<std::int32_t>(), ElementsAre(7, -8, 9, 1 << 30));
  EXPECT_EQ(file["nothing"].header, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(NpzArchive, LargeArchivesUseTheWideFields) {
  const TemporaryFolder folder;
  NpzArchive archive(folder / "a.npz", 200);  // as if 200 were 4 GiB
  archive.add<float>("small", {1}, std::vector<float>{1});
  archive.add<float>("large", {40}, std::vector<float>(40, 2));
  archive.finish();
  const NpzReader file(folder / "a.npz");
  EXPECT_TRUE(file.wide());
  EXPECT_THAT(file["small"].values<float>(), ElementsAre(1));
  EXPECT_EQ(file["large"].values<float>(), std::vector<float>(40, 2));
}

TEST(NpzArchive, WrongCountsAreRefused) {
  const TemporaryFolder folder;
  NpzArchive archive(folder / "a.npz");
  archive.begin<float>("x", {3});
  archive.append<float>(std::vector<float>(2));
  EXPECT_THROW(archive.end(), std::logic_error);
  EXPECT_THROW(archive.finish(), std::logic_error);
  EXPECT_THROW(archive.append<float>(std::vector<float>(2)), std::logic_error);
}

TEST(Npz, HoldsTheAnimationOfABody) {
  const TemporaryFolder folder;
  const geometry::SurfaceMesh box = geometry::make_box({0, 0, 0}, {1, 1, 1}, 1);
  NpzWriter writer(folder / "a.npz", box, 2);
  writer.add(5, 0.25, box.positions);
  std::vector<Vec3d> moved = box.positions;
  for (Vec3d& p : moved) p += Vec3d{1, 0, 0};
  writer.add(6, 0.3, moved);
  writer.finish();

  const NpzReader file(folder / "a.npz");
  EXPECT_EQ(file.count(), 6u);
  EXPECT_EQ(file["positions"].header,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8, 3), }");
  const auto rest = file["rest_positions"].values<float>();
  const auto positions = file["positions"].values<float>();
  EXPECT_EQ(rest, single_precision(box.positions));
  ASSERT_EQ(positions.size(), 48u);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(positions[i], rest[i]);
    EXPECT_EQ(positions[24 + i], rest[i] + (i % 3 == 0 ? 1 : 0));
  }
  EXPECT_THAT(file["time"].values<double>(), ElementsAre(0.25, 0.3));
  EXPECT_THAT(file["frame"].values<std::int32_t>(), ElementsAre(5, 6));
  EXPECT_EQ(file["face_starts"].values<std::int32_t>(), box.face_starts);
  EXPECT_EQ(file["corners"].values<std::int32_t>(), box.corners);
}

TEST(Npz, AnIncompleteAnimationLeavesNothing) {
  const TemporaryFolder folder;
  {
    const geometry::SurfaceMesh box = geometry::make_box({0, 0, 0}, {1, 1, 1}, 1);
    NpzWriter writer(folder / "a.npz", box, 2);
    EXPECT_THROW(writer.add(0, 0, std::vector<Vec3d>(2)), std::logic_error);
    writer.add(0, 0, box.positions);
    EXPECT_THROW(writer.finish(), std::logic_error);
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace isochor::files
