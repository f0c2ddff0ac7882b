#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::files {

/// A quantity that a mesh file gives per vertex: a painted colour, a scalar such as stiffness.
struct VertexAttribute {
  std::string name;
  int components = 1;
  std::vector<float> values;  ///< components fastest; as the file has them, colours 0..1
};

/// Faces under a common name, in ascending order. A face may be in several groups or in none.
struct FaceGroup {
  /// Objects (OBJ `o`, a named solid of an STL, a node of a glTF) begin with "object:", materials
  /// with "material:"; groups proper (OBJ `g`, a mesh of a glTF) have their name alone.
  std::string name;
  std::vector<std::int32_t> faces;
};

/// What a mesh file says about a surface. Units and axes are the file's.
struct SurfaceFile {
  geometry::SurfaceMesh mesh;  ///< vertices and faces in the file's order
  /// Per corner, v upwards; empty if the file has none.
  std::vector<std::array<float, 2>> texture_coordinates;
  std::vector<FaceGroup> groups;            ///< in order of appearance, none empty
  std::vector<VertexAttribute> attributes;  ///< "color" has 3 components, others any number
  std::vector<std::string> notes;           ///< what was done or left out on the way in
};

/// Reads the mesh in the format that the file's extension names, in capitals or not. An unknown
/// extension is an Error that lists the known ones.
SurfaceFile read_surface(const std::filesystem::path& path);

/// The extensions that read_surface knows, each with its dot.
std::span<const std::string_view> surface_extensions();

// ---- Shared by the readers ----

bool is_finite(const Vec3d& point);

/// Points in order of first appearance, each once. Points are the same if their coordinates are
/// exactly equal; -0 equals 0.
class DistinctPoints {
 public:
  /// The index of the point, new or known.
  std::int32_t index_of(Vec3d point);

  std::size_t size() const { return points_.size(); }
  std::vector<Vec3d> take() { return std::move(points_); }

 private:
  void grow();
  std::size_t slot_of(const Vec3d& point) const;

  std::vector<Vec3d> points_;
  std::vector<std::int32_t> slots_;  ///< hash table of indices into points_, -1 where free
};

/// Collects faces into groups by name.
class FaceGroups {
 public:
  /// The number of the group with this name.
  std::size_t find_or_add(std::string_view name);
  /// Faces must come in ascending order; one that the group has is not added again.
  void add(std::size_t group, std::int32_t face);
  /// All groups that have a face.
  std::vector<FaceGroup> take();

 private:
  std::vector<FaceGroup> groups_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

/// "1 vertex", "5 vertices".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// Appends the triangles of a strip, every second one turned over so that all look the same way.
/// Triangles with two equal corners, which only link strips, are left out.
void add_strip(geometry::SurfaceMesh& mesh, std::span<const std::int32_t> strip);

/// Brings colours that reach above 1 from 0..255 to 0..1. Files do not say which of the two they
/// mean.
void scale_colors(std::vector<float>& colors);

/// Gives every corner the texture coordinates of its vertex.
void spread_to_corners(std::span<const std::array<float, 2>> per_vertex, SurfaceFile& surface);

/// The last step of every reader: refuses a mesh without vertices or faces, and notes values of
/// attributes and texture coordinates that are no finite numbers.
void finish(const std::string& place, SurfaceFile& surface);

}  // namespace isochor::files
