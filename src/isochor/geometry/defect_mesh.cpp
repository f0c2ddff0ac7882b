#include "isochor/geometry/defect_mesh.h"

namespace isochor::geometry {
namespace {

struct Shade {
  Defect defect;
  std::array<float, 3> colour;
};
constexpr Shade kShades[] = {
    {Defect::DegenerateTriangle, {1, 0.85f, 0}}, {Defect::DuplicateTriangle, {1, 0.85f, 0}},
    {Defect::NonManifoldEdge, {0.9f, 0, 0.9f}},  {Defect::FlippedEdge, {1, 0.5f, 0}},
    {Defect::SelfIntersection, {0, 0.3f, 1}},    {Defect::BoundaryEdge, {0.9f, 0, 0}}};
constexpr std::array<float, 3> kSound = {0.7f, 0.7f, 0.7f};

std::array<float, 3> colour_of(std::uint8_t defects) {
  for (const Shade& shade : kShades) {
    if (defects >> static_cast<unsigned>(shade.defect) & 1) return shade.colour;
  }
  return kSound;
}

}  // namespace

ColouredMesh defect_mesh(const MeshReport& report, const SurfaceMesh& mesh) {
  const std::vector<Triangle> triangles = triangulate(mesh);
  ColouredMesh result;
  result.mesh.positions.reserve(3 * triangles.size());
  result.mesh.corners.reserve(3 * triangles.size());
  result.mesh.face_starts.reserve(triangles.size() + 1);
  result.colours.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto first = static_cast<std::int32_t>(3 * t);
    for (const std::int32_t v : triangles[t]) {
      result.mesh.positions.push_back(mesh.positions[v]);
      result.colours.push_back(colour_of(report.triangle_defects[t]));
    }
    result.mesh.add_face(Triangle{first, first + 1, first + 2});
  }
  return result;
}

}  // namespace isochor::geometry
