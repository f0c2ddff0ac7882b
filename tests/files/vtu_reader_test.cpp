#include "isochor/files/vtu_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/vtu.h"
#include "tests/files/foreign_files.h"
#include "tests/files/surface_file_checks.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

FieldFile read_text(std::string_view text) {
  return read_vtu("a.vtu", std::as_bytes(std::span(text)));
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, changed.npos) << from;
  return at == changed.npos ? changed : changed.replace(at, from.size(), to);
}

void expect_the_two_tetrahedra(const FieldFile& file) {
  ASSERT_EQ(file.points.size(), 5u);
  EXPECT_EQ(norm(file.points[1] - Vec3d{1, 0, 0}), 0);
  EXPECT_EQ(norm(file.points[4] - Vec3d{1, 1, 1}), 0);
  EXPECT_THAT(file.cells.corners, ElementsAre(0, 1, 2, 3, 1, 2, 3, 4));
  EXPECT_THAT(file.cells.starts, ElementsAre(0, 4, 8));
  EXPECT_THAT(file.cells.types, ElementsAre(10, 10));
  ASSERT_EQ(file.on_points.size(), 2u);
  EXPECT_EQ(file.on_points[0].name, "heat");
  EXPECT_THAT(file.on_points[0].values, ElementsAre(0, 0.5f, 1, -2, 3.25f));
  EXPECT_EQ(file.on_points[1].components, 3u);
  EXPECT_THAT(file.on_points[1].values,
              ElementsAre(0, 0, 0, 1, 10, -1, 2, 20, -2, 3, 30, -3, 4, 40, -4));
  ASSERT_EQ(file.on_cells.size(), 1u);
  EXPECT_EQ(file.on_cells[0].name, "zone");
  EXPECT_THAT(file.on_cells[0].values, ElementsAre(7, -3));
  EXPECT_THAT(file.left_out, ElementsAre("label of type 'String'"));
}

TEST(VtuReader, ReadsWhatVtkWritesInEveryWay) {
  expect_the_two_tetrahedra(read_text(kVtkAscii));
  expect_the_two_tetrahedra(read_text(kVtkInlinePacked));
  expect_the_two_tetrahedra(read_text(from_base64(kVtkRawPackedBase64)));
}

