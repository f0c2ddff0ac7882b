#include "isochor/files/tet_file.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/medit.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/tetgen.h"
#include "isochor/files/text_scanner.h"
#include "isochor/files/vega.h"
#include "isochor/files/vtk_legacy.h"
#include "isochor/files/vtu.h"
#include "isochor/files/vtu_reader.h"
#include "tests/files/foreign_files.h"
#include "tests/files/temporary_folder.h"
#include "tests/files/tet_file_checks.h"

namespace isochor::files {
namespace {

using geometry::Tet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

/// What every format says here: two tets over five points, in two regions.
void expect_two_tets(const TetFile& file) {
  EXPECT_EQ(inconsistency(file), "");
  EXPECT_THAT(file.mesh.tets, ElementsAre(Tet{0, 1, 2, 3}, Tet{0, 2, 1, 4}));
  ASSERT_EQ(file.mesh.positions.size(), 5u);
  EXPECT_THAT(file.mesh.positions[4].e, ElementsAre(0, 0, -2));
  EXPECT_THAT(file.mesh.regions, ElementsAre(0, 1));
}

// ---- MEDIT ----

const std::string kMedit =
    "MeshVersionFormatted 1\n# by hand\nDimension\n3\nVertices\n5\n0 0 0 0\n1 0 0 1\n0 1 0 0\n"
    "0 0 1 0\n0 0 -2 0\nTriangles\n1\n1 2 3 4\nCorners\n1\n1\nTetrahedra\n2\n1 2 3 4 8\n"
    "1 3 2 5 9\nEnd\n";

TEST(MeditReader, TetsAndTheirReferencesAreRead) {
  const TetFile file = read_medit("body.mesh", bytes(kMedit));
  expect_two_tets(file);
  EXPECT_THAT(file.region_names, ElementsAre("8", "9"));
  EXPECT_THAT(file.notes, ElementsAre("1 triangle left out"));
}

TEST(MeditReader, WhatCannotBeReadIsRefusedWithItsPlace) {
  const std::tuple<std::string, std::string, std::string> bad[] = {
      {"solid", "body.mesh", "begins with 'solid'"},
      {replaced(kMedit, "Dimension\n3", "Dimension\n2"), "body.mesh:4", "in 2 dimensions"},
      {replaced(kMedit, "1 3 2 5 9", "1 3 2 6 9"), "body.mesh:21", "has the vertex 6"},
      {replaced(kMedit, "1 3 2 5 9", "0 3 2 5 9"), "body.mesh:21", "has the vertex 0"},
      {replaced(kMedit, "0 0 -2", "0 0 inf"), "body.mesh:11", "expected a finite number"},
      {replaced(kMedit, "Vertices\n5", "Vertices\n99999999"), "body.mesh:6", "announced"},
      {replaced(kMedit, "Tetrahedra\n2", "Tetrahedra\n-1"), "body.mesh:19", "announced"},
      {kMedit.substr(0, kMedit.find("1 3 2 5 9")), "body.mesh:19", "announced"},
      {replaced(kMedit, kMedit.substr(kMedit.find("Tetra")), "End\n"), "body.mesh",
       "has no tetrahedra: 1 triangle"},
      {kMedit.substr(0, kMedit.find("9\nEnd") + 1), "body.mesh:21", "does not end with End"}};
  for (const auto& [text, place, problem] : bad) {
    const Error error = error_of([&] { read_medit("body.mesh", bytes(text)); });
    EXPECT_EQ(error.place(), place) << problem;
    EXPECT_THAT(error.problem(), HasSubstr(problem));
  }
}

/// But for what comes after its mark.
TEST(MeditReader, EveryCutIsRefused) {
  for (std::size_t n = 0; n < kMedit.size() - 1; ++n) {
    const std::string cut = kMedit.substr(0, n);
    error_of([&] { read_medit("body.mesh", bytes(cut)); });
  }
  expect_two_tets(read_medit("body.mesh", bytes(kMedit.substr(0, kMedit.size() - 1))));
}

// ---- VTK ----

const std::string kVtk =
    "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "0 0 0 1 0 0\n0 1 0 0 0 1 0 0 -2\n\nCELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 0 2 1 4\n\n"
    "CELL_TYPES 3\n10\n5\n10\n\nCELL_DATA 3\nSCALARS material int 1\nLOOKUP_TABLE default\n4 0 6\n"
    "VECTORS fibre double\n1 0 0 0 0 0 0 1 0\nPOINT_DATA 5\nFIELD FieldData 1\n"
    "heat 1 5 float\n1 2 3 4 5\nMETADATA\nINFORMATION 0\n\n";

TEST(VtkReader, AsciiIsReadWithItsArrays) {
  const TetFile file = tets_of(read_vtk_legacy("body.vtk", bytes(kVtk)));
  expect_two_tets(file);
  EXPECT_THAT(file.region_names, ElementsAre("4", "6"));
  EXPECT_THAT(file.notes, ElementsAre("1 triangle left out"));
  ASSERT_EQ(file.on_tets.size(), 2u);
  EXPECT_EQ(file.on_tets[1].name, "fibre");
  EXPECT_THAT(file.on_tets[1].values, ElementsAre(1, 0, 0, 0, 1, 0));
  ASSERT_EQ(file.on_vertices.size(), 1u);
  EXPECT_THAT(file.on_vertices[0].values, ElementsAre(1, 2, 3, 4, 5));
}

template <class T>
void put_big(std::string& out, std::initializer_list<T> numbers) {
  for (const T number : numbers) {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), &number, sizeof(T));
    std::ranges::reverse(raw);
    out.append(raw.data(), raw.size());
  }
}

