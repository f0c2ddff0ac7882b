#include "isochor/files/gltf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/files/gltf_parts.h"
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
  SurfaceFile surface = read_gltf("body.glb", std::as_bytes(std::span(text)));
  EXPECT_EQ(inconsistency(surface), "");
  return surface;
}

Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

/// The triangle of gltf_parts.h with other nodes.
std::string with_nodes(const std::string& nodes, const std::string& more = "") {
  return glb("{" + kTriangleData + "," + kTriangleMesh + R"(, "nodes": )" + nodes + more + "}",
             triangle_bytes());
}

/// Four corners of a square, one primitive with the given keys.
std::string with_primitive(const std::string& keys, const std::string& extra_bytes = "",
                           const std::string& extra_views = "",
                           const std::string& extra_accessors = "") {
  const std::string bytes = bytes_of<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}) + extra_bytes;
  return glb(R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": )" +
                 std::to_string(bytes.size()) +
                 R"(}], "bufferViews": [{"buffer": 0, "byteLength": 48})" + extra_views +
                 R"(], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4,
                     "type": "VEC3"})" +
                 extra_accessors + R"(], "nodes": [{"mesh": 0}],
                     "meshes": [{"primitives": [{)" +
                 keys + "}]}]}",
             bytes);
}

TEST(GltfReader, ATriangleIsRead) {
  const SurfaceFile surface = parse(with_nodes(R"([{"mesh": 0, "name": "arm"}])"));
  ASSERT_EQ(surface.mesh.positions.size(), 3u);
  EXPECT_THAT(surface.mesh.positions[1].e, ElementsAre(1, 0, 0));
  EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 1, 2));
  ASSERT_EQ(surface.groups.size(), 2u);
  EXPECT_THAT(find_named(surface.groups, "skin")->faces, ElementsAre(0));
  EXPECT_THAT(find_named(surface.groups, "object:arm")->faces, ElementsAre(0));
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(GltfReader, NodesMoveTheirMeshesAndChildrenFollow) {
  // A quarter turn about z takes x to y; the parent doubles and shifts.
  const SurfaceFile surface = parse(with_nodes(
      R"([{"children": [1], "scale": [2, 2, 2], "translation": [10, 0, 0]},
          {"mesh": 0, "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752],
           "translation": [0, 0, 1]}])"));
  const Vec3d p = surface.mesh.positions[1];
  EXPECT_NEAR(p[0], 10, 1e-14);
  EXPECT_NEAR(p[1], 2, 1e-14);
  EXPECT_NEAR(p[2], 2, 1e-14);
}

TEST(GltfReader, AMatrixIsColumnByColumn) {
  const SurfaceFile surface = parse(
      with_nodes(R"([{"mesh": 0, "matrix": [0, 3, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]}])"));
  EXPECT_THAT(surface.mesh.positions[1].e, ElementsAre(5, 9, 7));
  EXPECT_THAT(surface.mesh.positions[2].e, ElementsAre(4, 6, 7));
}

TEST(GltfReader, SkinnedMeshesStayInTheirBindPose) {
  const SurfaceFile surface =
      parse(with_nodes(R"([{"mesh": 0, "skin": 0, "scale": [2, 2, 2], "translation": [1, 1, 1]}])",
                       R"(, "skins": [{"joints": [0]}])"));
  EXPECT_THAT(surface.mesh.positions[1].e, ElementsAre(1, 0, 0));
}

TEST(GltfReader, AMirrorTurnsFacesSoThatTheyStillLookOut) {
  const SurfaceFile surface = parse(with_nodes(R"([{"mesh": 0, "scale": [1, -1, 1]}])"));
  EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 2, 1));
}

