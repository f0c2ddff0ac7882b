#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/files/surface_file.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::files {

/// What a file says about a solid made of tetrahedra. Units and axes are the file's.
struct TetFile {
  /// Vertices and tets in the file's order, without vertices that no tet has. But for rounding, no
  /// tet has a negative volume; `regions` are numbers of `region_names`, or empty.
  geometry::TetMesh mesh;
  std::vector<std::string> region_names;  ///< physical groups, materials, labels
  std::vector<VertexAttribute> on_vertices, on_tets;
  std::vector<std::string> notes;  ///< what was done or left out on the way in
};

/// Reads the mesh in the format that the file's extension names, in capitals or not. An unknown
/// extension is an Error that lists the known ones; so is a file without a tet.
TetFile read_tets(const std::filesystem::path& path);

/// The extensions that read_tets knows, each with its dot.
std::span<const std::string_view> tet_extensions();

/// Whether read_tets knows the extension of a path.
bool is_tet_file(const std::filesystem::path& path);

}  // namespace isochor::files