std::string binary_vtk(bool new_cells) {
  std::string out =
      "# vtk DataFile Version 5.1\nby hand\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
      "POINTS 5 double\n";
  put_big<double>(out, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -2});
  if (new_cells) {
    out += "\nCELLS 3 8\nOFFSETS vtktypeint64\n";
    put_big<std::int64_t>(out, {0, 4, 8});
    out += "\nCONNECTIVITY vtktypeint64\n";
    put_big<std::int64_t>(out, {0, 1, 2, 3, 0, 2, 1, 4});
  } else {
    out += "\nCELLS 2 10\n";
    put_big<std::int32_t>(out, {4, 0, 1, 2, 3, 4, 0, 2, 1, 4});
  }
  out += "\nCELL_TYPES 2\n";
  put_big<std::int32_t>(out, {10, 10});
  out += "\nCELL_DATA 2\nSCALARS region int\nLOOKUP_TABLE default\n";
  put_big<std::int32_t>(out, {1, 2});
  return out + "\n";
}

TEST(VtkReader, BinaryIsReadInBothFormsOfCells) {
  for (const bool new_cells : {false, true}) {
    const TetFile file = tets_of(read_vtk_legacy("body.vtk", bytes(binary_vtk(new_cells))));
    expect_two_tets(file);
    EXPECT_THAT(file.notes, IsEmpty());
  }
}

