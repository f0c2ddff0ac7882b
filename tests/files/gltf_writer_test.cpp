#include "isochor/files/gltf_writer.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

#include "isochor/base/file.h"
#include "isochor/files/gltf.h"
#include "isochor/files/gltf_document.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A JSON value, read by a parser that throws at whatever the grammar does not allow.
struct Json {
  std::map<std::string, Json> object;
  std::vector<Json> array;
  std::string text;
  double number = 0;

  const Json& operator[](const std::string& key) const { return object.at(key); }
  const Json& operator[](std::size_t i) const { return array.at(i); }
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const Json& item : array) all.push_back(item.number);
    return all;
  }

  static Json parse(std::string_view& in) {
    Json value;
    if (accept(in, '{')) {
      while (!accept(in, '}')) {
        if (!value.object.empty()) expect(in, ',');
        const std::string key = string(in);
        expect(in, ':');
        if (!value.object.emplace(key, parse(in)).second) throw std::runtime_error("key twice");
      }
    } else if (accept(in, '[')) {
      while (!accept(in, ']')) {
        if (!value.array.empty()) expect(in, ',');
        value.array.push_back(parse(in));
      }
    } else if (in.starts_with('"')) {
      value.text = string(in);
    } else {
      const auto [end, fault] = std::from_chars(in.data(), in.data() + in.size(), value.number);
      if (fault != std::errc() || !std::isfinite(value.number)) throw std::runtime_error("number");
      in.remove_prefix(static_cast<std::size_t>(end - in.data()));
    }
    return value;
  }

 private:
  static bool accept(std::string_view& in, char c) {
    if (!in.starts_with(c)) return false;
    in.remove_prefix(1);
    return true;
  }
  static void expect(std::string_view& in, char c) {
    if (!accept(in, c)) throw std::runtime_error("expected " + std::string(1, c));
  }
  static std::string string(std::string_view& in) {
    std::string text;
    for (expect(in, '"'); !accept(in, '"'); in.remove_prefix(1)) {
      if (in.front() >= 0 && in.front() < ' ') throw std::runtime_error("control character");
      if (accept(in, '\\') && accept(in, 'u')) {
        text += static_cast<char>(std::stoi(std::string(in.substr(0, 4)), nullptr, 16));
        in.remove_prefix(3);
      } else {
        text += in.front();
      }
    }
    return text;
  }
};

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// A sphere, a body without a surface, and a quad.
Topology sample_topology() {
  Topology topology;
  topology.bodies.resize(3);
  topology.bodies[0] = {.name = "a \"ball\"",
                        .surface = geometry::make_sphere({0, 0.1, 0}, 0.3, 0.1)};
  topology.bodies[1].name = "lattice only";
  topology.bodies[2].name = "sheet\t";
  topology.bodies[2].surface.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {9, 9, 9}};
  topology.bodies[2].surface.add_face(std::array{0, 1, 2, 3});
  return topology;
}

/// Bodies turn about x by a radian per frame and fly off in z.
Frame sample_frame(int index) {
  Frame frame{.index = index, .time = index / 8.0};
  const double c = std::cos(double(index)), s = std::sin(double(index));
  for (const BodyTopology& body : sample_topology().bodies) {
    BodyFrame& moved = frame.bodies.emplace_back();
    for (const Vec3d& p : body.surface.positions) {
      moved.vertices.push_back({p[0], c * p[1] - s * p[2], s * p[1] + c * p[2] + index});
    }
  }
  return frame;
}

class GltfWriterTest : public ::testing::Test {
 protected:
  static constexpr int kFirst = 2, kFrames = 4;

