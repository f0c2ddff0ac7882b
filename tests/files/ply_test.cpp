#include "isochor/files/ply.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/byte_stream.h"
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
  SurfaceFile surface = read_ply("body.ply", std::as_bytes(std::span(text)));
  EXPECT_EQ(inconsistency(surface), "");
  return surface;
}

Error refusal(std::string_view text) {
  return error_of([&] { parse(text); });
}

/// The bytes of numbers in either order.
class Bytes {
 public:
  explicit Bytes(bool big_endian) : big_endian_(big_endian) {}
  template <class... T>
  Bytes& put(T... values) {
    (put_one(values), ...);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  template <class T>
  void put_one(T value) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
    if (big_endian_) std::ranges::reverse(bytes);
    text_ += bytes;
  }
  bool big_endian_;
  std::string text_;
};

/// A file of three vertices and one face, with the given additions.
std::string triangle(const std::string& property = "", const std::string& a = "",
                     const std::string& b = "", const std::string& c = "",
                     const std::string& face = "3 0 1 2") {
  return "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property float z\n" +
         property + "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 " +
         a + "\n1 0 0 " + b + "\n0 1 0 " + c + "\n" + face + "\n";
}

TEST(PlyReader, VerticesKeepTheirOrderAndFacesTheirCorners) {
  const SurfaceFile surface = parse(
      "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info none\r\nelement vertex 5\r\n"
      "property double x\r\nproperty double y\r\nproperty double z\r\nelement face 2\r\n"
      "property list uchar int vertex_index\r\nend_header\r\n"
      "9 9 9\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0.1\r\n4 1 2 3 4\r\n3 1 2\r\n 4\r\n");
  ASSERT_EQ(surface.mesh.positions.size(), 5u);
  EXPECT_THAT(surface.mesh.positions[0].e, ElementsAre(9, 9, 9));
  EXPECT_THAT(surface.mesh.positions[4].e, ElementsAre(0, 1, 0.1));
  EXPECT_THAT(surface.mesh.corners, ElementsAre(1, 2, 3, 4, 1, 2, 4));
  EXPECT_THAT(surface.mesh.face_starts, ElementsAre(0, 4, 7));
  EXPECT_THAT(surface.attributes, IsEmpty());
  EXPECT_THAT(surface.notes, IsEmpty());
}

TEST(PlyReader, EveryTypeIsReadInEitherByteOrder) {
  for (const bool big : {false, true}) {
    const std::string header =
        std::string("ply\nformat binary_") + (big ? "big" : "little") +
        "_endian 1.0\nelement vertex 3\nproperty short x\nproperty double y\nproperty float32 z\n"
        "property char a\nproperty uint8 b\nproperty uint16 c\nproperty int d\nproperty uint32 e\n"
        "element face 1\nproperty uchar flags\nproperty list uint16 uint vertex_indices\n"
        "property list int8 double ignored\nend_header\n";
    Bytes body(big);
    for (int v = 0; v < 3; ++v) {
      body.put(std::int16_t(-300 * v), 0.1 * v, 0.25f, std::int8_t(-5), std::uint8_t(200),
               std::uint16_t(60000), -70000, 3000000000u);
    }
    body.put(std::uint8_t(1), std::uint16_t(3), 2u, 1u, 0u, std::int8_t(2), 1.0, 2.0);
    const SurfaceFile surface = parse(header + body.text());
    EXPECT_THAT(surface.mesh.positions[2].e, ElementsAre(-600, 0.2, 0.25));
    EXPECT_THAT(surface.mesh.corners, ElementsAre(2, 1, 0));
    std::vector<float> last;
    for (const VertexAttribute& attribute : surface.attributes) {
      last.push_back(attribute.values.back());
    }
    EXPECT_THAT(last, ElementsAre(-5, 200, 60000, -70000, 3e9f));
    EXPECT_EQ(surface.attributes[3].name, "d");
  }
}

TEST(PlyReader, ColoursOfBytesAndOfFractionsComeAs0To1) {
  const std::string bytes = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  EXPECT_THAT(parse(triangle(bytes, "255 0 51", "1 1 1", "0 0 0")).attributes.at(0).values,
              ElementsAre(1, 0, 0.2f, 1 / 255.0f, 1 / 255.0f, 1 / 255.0f, 0, 0, 0));
  const std::string fractions =
      "property float diffuse_blue\nproperty float diffuse_green\nproperty float diffuse_red\n"
      "property float alpha\n";
  const SurfaceFile surface = parse(triangle(fractions, "1 0.5 0 1", "1 1 1 1", "0 0 0 0"));
  ASSERT_EQ(surface.attributes.size(), 1u);
  EXPECT_EQ(surface.attributes[0].name, "color");
  EXPECT_EQ(surface.attributes[0].components, 3);
  EXPECT_THAT(surface.attributes[0].values, ElementsAre(0, 0.5, 1, 1, 1, 1, 0, 0, 0));
}

