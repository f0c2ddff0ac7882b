#include "isochor/geometry/defect_mesh.h"

#include <gtest/gtest.h>
#include <set>

#include "isochor/geometry/shapes.h"

namespace isochor::geometry {
namespace {

TEST(DefectMesh, EveryTriangleHasVerticesAndAColourOfItsOwn) {
  ThreadArena arena(1);
  SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  // A face less: its four neighbours are at the boundary with one triangle each.
  const std::size_t last = box.face_count() - 1;
  box.corners.resize(box.face_starts[last]);
  box.face_starts.pop_back();
  const ColouredMesh coloured = defect_mesh(inspect_mesh(box, arena), box);
  const std::vector<Triangle> triangles = triangulate(box);
  ASSERT_EQ(coloured.mesh.face_count(), triangles.size());
  ASSERT_EQ(coloured.mesh.positions.size(), 3 * triangles.size());
  ASSERT_EQ(coloured.colours.size(), coloured.mesh.positions.size());
  int red = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(coloured.mesh.face(t)[c], static_cast<std::int32_t>(3 * t) + c);
      EXPECT_EQ(norm(coloured.mesh.positions[3 * t + c] - box.positions[triangles[t][c]]), 0);
      EXPECT_EQ(coloured.colours[3 * t + c], coloured.colours[3 * t]);
    }
    const auto [r, g, b] = coloured.colours[3 * t];
    red += r > 0.8 && g < 0.1 && b < 0.1;
  }
  EXPECT_EQ(red, 4);
}

TEST(DefectMesh, EachKindHasItsColourAndTheGravestWins) {
  SurfaceMesh mesh{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  MeshReport report;
  const std::array<float, 3> grey{0.7f, 0.7f, 0.7f};
  const auto colour = [&](std::initializer_list<Defect> defects) {
    mesh.corners.clear();
    mesh.face_starts = {0};
    mesh.add_face(Triangle{0, 1, 2});
    report.triangle_defects = {0};
    for (const Defect d : defects) {
      report.triangle_defects[0] |= static_cast<std::uint8_t>(1 << static_cast<int>(d));
    }
    return defect_mesh(report, mesh).colours[0];
  };
  EXPECT_EQ(colour({}), grey);
  const auto yellow = colour({Defect::DegenerateTriangle});
  EXPECT_EQ(colour({Defect::DuplicateTriangle, Defect::BoundaryEdge}), yellow);
  const auto magenta = colour({Defect::NonManifoldEdge}), orange = colour({Defect::FlippedEdge});
  const auto blue = colour({Defect::SelfIntersection}), red = colour({Defect::BoundaryEdge});
  EXPECT_EQ(colour({Defect::NonManifoldEdge, Defect::SelfIntersection}), magenta);
  EXPECT_EQ(colour({Defect::SelfIntersection, Defect::BoundaryEdge}), blue);
  EXPECT_GT(blue[2], 0.9f);
  EXPECT_GT(red[0] - red[1], 0.8f);
  const std::set<std::array<float, 3>> all{grey, yellow, magenta, orange, blue, red};
  EXPECT_EQ(all.size(), 6u);
}

}  // namespace
}  // namespace isochor::geometry
