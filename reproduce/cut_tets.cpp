#include "reproduce/cut_tets.h"

#include "isochor/base/error.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {

void draw_cut_tets(const std::filesystem::path& file, const geometry::TetMesh& mesh,
                   const Vec3d& normal, const Vec3d& camera, Context& context) {
  constexpr double kShrink = 0.93;
  const geometry::Bounds bounds = geometry::bounds_of(mesh.positions);
  const Vec3d middle = 0.5 * (bounds.low + bounds.high);
  geometry::SurfaceMesh surface;
  for (const geometry::Tet& tet : mesh.tets) {
    Vec3d center{0, 0, 0};
    for (const std::int32_t v : tet) center += 0.25 * mesh.positions[v];
    if (dot(center - middle, normal) > 0) continue;
    for (const auto& face : geometry::kTetFaces) {
      // Corners of their own keep the faces flat in the picture.
      const auto first = static_cast<std::int32_t>(surface.positions.size());
      for (const int k : face) {
        surface.positions.push_back(center + kShrink * (mesh.positions[tet[k]] - center));
      }
      surface.add_face(std::array{first, first + 1, first + 2});
    }
  }
  if (surface.positions.empty()) {
    throw Error(Fault::Input, file.string(), "the cut leaves nothing to draw",
                "cut along another direction");
  }
  Figure figure;
  figure.add("tets", surface, surface.positions, {0, 0, 0});
  figure.draw(file, {.width = 1000, .height = 700, .samples = 32, .camera_direction = camera},
              context);
}

}  // namespace isochor::reproduce
