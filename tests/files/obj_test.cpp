#include "isochor/files/obj.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "isochor/base/file.h"
#include "tests/files/surface_file_checks.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using geometry::SurfaceMesh;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SurfaceFile parse_file(std::string_view text) {
  SurfaceFile surface = read_obj("body.obj", std::as_bytes(std::span(text)));
  EXPECT_EQ(inconsistency(surface), "");
  return surface;
}

SurfaceMesh parse(std::string_view text) { return parse_file(text).mesh; }

Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

constexpr std::string_view kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST(ObjReader, KeepsOrderAndUnusedVertices) {
  const SurfaceMesh mesh = parse("v 3 4 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 2 3 4\n");
  ASSERT_EQ(mesh.positions.size(), 5u);
  EXPECT_THAT(mesh.positions[0].e, ElementsAre(3, 4, 5));
  EXPECT_THAT(mesh.positions[4].e, ElementsAre(9, 9, 9));
  EXPECT_THAT(mesh.corners, ElementsAre(1, 2, 3));
  EXPECT_THAT(mesh.face_starts, ElementsAre(0, 3));
}

TEST(ObjReader, UnderstandsEveryFormOfACorner) {
  const SurfaceMesh mesh = parse(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
      "f 1 2 3 4\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 4/1/1\n"
      "f -4 -3/-1 -1/-1/-1\n");
  EXPECT_THAT(mesh.corners, ElementsAre(0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 0, 1, 3, 0, 1, 3));
  EXPECT_THAT(mesh.face_starts, ElementsAre(0, 4, 7, 10, 13, 16));
}

TEST(ObjReader, NegativeIndicesCountFromTheVerticesReadSoFar) {
  const SurfaceMesh mesh = parse(std::string(kTriangle) + "f -3 -2 -1\nv 5 5 5\nf -4 -3 -1\n");
  EXPECT_THAT(mesh.corners, ElementsAre(0, 1, 2, 0, 1, 3));
}

TEST(ObjReader, FacesMayComeBeforeTheirVertices) {
  EXPECT_THAT(parse("f 1 2 3\n" + std::string(kTriangle)).corners, ElementsAre(0, 1, 2));
}

TEST(ObjReader, AWeightIsNoColour) {
  const SurfaceFile surface = parse_file("v 0 0 0 1.0\nv 1 0 0 0.5\nv 0 1 0 1\nf 1 2 3\n");
  EXPECT_THAT(surface.mesh.positions[2].e, ElementsAre(0, 1, 0));
  EXPECT_THAT(surface.attributes, IsEmpty());
}