TEST(GltfReader, TheDefaultSceneSaysWhatIsThereAndInWhichOrder) {
  const std::string nodes =
      R"([{"mesh": 0, "translation": [1, 0, 0]}, {"mesh": 0, "translation": [2, 0, 0]},
          {"mesh": 0, "children": [1, 3]}, {"mesh": 0, "translation": [3, 0, 0]}])";
  const auto firsts = [&](const std::string& scenes) {
    const SurfaceFile surface = parse(with_nodes(nodes, scenes));
    std::vector<double> x;
    for (std::size_t v = 0; v < surface.mesh.positions.size(); v += 3) {
      x.push_back(surface.mesh.positions[v][0]);
    }
    return x;
  };
  EXPECT_THAT(firsts(""), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(firsts(R"(, "scenes": [{"nodes": [0]}, {"nodes": [2, 0]}])"), ElementsAre(1));
  EXPECT_THAT(firsts(R"(, "scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [2, 0]}])"),
              ElementsAre(0, 2, 3, 1));
}

TEST(GltfReader, CoincidentVerticesAreKeptAndCounted) {
  const SurfaceFile surface = parse(with_nodes(R"([{"mesh": 0}, {"mesh": 0}])"));
  EXPECT_EQ(surface.mesh.positions.size(), 6u);
  EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(surface.groups.at(0).faces, ElementsAre(0, 1));
  EXPECT_THAT(surface.notes, ElementsAre("3 coincident vertices kept apart"));
}

TEST(GltfReader, StripsFansAndFacesWithoutIndices) {
  EXPECT_THAT(parse(with_primitive(R"("attributes": {"POSITION": 0}, "mode": 5)")).mesh.corners,
              ElementsAre(0, 1, 2, 2, 1, 3));
  EXPECT_THAT(parse(with_primitive(R"("attributes": {"POSITION": 0}, "mode": 6)")).mesh.corners,
              ElementsAre(0, 1, 2, 0, 2, 3));
  const std::string indices = with_primitive(
      R"("attributes": {"POSITION": 0}, "indices": 1)", bytes_of<std::uint8_t>({2, 1, 0, 3, 1, 2}),
      R"(, {"buffer": 0, "byteOffset": 48, "byteLength": 6})",
      R"(, {"bufferView": 1, "componentType": 5121, "count": 6, "type": "SCALAR"})");
  EXPECT_THAT(parse(indices).mesh.corners, ElementsAre(2, 1, 0, 3, 1, 2));
}

TEST(GltfReader, ColourTextureAndAttributesOfTheApplicationAreTaken) {
  const SurfaceFile surface = parse(with_primitive(
      R"("mode": 5, "attributes": {"POSITION": 0, "COLOR_0": 1, "TEXCOORD_0": 2, "_STIFFNESS": 3,
          "NORMAL": 0})",
      bytes_of<std::uint8_t>({255, 0, 51, 9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 255, 0, 9}) +
          bytes_of<float>({0, 0, 1, 0, 0.25, 0.5, 1, 1}) + bytes_of<float>({5, 6, 7, 8}),
      R"(, {"buffer": 0, "byteOffset": 48, "byteLength": 16},
           {"buffer": 0, "byteOffset": 64, "byteLength": 32},
           {"buffer": 0, "byteOffset": 96, "byteLength": 16})",
      R"(, {"bufferView": 1, "componentType": 5121, "count": 4, "type": "VEC4", "normalized": true},
           {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC2"},
           {"bufferView": 3, "componentType": 5126, "count": 4, "type": "SCALAR"})"));
  ASSERT_EQ(surface.attributes.size(), 2u);
  EXPECT_EQ(surface.attributes[0].name, "color");
  EXPECT_EQ(surface.attributes[0].components, 3);
  EXPECT_THAT(surface.attributes[0].values, ElementsAre(1, 0, 0.2f, 0, 0, 0, 0, 0, 0, 0, 1, 0));
  EXPECT_EQ(surface.attributes[1].name, "STIFFNESS");
  EXPECT_THAT(surface.attributes[1].values, ElementsAre(5, 6, 7, 8));
  // v upwards
  EXPECT_THAT(surface.texture_coordinates,
              ElementsAre(Uv{0, 1}, Uv{1, 1}, Uv{0.25, 0.5}, Uv{0.25, 0.5}, Uv{1, 1}, Uv{1, 0}));
}

