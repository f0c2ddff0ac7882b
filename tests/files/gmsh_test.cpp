#include "isochor/files/gmsh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/byte_stream.h"
#include "isochor/files/text_scanner.h"
#include "tests/files/temporary_folder.h"
#include "tests/files/tet_file_checks.h"

namespace isochor::files {
namespace {

using geometry::Tet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TetFile parse(std::string_view text) {
  TetFile file = read_gmsh("body.msh", std::as_bytes(std::span(text)));
  EXPECT_EQ(inconsistency(file), "");
  return file;
}
Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

/// Two tets over five nodes with a gap in their numbers, and the second turned inside out.
const std::string kAscii2 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n2 1 \"skin\"\n3 7 \"soft part\"\n$EndPhysicalNames\n"
    "$Comments\n$Nodes of nothing\n$EndComments\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n5 0 0 1\n9 0 0 -2\n20 8 8 8\n$EndNodes\n"
    "$Elements\n4\n1 2 2 1 1 1 2 3\n2 4 2 7 1 1 2 3 5\n3 4 2 0 4 1 2 3 9\n4 15 2 0 1 1\n"
    "$EndElements\n";

TEST(GmshReader, AsciiOfFormat2IsRead) {
  const TetFile file = parse(kAscii2);
  EXPECT_THAT(file.mesh.tets, ElementsAre(Tet{0, 1, 2, 3}, Tet{0, 1, 4, 2}));
  EXPECT_EQ(file.mesh.positions.size(), 5u);
  EXPECT_THAT(file.region_names, ElementsAre("volume 4", "soft part"));
  EXPECT_THAT(file.mesh.regions, ElementsAre(1, 0));
  EXPECT_THAT(file.notes,
              ElementsAre("1 point and 1 triangle left out", "1 point is in no tet, left out",
                          "1 of 2 tets turned round, their volume was negative"));
}

template <class... T>
void put_all(ByteWriter& out, T... numbers) {
  (out.put(numbers), ...);
}
void append(ByteWriter& out, std::string_view text) { out.append(std::as_bytes(std::span(text))); }

constexpr double kNodes[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -2}};

std::string binary2() {
  ByteWriter out;
  append(out, "$MeshFormat\n2.2 1 8\n");
  out.put(std::int32_t{1});
  append(out, "\n$EndMeshFormat\n$Nodes\n5\n");
  for (std::int32_t i = 0; i < 5; ++i)
    put_all(out, i + 1, kNodes[i][0], kNodes[i][1], kNodes[i][2]);
  append(out, "\n$EndNodes\n$Elements\n3\n");
  put_all(out, 2, 1, 2);              // a triangle with two tags
  put_all(out, 1, 5, 5, 1, 2, 3);     //
  put_all(out, 4, 2, 2);              // two tets
  put_all(out, 2, 7, 1, 1, 2, 3, 4);  //
  put_all(out, 3, 8, 1, 1, 3, 2, 5);  //
  append(out, "\n$EndElements\n");
  return std::string(text_of(out.bytes()));
}

TEST(GmshReader, BinaryOfFormat2IsRead) {
  const TetFile file = parse(binary2());
  EXPECT_THAT(file.mesh.tets, ElementsAre(Tet{0, 1, 2, 3}, Tet{0, 2, 1, 4}));
  EXPECT_THAT(file.region_names, ElementsAre("7", "8"));
  EXPECT_THAT(file.notes, ElementsAre("1 triangle left out"));
}

const std::string kAscii4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 2 \"bone\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 1 2\n1 0 0 0 0\n3 0 0 0 1 1 1 1 5 0\n"
    "10 0 0 0 1 1 1 1 2 1 3\n11 0 0 0 1 1 1 0 1 3\n$EndEntities\n"
    "$Nodes\n2 5 1 9\n2 3 1 3\n1\n2\n3\n0 0 0 0.5 0.5\n1 0 0 0 0\n0 1 0 1 1\n"
    "3 10 0 2\n5\n9\n0 0 1\n0 0 -2\n$EndNodes\n"
    "$Elements\n3 3 1 3\n2 3 2 1\n1 1 2 3\n3 10 4 1\n2 1 2 3 5\n3 11 4 1\n3 1 3 2 9\n"
    "$EndElements\n";

TEST(GmshReader, AsciiOfFormat4IsRead) {
  const TetFile file = parse(kAscii4);
  EXPECT_THAT(file.mesh.tets, ElementsAre(Tet{0, 1, 2, 3}, Tet{0, 2, 1, 4}));
  EXPECT_THAT(file.region_names, ElementsAre("volume 11", "bone"));
  EXPECT_THAT(file.mesh.regions, ElementsAre(1, 0));
  EXPECT_THAT(file.notes, ElementsAre("1 triangle left out"));
}

TEST(GmshReader, BinaryOfFormat4IsRead) {
  using L = std::int64_t;
  ByteWriter out;
  append(out, "$MeshFormat\n4.1 1 8\n");
  out.put(std::int32_t{1});
  append(out, "\n$EndMeshFormat\n$Entities\n");
  put_all(out, L{0}, L{0}, L{0}, L{1}, 10, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, L{1}, 2, L{1}, 3);
  append(out, "\n$EndEntities\n$Nodes\n");
  put_all(out, L{1}, L{5}, L{1}, L{5}, 3, 10, 0, L{5}, L{1}, L{2}, L{3}, L{4}, L{5});
  for (const auto& p : kNodes) put_all(out, p[0], p[1], p[2]);
  append(out, "\n$EndNodes\n$Elements\n");
  put_all(out, L{1}, L{2}, L{1}, L{2}, 3, 10, 4, L{2});
  put_all(out, L{1}, L{1}, L{2}, L{3}, L{4}, L{2}, L{1}, L{3}, L{2}, L{5});
  append(out, "\n$EndElements\n");
  const TetFile file = parse(text_of(out.bytes()));
  EXPECT_THAT(file.mesh.tets, ElementsAre(Tet{0, 1, 2, 3}, Tet{0, 2, 1, 4}));
  EXPECT_THAT(file.mesh.regions, IsEmpty());  // a single one without a name
  EXPECT_THAT(file.notes, IsEmpty());
}

TEST(GmshReader, CornersOfSecondOrderTetsAreTaken) {
  const TetFile file = parse(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
      "5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 .5 0 .5\n10 0 .5 .5\n$EndNodes\n"
      "$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n");
  EXPECT_EQ(file.mesh.positions.size(), 4u);
  EXPECT_THAT(file.notes, ElementsAre("1 tet of higher order, of which the corners are taken",
                                      "6 points are in no tet, left out"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(GmshReader, WhatCannotBeReadIsRefusedWithItsPlace) {
  const std::tuple<std::string, std::string, std::string> bad[] = {
      {"solid\n", "body.msh", "does not begin with $MeshFormat"},
      {replaced(kAscii2, "2.2 0 8", "4.0 0 8"), "body.msh:2", "is of format '4.0'"},
      {replaced(kAscii2, "2.2 0 8", "2.2 0 4"), "body.msh:2", "do not have 8 bytes"},
      {replaced(kAscii2, "1 2 3 5\n", "1 2 3 4\n"), "body.msh:24", "has the node 4, which is not"},
      {replaced(kAscii2, "5 0 0 1", "3 0 0 1"), "body.msh", "two nodes have the number 3"},
      {replaced(kAscii2, "5 0 0 1", "5 0 nan 1"), "body.msh", "no finite number"},
      {replaced(kAscii2, "5 0 0 1", "5 0 zero 1"), "body.msh:17", "'zero' is not a number"},
      {replaced(kAscii2, "$Nodes\n6", "$Nodes\n600000000"), "body.msh", "announced, but only"},
      {replaced(kAscii2, "$Nodes\n6", "$Nodes\n-6"), "body.msh", "-6 nodes announced"},
      {replaced(kAscii2, "4 15 2", "4 95 2"), "body.msh", "type 95 are not known"},
      {replaced(kAscii4, "3 3 1 3", "3 4 1 3"), "body.msh", "has 3 elements, announced were 4"},
      {replaced(kAscii4, "2 5 1 9", "2 4 1 9"), "body.msh", "more nodes than announced"},
      {kAscii2.substr(0, kAscii2.find("$Elements")), "body.msh", "no section $Elements"},
      {replaced(replaced(kAscii2, "2 4 2 7 1 1 2 3 5\n", "2 2 2 7 1 1 2 3\n"), "3 4 2 0 4 1 2 3 9",
                "3 2 2 0 4 1 2 3"),
       "body.msh", "has no tetrahedra: 1 point and 3 triangles left out"}};
  for (const auto& [text, place, problem] : bad) {
    const Error error = refusal(text);
    EXPECT_THAT(error.place(), HasSubstr(place)) << problem;
    EXPECT_THAT(error.problem(), HasSubstr(problem));
    EXPECT_NE(error.remedy(), "");
  }
}

/// But for what comes after the last mark.
TEST(GmshReader, EveryCutOfAFileIsRefused) {
  for (const std::string& whole : {kAscii2, binary2(), kAscii4}) {
    for (std::size_t n = 0; n < whole.size() - 1; ++n) {
      EXPECT_NE(refusal(whole.substr(0, n)).problem(), "") << whole.substr(0, n);
    }
    parse(whole.substr(0, whole.size() - 1));
  }
}

TEST(GmshReader, AFileThatLostDigitsOfItsLastNodeIsRefused) {
  std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
      "5 0 0 2\n6 0 0 3\n7 0 0 4\n8 0 0 5\n9 0 0 6\n10 0 0 7\n11 0 0 8\n12 0 0 9\n$EndNodes\n"
      "$Elements\n1\n1 4 2 0 1 1 2 3 12\n$EndElements\n";
  EXPECT_EQ(parse(text).mesh.tets.size(), 1u);
  text.resize(text.find("12\n$EndElements") + 1);
  const Error error = refusal(text);
  EXPECT_EQ(error.place(), "body.msh:21");
  EXPECT_THAT(error.problem(), HasSubstr("truncated: the section '$Elements' has no $EndElements"));
  EXPECT_THAT(error.remedy(), HasSubstr("export the mesh again"));
}

}  // namespace
}  // namespace isochor::files
