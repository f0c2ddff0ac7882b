#include "isochor/files/stl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "isochor/files/byte_stream.h"
#include "tests/files/surface_file_checks.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SurfaceFile parse(std::string_view text) {
  SurfaceFile surface = read_stl("body.stl", std::as_bytes(std::span(text)));
  EXPECT_EQ(inconsistency(surface), "");
  return surface;
}

Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

std::string facet(const std::string& a, const std::string& b, const std::string& c) {
  return "facet normal 0 0 1\n outer loop\n  vertex " + a + "\n  vertex " + b + "\n  vertex " + c +
         "\n endloop\nendfacet\n";
}

std::string binary(std::string title, const std::vector<std::array<float, 9>>& triangles) {
  title.resize(80);
  ByteWriter out;
  out.append(std::as_bytes(std::span(title)));
  out.put(static_cast<std::uint32_t>(triangles.size()));
  for (const auto& triangle : triangles) {
    for (int i = 0; i < 3; ++i) out.put(std::numeric_limits<float>::quiet_NaN());  // the normal
    for (const float x : triangle) out.put(x);
    out.put(std::uint16_t{0x7fff});
  }
  return {reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size()};
}

const std::vector<std::array<float, 9>> kTwo = {{0, 0, 0, 1, 0, 0, 0, 1, 0},
                                                {1, 0, 0, 1, 1, 0.1f, -0.f, 1, 0}};

TEST(StlReader, EqualCornersAreWeldedInOrderOfAppearance) {
  for (const std::string& text : {"solid\n" + facet("0 0 0", "1 0 0", "0 1 0") +
                                      facet("1 0 0", "1 1 .1", "-0 1 0") + "endsolid\n",
                                  binary("made by hand", kTwo)}) {
    const SurfaceFile surface = parse(text);
    ASSERT_EQ(surface.mesh.positions.size(), 4u);
    EXPECT_THAT(surface.mesh.positions[1].e, ElementsAre(1, 0, 0));
    EXPECT_THAT(surface.mesh.positions[2].e, ElementsAre(0, 1, 0));
    EXPECT_NEAR(surface.mesh.positions[3][2], 0.1, 1e-8);
    EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 1, 2, 1, 3, 2));
    EXPECT_THAT(surface.notes, ElementsAre("2 coincident vertices welded"));
    EXPECT_THAT(surface.groups, IsEmpty());
  }
}

TEST(StlReader, NearlyEqualCornersStayApart) {
  const SurfaceFile surface = parse("solid a\n" + facet("0 0 0", "1 0 0", "0 1 0") +
                                    facet("1e-17 0 0", "2 0 0", "0 2 0") + "endsolid a\n");
  EXPECT_EQ(surface.mesh.positions.size(), 6u);
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(StlReader, ManyDistinctCornersAreFoundAgain) {
  std::vector<std::array<float, 9>> triangles;
  for (int i = 0; i < 5000; ++i) {
    const auto x = static_cast<float>(i);
    triangles.push_back({x, 0, 0, x + 1, 0, 0, x, 1, 0});
  }
  EXPECT_EQ(parse(binary("", triangles)).mesh.positions.size(), 10001u);
}

TEST(StlReader, ABinaryFileMayBeginWithSolid) {
  EXPECT_EQ(parse(binary("solid but binary", kTwo)).mesh.face_count(), 2u);
}

TEST(StlReader, NamedSolidsAreGroupsAndKeywordsMayBeInCapitals) {
  const std::string one = facet("0 0 0", "1 0 0", "0 1 0");
  const SurfaceFile surface = parse(
      "\n SOLID left arm\r\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\n"
      "VERTEX 0 1 0\nENDLOOP\nENDFACET\nENDSOLID left arm\nsolid\n" +
      one + "endsolid\nsolid hand\n" + one + one + "endsolid hand\n");
  ASSERT_EQ(surface.groups.size(), 2u);
  EXPECT_EQ(surface.groups[0].name, "object:left arm");
  EXPECT_THAT(surface.groups[0].faces, ElementsAre(0));
  EXPECT_EQ(surface.groups[1].name, "object:hand");
  EXPECT_THAT(surface.groups[1].faces, ElementsAre(2, 3));
}

TEST(StlReader, WhatIsNotAnAsciiFileIsRefusedWithItsLine) {
  const std::string good = facet("0 0 0", "1 0 0", "0 1 0");
  const std::tuple<std::string, std::string, std::string> bad[] = {
      {"solid\nvertex 0 0 0\n", "2", "found 'vertex', expected facet or endsolid"},
      {"solid\nfacet normal 0 0 1\nvertex 0 0 0\n", "3", "found 'vertex', expected outer"},
      {"solid\nfacet\nouter loop\nvertex 0 0\n", "4", "vertex 1 has 2 coordinates"},
      {"solid\nfacet\nouter loop\nvertex 0 0 nan\n", "4", "the coordinate 'nan'"},
      {"solid\nfacet\nouter loop\nvertex 0 0 x\n", "4", "'x' is not a number"},
      {"solid\nfacet\nouter loop\nvertex 0 0 0\nendloop\n", "5", "facet 1 has 1 corners"},
      {"solid\n" + good + "endsolid\nmore", "10", "found 'more', expected solid"}};
  for (const auto& [text, line, problem] : bad) {
    const Error error = refusal(text);
    EXPECT_THAT(error.place(), EndsWith("body.stl:" + line)) << problem;
    EXPECT_THAT(error.problem(), HasSubstr(problem));
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_THAT(refusal("solid nothing\nendsolid nothing\n").problem(), HasSubstr("no vertices"));
}

TEST(StlReader, EveryTruncationIsRefused) {
  const std::string ascii = "solid a\n" + facet("0 0 0", "1 0 0", "0 1 0") + "endsolid";
  for (std::size_t size = 0; size < ascii.size(); ++size) {
    EXPECT_FALSE(refusal(ascii.substr(0, size)).problem().empty()) << size;
  }
  EXPECT_EQ(parse(ascii).mesh.face_count(), 1u);
  for (const char* title : {"made by hand", "solid as a rock"}) {
    const std::string whole = binary(title, kTwo);
    for (std::size_t size = 84; size < whole.size(); ++size) {
      EXPECT_THAT(refusal(whole.substr(0, size)).problem(),
                  HasSubstr("2 triangles announced, which take 184 bytes"))
          << title << size;
    }
    EXPECT_THAT(refusal(whole + "x").problem(), HasSubstr("but the file has 185"));
  }
  EXPECT_THAT(refusal("abc").problem(), HasSubstr("3 bytes, too short"));
}

TEST(StlReader, ABinaryCornerThatIsNotFiniteIsRefusedWithItsByte) {
  auto triangles = kTwo;
  triangles[1][4] = std::numeric_limits<float>::infinity();
  const Error error = refusal(binary("", triangles));
  EXPECT_THAT(error.place(), EndsWith("body.stl, byte 158"));
  EXPECT_THAT(error.problem(), HasSubstr("triangle 2 has a corner at 1 inf"));
}

TEST(StlReader, ReadsFromAFile) {
  const TemporaryFolder folder;
  write_quickly(folder / "body.stl", binary("", kTwo));
  EXPECT_EQ(read_stl(folder / "body.stl").mesh.positions.size(), 4u);
}

}  // namespace
}  // namespace isochor::files
