/// The numbers of a report against a table that another program made of the same meshes.
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "isochor/base/file.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/mesh_report.h"

namespace isochor::geometry {
namespace {

using Row = std::map<std::string, std::string>;

std::filesystem::path data_folder() { return ISOCHOR_SOURCE_DIR "/../shared/data"; }

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    found.push_back(first == cell.npos ? "" : cell.substr(first, last - first + 1));
  }
  return found;
}

/// The first table of a section: per file the cell under each heading.
std::map<std::string, Row> table_of(const std::string& section) {
  std::istringstream in(read_text_file(data_folder() / "README.md"));
  std::map<std::string, Row> rows;
  std::vector<std::string> headings;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line == "## " + section;
    if (!inside) continue;
    if (!line.starts_with("|")) {
      if (!rows.empty()) break;
    } else if (headings.empty()) {
      headings = cells(line);
    } else if (!line.starts_with("|---")) {
      const std::vector<std::string> values = cells(line);
      for (std::size_t c = 0; c < headings.size(); ++c) rows[values[0]][headings[c]] = values.at(c);
    }
  }
  return rows;
}

/// The same columns as the table has them.
Row row_of(const MeshReport& r) {
  const auto count = [&](Defect d) { return std::to_string(r[d].count); };
  const auto point = [](const Vec3d& p) {
    return fmt::format("[{:.4g} {:.4g} {:.4g}]", p[0] + 0.0, p[1] + 0.0, p[2] + 0.0);
  };
  return {{"counts", fmt::format("{} tris, {} verts", r.triangles, r.vertices)},
          {"bounding box", point(r.bounds.low) + " .. " + point(r.bounds.high)},
          {"watertight", r.watertight ? "yes" : "no"},
          {"boundary edges", count(Defect::BoundaryEdge)},
          {"non-manifold edges", count(Defect::NonManifoldEdge)},
          {"flipped edges", count(Defect::FlippedEdge)},
          {"degenerate tris", count(Defect::DegenerateTriangle)},
          {"duplicate tris", count(Defect::DuplicateTriangle)},
          {"components", std::to_string(r.components)},
          {"volume", fmt::format("{:.4g}", r.volume)},
          {"self-intersecting pairs", count(Defect::SelfIntersection)}};
}

/// The table's program did not know that a backslash continues a line of an OBJ file, and so lost
/// three faces of this one.
void lose_continued_faces(SurfaceMesh& mesh) {
  SurfaceMesh kept{.positions = mesh.positions};
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    if (f != 1 && f != 2 && f != 6) kept.add_face(mesh.face(f));
  }
  mesh = kept;
}

void compare_section(const std::string& section, std::size_t files) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no data in " << data_folder();
  const std::map<std::string, Row> table = table_of(section);
  EXPECT_EQ(table.size(), files);
  ThreadArena arena(2);
  for (const auto& [file, expected] : table) {
    SurfaceMesh mesh = files::read_surface(data_folder() / section / file).mesh;
    if (file == "wallhole.obj") lose_continued_faces(mesh);
    const MeshReport report = inspect_mesh(mesh, arena, {.thickness_rays = 0});
    for (const auto& [heading, value] : row_of(report)) {
      EXPECT_EQ(value, expected.at(heading)) << section << "/" << file << ": " << heading;
    }
  }
}

TEST(MeshReportOfData, BadMeshesAreAsTheTableSays) { compare_section("bad", 10); }
TEST(MeshReportOfData, ClassicMeshesAreAsTheTableSays) { compare_section("classic", 8); }
TEST(MeshReportOfData, GarmentsAreAsTheTableSays) { compare_section("garment", 3); }
TEST(MeshReportOfData, SlowAnatomyIsAsTheTableSays) { compare_section("anatomy_right_arm", 25); }

}  // namespace
}  // namespace isochor::geometry
