#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/math/vec3.h"

/// Files that hold quantities without being the surface of a body.
namespace isochor::files {

/// A quantity with the same number of components everywhere.
struct FieldArray {
  std::string name;
  std::size_t components = 1;
  std::vector<float> values;  ///< components fastest

  std::size_t count() const { return values.size() / components; }
};

/// Cells between points, with the types and the order of corners of VTK.
struct FieldCells {
  std::vector<std::int64_t> starts{0};  ///< cell c: corners [starts[c], [c+1])
  std::vector<std::int32_t> corners;
  std::vector<std::uint8_t> types;

  std::size_t count() const { return types.size(); }
};

/// Quantities on points, on the cells between them, or on something that the file does not name.
struct FieldFile {
  std::string place;  ///< names the file in errors
  std::vector<Vec3d> points;
  FieldCells cells;
  std::vector<FieldArray> on_points, on_cells;
  std::vector<FieldArray> loose;      ///< of a file without points, or with another length
  std::vector<std::string> left_out;  ///< arrays that are no numbers, each with its type
  std::vector<std::string> notes;     ///< what else there is to say about it
};

/// Reads .vtu (files/vtu_reader.h) and .npz. In an .npz, `points` (n, 3) are places; `cells` (m, k)
/// are numbers of points, k = 3 for triangles, 4 for tetrahedra, 5 for pyramids, 6 for wedges and 8
/// for hexahedra; an array whose first size is n or m is on points or on cells, on both if n = m.
/// Without `points` all arrays are loose.
FieldFile read_field_file(const std::filesystem::path& path);

/// What an .npz holds, from memory.
FieldFile read_npz_fields(const std::string& place, std::span<const std::byte> bytes);

/// The last step of both readers: refuses points that are not finite and corners that are no
/// points.
void check_grid(const FieldFile& file);

}  // namespace isochor::files
