#pragma once

#include <map>
#include <utility>
#include <vector>

#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

/// Whether every edge is used once in each direction: closed, and oriented the same all over.
inline bool is_closed(const SurfaceMesh& mesh) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> uses;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t c = 0; c < face.size(); ++c) ++uses[{face[c], face[(c + 1) % face.size()]}];
  }
  for (const auto& [edge, count] : uses) {
    const auto back = uses.find({edge.second, edge.first});
    if (count != 1 || back == uses.end()) return false;
  }
  return !uses.empty();
}

inline double enclosed_volume(const SurfaceMesh& mesh) {
  return enclosed_volume(mesh.positions, triangulate(mesh));
}

}  // namespace isochor::geometry