TEST(VtuReader, ReadsWhatOurWriterWrites) {
  const TemporaryFolder folder;
  BodyTopology body;
  for (int i = 0; i < 12; ++i) {
    body.rest_nodes.push_back({double(i % 3), double(i / 3 % 2), i / 6 + 0.1});
  }
  body.cells = {{0, 1, 3, 4, 6, 7, 9, 10}, {1, 2, 4, 5, 7, 8, 10, 11}};
  const BodyFrame frame{.nodes = body.rest_nodes,
                        .vertices = {},
                        .fields = {{"pressure", "Pa", Support::Cell, 1, {10, -20.5f}},
                                   {"a<&\">b", "", Support::Node, 1, std::vector<float>(12, 2)}}};
  write_vtu_volume(folder / "a.vtu", body, frame);
  const FieldFile file = read_field_file(folder / "a.vtu");
  ASSERT_EQ(file.points.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(norm(file.points[i] - body.rest_nodes[i]), 0);
  EXPECT_THAT(file.cells.types, ElementsAre(12, 12));
  EXPECT_THAT(file.cells.corners, ElementsAre(0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10));
  EXPECT_THAT(find_named(file.on_cells, "pressure [Pa]")->values, ElementsAre(10, -20.5f));
  EXPECT_EQ(find_named(file.on_points, "displacement [m]")->components, 3u);
  EXPECT_EQ(find_named(file.on_points, "a<&\">b")->values, std::vector<float>(12, 2));
}

TEST(VtuReader, HeaderAndDataMayBeEncodedApart) {
  // Eight bytes: the size in base64 with padding, then the numbers in base64.
  const std::string text =
      replaced(kVtkAscii, "format=\"ascii\" RangeMin=\"-3\" RangeMax=\"7\">\n          7 -3",
               "format=\"binary\">CAAAAA==BwAAAP3///8=");
  expect_the_two_tetrahedra(read_text(text));
}

TEST(VtuReader, WhatIsNotReadIsNamed) {
  const auto problem = [](std::string_view from, std::string_view to) {
    return error_of([&] { read_text(replaced(kVtkAscii, from, to)); }).problem();
  };
  EXPECT_THAT(problem("header_type", "compressor=\"vtkLZ4DataCompressor\" header_type"),
              HasSubstr("packed by vtkLZ4DataCompressor, known is vtkZLibDataCompressor"));
  EXPECT_THAT(problem("LittleEndian", "MiddleEndian"), HasSubstr("byte order 'MiddleEndian'"));
  EXPECT_THAT(problem("UInt32", "UInt16"), HasSubstr("header type 'UInt16'"));
  EXPECT_THAT(problem("<VTKFile", "<File"), HasSubstr("ended by another name"));
  EXPECT_THAT(problem("format=\"ascii\"", "format=\"hex\""),
              HasSubstr("heat has the unknown format"));
  EXPECT_THAT(problem("format=\"ascii\"", "format=\"appended\" offset=\"7\""),
              HasSubstr("beyond the end"));
  EXPECT_THAT(problem("0 0.5 1 -2 3.25", "0 0.5 1 -2"),
              HasSubstr("heat has 4 numbers, expected 5 times 1"));
  EXPECT_THAT(problem("0 0.5 1 -2 3.25", "0 0.5 1 -2 x"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(problem("\"connectivity\"", "\"corners\""),
              HasSubstr("no array called connectivity"));
  EXPECT_THAT(problem("          3 4\n", "          3 5\n"),
              HasSubstr("cell 1 has a corner that is no"));
  EXPECT_THAT(problem("          4 8\n", "          4 3\n"), HasSubstr("do not ascend"));
  EXPECT_THAT(problem("          1 1 1\n", "          1 1 nan\n"), HasSubstr("point 4"));
  EXPECT_THAT(problem("NumberOfPoints=\"5\"", "NumberOfPoints=\"-5\""),
              HasSubstr("NumberOfPoints is no whole number"));

  std::string twice(kVtkAscii);
  const std::size_t begin = twice.find("<Piece"), end = twice.find("</Piece>") + 8;
  twice.insert(end, twice.substr(begin, end - begin));
  EXPECT_THAT(error_of([&] { read_text(twice); }).problem(), HasSubstr("in 2 pieces"));
  EXPECT_THAT(
      error_of([] { read_text("<VTKFile type=\"PolyData\"><PolyData/></VTKFile>"); }).problem(),
      HasSubstr("holds 'PolyData', expected UnstructuredGrid"));
}

TEST(VtuReader, ArraysThatShareTheirBytesAreRefused) {
  // Each array takes all of the appended bytes: a few lines would otherwise fill all memory.
  std::string text =
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid>"
      "<Piece NumberOfPoints=\"200\" NumberOfCells=\"0\"><PointData>";
  for (int i = 0; i < 30; ++i) {
    text += "<DataArray type=\"UInt8\" Name=\"a\" format=\"appended\" offset=\"0\"/>";
  }
  text +=
      "</PointData><Points><DataArray type=\"UInt8\" NumberOfComponents=\"3\" format=\"ascii\">";
  for (int i = 0; i < 600; ++i) text += "1 ";
  text += "</DataArray></Points></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_";
  text += std::string("\xc8\0\0\0", 4) + std::string(200, 'x');
  EXPECT_THAT(error_of([&] { read_text(text); }).problem(), HasSubstr("overlaps"));
}

TEST(VtuReader, DamageNeverGoesBeyondAnError) {
  for (const std::string& file :
       {std::string(kVtkInlinePacked), from_base64(kVtkRawPackedBase64)}) {
    for (std::size_t i = 0; i < file.size(); ++i) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x11);
      for (const std::string_view text :
           {std::string_view(file).substr(0, i), std::string_view(damaged)}) {
        try {
          read_text(text);
        } catch (const Error& error) {
          EXPECT_EQ(error.fault(), Fault::Input);
        }
      }
    }
  }
}

}  // namespace
}  // namespace isochor::files