TEST(PlyReader, TextureCoordinatesOfVerticesGoToTheirCorners) {
  for (const auto& [s, t] : {std::pair("s", "t"), {"u", "v"}, {"texture_u", "texture_v"}}) {
    const std::string properties =
        std::string("property float ") + s + "\nproperty float " + t + "\n";
    const SurfaceFile surface = parse(triangle(properties, "0 0.5", "1 0", "0 1", "3 2 1 0"));
    EXPECT_THAT(surface.texture_coordinates, ElementsAre(Uv{0, 1}, Uv{1, 0}, Uv{0, 0.5})) << s;
    EXPECT_THAT(surface.attributes, IsEmpty());
  }
}

TEST(PlyReader, TextureCoordinatesOfCornersAreTaken) {
  const SurfaceFile surface = parse(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 3\nproperty list uchar float texcoord\n"
      "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n"
      "0 3 0 1 2\n6 1 2 3 4 5 6 3 2 1 0\n0 3 0 2 1\n");
  EXPECT_THAT(surface.texture_coordinates,
              ElementsAre(Uv{0, 0}, Uv{0, 0}, Uv{0, 0}, Uv{1, 2}, Uv{3, 4}, Uv{5, 6}, Uv{0, 0},
                          Uv{0, 0}, Uv{0, 0}));
}

TEST(PlyReader, OtherScalarsAreAttributesAndNormalsAreNot) {
  const SurfaceFile surface =
      parse(triangle("property float nx\nproperty float ny\nproperty float nz\n"
                     "property double stiffness\nproperty list uchar int near\nproperty int zone\n",
                     "0 0 1 1e5 2 1 2 7", "0 0 1 2e5 0 8", "0 0 1 nan 1 1 9"));
  ASSERT_EQ(surface.attributes.size(), 2u);
  EXPECT_EQ(surface.attributes[0].name, "stiffness");
  EXPECT_EQ(surface.attributes[0].values[1], 2e5f);
  EXPECT_EQ(surface.attributes[1].name, "zone");
  EXPECT_THAT(surface.attributes[1].values, ElementsAre(7, 8, 9));
  EXPECT_THAT(surface.notes,
              ElementsAre("1 of 3 numbers in the attribute 'stiffness' are not finite"));
}

TEST(PlyReader, OtherElementsAreSkippedAndFacesMayComeFirst) {
  const SurfaceFile surface = parse(
      "ply\nformat ascii 1.0\nelement camera 2\nproperty float f\nproperty list uchar float r\n"
      "element nothing 1000000000000\nelement face 1\nproperty list uchar int vertex_indices\n"
      "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement edge 1\n"
      "property int vertex1\nend_header\n1 2 8 9\n1 0\n3 0 1 2\n0 0 0\n1 0 0\n0 1 0\n0");
  EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 1, 2));
}

