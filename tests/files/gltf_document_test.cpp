#include "isochor/files/gltf_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files/gltf_parts.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GltfDocument parse(std::string_view text) {
  return parse_gltf("body.glb", std::as_bytes(std::span(text)), {});
}

Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

const std::string kAsset = R"("asset": {"version": "2.0"})";

/// One buffer with these bytes, one view of all of it and one accessor with these keys.
std::string with_accessor(const std::string& bytes, const std::string& keys,
                          const std::string& view_keys = "") {
  return glb("{" + kAsset + R"(, "buffers": [{"byteLength": )" + std::to_string(bytes.size()) +
                 R"(}], "bufferViews": [{"buffer": 0, "byteLength": )" +
                 std::to_string(bytes.size()) + view_keys + R"(}], "accessors": [{)" + keys + "}]}",
             bytes);
}

std::vector<float> floats(const std::string& bytes, const std::string& keys,
                          const std::string& view_keys = "") {
  return read_floats(parse(with_accessor(bytes, keys, view_keys)), 0);
}

TEST(GltfDocument, AccessorsReadEveryTypeAsItIsOrNormalised) {
  const auto read = [](const std::string& bytes, int type, bool normalized) {
    return floats(bytes, R"("bufferView": 0, "count": 2, "type": "SCALAR", "componentType": )" +
                             std::to_string(type) + (normalized ? R"(, "normalized": true)" : ""));
  };
  EXPECT_THAT(read(bytes_of<std::int8_t>({-128, 127}), 5120, false), ElementsAre(-128, 127));
  EXPECT_THAT(read(bytes_of<std::int8_t>({-128, 127}), 5120, true), ElementsAre(-1, 1));
  EXPECT_THAT(read(bytes_of<std::uint8_t>({51, 255}), 5121, true), ElementsAre(0.2f, 1));
  EXPECT_THAT(read(bytes_of<std::int16_t>({-32767, 0}), 5122, true), ElementsAre(-1, 0));
  EXPECT_THAT(read(bytes_of<std::int16_t>({-300, 300}), 5122, false), ElementsAre(-300, 300));
  EXPECT_THAT(read(bytes_of<std::uint16_t>({65535, 13107}), 5123, true), ElementsAre(1, 0.2f));
  EXPECT_THAT(read(bytes_of<std::uint32_t>({1, 3000000000u}), 5125, false), ElementsAre(1, 3e9f));
  EXPECT_THAT(read(bytes_of<float>({0.5f, -2}), 5126, false), ElementsAre(0.5, -2));
}

TEST(GltfDocument, ElementsMayStandApartAndStartLater) {
  EXPECT_THAT(floats(bytes_of<std::int16_t>({99, 99, 1, 2, 99, 99, 3, 4}),
                     R"("bufferView": 0, "byteOffset": 4, "count": 2, "type": "VEC2",
                        "componentType": 5122.0)",
                     R"(, "byteStride": 8)"),
              ElementsAre(1, 2, 3, 4));
}

TEST(GltfDocument, SparseAccessorsReplaceElementsOfTheViewOrOfZeros) {
  const std::string bytes = bytes_of<float>({1, 2, 3, 70, 80}) + bytes_of<std::uint8_t>({0, 2});
  const std::string sparse =
      R"("sparse": {"count": 2, "indices": {"bufferView": 0, "byteOffset": 20,
         "componentType": 5121}, "values": {"bufferView": 0, "byteOffset": 12}})";
  const std::string keys = R"("count": 3, "type": "SCALAR", "componentType": 5126, )" + sparse;
  EXPECT_THAT(floats(bytes, R"("bufferView": 0, )" + keys), ElementsAre(70, 2, 80));
  EXPECT_THAT(floats(bytes, keys), ElementsAre(70, 0, 80));
  EXPECT_THAT(floats(bytes, R"("count": 3, "type": "SCALAR", "componentType": 5126)"),
              ElementsAre(0, 0, 0));
  std::string outside = bytes;
  outside.back() = 3;
  EXPECT_THAT(error_of([&] { floats(outside, keys); }).problem(),
              HasSubstr("replaces element 3, but has 3"));
}