TEST(ObjReader, ColoursFollowCoordinatesWithOrWithoutOpacity) {
  const SurfaceFile surface =
      parse_file("v 0 0 0 1 0.5 0\nv 1 0 0 0 0.25 1 0.5\nv 0 1 0 0 0 0\nf 1 2 3\n");
  ASSERT_EQ(surface.attributes.size(), 1u);
  EXPECT_EQ(surface.attributes[0].name, "color");
  EXPECT_EQ(surface.attributes[0].components, 3);
  EXPECT_THAT(surface.attributes[0].values, ElementsAre(1, 0.5, 0, 0, 0.25, 1, 0, 0, 0));
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(ObjReader, ColoursUpTo255AreScaledAndVerticesWithoutOneAreWhite) {
  const SurfaceFile surface =
      parse_file("v 9 9 9\nv 0 0 0 255 51 0\nv 1 0 0\nv 0 1 0 0 0 255\nv 8 8 8\nf 2 3 4\n");
  EXPECT_THAT(surface.attributes[0].values,
              ElementsAre(1, 1, 1, 1, 0.2f, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(surface.notes, ElementsAre("3 vertices without a colour, set to white"));
}

TEST(ObjReader, TextureCoordinatesArePerCorner) {
  const SurfaceFile surface = parse_file(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/3 2/2 3/1\nvt 0.5 1 0\nvt 0.25\nvt 2 -1\nf 3/-1/ 2 1//1\n");
  using Uv = std::array<float, 2>;
  EXPECT_THAT(surface.texture_coordinates,
              ElementsAre(Uv{2, -1}, Uv{0.25, 0}, Uv{0.5, 1}, Uv{2, -1}, Uv{0, 0}, Uv{0, 0}));
  EXPECT_THAT(surface.notes, ElementsAre("2 corners without texture coordinates, set to 0 0"));
}

TEST(ObjReader, TextureCoordinatesThatAreNotFiniteAreNoted) {
  const SurfaceFile surface =
      parse_file(std::string(kTriangle) + "vt nan 0\nvt 1 1\nf 1/1 2/2 3/2\n");
  EXPECT_THAT(surface.notes,
              ElementsAre("1 of 6 numbers in the texture coordinates are not finite"));
}

TEST(ObjReader, GroupsObjectsAndMaterialsAreGroupsOfFaces) {
  const SurfaceFile surface =
      parse_file(std::string(kTriangle) +
                 "f 1 2 3\no left arm\ng skin hand skin\nf 1 2 3\nusemtl red paint\nf 3 2 1\n"
                 "g hand\no\nf 1 3 2\ng\nf 1 2 3\ng unused\n");
  ASSERT_EQ(surface.groups.size(), 4u);
  EXPECT_THAT(find_named(surface.groups, "object:left arm")->faces, ElementsAre(1, 2));
  EXPECT_THAT(find_named(surface.groups, "skin")->faces, ElementsAre(1, 2));
  EXPECT_THAT(find_named(surface.groups, "hand")->faces, ElementsAre(1, 2, 3));
  EXPECT_THAT(find_named(surface.groups, "material:red paint")->faces, ElementsAre(2, 3, 4));
}

TEST(ObjReader, ALineOfVeryManyGroupsIsRefused) {
  std::string names;
  for (int i = 0; i < 101; ++i) names += " n" + std::to_string(i);
  EXPECT_THAT(refusal(std::string(kTriangle) + "g" + names + "\nf 1 2 3\n").problem(),
              HasSubstr("more than 100 groups"));
}

TEST(ObjReader, UnknownKeywordsAreIgnoredWithANote) {
  const SurfaceFile surface =
      parse_file(std::string(kTriangle) + "seam 58\nstitch 1 2 3 5.0e-002\nstitch 4\nf 1 2 3\n");
  EXPECT_THAT(surface.notes, ElementsAre("1 line with the unknown keyword 'seam' ignored",
                                         "2 lines with the unknown keyword 'stitch' ignored"));
}

TEST(ObjReader, AFileOfUnknownKeywordsIsNoObj) {
  std::string prose = std::string(kTriangle) + "f 1 2 3\n";
  for (int i = 0; i < 33; ++i) prose += "word" + std::to_string(i) + " and more\n";
  const Error error = refusal(prose);
  EXPECT_THAT(error.place(), EndsWith("body.obj:37"));
  EXPECT_THAT(error.problem(), HasSubstr("does not look like an OBJ file"));
}

TEST(ObjReader, NumbersInPlaceOfAKeywordAreRefused) {
  for (const std::string bad : {"1 2 3", "-1", "\x01\x02", "{", "v1\x80"}) {
    const Error error = refusal(std::string(kTriangle) + bad + "\nf 1 2 3\n");
    EXPECT_THAT(error.place(), EndsWith("body.obj:4")) << bad;
    EXPECT_THAT(error.problem(), HasSubstr("does not look like an OBJ file"));
  }
}

TEST(ObjReader, CommentsBlanksCarriageReturnsAndContinuationsAreUnderstood) {
  const SurfaceMesh mesh = parse(
      "\xEF\xBB\xBF# made by C:\\hand\\\r\n\r\n\tv  0 0\t0  # origin\r\nv 1 0 0\r\n"
      "v 0 \\\r\n  1 \\ \r\n 0\r\n#f 1 1 1\r\nf 1 2 \\\n3");
  ASSERT_EQ(mesh.positions.size(), 3u);
  EXPECT_THAT(mesh.positions[2].e, ElementsAre(0, 1, 0));
  EXPECT_THAT(mesh.corners, ElementsAre(0, 1, 2));
}

TEST(ObjReader, OtherKeywordsOfTheFormatAreIgnored) {
  const SurfaceFile surface =
      parse_file("mtllib a b.mtl\ns off\nusemtl \n" + std::string(kTriangle) +
                 "vt 0 0\nvn 0 0 1\nl 1 2\np 1\nf 1 2 3\n");
  EXPECT_EQ(surface.mesh.positions.size(), 3u);
  EXPECT_EQ(surface.mesh.face_count(), 1u);
  EXPECT_THAT(surface.groups, IsEmpty());
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(ObjReader, NumbersMayHaveSignsExponentsAndBeTiny) {
  const SurfaceMesh mesh = parse("v +1.5 -2E+3 .5\nv 1e-400 1e-310 5.\nv 0 1 0\nf 1 2 3");
  EXPECT_THAT(mesh.positions[0].e, ElementsAre(1.5, -2000, 0.5));
  EXPECT_THAT(mesh.positions[1].e, ElementsAre(0, 1e-310, 5));
}

TEST(ObjReader, NanVertexIsRefusedWithItsLine) {
  for (const std::string bad :
       {"nan", "-NaN", "inf", "-infinity", "1e999", "-1e9999", "nan(ind)"}) {
    const Error error = refusal("# mesh\nv 0 0 0\nv 0 " + bad + " 0\nv 0 1 0\nf 1 2 3\n");
    EXPECT_THAT(error.place(), EndsWith("body.obj:3")) << bad;
    EXPECT_EQ(error.problem(),
              "vertex 2 has the coordinate '" + bad + "', expected a finite number");
    EXPECT_EQ(error.fault(), Fault::Input);
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(ObjReader, WhatIsNoNumberIsRefusedWithItsLine) {
  for (const std::string bad : {"abc", "1,5", "1.5x", "--1", "+-1", "+", "0x10", "1.#QNAN", "1e"}) {
    const Error error = refusal("v 0 0 0\nv 0 0 " + bad + "\n");
    EXPECT_THAT(error.place(), EndsWith("body.obj:2")) << bad;
    EXPECT_EQ(error.problem(), "'" + bad + "' is not a number");
  }
}

TEST(ObjReader, AVertexWithTwoCoordinatesIsRefused) {
  EXPECT_EQ(refusal("v 0 0\n").problem(), "vertex 1 has 2 coordinates, expected 3");
}

TEST(ObjReader, AnIndexOutOfRangeIsRefusedWithItsLineAndTheVertexCount) {
  for (const std::string bad : {"4", "0", "-4", "2147483648", "99999999999999999999"}) {
    const Error error = refusal(std::string(kTriangle) + "f 1 2 3\nf 1 2 " + bad + "\nf 1 2 3\n");
    EXPECT_THAT(error.place(), EndsWith("body.obj:5")) << bad;
    EXPECT_EQ(error.problem(), "face uses vertex '" + bad + "', but there are 3 vertices");
  }
}

TEST(ObjReader, ATextureIndexOutOfRangeIsRefusedWithItsLine) {
  for (const std::string bad : {"2", "0", "-2"}) {
    const Error error =
        refusal(std::string(kTriangle) + "vt 0 0\nf 1/1 2/1 3/" + bad + "\nf 1 2 3\n");
    EXPECT_THAT(error.place(), EndsWith("body.obj:5")) << bad;
    EXPECT_EQ(error.problem(),
              "face uses texture coordinate '" + bad + "', but there are 1 texture coordinates");
  }
}

TEST(ObjReader, AMalformedCornerIsRefused) {
  for (const std::string bad : {"x", "1.0", "1/a", "1/1/1/1", "/1", "1\\2", "1/1/x", "1/--1"}) {
    const Error error = refusal(std::string(kTriangle) + "f 1 2 " + bad + " 3\n");
    EXPECT_THAT(error.place(), EndsWith("body.obj:4")) << bad;
    EXPECT_EQ(error.problem(), "'" + bad + "' is not a corner of a face");
  }
}

TEST(ObjReader, AFaceWithTwoCornersIsRefused) {
  EXPECT_EQ(refusal(std::string(kTriangle) + "f 1 2 3\nf 1 2\n").problem(),
            "face 2 has 2 corners, expected 3 or more");
}

TEST(ObjReader, AFileWithoutVerticesOrFacesIsRefused) {
  EXPECT_THAT(refusal("").problem(), HasSubstr("no vertices"));
  EXPECT_THAT(refusal("# nothing\n").problem(), HasSubstr("no vertices"));
  EXPECT_THAT(refusal("f 1 2 3\n").problem(), HasSubstr("no vertices"));
  EXPECT_THAT(refusal(kTriangle).problem(), HasSubstr("no faces"));
}

TEST(ObjReader, AnErrorAfterAContinuationNamesTheRightLine) {
  EXPECT_THAT(refusal("v 0 \\\n0 \\\n0\nv 1 x 0\n").place(), EndsWith("body.obj:4"));
}

TEST(ObjReader, AnotherFormatIsCalledSo) {
  for (const std::string_view text :
       {"OFF\n3 1 0\n", "solid cube\nfacet normal 0 0 1\n", "ply\nformat ascii 1.0\n",
        "glTF\x02\x01\x01", "{\"a\": 1}"}) {
    EXPECT_THAT(refusal(text).problem(), HasSubstr("does not look like an OBJ file")) << text;
  }
}

TEST(ObjReader, UnprintableWordsStayOutOfMessages) {
  EXPECT_THAT(refusal(std::string("\x1b[31m") + std::string(1000, 'x')).problem(),
              HasSubstr("'?[31mxxxxxxxxxxxxxxxxxxx...'"));
}

TEST(ObjReader, RandomChangesAreReadOrRefused) {
  const std::string seed =
      "# c\nv 0 0 0\nv 1 0 0 0.5\nv 0 1e-3 0\nvt 0 0\nf 1/1 2/1 \\\n 3/1\n"
      "f -3 -2 -1\nusemtl a\ng b c\nf 1//1 2//1 3//1\r\n";
  constexpr std::string_view kPieces[] = {"v",  "f", "\\", "\n", "#", "/",   "-",   "nan", "1e999",
                                          "\r", " ", "\t", "0",  "9", "999", "vt ", "+",   "."};
  std::mt19937 random(11);
  int read = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = seed;
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.insert(at, kPieces[random() % std::size(kPieces)]);
          break;
        case 2:
          text.erase(at, 1 + random() % 8);
          break;
      }
    }
    try {
      ASSERT_EQ(inconsistency(read_obj("body.obj", std::as_bytes(std::span(text)))), "");
      ++read;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 500);
}

TEST(ObjWriter, CoordinatesComeBackBitForBit) {
  const TemporaryFolder folder;
  SurfaceMesh mesh;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < 200; ++i) {
    mesh.positions.push_back({number(random), number(random) * 1e-12, number(random) * 1e12});
  }
  mesh.positions.push_back({0.1, -0.0, 5e-324});
  mesh.add_face(std::array{0, 1, 2});
  mesh.add_face(std::array{200, 3, 4, 5, 6});

  write_obj(folder / "body.obj", mesh.positions, mesh);
  const SurfaceMesh read = read_obj(folder / "body.obj").mesh;
  ASSERT_EQ(read.positions.size(), mesh.positions.size());
  for (std::size_t i = 0; i < read.positions.size(); ++i) {
    EXPECT_EQ(std::memcmp(&read.positions[i], &mesh.positions[i], sizeof(Vec3d)), 0) << i;
  }
  EXPECT_EQ(read.face_starts, mesh.face_starts);
  EXPECT_EQ(read.corners, mesh.corners);
}

TEST(ObjWriter, WritesDeformedPositionsOverTheSameFaces) {
  const TemporaryFolder folder;
  const SurfaceMesh mesh = parse(std::string(kTriangle) + "f 1 2 3\n");
  const std::vector<Vec3d> moved = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1.25}};
  write_obj(folder / "body.obj", moved, mesh);
  EXPECT_EQ(read_text_file(folder / "body.obj"), "v 0 0 1\nv 1 0 1\nv 0 1 1.25\nf 1 2 3\n");
}

TEST(ObjWriter, TextureCoordinatesAndGroupsComeBack) {
  const TemporaryFolder folder;
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 0.5 0\nvt 0.5 0.25\n"
      "o arm\ng skin front\nusemtl pale red\nf 1/1 2/2 3/3\ng skin\nusemtl dark\nf 1/1 3/2 4/3\n";
  write_file_atomic(folder / "in.obj", text);
  const SurfaceFile in = read_obj(folder / "in.obj");
  write_obj(folder / "out.obj", in.mesh.positions, in.mesh, in.texture_coordinates, in.groups);
  const SurfaceFile out = read_obj(folder / "out.obj");
  EXPECT_EQ(out.texture_coordinates, in.texture_coordinates);
  const auto sorted = [](std::vector<FaceGroup> groups) {
    std::ranges::sort(groups, {}, &FaceGroup::name);
    return groups;
  };
  const std::vector<FaceGroup> before = sorted(in.groups), after = sorted(out.groups);
  ASSERT_EQ(before.size(), 5u);
  ASSERT_EQ(after.size(), 5u);
  for (std::size_t g = 0; g < 5; ++g) {
    EXPECT_EQ(after[g].name, before[g].name);
    EXPECT_EQ(after[g].faces, before[g].faces) << before[g].name;
  }
}

}  // namespace
}  // namespace isochor::files