TEST(PlyReader, StripsOfTrianglesBecomeFacesThatLookTheSameWay) {
  const SurfaceFile surface = parse(
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n10 0 1 2 3 3 -1 0 1 2 -1\n");
  EXPECT_THAT(surface.mesh.corners, ElementsAre(0, 1, 2, 2, 1, 3, 0, 1, 2));
}

TEST(PlyReader, TheHeaderMustMakeSense) {
  const std::pair<std::string, std::string> bad[] = {
      {"solid cube\n", "does not begin with the word ply"},
      {"ply\nelement vertex 3\nend_header\n", "does not name its format"},
      {"ply\nformat text 1.0\n", "unknown format 'text'"},
      {"ply\nformat ascii 1.0\nelement vertex three\n", "'three' is not a whole number"},
      {"ply\nformat ascii 1.0\nelement vertex -1\n", "-1 elements announced"},
      {"ply\nformat ascii 1.0\nproperty int x\n", "before the first element"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty long x\n", "unknown type 'long'"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int\n", "a name is missing"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int x\n", "'x' is there"},
      {"ply\nformat ascii 1.0\nelement face 1\nelement face 1\n", "'face' is there twice"},
      {"ply\nformat ascii 1.0\nelement face 1\nproperty list float int a\n", "in fractions"},
      {"ply\nformat ascii 1.0\nelement face 1\nproperty list int float vertex_index\n",
       "are fractions"},
      {"ply\nformat ascii 1.0\nvertices 3\n", "unknown keyword 'vertices'"},
      {"ply\nformat ascii 1.0\nelement vertex 3\n", "ends within its header"},
      {"", "does not begin"}};
  for (const auto& [text, problem] : bad) {
    const Error error = refusal(text);
    EXPECT_THAT(error.problem(), HasSubstr(problem));
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_THAT(refusal(bad[4].first).place(), EndsWith("body.ply:3"));
}

TEST(PlyReader, AMeshNeedsPositionsAndFaces) {
  const std::string start = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n";
  EXPECT_THAT(refusal(start + "end_header\n0\n").problem(), HasSubstr("lack one of"));
  const std::string points = start + "property float y\nproperty float z\n";
  EXPECT_THAT(refusal(points + "end_header\n0 0 0\n").problem(), HasSubstr("no faces"));
  EXPECT_THAT(refusal(points + "element face 1\nproperty int a\nend_header\n0 0 0\n1\n").problem(),
              HasSubstr("lacks the list vertex_indices"));
}

TEST(PlyReader, BadRowsAreRefusedWithTheirLine) {
  const std::pair<std::string, std::string> bad[] = {
      {triangle("", "", "", "", "3 0 1 3"), "face 1 uses vertex 3, but there are 3 vertices"},
      {triangle("", "", "", "", "3 0 1 -1"), "face 1 uses vertex -1"},
      {triangle("", "", "", "", "3 0 1 0.5"), "found 0.5 where a count or an index is expected"},
      {triangle("", "", "", "", "3 0 1 nan"), "found nan where"},
      {triangle("", "", "", "", "2 0 1  "), "face 1 has 2 corners, expected 3 or more"},
      {triangle("", "", "", "", "3 0 1 2 0"), "'0' follows the values"},
      {triangle("", "", "", "", "30 0 1 2"), "truncated: a list of 30 values"},
      {triangle("", "", "", "", "3 0 1 "), "truncated"},
      {triangle("", "", "", "", "-3 0 1 2"), "a list of -3 values"}};
  for (const auto& [text, problem] : bad) {
    const Error error = refusal(text);
    EXPECT_THAT(error.problem(), HasSubstr(problem));
    EXPECT_THAT(error.place(), EndsWith("body.ply:13")) << problem;
  }
  EXPECT_THAT(refusal(triangle("", "0")).place(), EndsWith("body.ply:10"));
  EXPECT_THAT(refusal(triangle() + "3 0 1 2\n").problem(), HasSubstr("a line follows the last"));
  std::string infinite = triangle();
  infinite.replace(infinite.find("1 0 0"), 1, "inf");
  EXPECT_EQ(refusal(infinite).problem(),
            "vertex 2 has the coordinate 'inf', expected a finite number");
}

const std::string kBinaryHeader =
    "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";

TEST(PlyReader, EveryTruncationOfABinaryFileIsRefused) {
  Bytes body(false);
  body.put(0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, std::uint8_t(3), 0, 1, 2);
  const std::string whole = kBinaryHeader + body.text();
  EXPECT_EQ(parse(whole + "\n").mesh.face_count(), 1u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Error error = refusal(whole.substr(0, size));
    if (size >= kBinaryHeader.size()) {
      EXPECT_THAT(error.problem(), HasSubstr("truncated")) << size;
      EXPECT_THAT(error.place(), HasSubstr("body.ply, byte ")) << size;
    }
  }
  EXPECT_THAT(refusal(whole + "more").problem(), HasSubstr("4 bytes follow the last element"));
}

TEST(PlyReader, AHeaderThatLiesReservesNothing) {
  for (const std::string count : {"4", "4000000000", "9000000000000000000"}) {
    std::string ascii = triangle();
    ascii.replace(ascii.find("vertex 3") + 7, 1, count);
    EXPECT_FALSE(refusal(ascii).remedy().empty()) << count;
    std::string binary = kBinaryHeader + std::string(49, '\0');
    binary.replace(binary.find("face 1") + 5, 1, count);
    EXPECT_THAT(refusal(binary).problem(), HasSubstr("truncated: the header announces " + count));
  }
}

TEST(PlyReader, AListLongerThanTheFileIsRefused) {
  std::string header = kBinaryHeader;
  header.replace(header.find("uchar int"), 5, "uint ");
  Bytes body(false);
  for (int i = 0; i < 9; ++i) body.put(0.f);
  body.put(4000000000u, 0, 1, 2);
  EXPECT_THAT(refusal(header + body.text()).problem(), HasSubstr("a list of 4000000000 values"));
}

TEST(PlyReader, ReadsFromAFile) {
  const TemporaryFolder folder;
  write_quickly(folder / "body.ply", triangle());
  EXPECT_EQ(read_ply(folder / "body.ply").mesh.positions.size(), 3u);
}

}  // namespace
}  // namespace isochor::files