TEST(GltfDocument, IntegersAreReadFromUnsignedTypesOnly) {
  const auto read = [](const std::string& bytes, int type) {
    return read_integers(
        parse(with_accessor(bytes, R"("bufferView": 0, "count": 2, "type": "SCALAR",
                                      "componentType": )" +
                                       std::to_string(type))),
        0);
  };
  EXPECT_THAT(read(bytes_of<std::uint8_t>({1, 255}), 5121), ElementsAre(1, 255));
  EXPECT_THAT(read(bytes_of<std::uint16_t>({1, 65535}), 5123), ElementsAre(1, 65535));
  EXPECT_THAT(read(bytes_of<std::uint32_t>({1, 4294967295u}), 5125), ElementsAre(1, 4294967295u));
  EXPECT_THAT(error_of([&] {
                read(bytes_of<float>({1, 2}), 5126);
              }).problem(),
              HasSubstr("no whole numbers"));
  EXPECT_THAT(error_of([&] {
                read(bytes_of<std::int8_t>({1, 2}), 5120);
              }).problem(),
              HasSubstr("no whole numbers"));
}

TEST(GltfDocument, AccessorsOutsideTheirBufferAreRefusedBeforeAllocating) {
  const std::string bytes = bytes_of<float>({1, 2, 3, 4});
  const std::string scalar = R"("type": "SCALAR", "componentType": 5126, )";
  for (const std::string keys :
       {R"("bufferView": 0, "count": 5)", R"("bufferView": 0, "count": 4, "byteOffset": 1)",
        R"("bufferView": 0, "count": 1, "byteOffset": 17)",
        R"("bufferView": 0, "count": 9000000000000000)",
        R"("bufferView": 0, "count": 1, "byteOffset": 9000000000000000)",
        R"("count": 1000000000000)",
        R"("count": 1, "sparse": {"count": 9000000000000000, "indices": {"bufferView": 0,
            "componentType": 5121}, "values": {"bufferView": 0}})"}) {
    const Error error = error_of([&] { floats(bytes, scalar + keys); });
    EXPECT_EQ(error.place(), "body.glb, accessors[0]");
    EXPECT_THAT(error.problem(), HasSubstr("announces")) << keys;
  }
  EXPECT_THAT(floats(bytes, scalar + R"("bufferView": 0, "count": 0)"), ElementsAre());
  const std::string all = scalar + R"("bufferView": 0, "count": 2)";
  EXPECT_THAT(error_of([&] { floats(bytes, all, R"(, "byteStride": 3)"); }).problem(),
              HasSubstr("elements of 4 bytes at every 3"));
  EXPECT_THAT(error_of([&] { floats(bytes, all, R"(, "byteOffset": 1)"); }).problem(),
              HasSubstr("ends at byte 17 of a buffer of 16"));
}