TEST(GltfReader, PrimitivesAreConcatenatedAndFilledWhereTheyLackAnAttribute) {
  const std::string bytes = triangle_bytes() + std::string(2, '\0') + bytes_of<float>({7, 8, 9});
  const SurfaceFile surface =
      parse(glb(R"({"asset": {"version": "2.1"}, "buffers": [{"byteLength": 56}],
              "bufferViews": [{"buffer": 0, "byteLength": 36},
                              {"buffer": 0, "byteOffset": 44, "byteLength": 12}],
              "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5126, "count": 3, "type": "SCALAR"}],
              "materials": [{}, {"name": "red"}], "nodes": [{"mesh": 0}],
              "meshes": [{"primitives": [
                {"attributes": {"POSITION": 0}, "material": 0},
                {"attributes": {"POSITION": 0}, "mode": 1}, {"attributes": {"_A": 1}},
                {"attributes": {"POSITION": 0, "_A": 1}, "material": 1},
                {"attributes": {"POSITION": 0}, "material": 1}]}]})",
                bytes));
  EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(surface.attributes.at(0).values, ElementsAre(0, 0, 0, 7, 8, 9, 0, 0, 0));
  ASSERT_EQ(surface.groups.size(), 1u);
  EXPECT_EQ(surface.groups[0].name, "material:red");
  EXPECT_THAT(surface.groups[0].faces, ElementsAre(1, 2));
  EXPECT_THAT(surface.notes, ElementsAre("6 vertices without _A, set to 0",
                                         "2 primitives without triangles ignored",
                                         "6 coincident vertices kept apart"));
}

TEST(GltfReader, BuffersMayBeInFilesBesideOrInTheText) {
  const TemporaryFolder folder;
  const auto gltf = [](const std::string& uri) {
    std::string data = kTriangleData;
    data.replace(data.find("{\"byteLength\": 42}"), 1, "{\"uri\": \"" + uri + "\", ");
    return "{" + data + "," + kTriangleMesh + R"(, "nodes": [{"mesh": 0}]})";
  };
  write_quickly(folder / "left arm.bin", triangle_bytes());
  write_quickly(folder / "body.gltf", gltf("left%20arm.bin"));
  EXPECT_EQ(read_gltf(folder / "body.gltf").mesh.positions.size(), 3u);

  const std::string base64 =
      "data:application/octet-stream;base64,"
      "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA";
  EXPECT_THAT(parse(gltf(base64)).mesh.positions[1].e, ElementsAre(1, 0, 0));
  EXPECT_THAT(refusal(gltf("data:application/octet-stream;base64,AA*A")).problem(),
              HasSubstr("expected data in base64"));
  EXPECT_THAT(refusal(gltf("data:text/plain,hello")).problem(), HasSubstr("base64"));
  EXPECT_THAT(refusal(gltf("data:;base64,AAAA")).problem(),
              HasSubstr("truncated: 42 bytes announced, 3 found"));

  // From memory there is no beside, and nothing is fetched from elsewhere.
  EXPECT_THAT(refusal(gltf("left%20arm.bin")).problem(), HasSubstr("cannot be read from here"));
  write_quickly(folder / "body.gltf", gltf("https://a.org/b.bin"));
  EXPECT_THAT(error_of([&] { read_gltf(folder / "body.gltf"); }).problem(),
              HasSubstr("cannot be read from here"));
  write_quickly(folder / "body.gltf", gltf("missing.bin"));
  EXPECT_THAT(error_of([&] { read_gltf(folder / "body.gltf"); }).place(), EndsWith("missing.bin"));
}

TEST(GltfReader, NodesThatAreNoTreeAreRefused) {
  for (const std::string nodes :
       {R"([{"mesh": 0, "children": [0]}])", R"([{"children": [1, 1]}, {"mesh": 0}])",
        R"([{"children": [1]}, {"children": [2]}, {"mesh": 0, "children": [1]}])"}) {
    EXPECT_THAT(refusal(with_nodes(nodes, R"(, "scenes": [{"nodes": [0]}])")).problem(),
                HasSubstr("no tree"))
        << nodes;
  }
}

