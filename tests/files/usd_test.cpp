#include "isochor/files/usd.h"

#include <cctype>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using Samples = std::map<double, std::vector<double>>;

/// A prim as the text says it: attributes by their declaration ("point3f[] points").
struct Prim {
  std::string type, name;
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::vector<double>> numbers;  ///< all numbers of a value, tuples flattened
  std::map<std::string, std::string> words;
  std::map<std::string, Samples> samples;
  std::vector<Prim> children;
};

/// A strict parser of the part of USD's grammar that an exchange file needs. It knows nothing of
/// the writer's layout; whatever it does not understand throws.
class UsdaParser {
 public:
  explicit UsdaParser(std::string text) : text_(std::move(text)) {
    if (!text_.starts_with("#usda 1.0\n")) fail("no header");
    at_ = 10;
  }

  Prim parse() {
    Prim stage;
    if (peek() == '(') metadata(stage);
    while (peek() != '\0') stage.children.push_back(prim());
    return stage;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " before: " + text_.substr(at_, 40));
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("no ") + c);
    ++at_;
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string word() {
    peek();
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
            std::string_view("_:.").find(text_[at_]) != std::string_view::npos)) {
      ++at_;
    }
    if (at_ == start) fail("no word");
    std::string found = text_.substr(start, at_ - start);
    if (text_.compare(at_, 2, "[]") == 0) at_ += 2, found += "[]";
    return found;
  }
  std::string string() {
    expect('"');
    std::string found;
    for (; text_.at(at_) != '"'; ++at_) {
      if (text_[at_] == '\n') fail("a string over several lines");
      if (text_[at_] == '\\') ++at_;
      if (text_[at_] == 'x' && text_[at_ - 1] == '\\') {
        found += static_cast<char>(std::stoi(text_.substr(at_ + 1, 2), nullptr, 16));
        at_ += 2;
      } else {
        found += text_[at_];
      }
    }
    ++at_;
    return found;
  }
  double number() {
    peek();
    std::size_t used = 0;
    const double value = std::stod(text_.substr(at_, 40), &used);
    at_ += used;
    return value;
  }
  /// A number, a tuple or a list; all tuples of a list have the same length.
  std::vector<double> value() {
    std::vector<double> numbers;
    const bool is_list = accept('['), is_tuple = !is_list && accept('(');
    if (!is_list && !is_tuple) return {number()};
    const char end = is_list ? ']' : ')';
    while (!accept(end)) {
      if (!numbers.empty()) expect(',');
      const std::vector<double> item = value();
      numbers.insert(numbers.end(), item.begin(), item.end());
    }
    return numbers;
  }
  void metadata(Prim& prim) {
    expect('(');
    while (!accept(')')) {
      const std::string key = word();
      expect('=');
      if (accept('{')) {
        while (!accept('}')) {
          if (word() != "string") fail("custom data of an unknown type");
          const std::string name = word();
          expect('=');
          prim.metadata[key + "." + name] = string();
        }
      } else {
        prim.metadata[key] = peek() == '"' ? string() : std::to_string(number());
      }
    }
  }
  Prim prim() {
    if (word() != "def") fail("no def");
    Prim found;
    found.type = word();
    found.name = string();
    if (peek() == '(') metadata(found);
    expect('{');
    while (!accept('}')) {
      if (text_.compare(at_, 4, "def ") == 0) {
        found.children.push_back(prim());
      } else {
        attribute(found);
      }
    }
    return found;
  }
  void attribute(Prim& prim) {
    std::string declaration = word();
    while (peek() != '=' && peek() != '(') declaration += " " + word();
    const bool has_value = accept('=');
    if (!has_value) {
    } else if (declaration.ends_with(".timeSamples")) {
      expect('{');
      while (!accept('}')) {
        const double time = number();
        expect(':');
        if (!prim.samples[declaration].emplace(time, value()).second) fail("a time twice");
        if (peek() != '}') expect(',');
      }
    } else if (peek() == '"') {
      prim.words[declaration] = string();
    } else if (!prim.numbers.emplace(declaration, value()).second) {
      fail("an attribute twice");
    }
    if (peek() == '(') {
      Prim extra;
      metadata(extra);
      for (const auto& [key, word] : extra.metadata) prim.words[declaration + "." + key] = word;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
};

/// A box and a triangle with awkward names; both move with x = t^2, the triangle also grows.
Topology sample_topology() {
  Topology topology;
  topology.bodies.resize(2);
  topology.bodies[0] = {.name = "soft \"box\"\n2",
                        .surface = geometry::make_box({0, 0, 0}, {1, 1, 1}, 1)};
  topology.bodies[1].name = "soft__box__2";
  topology.bodies[1].surface.positions = {{0, 0, 0}, {1e-9, 0, 0}, {0, 1.0 / 3, 0}};
  topology.bodies[1].surface.add_face(std::array{0, 1, 2});
  return topology;
}

constexpr double kRate = 24;
Frame sample_frame(int index) {
  const double time = index / kRate;
  Frame frame{.index = index, .time = time};
  for (const BodyTopology& body : sample_topology().bodies) {
    BodyFrame& moved = frame.bodies.emplace_back();
    for (const Vec3d& p : body.surface.positions) {
      moved.vertices.push_back(p + Vec3d{time * time, 0, 0});
    }
  }
  return frame;
}

Prim written(int first, int last) {
  const TemporaryFolder folder;
  const Topology topology = sample_topology();
  UsdWriter writer(folder / "a.usda", topology, "7 twists", kRate);
  for (int f = first; f <= last; ++f) writer.add(sample_frame(f));
  writer.finish();
  EXPECT_EQ(folder.file_count(), 1u) << "no section is left";
  return UsdaParser(read_text_file(folder / "a.usda")).parse();
}

TEST(Usd, StageSaysUnitsAxisAndTime) {
  const Prim stage = written(3, 6);
  EXPECT_EQ(stage.metadata.at("upAxis"), "Y");
  EXPECT_EQ(std::stod(stage.metadata.at("metersPerUnit")), 1);
  EXPECT_EQ(std::stod(stage.metadata.at("startTimeCode")), 3);
  EXPECT_EQ(std::stod(stage.metadata.at("endTimeCode")), 6);
  EXPECT_EQ(std::stod(stage.metadata.at("timeCodesPerSecond")), 24);
  EXPECT_EQ(std::stod(stage.metadata.at("framesPerSecond")), 24);
  EXPECT_EQ(stage.metadata.at("defaultPrim"), "_7_twists");
  ASSERT_EQ(stage.children.size(), 1u);
  EXPECT_EQ(stage.children[0].type, "Xform");
  EXPECT_EQ(stage.children[0].name, "_7_twists");
}

TEST(Usd, BodiesHaveDistinctIdentifiersAndKeepTheirNames) {
  const Prim root = written(0, 0).children.at(0);
  ASSERT_EQ(root.children.size(), 2u);
  EXPECT_EQ(root.children[0].name, "soft__box__2");
  EXPECT_EQ(root.children[1].name, "soft__box__2_2");
  EXPECT_EQ(root.children[0].metadata.at("customData.name"), "soft \"box\"\n2");
  EXPECT_EQ(usd_identifier("Körper"), "K__rper");
  EXPECT_EQ(usd_identifier(""), "_");
}

TEST(Usd, MeshHasFacesAndRestShapeExactlyInSinglePrecision) {
  const Prim root = written(0, 2).children.at(0);
  const Prim &box = root.children.at(0), &triangle = root.children.at(1);
  EXPECT_EQ(box.type, "Mesh");
  EXPECT_EQ(box.words.at("uniform token subdivisionScheme"), "none");
  EXPECT_EQ(box.words.at("uniform token orientation"), "rightHanded");
  const geometry::SurfaceMesh surface = sample_topology().bodies[0].surface;
  EXPECT_EQ(box.numbers.at("int[] faceVertexCounts"), std::vector<double>(6, 4));
  EXPECT_EQ(box.numbers.at("int[] faceVertexIndices"),
            std::vector<double>(surface.corners.begin(), surface.corners.end()));
  const std::vector<double>& rest = triangle.numbers.at("point3f[] points");
  ASSERT_EQ(rest.size(), 9u);
  EXPECT_EQ(static_cast<float>(rest[3]), 1e-9f);
  EXPECT_EQ(static_cast<float>(rest[7]), static_cast<float>(1.0 / 3));
  EXPECT_THAT(box.numbers.at("float3[] extent"), ElementsAre(-0.5, -0.5, -0.5, 0.5, 0.5, 0.5));
}

TEST(Usd, TextureCoordinatesAndGroupsAreCarriedAlong) {
  const TemporaryFolder folder;
  Topology topology = sample_topology();
  for (int c = 0; c < 24; ++c) {
    topology.bodies[0].texture_coordinates.push_back({float(c) / 3, 1 - float(c)});
  }
  topology.bodies[0].groups = {{"material:skin", {0, 1, 2, 5}}, {"lip 1", {1, 4}}, {"lip-1", {5}}};
  UsdWriter writer(folder / "a.usda", topology, "run", kRate);
  writer.add(sample_frame(0));
  writer.finish();
  const Prim stage = UsdaParser(read_text_file(folder / "a.usda")).parse();
  const Prim& box = stage.children[0].children.at(0);
  const std::string st = "texCoord2f[] primvars:st";
  EXPECT_EQ(box.words.at(st + ".interpolation"), "faceVarying");
  ASSERT_EQ(box.numbers.at(st).size(), 48u);
  for (int c = 0; c < 24; ++c) {
    EXPECT_EQ(float(box.numbers.at(st)[2 * c]), float(c) / 3);
    EXPECT_EQ(box.numbers.at(st)[2 * c + 1], 1 - c);
  }
  ASSERT_EQ(box.children.size(), 3u);
  EXPECT_EQ(box.children[0].type, "GeomSubset");
  EXPECT_EQ(box.children[0].name, "material_skin");
  EXPECT_EQ(box.children[0].metadata.at("customData.name"), "material:skin");
  EXPECT_EQ(box.children[0].words.at("uniform token elementType"), "face");
  EXPECT_EQ(box.children[0].words.at("uniform token familyName"), "materialBind");
  EXPECT_THAT(box.children[0].numbers.at("int[] indices"), ElementsAre(0, 1, 2, 5));
  EXPECT_EQ(box.children[1].name, "lip_1");
  EXPECT_EQ(box.children[1].words.count("uniform token familyName"), 0u);
  EXPECT_EQ(box.children[2].name, "lip_1_2");
  const Prim& triangle = stage.children[0].children.at(1);
  EXPECT_EQ(triangle.numbers.count(st), 0u);
  EXPECT_TRUE(triangle.children.empty());
}

TEST(Usd, PointsAndExtentsFollowTheFrames) {
  const Prim mesh = written(12, 24).children.at(0).children.at(0);
  const Samples& points = mesh.samples.at("point3f[] points.timeSamples");
  const Samples& extents = mesh.samples.at("float3[] extent.timeSamples");
  ASSERT_EQ(points.size(), 13u);
  ASSERT_EQ(extents.size(), 13u);
  for (const auto& [time, values] : points) {
    const std::vector<float> expected =
        single_precision(sample_frame(static_cast<int>(time)).bodies[0].vertices);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(static_cast<float>(values[i]), expected[i]);
    }
    const double x = time * time / kRate / kRate;
    EXPECT_NEAR(extents.at(time)[0], x - 0.5, 1e-7);
    EXPECT_NEAR(extents.at(time)[3], x + 0.5, 1e-7);
    EXPECT_EQ(extents.at(time)[5], 0.5);
  }
}

