#include "isochor/files/obj.h"

#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using geometry::SurfaceMesh;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

SurfaceMesh parse(std::string_view text) {
  const TemporaryFolder folder;
  write_quickly(folder / "body.obj", text);
  return read_obj(folder / "body.obj");
}

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

TEST(ObjReader, WeightsAndColoursAreIgnored) {
  const SurfaceMesh mesh =
      parse("v 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0 1 0.5 0.5 0.5\nf 1 2 3\n");
  EXPECT_THAT(mesh.positions[2].e, ElementsAre(0, 1, 0));
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
  const SurfaceMesh mesh =
      parse("mtllib a b.mtl\no arm\ng left upper\ns off\nusemtl \n" + std::string(kTriangle) +
            "vt 0 0\nvn 0 0 1\nl 1 2\np 1\nf 1 2 3\n");
  EXPECT_EQ(mesh.positions.size(), 3u);
  EXPECT_EQ(mesh.face_count(), 1u);
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

TEST(ObjReader, AMalformedCornerIsRefused) {
  for (const std::string bad : {"x", "1.0", "1/a", "1/1/1/1", "/1", "1\\2"}) {
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
  const TemporaryFolder folder;
  const std::string seed =
      "# c\nv 0 0 0\nv 1 0 0 0.5\nv 0 1e-3 0\nvt 0 0\nf 1/1 2/1 \\\n 3/1\n"
      "f -3 -2 -1\nusemtl a\nf 1//1 2//1 3//1\r\n";
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
    write_quickly(folder / "body.obj", text);
    try {
      const SurfaceMesh mesh = read_obj(folder / "body.obj");
      for (const std::int32_t corner : mesh.corners) {
        ASSERT_GE(corner, 0);
        ASSERT_LT(static_cast<std::size_t>(corner), mesh.positions.size());
      }
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
  const SurfaceMesh read = read_obj(folder / "body.obj");
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

struct Expected {
  std::string file;
  std::size_t vertices, triangles;
};

TEST(ObjReader, ReadsMeshesFromTheWild) {
  const char* data = std::getenv("ISOCHOR_DATA");
  if (!data) GTEST_SKIP() << "set ISOCHOR_DATA to the folder with test meshes";
  for (const auto& [file, vertices, triangles] :
       {Expected{"classic/armadillo.obj", 14587, 29170}, Expected{"classic/bunny.obj", 3301, 6598},
        Expected{"classic/spot.obj", 11533, 23062},
        Expected{"classic/spot_control_mesh.obj", 188, 372},
        Expected{"bad/far_from_origin.obj", 110, 212}, Expected{"bad/truck.obj", 2956, 4770}}) {
    const SurfaceMesh mesh = read_obj(std::filesystem::path(data) / file);
    EXPECT_EQ(mesh.positions.size(), vertices) << file;
    EXPECT_EQ(geometry::triangulate(mesh).size(), triangles) << file;
  }
  // Faces of up to 20 corners, continued over lines.
  EXPECT_EQ(read_obj(std::filesystem::path(data) / "bad/wallhole.obj").corners.size(), 92u);
}

}  // namespace
}  // namespace isochor::files
