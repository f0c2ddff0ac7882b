#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

void SurfaceMesh::add_face(std::span<const std::int32_t> vertices) {
  corners.insert(corners.end(), vertices.begin(), vertices.end());
  face_starts.push_back(static_cast<std::int32_t>(corners.size()));
}

std::vector<Triangle> triangulate(const SurfaceMesh& mesh) {
  std::vector<Triangle> triangles;
  triangles.reserve(mesh.corners.size());
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t c = 2; c < face.size(); ++c) {
      triangles.push_back({face[0], face[c - 1], face[c]});
    }
  }
  return triangles;
}

Bounds bounds_of(std::span<const Vec3d> points) {
  Bounds box{points.front(), points.front()};
  for (const Vec3d& p : points) {
    box.low = min(box.low, p);
    box.high = max(box.high, p);
  }
  return box;
}

Bounds bounds_of_faces(const SurfaceMesh& mesh) {
  if (mesh.corners.empty()) return bounds_of(mesh.positions);
  const Vec3d first = mesh.positions[mesh.corners.front()];
  Bounds box{first, first};
  for (const std::int32_t v : mesh.corners) {
    box.low = min(box.low, mesh.positions[v]);
    box.high = max(box.high, mesh.positions[v]);
  }
  return box;
}

double enclosed_volume(std::span<const Vec3d> positions, std::span<const Triangle> triangles) {
  if (positions.empty()) return 0;
  // Relative to a vertex: a body far from the origin loses no digits.
  const Vec3d origin = positions.front();
  double six_volumes = 0;
  for (const Triangle& t : triangles) {
    six_volumes +=
        dot(positions[t[0]] - origin, cross(positions[t[1]] - origin, positions[t[2]] - origin));
  }
  return six_volumes / 6;
}

}  // namespace isochor::geometry