TEST(VtkReader, WhatCannotBeReadIsRefused) {
  const std::pair<std::string, std::string> bad[] = {
      {"solid\n", "does not begin with"},
      {replaced(kVtk, "UNSTRUCTURED_GRID", "POLYDATA"), "holds 'POLYDATA'"},
      {replaced(kVtk, "POINTS 5", "POINTS 500000000"), "announced"},
      {replaced(kVtk, "POINTS 5 float", "POINTS 5 string"), "type 'string' are not known"},
      {replaced(kVtk, "4 0 2 1 4", "4 0 2 1 5"), "has a corner that is no point"},
      {replaced(kVtk, "4 0 2 1 4", "9 0 2 1 4"), "more corners than CELLS"},
      {replaced(kVtk, "CELL_TYPES 3\n10\n", "CELL_TYPES 2\n"), "types of 2"},
      {replaced(kVtk, "CELL_DATA 3", "CELL_DATA 4"), "is for 4 items, but there are 3"},
      {replaced(kVtk, "0 0 -2", "0 0 nan"), "no finite number"},
      {replaced(kVtk, "VECTORS", "VICTORS"), "'VICTORS' is not known"}};
  for (const auto& [text, problem] : bad) {
    const Error error = error_of([&] { tets_of(read_vtk_legacy("body.vtk", bytes(text))); });
    EXPECT_THAT(error.problem(), HasSubstr(problem));
    EXPECT_NE(error.remedy(), "");
  }
  for (const bool new_cells : {false, true}) {
    const std::string whole = binary_vtk(new_cells);
    for (std::size_t n = 0; n < whole.find("CELL_DATA") - 1; ++n) {
      const std::string cut = whole.substr(0, n);
      error_of([&] { tets_of(read_vtk_legacy("body.vtk", bytes(cut))); });
    }
  }
}

/// VTK's own format has no mark at its end, and files that people write may lack the last line's.
TEST(VtkReader, AnOpenEndIsNoted) {
  const std::string cells = kVtk.substr(0, kVtk.find("\nCELL_DATA") - 1);
  const TetFile file = tets_of(read_vtk_legacy("body.vtk", bytes(cells)));
  EXPECT_EQ(file.mesh.tets.size(), 2u);
  EXPECT_THAT(file.notes, ElementsAre(kOpenEnd, "1 triangle left out"));
  // Half of the type of a tet is that of a point.
  const std::string cut = cells.substr(0, cells.size() - 1);
  EXPECT_THAT(tets_of(read_vtk_legacy("body.vtk", bytes(cut))).notes[0], kOpenEnd);
}

TEST(VtuTets, EveryCutIsRefused) {
  const std::string_view whole = kVtkAscii;
  for (std::size_t n = 0; n < whole.find_last_of('>'); ++n) {
    error_of([&] { tets_of(read_vtu("body.vtu", bytes(whole.substr(0, n)))); });
  }
}

TEST(VtuTets, FilesOfVtkAreRead) {
  TemporaryFolder folder;
  write_quickly(folder / "ascii.vtu", kVtkAscii);
  const TetFile file = read_tets(folder / "ascii.vtu");
  EXPECT_EQ(inconsistency(file), "");
  EXPECT_EQ(file.mesh.tets.size(), 2u);
  EXPECT_THAT(file.region_names, ElementsAre("-3", "7"));
  EXPECT_THAT(file.mesh.regions, ElementsAre(1, 0));
  EXPECT_EQ(file.on_vertices.size(), 2u);
}

// ---- TetGen ----

const std::string kNode =
    "# nodes\n5 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 1\n4 0 0 1 1\n5 0 0 -2 1\n";
const std::string kEle = "2 4 1\n1 1 2 3 4 30\n2 1 3 2 5 40\n# by tetgen -A\n";

TEST(TetgenReader, ThePairIsFoundFromEither) {
  TemporaryFolder folder;
  write_quickly(folder / "body.1.node", kNode);
  const Error alone = error_of([&] { read_tets(folder / "body.1.node"); });
  EXPECT_THAT(alone.problem(), HasSubstr("body.1.ele is not there"));
  write_quickly(folder / "body.1.ele", kEle);
  for (const char* name : {"body.1.node", "body.1.ele"}) {
    const TetFile file = read_tets(folder / name);
    expect_two_tets(file);
    EXPECT_THAT(file.region_names, ElementsAre("30", "40"));
  }
}

TEST(TetgenReader, NodesMayCountFromZero) {
  expect_two_tets(read_tetgen("body",
                              bytes("5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0 0 -2\n"),
                              bytes("2 4 1\n0 0 1 2 3 1\n1 0 2 1 4 2\n")));
}

