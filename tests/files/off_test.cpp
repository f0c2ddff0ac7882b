#include "isochor/files/off.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files/surface_file_checks.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Uv = std::array<float, 2>;

SurfaceFile parse(std::string_view text) {
  SurfaceFile surface = read_off("body.off", std::as_bytes(std::span(text)));
  EXPECT_EQ(inconsistency(surface), "");
  return surface;
}

Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

TEST(OffReader, VerticesKeepTheirOrderAndFacesTheirCorners) {
  const SurfaceFile surface = parse(
      "# by hand\n\nOFF # header\n\n5 2 0\r\n9 9 9\n\n0 0 0 # origin\n1 0 0\n1 1 0\n 0 1 .5\n"
      "4 1 2 3 4 255 0 0\n\n3 1 2\n4\n# End of OFF #\n");
  ASSERT_EQ(surface.mesh.positions.size(), 5u);
  EXPECT_THAT(surface.mesh.positions[0].e, ElementsAre(9, 9, 9));
  EXPECT_THAT(surface.mesh.positions[4].e, ElementsAre(0, 1, 0.5));
  EXPECT_THAT(surface.mesh.corners, ElementsAre(1, 2, 3, 4, 1, 2, 4));
  EXPECT_THAT(surface.mesh.face_starts, ElementsAre(0, 4, 7));
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(OffReader, CountsMayStandBesideTheFirstWordAndEdgesMayLack) {
  for (const std::string header : {"OFF 3 1 0\n", "OFF3 1 0\n", "OFF\n3\n1\n", "OFF\n3 1\n"}) {
    EXPECT_THAT(parse(header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2").mesh.corners, ElementsAre(0, 1, 2))
        << header;
  }
}

TEST(OffReader, NormalsAreSkippedColoursAndTextureKept) {
  const SurfaceFile surface = parse(
      "STCNOFF\n3 1 0\n0 0 0  0 0 1  1 0 0.5 1  0.25 0.5\n1 0 0  0 0 1  0 1 0 1  1 0\n"
      "0 1 0  0 0 1  0 0 1 1  0 1\n3 2 1 0\n");
  ASSERT_EQ(surface.attributes.size(), 1u);
  EXPECT_EQ(surface.attributes[0].name, "color");
  EXPECT_THAT(surface.attributes[0].values, ElementsAre(1, 0, 0.5, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(surface.texture_coordinates, ElementsAre(Uv{0, 1}, Uv{1, 0}, Uv{0.25, 0.5}));
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(OffReader, EachPrefixStandsAlone) {
  const std::string normals = "NOFF 3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n";
  EXPECT_THAT(parse(normals).attributes, IsEmpty());
  EXPECT_THAT(parse(normals).notes, IsEmpty());
  const SurfaceFile colors =
      parse("COFF 3 1 0\n0 0 0 255 51 0 255\n1 0 0 0 0 0 255\n0 1 0 1 1 1 255\n3 0 1 2\n");
  EXPECT_THAT(colors.attributes[0].values,
              ElementsAre(1, 0.2f, 0, 0, 0, 0, 1 / 255.f, 1 / 255.f, 1 / 255.f));
  const SurfaceFile opaque = parse("COFF 3 1 0\n0 0 0 1 0 0\n1 0 0 0 0 0\n0 1 0 0 1 1\n3 0 1 2\n");
  EXPECT_THAT(opaque.attributes[0].values, ElementsAre(1, 0, 0, 0, 0, 0, 0, 1, 1));
  const SurfaceFile texture = parse("STOFF 3 1 0\n0 0 0 1 2\n1 0 0 3 4\n0 1 0 5 6\n3 0 1 2\n");
  EXPECT_THAT(texture.texture_coordinates, ElementsAre(Uv{1, 2}, Uv{3, 4}, Uv{5, 6}));
}

TEST(OffReader, NumbersThatTheHeaderDoesNotAnnounceAreNoted) {
  const SurfaceFile surface = parse("OFF 3 1 0\n0 0 0 1 0 0\n1 0 0 0 1 0\n0 1 0\n3 0 1 2\n");
  EXPECT_THAT(surface.attributes, IsEmpty());
  EXPECT_THAT(surface.notes, ElementsAre(HasSubstr("2 vertices with further numbers")));
}

TEST(OffReader, WhatCannotBeReadIsRefusedWithItsLine) {
  const std::string points = "0 0 0\n1 0 0\n0 1 0\n";
  const std::tuple<std::string, std::string, std::string> bad[] = {
      {"OFF BINARY\n3 1 0\n", ":1", "binary OFF files are not understood"},
      {"4OFF\n3 1 0\n", ":1", "not in three dimensions"},
      {"nOFF\n3 1 0\n", ":1", "not in three dimensions"},
      {"v 0 0 0\n", "body.off", "begins with 'v', expected OFF"},
      {"", "body.off", "begins with '', expected OFF"},
      {"OFF\n", ":1", "truncated"},
      {"OFF\nthree 1 0\n", ":2", "'three' is not a whole number"},
      {"OFF\n-1 1 0\n", ":2", "-1 vertices announced"},
      {"OFF\n3 9000000000000000000 0\n" + points, ":2", "faces announced"},
      {"OFF\n4000000000 1 0\n" + points, ":2", "4000000000 vertices announced"},
      {"OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n", ":4", "vertex 2 has 2 coordinates"},
      {"OFF\n3 1 0\n0 0 0\n1 inf 0\n0 1 0\n3 0 1 2\n", ":4", "the coordinate 'inf'"},
      {"COFF\n3 1 0\n0 0 0 1 1\n" + points, ":3", "vertex 1 has 5 numbers, expected 6"},
      {"OFF\n3 1 0\n" + points + "\n\n\n", ":8", "ends within its faces"},
      {"OFF\n3 1 0\n" + points + "3 0 1\n     ", ":7", "ends within its faces"},
      {"OFF\n3 1 0\n" + points + "2 0 1 0\n", ":6", "face 1 has 2 corners"},
      {"OFF\n3 1 0\n" + points + "3 0 1 3\n", ":6", "face 1 uses vertex 3, but there are 3"},
      {"OFF\n3 1 0\n" + points + "3 0 -1 2\n", ":6", "face 1 uses vertex -1"},
      {"OFF\n3 1 0\n" + points + "3 0 1.5 2\n", ":6", "'1.5' is not a whole number"},
      {"OFF\n3 1 0\n" + points + "3 0 1 2\n3 0 1 2\n", ":7", "after the last of 1 faces"},
      {"OFF\n4 1 0\n" + points + "3 0 1 2\n", ":6", "ends within its faces"},
      {"OFF\n3 0 0\n" + points, "body.off", "no faces"},
      {"OFF\n0 0 0\n", "body.off", "no vertices"}};
  for (const auto& [text, place, problem] : bad) {
    const Error error = refusal(text);
    EXPECT_THAT(error.place(), EndsWith(place)) << text;
    EXPECT_THAT(error.problem(), HasSubstr(problem)) << text;
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(OffReader, ReadsFromAFile) {
  const TemporaryFolder folder;
  write_quickly(folder / "body.off", "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_EQ(read_off(folder / "body.off").mesh.positions.size(), 3u);
}

}  // namespace
}  // namespace isochor::files