TEST(GltfDocument, WrongOrMissingValuesAreRefusedWithTheirPath) {
  const std::tuple<std::string, std::string, std::string> bad[] = {
      {R"("nodes": [{}, {"mesh": 0}])", "nodes[1].mesh", "is 0, but there are 0 meshes"},
      {R"("nodes": [{"children": [7]}])", "nodes[0].children[0]", "but there are 1 nodes"},
      {R"("nodes": [{"children": 7}])", "nodes[0].children", "is no list"},
      {R"("nodes": [{"scale": [1, 2]}])", "nodes[0].scale", "has 2 numbers, expected 3"},
      {R"("nodes": [{"scale": [1, 2, "3"]}])", "nodes[0].scale[2]", "is no number"},
      {R"("nodes": [{"name": 3}])", "nodes[0].name", "is no text"},
      {R"("scenes": [{}], "scene": 1)", "scene", "is 1, but there are 1 scenes"},
      {R"("meshes": [{"primitives": [{}]}])", "meshes[0].primitives[0]", "lacks 'attributes'"},
      {R"("meshes": [{"primitives": [{"attributes": []}]}])", "meshes[0].primitives[0].attributes",
       "is no object"},
      {R"("accessors": [{"type": "VEC5"}])", "accessors[0]", "has the type 'VEC5'"},
      {R"("accessors": [{"type": "VEC3", "componentType": 5124}])", "accessors[0].componentType",
       "is 5124, which is no type"},
      {R"("accessors": [{"type": "VEC3", "componentType": 5126, "count": -1}])",
       "accessors[0].count", "is no whole number"},
      {R"("accessors": [{"type": "VEC3", "componentType": 5126, "count": 1.5}])",
       "accessors[0].count", "is no whole number"},
      {R"("accessors": [{"type": "MAT3", "componentType": 5121, "count": 1}])", "accessors[0]",
       "is a matrix of whole numbers"},
      {R"("buffers": [{"byteLength": 4}])", "buffers[0]", "has no data"},
      {R"("extensionsRequired": ["KHR_draco_mesh_compression"])", "extensionsRequired[0]",
       "the mesh is compressed (KHR_draco_mesh_compression)"},
      {R"("extensionsRequired": ["EXT_meshopt_compression"])", "extensionsRequired[0]",
       "the mesh is compressed"},
      {R"("extensionsRequired": ["EXT_mesh_gpu_instancing"])", "extensionsRequired[0]",
       "needs the extension 'EXT_mesh_gpu_instancing'"}};
  for (const auto& [text, place, problem] : bad) {
    const Error error = refusal("{" + kAsset + ", " + text + "}");
    EXPECT_EQ(error.place(), "body.glb, " + place);
    EXPECT_THAT(error.problem(), HasSubstr(problem)) << text;
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_NO_THROW(parse("{" + kAsset + R"(, "extensionsRequired": ["KHR_mesh_quantization"]})"));
}

TEST(GltfDocument, OtherVersionsAndOtherFilesAreRefused) {
  EXPECT_THAT(refusal(R"({"asset": {"version": "1.0"}})").problem(),
              HasSubstr("glTF version '1.0', expected 2.0"));
  EXPECT_THAT(refusal("{}").problem(), HasSubstr("lacks 'asset'"));
  EXPECT_THAT(refusal("[]").problem(), HasSubstr("lacks 'asset'"));
  EXPECT_THAT(refusal("solid cube").problem(), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("").problem(), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(R"({"a": 1e999})").problem(), HasSubstr("too large"));
  EXPECT_THAT(refusal("glTF" + bytes_of<std::uint32_t>({1, 12})).problem(),
              HasSubstr("glTF version 1, expected 2"));
}

TEST(GltfDocument, EveryTruncationOfAContainerIsRefused) {
  const std::string whole = glb("{" + kTriangleData + "}", triangle_bytes());
  EXPECT_EQ(parse(whole).accessors.size(), 2u);
  EXPECT_EQ(parse(whole + "more").accessors.size(), 2u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(refusal(whole.substr(0, size)).problem().empty()) << size;
  }
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)).problem(), HasSubstr("truncated"));
  std::string chunk = whole;
  chunk.replace(12, 4, bytes_of<std::uint32_t>({4000000000u}));
  EXPECT_THAT(refusal(chunk).problem(), HasSubstr("truncated: 4000000000 bytes announced"));
}

TEST(GltfDocument, DeeplyNestedJsonIsNoTrouble) {
  const std::string deep(100000, '[');
  EXPECT_THAT(refusal(deep).problem(), HasSubstr("not JSON"));
  EXPECT_NO_THROW(parse("{" + kAsset + R"(, "extras": )" + deep + std::string(100000, ']') + "}"));
}

}  // namespace
}  // namespace isochor::files