  GltfWriterTest() {
    GltfWriter writer(path_, sample_topology(), "clip", kFrames);
    for (int f = kFirst; f < kFirst + kFrames; ++f) writer.add(sample_frame(f));
    writer.finish();
    bytes_ = read_text_file(path_);
    text_ = bytes_.substr(20, number_at(bytes_, 12));
    std::string_view in = text_;
    json_ = Json::parse(in);
    EXPECT_EQ(in.find_first_not_of(' '), std::string_view::npos);
    document_ = parse_gltf("a.glb", std::as_bytes(std::span(bytes_)), {});
  }
  std::vector<float> floats(const Json& accessor) const {
    return read_floats(document_, static_cast<std::size_t>(accessor.number));
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.glb";
  std::string bytes_, text_;
  Json json_;
  GltfDocument document_;
};

TEST_F(GltfWriterTest, ContainerIsWhole) {
  EXPECT_EQ(bytes_.substr(0, 4), "glTF");
  EXPECT_EQ(number_at(bytes_, 4), 2u);
  EXPECT_EQ(number_at(bytes_, 8), bytes_.size());
  const std::uint32_t json_size = number_at(bytes_, 12);
  EXPECT_EQ(json_size % 4, 0u);
  EXPECT_EQ(bytes_.substr(16, 4), "JSON");
  const std::uint32_t binary_size = number_at(bytes_, 20 + json_size);
  EXPECT_EQ(bytes_.substr(24 + json_size, 4), std::string("BIN\0", 4));
  EXPECT_EQ(28 + json_size + binary_size, bytes_.size());
  EXPECT_EQ(json_["buffers"][0]["byteLength"].number, binary_size);
  EXPECT_EQ(json_["asset"]["generator"].text, "Isochor");
  EXPECT_EQ(folder_.file_count(), 1u);
}

TEST_F(GltfWriterTest, ViewsFillTheBufferWithoutOverlap) {
  double end = 0;
  for (const Json& view : json_["bufferViews"].array) {
    EXPECT_EQ(view["byteOffset"].number, end);
    EXPECT_EQ(std::fmod(end, 4), 0);
    end += view["byteLength"].number;
  }
  EXPECT_EQ(end, json_["buffers"][0]["byteLength"].number);
}

TEST_F(GltfWriterTest, RestShapeReadsBackAsTriangles) {
  const SurfaceFile back = read_gltf(path_);
  const Topology topology = sample_topology();
  const geometry::SurfaceMesh& ball = topology.bodies[0].surface;
  ASSERT_EQ(back.mesh.positions.size(), ball.positions.size() + 5);
  for (std::size_t v = 0; v < ball.positions.size(); ++v) {
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(back.mesh.positions[v][a], static_cast<float>(ball.positions[v][a]));
    }
  }
  const std::vector<geometry::Triangle> triangles = geometry::triangulate(ball);
  ASSERT_EQ(back.mesh.face_count(), triangles.size() + 2);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    EXPECT_THAT(back.mesh.face(t), ::testing::ElementsAreArray(triangles[t]));
  }
  EXPECT_EQ(json_["nodes"].array.size(), 2u) << "the body without a surface is left out";
  EXPECT_EQ(json_["nodes"][0]["name"].text, "a \"ball\"");
  EXPECT_EQ(json_["nodes"][1]["name"].text, "sheet\t");
}

TEST_F(GltfWriterTest, TargetsAddUpToTheFrames) {
  for (std::size_t m = 0; m < 2; ++m) {
    const Json& primitive = json_["meshes"][m]["primitives"][0];
    const std::vector<float> rest = floats(primitive["attributes"]["POSITION"]);
    const std::vector<float> rest_normals = floats(primitive["attributes"]["NORMAL"]);
    ASSERT_EQ(primitive["targets"].array.size(), std::size_t{kFrames});
    for (int f = 0; f < kFrames; ++f) {
      const Json& target = primitive["targets"][static_cast<std::size_t>(f)];
      const std::vector<float> moved = floats(target["POSITION"]),
                               turned = floats(target["NORMAL"]);
      const std::vector<float> expected =
          single_precision(sample_frame(kFirst + f).bodies[2 * m].vertices);
      const double c = std::cos(double(kFirst + f)), s = std::sin(double(kFirst + f));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(rest[i] + moved[i], expected[i], 1e-6);
      }
      // Normals turn with the body, except that of the vertex without a face.
      for (std::size_t i = 0; i + 3 <= expected.size() && !(m == 1 && i == 12); i += 3) {
        const float* n = &rest_normals[i];
        EXPECT_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-6);
        EXPECT_NEAR(n[1] + turned[i + 1], c * n[1] - s * n[2], 1e-6);
        EXPECT_NEAR(n[2] + turned[i + 2], s * n[1] + c * n[2], 1e-6);
      }
    }
  }
  const std::vector<float> sheet_normals =
      floats(json_["meshes"][1]["primitives"][0]["attributes"]["NORMAL"]);
  EXPECT_EQ(sheet_normals[2], 1);
}

TEST_F(GltfWriterTest, NormalsOfASpherePointOutward) {
  const Json& attributes = json_["meshes"][0]["primitives"][0]["attributes"];
  const std::vector<float> positions = floats(attributes["POSITION"]);
  const std::vector<float> normals = floats(attributes["NORMAL"]);
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    EXPECT_GT((positions[i] * normals[i] + (positions[i + 1] - 0.1) * normals[i + 1] +
               positions[i + 2] * normals[i + 2]) /
                  0.3,
              0.98);
  }
}

