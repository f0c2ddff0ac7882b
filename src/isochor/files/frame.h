#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "isochor/base/hash.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/tet_mesh.h"
#include "isochor/math/vec3.h"

namespace isochor::files {

/// What a field has one value per.
enum class Support : std::uint8_t { Node = 0, Cell = 1, Vertex = 2 };

/// A named quantity on a body: displacement in m, pressure in Pa.
struct Field {
  std::string name;
  std::string unit;
  Support support = Support::Node;
  int components = 1;         ///< 1 or 3
  std::vector<float> values;  ///< components fastest
};

/// Those parts of a body that no frame changes.
struct BodyTopology {
  std::string name;
  std::vector<Vec3d> rest_nodes;                   ///< m
  std::vector<std::array<std::int32_t, 8>> cells;  ///< hexahedra, x fastest, then y, then z
  std::vector<geometry::Tet> tets;                 ///< in their place, where it is made of tets
  geometry::SurfaceMesh surface;                   ///< rest shape, the user's vertex order
  /// What the user's file knows beside it, as in SurfaceFile, for exports.
  std::vector<std::array<float, 2>> texture_coordinates;
  std::vector<FaceGroup> groups;

  /// What fields on cells have one value per.
  std::size_t cell_count() const { return cells.size() + tets.size(); }
};
struct Topology {
  std::vector<BodyTopology> bodies;
};

struct BodyFrame {
  std::vector<Vec3d> nodes;     ///< deformed nodes of cells or tets, m
  std::vector<Vec3d> vertices;  ///< deformed surface vertices, m
  std::vector<Field> fields;
};
/// One instant of a run. Everything else (VTU, OBJ, pictures) is derived from it.
struct Frame {
  int index = 0;
  double time = 0;  ///< s
  std::vector<BodyFrame> bodies;
};

/// Canonical binary files (docs/formats/frame.md), little endian, written atomically, ending with
/// a hash of what precedes it. Readers refuse a damaged file, a foreign one and other format
/// versions with an Error that says which.
void write_topology(const std::filesystem::path& path, const Topology& topology);
Topology read_topology(const std::filesystem::path& path);
/// Returns the hash stored in the file.
std::uint64_t write_frame(const std::filesystem::path& path, const Frame& frame);
Frame read_frame(const std::filesystem::path& path);
/// The hash stored in a frame's file, after checking the file against it.
std::uint64_t frame_hash(const std::filesystem::path& path);

}  // namespace isochor::files
