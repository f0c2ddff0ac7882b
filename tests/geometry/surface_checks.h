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

/// Both surfaces in one mesh.
inline SurfaceMesh joined(SurfaceMesh a, const SurfaceMesh& b) {
  const auto offset = static_cast<std::int32_t>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (std::size_t f = 0; f < b.face_count(); ++f) {
    std::vector<std::int32_t> face(b.face(f).begin(), b.face(f).end());
    for (std::int32_t& v : face) v += offset;
    a.add_face(face);
  }
  return a;
}

/// The same surface with every face turned round.
inline SurfaceMesh turned_inside_out(const SurfaceMesh& mesh) {
  SurfaceMesh turned{.positions = mesh.positions};
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    turned.add_face(std::vector<std::int32_t>(mesh.face(f).rbegin(), mesh.face(f).rend()));
  }
  return turned;
}

inline double enclosed_volume(const SurfaceMesh& mesh) {
  return enclosed_volume(mesh.positions, triangulate(mesh));
}

}  // namespace isochor::geometry