TEST(Usd, VelocitiesAreDifferencesPerSecond) {
  const Prim mesh = written(0, 24).children.at(0).children.at(1);
  const Samples& velocities = mesh.samples.at("vector3f[] velocities.timeSamples");
  ASSERT_EQ(velocities.size(), 25u);
  for (const auto& [time, values] : velocities) {
    ASSERT_EQ(values.size(), 9u);
    // Of t^2 the central difference is exact; at the ends it is that of half a frame inside.
    const double inside = time == 0 ? 0.5 : time == 24 ? 23.5 : time;
    EXPECT_NEAR(values[6], 2 * inside / kRate, 1e-6);
    EXPECT_EQ(values[7], 0);
  }
}

TEST(Usd, WhatContactDoesToVerticesArePrimvars) {
  const TemporaryFolder folder;
  const Topology topology = sample_topology();
  UsdWriter writer(folder / "a.usda", topology, "run", kRate);
  for (int f = 0; f < 2; ++f) {
    Frame frame = sample_frame(f);
    frame.bodies[1].fields = {
        {.name = "contact_gap",
         .unit = "m",
         .support = Support::Vertex,
         .values = {0.5f, float(f), 2}},
        {.name = "contact_force",
         .unit = "N",
         .support = Support::Vertex,
         .components = 3,
         .values = {1, 2, 3, 4, 5, 6, 7, 8, float(f)}},
        {.name = "J", .unit = "", .support = Support::Vertex, .values = {1, 1, 1}}};
    writer.add(frame);
  }
  writer.finish();
  EXPECT_EQ(folder.file_count(), 1u) << "no section is left";
  const Prim stage = UsdaParser(read_text_file(folder / "a.usda")).parse();
  const Prim &box = stage.children[0].children.at(0), &mesh = stage.children[0].children.at(1);
  EXPECT_EQ(mesh.words.at("float[] primvars:contact_gap.interpolation"), "vertex");
  EXPECT_EQ(mesh.words.at("float[] primvars:contact_gap.customData.unit"), "m");
  EXPECT_THAT(mesh.samples.at("float[] primvars:contact_gap.timeSamples").at(1),
              ElementsAre(0.5, 1, 2));
  EXPECT_EQ(mesh.words.at("vector3f[] primvars:contact_force.customData.unit"), "N");
  EXPECT_THAT(mesh.samples.at("vector3f[] primvars:contact_force.timeSamples").at(0),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 0));
  EXPECT_EQ(mesh.samples.size(), 5u) << "points, extents, velocities and the two";
  EXPECT_EQ(box.samples.size(), 3u);
}

TEST(Usd, OneFrameHasNoVelocities) {
  const Prim mesh = written(5, 5).children.at(0).children.at(0);
  EXPECT_EQ(mesh.samples.count("vector3f[] velocities.timeSamples"), 0u);
  EXPECT_EQ(mesh.samples.at("point3f[] points.timeSamples").count(5), 1u);
}

TEST(Usd, BrokenOffItLeavesNothing) {
  const TemporaryFolder folder;
  {
    const Topology topology = sample_topology();
    UsdWriter writer(folder / "a.usda", topology, "run", kRate);
    writer.add(sample_frame(0));
    Frame other = sample_frame(1);
    other.bodies[1].vertices.pop_back();
    EXPECT_THROW(writer.add(other), std::logic_error);
    other.bodies.pop_back();
    EXPECT_THROW(writer.add(other), std::logic_error);
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace isochor::files