TEST_F(GltfWriterTest, AnimationLeadsThroughTheFrames) {
  const Json& animation = json_["animations"][0];
  const Json& sampler = animation["samplers"][0];
  EXPECT_EQ(sampler["interpolation"].text, "LINEAR");
  EXPECT_THAT(floats(sampler["input"]), ElementsAre(0, 0.125f, 0.25f, 0.375f));
  EXPECT_THAT(floats(sampler["output"]),
              ElementsAre(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1));
  ASSERT_EQ(animation["channels"].array.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(animation["channels"][c]["target"]["path"].text, "weights");
    EXPECT_EQ(animation["channels"][c]["target"]["node"].number, double(c));
  }
  EXPECT_THAT(json_["meshes"][0]["weights"].numbers(), ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(json_["meshes"][0]["extras"]["targetNames"][3].text, "frame 5");
}

TEST_F(GltfWriterTest, BoundsAreThoseOfTheNumbers) {
  std::size_t bounded = 0;
  for (std::size_t a = 0; a < json_["accessors"].array.size(); ++a) {
    const Json& accessor = json_["accessors"][a];
    if (!accessor.object.contains("min")) continue;
    ++bounded;
    const std::vector<float> numbers = read_floats(document_, a);
    std::vector<double> low = accessor["min"].numbers(), high = accessor["max"].numbers();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_LE(low[i % low.size()], numbers[i]);
      EXPECT_GE(high[i % low.size()], numbers[i]);
    }
    for (std::size_t i = 0; i < low.size(); ++i) {
      EXPECT_EQ(low[i], static_cast<float>(low[i])) << "no digit is rounded";
      EXPECT_TRUE(std::ranges::find(numbers, static_cast<float>(high[i])) != numbers.end());
    }
  }
  EXPECT_EQ(bounded, 2 * (1 + kFrames) + 1u) << "positions, targets and key times";
}

TEST(GltfWriter, LongAndLargeClipsAreRefusedWithAnAlternative) {
  const TemporaryFolder folder;
  const Topology topology = sample_topology();
  const Error many = error_of([&] { GltfWriter(folder / "a.glb", topology, "a", 2001); });
  EXPECT_EQ(many.problem(), "2001 frames, a clip has at most 2000");
  EXPECT_THAT(many.remedy(), HasSubstr("--format usd or pc2"));
  Topology large = topology;
  large.bodies[2].surface.positions.resize(100000);
  const Error heavy = error_of([&] { GltfWriter(folder / "a.glb", large, "a", 200); });
  EXPECT_THAT(heavy.problem(), HasSubstr("would take 480 MB, at most 300 MB"));
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(GltfWriter, WhatCannotBeShownIsRefused) {
  const TemporaryFolder folder;
  Topology topology = sample_topology();
  {
    GltfWriter writer(folder / "a.glb", topology, "a", 1);
    Frame frame = sample_frame(0);
    frame.bodies[2].vertices[1][0] = std::nan("");
    EXPECT_EQ(error_of([&] { writer.add(frame); }).problem(), "a vertex has no finite position");
    frame.bodies[2].vertices.pop_back();
    EXPECT_THROW(writer.add(frame), std::logic_error);
    EXPECT_THROW(writer.finish(), std::logic_error);
  }
  topology.bodies = {topology.bodies[1]};
  EXPECT_EQ(error_of([&] { GltfWriter(folder / "a.glb", topology, "a", 1); }).problem(),
            "no body has a face");
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(GltfWriter, TextureCoordinatesAndMaterialsComeBackOnTheUsersVertices) {
  const TemporaryFolder folder;
  BodyTopology body{.name = "sheet"};
  body.surface.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  body.surface.add_face(std::array{0, 1, 2});
  body.surface.add_face(std::array{0, 2, 3});
  // A seam: vertex 0 has two of them, vertex 2 the same in both faces.
  body.texture_coordinates = {{0, 0}, {0.5f, 0}, {0.5f, 1}, {0.75f, 0}, {0.5f, 1}, {1, 1}};
  body.groups = {{"material:pale", {0}}, {"material:dark", {1}}, {"front", {0, 1}}};
  const Topology topology{.bodies = {body}};
  GltfWriter writer(folder / "a.glb", topology, "a", 1);
  Frame frame{.index = 0, .time = 0, .bodies = {BodyFrame{.vertices = body.surface.positions}}};
  for (Vec3d& p : frame.bodies[0].vertices) p[2] = 0.25;
  writer.add(frame);
  writer.finish();

  const SurfaceFile read = read_gltf(folder / "a.glb");
  ASSERT_EQ(read.mesh.face_count(), 2u);
  ASSERT_EQ(read.texture_coordinates.size(), 6u);
  for (std::size_t c = 0; c < 6; ++c) {
    const Vec3d& expected = body.surface.positions[body.surface.corners[c]];
    EXPECT_EQ(read.mesh.positions[read.mesh.corners[c]][0], expected[0]) << c;
    EXPECT_EQ(read.mesh.positions[read.mesh.corners[c]][1], expected[1]) << c;
    EXPECT_EQ(read.texture_coordinates[c], body.texture_coordinates[c]) << c;
  }
  std::map<std::string, std::vector<std::int32_t>> groups;
  for (const FaceGroup& group : read.groups) groups[group.name] = group.faces;
  EXPECT_EQ(groups["material:pale"], std::vector<std::int32_t>{0});
  EXPECT_EQ(groups["material:dark"], std::vector<std::int32_t>{1});
}

}  // namespace
}  // namespace isochor::files