TEST(TetgenReader, WhatCannotBeReadIsRefusedWithItsPlace) {
  const std::tuple<std::string, std::string, std::string, std::string> bad[] = {
      {"", kEle, "body.node:0", "is empty"},
      {replaced(kNode, "5 3", "5 2"), kEle, "body.node:2", "in 2 dimensions"},
      {replaced(kNode, "5 3", "9999999 3"), kEle, "body.node:2", "announced"},
      {replaced(kNode, "5 0 0 -2", "4 0 0 -2"), kEle, "body.node:7", "two nodes have the number 4"},
      {kNode, replaced(kEle, "1 3 2 5", "1 3 2 6"), "body.ele:3", "has the node 6"},
      {kNode, replaced(kEle, "2 4 1", "2 8 1"), "body.ele:1", "tets have 8 nodes"},
      {kNode, replaced(kEle, "2 1 3 2 5 40\n", "2 1 3\n"), "body.ele:3", "too short"}};
  for (const auto& [nodes, elements, place, problem] : bad) {
    const Error error = error_of([&] { read_tetgen("body", bytes(nodes), bytes(elements)); });
    EXPECT_EQ(error.place(), place) << problem;
    EXPECT_THAT(error.problem(), HasSubstr(problem));
  }
}

TEST(TetgenReader, AnOpenEndIsNoted) {
  const auto cut = [](const std::string& text) { return text.substr(0, text.find("40\n") + 1); };
  const TetFile file = read_tetgen("body", bytes(kNode), bytes(cut(kEle)));
  EXPECT_THAT(file.notes, ElementsAre(std::string("body.ele: ") + kOpenEnd));
  EXPECT_THAT(read_tetgen("body", bytes(kNode), bytes(kEle)).notes, IsEmpty());
}

// ---- Vega ----

const std::string kVega =
    "# Vega\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -2\n"
    "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 1 3 2 5\n*SET shell\n*INCLUDE shell.txt\n"
    "*SET rest\n2,\n*MATERIAL hard\nENU, 1000, 2e7, 0.45\n*REGION\nshell, hard\n*REGION\n"
    "rest, soft\n";

TEST(VegaReader, RegionsOfIncludedSetsAreRead) {
  TemporaryFolder folder;
  write_quickly(folder / "body.veg", kVega);
  const TetFile without = read_tets(folder / "body.veg");
  EXPECT_THAT(without.notes[0], "shell.txt is not there: the set 'shell' is left out");
  EXPECT_THAT(without.region_names, ElementsAre("no region", "rest"));
  write_quickly(folder / "shell.txt", "1\n");
  const TetFile file = read_tets(folder / "body.veg");
  expect_two_tets(file);
  EXPECT_THAT(file.region_names, ElementsAre("shell", "rest"));
  EXPECT_THAT(file.notes[0], "region 'shell' is of hard: ENU 1000 2e7 0.45");
}

TEST(VegaReader, WhatCannotBeReadIsRefused) {
  const std::pair<std::string, std::string> bad[] = {
      {"solid\n", "expected a section such as *VERTICES"},
      {replaced(kVega, "TET\n", "CUBIC\n"), "expected TET"},
      {replaced(kVega, "2 1 3 2 5\n", "2 1 3 2 6\n"), "has the vertex 6"},
      {replaced(kVega, "2 1 3 2 5\n", ""), "1 of 2 tets are there"},
      {replaced(kVega, "3 0 1 0\n", "7 0 1 0\n"), "vertex 7 is out of order"},
      {replaced(kVega, "*SET rest\n2,", "*SET rest\n3,"), "has the element 3, but there are 2"},
      {replaced(kVega, "5 3 0 0", "-5 3 0 0"), "announced"}};
  for (const auto& [text, problem] : bad) {
    const Error error = error_of([&] { read_vega("body.veg", bytes(text)); });
    EXPECT_THAT(error.problem(), HasSubstr(problem));
  }
}

TEST(VegaReader, AnOpenEndIsNoted) {
  const std::string whole =
      "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -2\n"
      "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 1 3 2 5\n";
  EXPECT_THAT(read_vega("body.veg", bytes(whole)).notes, IsEmpty());
  const std::string open = whole.substr(0, whole.size() - 1);
  EXPECT_THAT(read_vega("body.veg", bytes(open)).notes,
              ElementsAre(std::string("body.veg: ") + kOpenEnd));
}

