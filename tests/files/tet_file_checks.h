#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "isochor/files/tet_file.h"

namespace isochor::files {

/// What is wrong within a solid that a reader has returned; empty if it keeps all its promises.
inline std::string inconsistency(const TetFile& file) {
  const geometry::TetMesh& mesh = file.mesh;
  const std::size_t vertices = mesh.positions.size();
  if (mesh.tets.empty()) return "empty";
  for (const Vec3d& p : mesh.positions) {
    if (!is_finite(p)) return "a coordinate is not finite";
  }
  std::vector<bool> used(vertices, false);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const std::int32_t v : mesh.tets[t]) {
      if (v < 0 || static_cast<std::size_t>(v) >= vertices) return "a corner is no vertex";
      used[static_cast<std::size_t>(v)] = true;
    }
    // The volume of a flat tet is rounding.
    double longest = 0;
    for (const auto& [i, j] : geometry::kTetEdges) {
      const Vec3d edge = mesh.positions[mesh.tets[t][j]] - mesh.positions[mesh.tets[t][i]];
      longest = std::max(longest, norm(edge));
    }
    if (geometry::signed_volume(mesh, t) < -1e-13 * longest * longest * longest) {
      return "a tet has a negative volume";
    }
  }
  for (const bool u : used) {
    if (!u) return "a vertex is unused";
  }
  if (!mesh.regions.empty() && mesh.regions.size() != mesh.tets.size()) {
    return "regions are not per tet";
  }
  for (const std::int32_t r : mesh.regions) {
    if (r < 0 || static_cast<std::size_t>(r) >= file.region_names.size()) {
      return "a region has no name";
    }
  }
  for (const VertexAttribute& a : file.on_vertices) {
    if (a.values.size() != vertices * static_cast<std::size_t>(a.components)) {
      return "an attribute is not per vertex";
    }
  }
  for (const VertexAttribute& a : file.on_tets) {
    if (a.values.size() != mesh.tets.size() * static_cast<std::size_t>(a.components)) {
      return "an attribute is not per tet";
    }
  }
  return "";
}

}  // namespace isochor::files
