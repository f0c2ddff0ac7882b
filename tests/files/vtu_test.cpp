#include "isochor/files/vtu.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two cells side by side in x and a surface of a quad and a triangle, lifted by 0.5 in z.
BodyTopology sample_topology() {
  BodyTopology body;
  body.name = "bar";
  for (int i = 0; i < 12; ++i) {
    body.rest_nodes.push_back({double(i % 3), double(i / 3 % 2), double(i / 6)});
  }
  body.cells = {{0, 1, 3, 4, 6, 7, 9, 10}, {1, 2, 4, 5, 7, 8, 10, 11}};
  body.surface.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
  body.surface.add_face(std::array{0, 1, 2, 3});
  body.surface.add_face(std::array{1, 4, 2});
  return body;
}

BodyFrame sample_frame() {
  const BodyTopology rest = sample_topology();
  BodyFrame body;
  for (const Vec3d& p : rest.rest_nodes) body.nodes.push_back(p + Vec3d{0, 0, 0.5});
  for (const Vec3d& p : rest.surface.positions) body.vertices.push_back(p + Vec3d{0, 0, 0.5});
  body.fields = {{"pressure", "Pa", Support::Cell, 1, {10, 20}},
                 {"J", "", Support::Cell, 1, {1, 0.5f}},
                 {"speed<&\">", "m/s", Support::Node, 1, std::vector<float>(12, 2)},
                 {"contact", "N", Support::Vertex, 3, std::vector<float>(15, 3)}};
  return body;
}

/// A reader of the format that shares nothing with the writer: finds an array by its name inside
/// an element and follows its offset into the raw bytes.
class VtuReader {
 public:
  explicit VtuReader(const std::filesystem::path& path) : text_(read_text_file(path)) {
    const std::size_t tag = text_.find("<AppendedData encoding=\"raw\">");
    appended_ = text_.find('_', tag) + 1;
    xml_ = text_.substr(0, tag);
  }

  const std::string& xml() const { return xml_; }

  template <class T>
  std::vector<T> array(const std::string& element, const std::string& name, const std::string& type,
                       int components) const {
    const std::size_t begin = xml_.find("<" + element + ">");
    const std::string inside = xml_.substr(begin, xml_.find("</" + element + ">") - begin);
    const std::size_t named = inside.find("Name=\"" + name + "\"");
    if (begin == std::string::npos || named == std::string::npos) {
      ADD_FAILURE() << "no array " << name << " in " << element;
      return {};
    }
    const std::size_t open = inside.rfind('<', named);
    const std::string tag = inside.substr(open, inside.find("/>", open) - open);
    EXPECT_THAT(tag, HasSubstr("type=\"" + type + "\""));
    EXPECT_THAT(tag, HasSubstr("NumberOfComponents=\"" + std::to_string(components) + "\""));
    EXPECT_THAT(tag, HasSubstr("format=\"appended\""));
    const std::string_view attribute = "offset=\"";
    const std::size_t at =
        appended_ + std::stoul(tag.substr(tag.find(attribute) + attribute.size()));
    std::uint64_t size = 0;
    std::memcpy(&size, text_.data() + at, sizeof size);
    std::vector<T> values(size / sizeof(T));
    std::memcpy(values.data(), text_.data() + at + sizeof size, size);
    return values;
  }

 private:
  std::string text_, xml_;
  std::size_t appended_ = 0;
};

TEST(VtuVolume, PointsAndDisplacementsAreTheFramesInDouble) {
  const TemporaryFolder folder;
  write_vtu_volume(folder / "a.vtu", sample_topology(), sample_frame());
  const VtuReader file(folder / "a.vtu");
  EXPECT_THAT(file.xml(), HasSubstr("byte_order=\"LittleEndian\" header_type=\"UInt64\""));
  EXPECT_THAT(file.xml(), HasSubstr("NumberOfPoints=\"12\" NumberOfCells=\"2\""));
  const auto points = file.array<double>("Points", "Points", "Float64", 3);
  const auto moved = file.array<double>("PointData", "displacement [m]", "Float64", 3);
  ASSERT_EQ(points.size(), 36u);
  ASSERT_EQ(moved.size(), 36u);
  const BodyFrame frame = sample_frame();
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(points[i], frame.nodes[i / 3][static_cast<int>(i % 3)]);
    EXPECT_EQ(moved[i], i % 3 == 2 ? 0.5 : 0);
  }
}

TEST(VtuVolume, CellsAreHexahedraInVtkOrderWithPositiveVolume) {
  const TemporaryFolder folder;
  write_vtu_volume(folder / "a.vtu", sample_topology(), sample_frame());
  const VtuReader file(folder / "a.vtu");
  const auto corners = file.array<std::int64_t>("Cells", "connectivity", "Int64", 1);
  EXPECT_THAT(corners, ElementsAre(0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10));
  EXPECT_THAT(file.array<std::int64_t>("Cells", "offsets", "Int64", 1), ElementsAre(8, 16));
  EXPECT_THAT(file.array<std::uint8_t>("Cells", "types", "UInt8", 1), ElementsAre(12, 12));

  // In VTK's order corners 1, 3 and 4 are the neighbours of corner 0, and 2 is opposite below.
  const std::vector<Vec3d> nodes = sample_frame().nodes;
  for (std::size_t c = 0; c < 16; c += 8) {
    const Vec3d origin = nodes[corners[c]];
    const Vec3d x = nodes[corners[c + 1]] - origin, y = nodes[corners[c + 3]] - origin;
    EXPECT_EQ(dot(cross(x, y), nodes[corners[c + 4]] - origin), 1);
    EXPECT_EQ(norm(nodes[corners[c + 2]] - origin - x - y), 0);
  }
}