TEST(GltfReader, AChainOfVeryManyNodesIsRead) {
  std::string nodes = "[";
  for (int n = 1; n < 20000; ++n) nodes += R"({"children": [)" + std::to_string(n) + "]},";
  const SurfaceFile surface =
      parse(with_nodes(nodes + R"({"mesh": 0}])", R"(, "scenes": [{"nodes": [0]}])"));
  EXPECT_EQ(surface.mesh.face_count(), 1u);
}

TEST(GltfReader, WhatDoesNotMakeASurfaceIsRefusedWithItsPlace) {
  const std::string byte = bytes_of<std::uint8_t>({0, 1, 4});
  const std::string view = R"(, {"buffer": 0, "byteOffset": 48, "byteLength": 3})";
  const std::string accessor =
      R"(, {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"})";
  const std::pair<std::string, std::string> bad[] = {
      {with_primitive(R"("attributes": {"POSITION": 0}, "indices": 1)", byte, view, accessor),
       "a face uses vertex 4, but there are 4 vertices"},
      {with_primitive(R"("attributes": {"POSITION": 0})"), "4 corners do not make triangles"},
      {with_primitive(R"("attributes": {"POSITION": 0}, "mode": 7)"), "has the mode 7"},
      {with_primitive(R"("attributes": {"POSITION": 1})", byte, view, accessor),
       "POSITION has 1 numbers per vertex"},
      {with_primitive(R"("attributes": {"POSITION": 0, "_A": 1}, "mode": 5)", byte, view, accessor),
       "_A has 3 elements of 1 numbers, expected 4 of 1"},
      {with_primitive(R"("attributes": {"POSITION": 0, "COLOR_0": 1}, "mode": 5)", byte, view,
                      accessor),
       "COLOR_0 has 1 numbers per vertex"}};
  for (const auto& [text, problem] : bad) {
    const Error error = refusal(text);
    EXPECT_THAT(error.problem(), HasSubstr(problem));
    EXPECT_EQ(error.place(), "body.glb, meshes[0].primitives[0]") << problem;
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_THAT(refusal(with_primitive(R"("attributes": {"POSITION": 0}, "indices": 0)")).problem(),
              HasSubstr("no whole numbers"));
  EXPECT_THAT(refusal(with_nodes("[{}]")).problem(), HasSubstr("no triangles"));
  EXPECT_THAT(refusal(with_nodes(R"([{"mesh": 0, "scale": [1e308, 1, 1], "children": [1]},
                                     {"mesh": 0, "scale": [1e308, 1, 1]}])",
                                 R"(, "scenes": [{"nodes": [0]}])"))
                  .problem(),
              HasSubstr("vertex 0 has a coordinate that is not finite"));
}

TEST(GltfReader, ASmallFileThatRepeatsItsMeshWithoutEndIsRefused) {
  std::string primitives, nodes;
  for (int i = 0; i < 1000; ++i) {
    primitives += std::string(i > 0 ? "," : "") + R"({"attributes": {"POSITION": 0}, "mode": 6})";
    nodes += std::string(i > 0 ? "," : "") + R"({"mesh": 0})";
  }
  const std::string json = R"({"asset": {"version": "2.0"}, "meshes": [{"primitives": [)" +
                           primitives + R"(]}], "nodes": [)" + nodes + R"(], "accessors": [
                             {"componentType": 5126, "count": 30000, "type": "VEC3"}]})";
  EXPECT_THAT(refusal(json).problem(), HasSubstr("more than 200000000 vertices and indices"));
}

TEST(GltfReader, AVertexThatIsNotFiniteIsRefused) {
  std::string bytes = triangle_bytes();
  bytes.replace(16, 4, bytes_of<float>({std::numeric_limits<float>::quiet_NaN()}));
  const Error error = refusal(
      glb("{" + kTriangleData + "," + kTriangleMesh + R"(, "nodes": [{"mesh": 0}]})", bytes));
  EXPECT_THAT(error.problem(), HasSubstr("vertex 1 has a coordinate that is not finite"));
}

}  // namespace
}  // namespace isochor::files
