#pragma once

#include <cmath>
#include <string>

#include "isochor/files/surface_file.h"

namespace isochor::files {

/// What is wrong within a surface that a reader has returned; empty if it keeps all its promises.
inline std::string inconsistency(const SurfaceFile& surface) {
  const geometry::SurfaceMesh& mesh = surface.mesh;
  const std::size_t vertices = mesh.positions.size();
  if (vertices == 0 || mesh.face_count() == 0) return "empty";
  for (const Vec3d& p : mesh.positions) {
    for (const double x : p.e) {
      if (!std::isfinite(x)) return "a coordinate is not finite";
    }
  }
  if (mesh.face_starts.front() != 0) return "the first face does not start at 0";
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    if (mesh.face_starts[f + 1] < mesh.face_starts[f] + 3) return "a face has too few corners";
  }
  if (static_cast<std::size_t>(mesh.face_starts.back()) != mesh.corners.size()) {
    return "the last face does not end with the corners";
  }
  for (const std::int32_t corner : mesh.corners) {
    if (corner < 0 || static_cast<std::size_t>(corner) >= vertices) return "a corner is no vertex";
  }
  if (!surface.texture_coordinates.empty() &&
      surface.texture_coordinates.size() != mesh.corners.size()) {
    return "texture coordinates are not per corner";
  }
  for (const VertexAttribute& attribute : surface.attributes) {
    if (attribute.values.size() != vertices * static_cast<std::size_t>(attribute.components)) {
      return "an attribute is not per vertex";
    }
  }
  for (const FaceGroup& group : surface.groups) {
    if (group.faces.empty() || group.name.empty()) return "a group is empty";
    std::int32_t last = -1;
    for (const std::int32_t face : group.faces) {
      if (face <= last || static_cast<std::size_t>(face) >= mesh.face_count()) {
        return "the faces of a group are not ascending faces";
      }
      last = face;
    }
  }
  return "";
}

/// The group or attribute of this name, or nullptr.
template <class Named>
const Named* find_named(const std::vector<Named>& list, const std::string& name) {
  for (const Named& entry : list) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace isochor::files
