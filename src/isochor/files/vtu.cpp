#include "isochor/files/vtu.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/byte_stream.h"

namespace isochor::files {
namespace {

enum class CellType : std::uint8_t { Polygon = 7, Tet = 10, Hexahedron = 12 };  // VTK's numbers

/// VTK goes around the bottom of a hexahedron, then around its top; our cells count x, y, z.
constexpr std::array<std::size_t, 8> kVtkCorner = {0, 1, 3, 2, 4, 5, 7, 6};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// What VTK calls a type in a DataArray.
constexpr std::string_view type_name(double) { return "Float64"; }
constexpr std::string_view type_name(float) { return "Float32"; }
constexpr std::string_view type_name(std::int64_t) { return "Int64"; }
constexpr std::string_view type_name(std::uint8_t) { return "UInt8"; }

/// An XML file whose numbers follow the text as raw bytes: 64-bit size, then the values.
class VtuFile {
 public:
  VtuFile(std::size_t points, std::size_t cells) {
    xml_ = fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\""
        " header_type=\"UInt64\">\n<UnstructuredGrid>\n"
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
        points, cells);
  }

  void open(std::string_view element) { xml_ += fmt::format("<{}>\n", element); }
  void close(std::string_view element) { xml_ += fmt::format("</{}>\n", element); }

  template <class T>
  void array(std::string_view name, int components, std::span<const T> values) {
    xml_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\""
        " offset=\"{}\"/>\n",
        type_name(T{}), escaped(name), components, appended_.bytes().size());
    appended_.put(std::uint64_t{values.size_bytes()});
    appended_.append(std::as_bytes(values));
  }
  void vectors(std::string_view name, std::span<const Vec3d> values) {
    static_assert(sizeof(Vec3d) == 3 * sizeof(double));
    array(name, 3, std::span(reinterpret_cast<const double*>(values.data()), 3 * values.size()));
  }

  void write(const std::filesystem::path& path) const {
    ByteWriter file;
    const auto append_text = [&](std::string_view text) {
      file.append(std::as_bytes(std::span(text)));
    };
    append_text(xml_);
    append_text("</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    file.append(appended_.bytes());
    append_text("\n</AppendedData>\n</VTKFile>\n");
    write_file_atomic(path, file.bytes());
  }

 private:
  std::string xml_;
  ByteWriter appended_;
};

void check_counts(const std::filesystem::path& path, std::string_view what, std::size_t found,
                  std::size_t expected) {
  if (found == expected) return;
  throw Error(Fault::Input, path.string(),
              fmt::format("the frame has {} {}, the body has {}", found, what, expected),
              "export a frame with the topology of the same run");
}

std::string name_with_unit(const Field& field) {
  return field.unit.empty() ? field.name : fmt::format("{} [{}]", field.name, field.unit);
}

void add_fields(VtuFile& file, const std::filesystem::path& path, std::span<const Field> fields,
                Support support, std::size_t count) {
  for (const Field& field : fields) {
    if (field.support != support) continue;
    check_counts(path, fmt::format("values of {}", name_with_unit(field)), field.values.size(),
                 count * static_cast<std::size_t>(field.components));
    file.array(name_with_unit(field), field.components, std::span(field.values));
  }
}

/// Positions and all that is known per point.
void add_points(VtuFile& file, const std::filesystem::path& path, std::span<const Field> fields,
                Support support, std::span<const Vec3d> rest, std::span<const Vec3d> positions) {
  file.open("Points");
  file.vectors("Points", positions);
  file.close("Points");
  file.open("PointData");
  const bool has_displacement = std::ranges::any_of(fields, [&](const Field& field) {
    return field.support == support && field.name == "displacement";
  });
  if (!has_displacement) {
    std::vector<Vec3d> displacements(positions.begin(), positions.end());
    for (std::size_t i = 0; i < rest.size(); ++i) displacements[i] -= rest[i];
    file.vectors("displacement [m]", displacements);
  }
  add_fields(file, path, fields, support, positions.size());
  file.close("PointData");
}

/// `ends[c]` is where the corners of cell c end.
void add_cells(VtuFile& file, CellType type, std::span<const std::int64_t> corners,
               std::span<const std::int64_t> ends) {
  file.open("Cells");
  file.array("connectivity", 1, corners);
  file.array("offsets", 1, ends);
  const std::vector<std::uint8_t> types(ends.size(), static_cast<std::uint8_t>(type));
  file.array("types", 1, std::span(types));
  file.close("Cells");
}

}  // namespace

void write_vtu_volume(const std::filesystem::path& path, const BodyTopology& topology,
                      const BodyFrame& frame) {
  check_counts(path, "nodes", frame.nodes.size(), topology.rest_nodes.size());
  VtuFile file(frame.nodes.size(), topology.cell_count());
  add_points(file, path, frame.fields, Support::Node, topology.rest_nodes, frame.nodes);
  file.open("CellData");
  add_fields(file, path, frame.fields, Support::Cell, topology.cell_count());
  file.close("CellData");

  std::vector<std::int64_t> corners, ends;
  corners.reserve(8 * topology.cells.size() + 4 * topology.tets.size());
  ends.reserve(topology.cell_count());
  for (const auto& cell : topology.cells) {
    for (const std::size_t corner : kVtkCorner) corners.push_back(cell[corner]);
    ends.push_back(static_cast<std::int64_t>(corners.size()));
  }
  for (const geometry::Tet& tet : topology.tets) {
    corners.insert(corners.end(), tet.begin(), tet.end());
    ends.push_back(static_cast<std::int64_t>(corners.size()));
  }
  add_cells(file, topology.tets.empty() ? CellType::Hexahedron : CellType::Tet, corners, ends);
  file.write(path);
}

void write_vtu_surface(const std::filesystem::path& path, const BodyTopology& topology,
                       const BodyFrame& frame) {
  const geometry::SurfaceMesh& surface = topology.surface;
  check_counts(path, "vertices", frame.vertices.size(), surface.positions.size());
  VtuFile file(frame.vertices.size(), surface.face_count());
  add_points(file, path, frame.fields, Support::Vertex, surface.positions, frame.vertices);

  const std::vector<std::int64_t> corners(surface.corners.begin(), surface.corners.end());
  const std::vector<std::int64_t> ends(surface.face_starts.begin() + 1, surface.face_starts.end());
  add_cells(file, CellType::Polygon, corners, ends);
  file.write(path);
}

void write_vtu_tets(const std::filesystem::path& path, const geometry::TetMesh& mesh) {
  VtuFile file(mesh.positions.size(), mesh.tets.size());
  file.open("Points");
  file.vectors("Points", mesh.positions);
  file.close("Points");
  if (!mesh.regions.empty()) {
    const std::vector<std::int64_t> regions(mesh.regions.begin(), mesh.regions.end());
    file.open("CellData");
    file.array("region", 1, std::span(regions));
    file.close("CellData");
  }
  std::vector<std::int64_t> corners, ends;
  for (const geometry::Tet& tet : mesh.tets) {
    corners.insert(corners.end(), tet.begin(), tet.end());
    ends.push_back(static_cast<std::int64_t>(corners.size()));
  }
  add_cells(file, CellType::Tet, corners, ends);
  file.write(path);
}

void write_pvd(const std::filesystem::path& path, std::span<const PvdEntry> entries) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const PvdEntry& entry : entries) {
    xml += fmt::format("<DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n", entry.time,
                       entry.part, escaped(entry.file));
  }
  xml += "</Collection>\n</VTKFile>\n";
  write_file_atomic(path, xml);
}

}  // namespace isochor::files
