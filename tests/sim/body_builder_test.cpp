#include "isochor/sim/body_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

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

TEST(BodyBuilder, SkinKeepsCellsThatWouldBeLeftOut) {
  BodySpec spec{.shape = {.kind = "sphere", .radius = 0.5, .edge = 0.03}, .cell_size = 0.0625};
  const geometry::SurfaceMesh surface = build_surface(spec, "").mesh;
  ThreadArena arena(1);
  const grid::Lattice bare = build_cells(spec, surface, arena);
  EXPECT_GT(bare.dropped.count, 50u);
  spec.skin.law = "rubber";
  const grid::Lattice under_skin = build_cells(spec, surface, arena);
  EXPECT_LT(under_skin.dropped.count, bare.dropped.count / 4);
}

TEST(BodyBuilder, TextureCoordinatesAndGroupsReachTheTopology) {
  const files::TemporaryFolder folder;
  files::write_quickly(
      folder / "tet.obj",
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0.5\nvt 0.25 1\n"
      "g low\nf 1/1 3/2 2/3\ng side\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 1/1 4/2 3/3\n");
  const auto scene = write_scene(
      folder, replaced(kBarScene, "kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]\n",
                       "kind = \"mesh\"\nfile = \"tet.obj\"\n"));
  Context context(1);
  const Simulation simulation(load_scene(scene), context);
  const files::BodyTopology& body = simulation.topology().bodies[0];
  ASSERT_EQ(body.texture_coordinates.size(), 12u);
  EXPECT_EQ(body.texture_coordinates[4][1], 0.5f);
  ASSERT_EQ(body.groups.size(), 2u);
  EXPECT_EQ(body.groups[1].name, "side");
  EXPECT_THAT(body.groups[1].faces, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace isochor::sim