TEST(VtuVolume, TetsAreTetrahedraInTheirOwnOrder) {
  const TemporaryFolder folder;
  BodyTopology topology = sample_topology();
  topology.cells.clear();
  topology.tets = {{0, 1, 3, 6}, {2, 5, 1, 8}};
  write_vtu_volume(folder / "a.vtu", topology, sample_frame());
  const VtuReader file(folder / "a.vtu");
  EXPECT_THAT(file.array<std::int64_t>("Cells", "connectivity", "Int64", 1),
              ElementsAre(0, 1, 3, 6, 2, 5, 1, 8));
  EXPECT_THAT(file.array<std::int64_t>("Cells", "offsets", "Int64", 1), ElementsAre(4, 8));
  EXPECT_THAT(file.array<std::uint8_t>("Cells", "types", "UInt8", 1), ElementsAre(10, 10));
  EXPECT_THAT(file.array<float>("CellData", "pressure [Pa]", "Float32", 1), ElementsAre(10, 20));
}

TEST(VtuVolume, FieldsCarryTheirUnitsAndPlace) {
  const TemporaryFolder folder;
  write_vtu_volume(folder / "a.vtu", sample_topology(), sample_frame());
  const VtuReader file(folder / "a.vtu");
  EXPECT_THAT(file.array<float>("CellData", "pressure [Pa]", "Float32", 1), ElementsAre(10, 20));
  EXPECT_THAT(file.array<float>("CellData", "J", "Float32", 1), ElementsAre(1, 0.5f));
  EXPECT_EQ(file.array<float>("PointData", "speed&lt;&amp;&quot;&gt; [m/s]", "Float32", 1).size(),
            12u);
  EXPECT_THAT(file.xml(), ::testing::Not(HasSubstr("contact"))) << "a field of the surface";
}

TEST(VtuVolume, AStoredDisplacementIsNotComputedAgain) {
  const TemporaryFolder folder;
  BodyFrame frame = sample_frame();
  frame.fields = {{"displacement", "m", Support::Node, 3, std::vector<float>(36, 9)}};
  write_vtu_volume(folder / "a.vtu", sample_topology(), frame);
  const VtuReader file(folder / "a.vtu");
  EXPECT_EQ(file.array<float>("PointData", "displacement [m]", "Float32", 3),
            std::vector<float>(36, 9));
}

TEST(VtuSurface, FacesArePolygonsAndFieldsAreThoseOfVertices) {
  const TemporaryFolder folder;
  write_vtu_surface(folder / "a.vtu", sample_topology(), sample_frame());
  const VtuReader file(folder / "a.vtu");
  EXPECT_THAT(file.xml(), HasSubstr("NumberOfPoints=\"5\" NumberOfCells=\"2\""));
  EXPECT_THAT(file.array<std::int64_t>("Cells", "connectivity", "Int64", 1),
              ElementsAre(0, 1, 2, 3, 1, 4, 2));
  EXPECT_THAT(file.array<std::int64_t>("Cells", "offsets", "Int64", 1), ElementsAre(4, 7));
  EXPECT_THAT(file.array<std::uint8_t>("Cells", "types", "UInt8", 1), ElementsAre(7, 7));
  EXPECT_EQ(file.array<float>("PointData", "contact [N]", "Float32", 3), std::vector<float>(15, 3));
  EXPECT_EQ(file.array<double>("Points", "Points", "Float64", 3)[14], 0.5);
  EXPECT_THAT(file.xml(), ::testing::Not(HasSubstr("pressure")));
}

TEST(Vtu, AFrameOfAnotherBodyIsRefused) {
  const TemporaryFolder folder;
  BodyFrame frame = sample_frame();
  frame.fields[0].values.push_back(30);
  EXPECT_EQ(
      error_of([&] { write_vtu_volume(folder / "a.vtu", sample_topology(), frame); }).problem(),
      "the frame has 3 values of pressure [Pa], the body has 2");
  frame.nodes.pop_back();
  frame.vertices.pop_back();
  EXPECT_EQ(
      error_of([&] { write_vtu_volume(folder / "a.vtu", sample_topology(), frame); }).problem(),
      "the frame has 11 nodes, the body has 12");
  EXPECT_EQ(
      error_of([&] { write_vtu_surface(folder / "a.vtu", sample_topology(), frame); }).problem(),
      "the frame has 4 vertices, the body has 5");
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Pvd, ListsFilesWithTheirTimes) {
  const TemporaryFolder folder;
  const PvdEntry entries[] = {{0, 0, "volume_0.vtu"}, {0.041666666666666664, 1, "a&b.vtu"}};
  write_pvd(folder / "run.pvd", entries);
  EXPECT_THAT(
      read_text_file(folder / "run.pvd"),
      HasSubstr("<DataSet timestep=\"0\" part=\"0\" file=\"volume_0.vtu\"/>\n"
                "<DataSet timestep=\"0.041666666666666664\" part=\"1\" file=\"a&amp;b.vtu\"/>\n"));
}

}  // namespace
}  // namespace isochor::files
