#include "isochor/sim/body_builder.h"

#include <gtest/gtest.h>

namespace isochor::sim {
namespace {

double volume(const ShapeSpec& shape) {
  const geometry::SurfaceMesh mesh = build_surface({.shape = shape, .cell_size = 0.1}, "").mesh;
  return geometry::enclosed_volume(mesh.positions, geometry::triangulate(mesh));
}

TEST(BodyBuilder, StairsHaveTheStepsOfTheScene) {
  const ShapeSpec stairs{
      .kind = "stairs", .center = {1, 0, 2}, .steps = 4, .step = {0.3, 0.2, 1.5}};
  EXPECT_NEAR(volume(stairs), 0.3 * 0.2 * 1.5 * (1 + 2 + 3 + 4), 1e-13);
  const auto surface = build_surface({.shape = stairs, .cell_size = 0.1}, "");
  const geometry::Bounds bounds = geometry::bounds_of(surface.mesh.positions);
  EXPECT_NEAR(norm(bounds.low - Vec3d{1, 0, 1.25}), 0, 1e-14);
  EXPECT_NEAR(norm(bounds.high - Vec3d{2.2, 0.8, 2.75}), 0, 1e-14);
}

}  // namespace
}  // namespace isochor::sim
