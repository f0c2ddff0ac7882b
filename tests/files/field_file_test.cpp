#include "isochor/files/field_file.h"

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

TEST(FieldFile, WithoutPointsAllArraysAreLoose) {
  const TemporaryFolder folder;
  write_quickly(folder / "a.NPZ", from_base64(kNumpyPackedBase64));
  const FieldFile file = read_field_file(folder / "a.NPZ");
  EXPECT_TRUE(file.points.empty());
  EXPECT_TRUE(file.on_points.empty() && file.on_cells.empty());
  EXPECT_EQ(file.loose.size(), 6u);
  EXPECT_THAT(find_named(file.loose, "stiffness")->values, ElementsAre(1, 1.5f, 2));
  EXPECT_EQ(find_named(file.loose, "place")->components, 2u);
  EXPECT_EQ(find_named(file.loose, "place")->count(), 3u);
  EXPECT_THAT(file.left_out, ElementsAre("names of type '<U1'"));
}

/// Two tetrahedra over five points.
void add_grid(NpzArchive& archive, double z = 1, std::int32_t corner = 4) {
  archive.add<double>("points", {5, 3},
                      std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, z, 1, 1, 1});
  archive.add<std::int32_t>("cells", {2, 4},
                            std::vector<std::int32_t>{0, 1, 2, 3, 1, 2, 3, corner});
}

TEST(FieldFile, ArraysOfAnNpzGoWhereTheirLengthFits) {
  const TemporaryFolder folder;
  NpzArchive archive(folder / "a.npz");
  archive.add<float>("on_both", {5, 2}, std::vector<float>(10, 1));
  add_grid(archive);
  archive.add<double>("zone", {2}, std::vector<double>{3, 4});
  archive.add<float>("odd", {7}, std::vector<float>(7));
  archive.finish();
  const FieldFile file = read_field_file(folder / "a.npz");
  EXPECT_EQ(file.points.size(), 5u);
  EXPECT_THAT(file.cells.types, ElementsAre(10, 10));
  EXPECT_THAT(file.cells.starts, ElementsAre(0, 4, 8));
  ASSERT_EQ(file.on_points.size(), 1u);
  EXPECT_EQ(file.on_points[0].components, 2u);
  ASSERT_EQ(file.on_cells.size(), 1u);
  EXPECT_THAT(file.on_cells[0].values, ElementsAre(3, 4));
  ASSERT_EQ(file.loose.size(), 1u);
  EXPECT_EQ(file.loose[0].name, "odd");
}

TEST(FieldFile, GridsThatAreWrongAreRefused) {
  const TemporaryFolder folder;
  const auto problem = [&](const auto& fill) {
    NpzArchive archive(folder / "a.npz");
    fill(archive);
    archive.finish();
    return error_of([&] { read_field_file(folder / "a.npz"); }).problem();
  };
  EXPECT_THAT(problem([](NpzArchive& a) { add_grid(a, 1, 5); }), HasSubstr("cell 1 has a corner"));
  EXPECT_THAT(problem([](NpzArchive& a) { add_grid(a, 1, -1); }), HasSubstr("cell 1 has a corner"));
  EXPECT_THAT(problem([](NpzArchive& a) { add_grid(a, INFINITY); }), HasSubstr("point 3"));
  EXPECT_THAT(problem([](NpzArchive& a) {
                a.add<float>("points", {2, 2}, std::vector<float>(4));
              }),
              HasSubstr("'points' is no table"));
  EXPECT_THAT(problem([](NpzArchive& a) {
                a.add<float>("points", {1, 3}, std::vector<float>(3));
                a.add<std::int32_t>("cells", {1, 7}, std::vector<std::int32_t>(7));
              }),
              HasSubstr("'cells' is no table"));
  EXPECT_THAT(error_of([&] { read_field_file(folder / "a.csv"); }).problem(), HasSubstr(".csv"));
}

}  // namespace
}  // namespace isochor::files