TEST(VegaReader, FilesThatIncludeThemselvesEnd) {
  TemporaryFolder folder;
  write_quickly(folder / "loop.veg", "*INCLUDE loop.veg\n");
  EXPECT_THAT(error_of([&] { read_tets(folder / "loop.veg"); }).problem(), HasSubstr("too deeply"));
}

// ---- All of them ----

TEST(TetFile, WhatIsWrittenIsReadBitForBit) {
  const geometry::TetMesh mesh{
      .positions = {{0.1, 1.0 / 3, 0}, {1, 1e-300, 0}, {0, 1, 0}, {0, 0, 1e20}, {0, 0, -2}},
      .tets = {{0, 1, 2, 3}, {0, 2, 1, 4}},
      .regions = {1, 0}};
  TemporaryFolder folder;
  write_medit(folder / "a.mesh", mesh);
  write_vtu_tets(folder / "a.vtu", mesh);
  for (const char* name : {"a.mesh", "a.vtu"}) {
    const TetFile file = read_tets(folder / name);
    EXPECT_EQ(file.mesh.tets, mesh.tets);
    EXPECT_EQ(file.mesh.regions, mesh.regions);
    for (int v = 0; v < 5; ++v) {
      for (int a = 0; a < 3; ++a) EXPECT_EQ(file.mesh.positions[v][a], mesh.positions[v][a]);
    }
  }
}

TEST(TetFile, TetsWithEqualCornersAreLeftOut) {
  const TetFile file = read_medit("body.mesh", bytes(replaced(kMedit, "1 3 2 5 9", "1 3 3 5 9")));
  EXPECT_EQ(file.mesh.tets.size(), 1u);
  EXPECT_THAT(file.notes, ElementsAre("1 triangle left out", "1 tet with equal corners left out",
                                      "1 point is in no tet, left out"));
}

TEST(TetFile, UnknownExtensionsAreRefused) {
  const Error error = error_of([] { read_tets("body.obj"); });
  EXPECT_THAT(error.problem(), HasSubstr("'.obj' is not known"));
  EXPECT_THAT(error.remedy(), HasSubstr(".msh, .mesh, .vtk"));
  EXPECT_TRUE(is_tet_file("BODY.MSH"));
  EXPECT_FALSE(is_tet_file("body.obj"));
}

TEST(TetFile, FilesOfOthersHaveTheRightCounts) {
  const std::filesystem::path folder = ISOCHOR_SOURCE_DIR "/../shared/data/tet";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const struct {
    const char* name;
    std::size_t tets, vertices, surface;
    double volume;
  } expected[] = {{"armadillo_2k5.vtk", 9199, 2542, 4000, 2.361e5},
                  {"bar_10x05x1_gmsh41_ascii.msh", 2523, 886, 1618, 5},
                  {"bunny_gmsh41_ascii.msh", 19379, 4670, 6266, 6.01},
                  {"dinosaur_gmsh22_binary.msh", 49973, 13270, 17212, 0.02544},
                  {"hand.mesh", 29998, 7234, 9556, 0.1605},
                  {"turtle_heterogeneous.veg", 1185, 347, 530, 45.19}};
  for (const auto& e : expected) {
    SCOPED_TRACE(e.name);
    const TetFile file = read_tets(folder / e.name);
    EXPECT_EQ(inconsistency(file), "");
    EXPECT_EQ(file.mesh.tets.size(), e.tets);
    EXPECT_EQ(file.mesh.positions.size(), e.vertices);
    EXPECT_EQ(geometry::boundary_triangles(file.mesh.tets).size(), e.surface);
    EXPECT_NEAR(geometry::total_volume(file.mesh) / e.volume, 1, 5e-4);
  }
}

}  // namespace
}  // namespace isochor::files
