#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isochor/math/vec3.h"

namespace isochor::geometry {

using Triangle = std::array<std::int32_t, 3>;

/// A polygon surface as a user's file has it: vertices and faces in their order, faces with any
/// number of corners, counter-clockwise seen from outside.
struct SurfaceMesh {
  std::vector<Vec3d> positions;              ///< m
  std::vector<std::int32_t> face_starts{0};  ///< face f: corners [face_starts[f], [f+1])
  std::vector<std::int32_t> corners;         ///< vertex index per corner

  std::size_t face_count() const { return face_starts.size() - 1; }
  std::span<const std::int32_t> face(std::size_t f) const {
    return std::span(corners).subspan(face_starts[f], face_starts[f + 1] - face_starts[f]);
  }
  void add_face(std::span<const std::int32_t> vertices);
};

/// Every face cut into a fan of triangles.
std::vector<Triangle> triangulate(const SurfaceMesh& mesh);

struct Bounds {
  Vec3d low, high;
  Vec3d size() const { return high - low; }
};
/// The smallest axis-aligned box; `points` must not be empty.
Bounds bounds_of(std::span<const Vec3d> points);

/// The same over the vertices that faces use; a file may hold others.
Bounds bounds_of_faces(const SurfaceMesh& mesh);

/// Volume enclosed by a closed surface, by the divergence theorem; negative if inside out.
double enclosed_volume(std::span<const Vec3d> positions, std::span<const Triangle> triangles);

}  // namespace isochor::geometry
