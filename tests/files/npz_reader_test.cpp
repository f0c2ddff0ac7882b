#include "isochor/files/npz_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/npz_archive.h"
#include "tests/files/foreign_files.h"
#include "tests/files/surface_file_checks.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<NpzArray> read_text(const std::string& file) {
  return read_npz("a.npz", std::as_bytes(std::span(file)));
}

TEST(NpzReader, ReadsWhatOurArchiveWrites) {
  const TemporaryFolder folder;
  for (const std::uint64_t largest_plain : {std::uint64_t{0xfffffffe}, std::uint64_t{100}}) {
    NpzArchive archive(folder / "a.npz", largest_plain);
    archive.add<double>("x", {2, 3}, std::vector<double>{1, 2, 3, 4, 5, 0.1});
    archive.add<std::int32_t>("whole", {2}, std::vector<std::int32_t>{-7, 1 << 30});
    archive.add<float>("nothing", {0, 3}, {});
    archive.finish();
    const auto arrays = read_npz(folder / "a.npz");
    ASSERT_EQ(arrays.size(), 3u);
    EXPECT_EQ(arrays[0].name, "x");
    EXPECT_EQ(arrays[0].type, "<f8");
    EXPECT_THAT(arrays[0].shape, ElementsAre(2, 3));
    EXPECT_THAT(arrays[0].values(), ElementsAre(1, 2, 3, 4, 5, 0.1));
    EXPECT_THAT(arrays[1].values(), ElementsAre(-7, 1 << 30));
    EXPECT_THAT(arrays[2].shape, ElementsAre(0, 3));
    EXPECT_THAT(arrays[2].values(), ElementsAre());
  }
}

TEST(NpzReader, ReadsWhatNumpyPacks) {
  const auto arrays = read_text(from_base64(kNumpyPackedBase64));
  ASSERT_EQ(arrays.size(), 7u);
  EXPECT_THAT(find_named(arrays, "zone")->values(), ElementsAre(0, 1, 200));
  EXPECT_THAT(find_named(arrays, "stiffness")->values(), ElementsAre(1, 1.5, 2));
  EXPECT_THAT(find_named(arrays, "big")->values(), ElementsAre(1.5, -2));
  EXPECT_THAT(find_named(arrays, "flag")->values(), ElementsAre(1, 0));
  EXPECT_THAT(find_named(arrays, "one")->values(), ElementsAre(-5));
  EXPECT_THAT(find_named(arrays, "one")->shape, ElementsAre());
  // Stored by columns, given back by rows.
  EXPECT_TRUE(find_named(arrays, "place")->fortran_order);
  EXPECT_THAT(find_named(arrays, "place")->values(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(find_named(arrays, "names")->type, "<U1");
  EXPECT_FALSE(find_named(arrays, "names")->numbers);
}

TEST(NpzReader, OtherPackingAndPasswordsAreNamed) {
  const std::string file = from_base64(kNumpyPackedBase64);
  const std::size_t entry = file.find("PK\x01\x02");
  std::string other = file;
  other[entry + 10] = 12;  // bzip2
  EXPECT_THAT(error_of([&] { read_text(other); }).problem(),
              HasSubstr("'zone.npy' is packed by method 12"));
  other = file;
  other[entry + 8] |= 1;
  EXPECT_THAT(error_of([&] { read_text(other); }).problem(), HasSubstr("encrypted"));
}

TEST(NpzReader, ForeignFilesAreRefused) {
  EXPECT_THAT(error_of([] { read_text(""); }).problem(), HasSubstr("no zip"));
  EXPECT_THAT(error_of([] { read_text(std::string(100, 'x')); }).problem(), HasSubstr("no zip"));
}

TEST(NpzReader, HeadersThatAreWrongAreRefused) {
  const TemporaryFolder folder;
  NpzArchive archive(folder / "a.npz");
  archive.add<double>("x", {3}, std::vector<double>{1, 2, 3});
  archive.finish();
  std::ifstream in(folder / "a.npz", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = file;
    changed.replace(changed.find(from), from.size(), to);
    // The checksum would be the first to complain.
    const std::size_t data = changed.find("\x93NUMPY"), entry = changed.find("PK\x01\x02");
    std::uint32_t crc = 0xffffffff;
    for (const char c : changed.substr(data, entry - data)) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    changed.replace(entry + 16, 4, reinterpret_cast<const char*>(&crc), 4);
    return error_of([&] { read_text(changed); }).problem();
  };
  EXPECT_THAT(with("(3,)", "(4,)"), HasSubstr("'x' has 24 bytes"));
  EXPECT_THAT(with("(3,)", "(-,)"), HasSubstr("shape"));
  EXPECT_THAT(with("(3,), }", "(3,),  "), HasSubstr("no '''"));
  EXPECT_THAT(with("False", "Maybe"), HasSubstr("neither True nor False"));
  EXPECT_THAT(with("'shape'", "'forme'"), HasSubstr("unknown key 'forme'"));
  EXPECT_THAT(with("\x93NUMPY\x01", "\x93NUMPY\x07"), HasSubstr("version 7"));
}

TEST(NpzReader, DamageNeverGoesUnnoticedOrBeyondAnError) {
  const std::string file = from_base64(kNumpyPackedBase64);
  for (std::size_t size = 0; size < file.size(); ++size) {
    error_of([&] { read_text(file.substr(0, size)); });
  }
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    try {
      read_text(damaged);  // much of a zip archive is never looked at
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::Input);
    }
  }
}

}  // namespace
}  // namespace isochor::files
