#include "isochor/geometry/tet_mesh.h"

#include <gtest/gtest.h>

namespace isochor::geometry {
namespace {

TetMesh two_tets() {
  return {.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -2}},
          .tets = {{0, 1, 2, 3}, {0, 2, 1, 4}},
          .regions = {}};
}

TEST(TetMesh, VolumesAreSigned) {
  TetMesh mesh = two_tets();
  EXPECT_DOUBLE_EQ(signed_volume(mesh, 0), 1.0 / 6);
  EXPECT_DOUBLE_EQ(signed_volume(mesh, 1), 2.0 / 6);
  EXPECT_DOUBLE_EQ(total_volume(mesh), 0.5);
  std::swap(mesh.tets[1][0], mesh.tets[1][1]);
  EXPECT_DOUBLE_EQ(signed_volume(mesh, 1), -2.0 / 6);
}

TEST(TetMesh, WindingIsFixedAndCounted) {
  TetMesh mesh = two_tets();
  std::swap(mesh.tets[1][0], mesh.tets[1][1]);
  EXPECT_EQ(fix_winding(mesh), 1u);
  EXPECT_DOUBLE_EQ(total_volume(mesh), 0.5);
  EXPECT_EQ(fix_winding(mesh), 0u);
}

TEST(TetMesh, BoundaryIsClosedAndOutward) {
  const TetMesh mesh = two_tets();
  const std::vector<Triangle> boundary = boundary_triangles(mesh.tets);
  EXPECT_EQ(boundary.size(), 6u);
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh.positions, boundary), 0.5);
}

}  // namespace
}  // namespace isochor::geometry
