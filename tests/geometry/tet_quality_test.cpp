#include "isochor/geometry/tet_quality.h"

#include <gtest/gtest.h>
#include <numbers>
#include <numeric>

#include "tests/files/temporary_folder.h"

namespace isochor::geometry {
namespace {

TetReport report_of(const TetMesh& mesh) {
  ThreadArena arena(1);
  return inspect_tets(mesh, arena);
}

const TetMesh kCorner{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .tets = {{0, 1, 2, 3}},
                      .regions = {}};

TEST(TetQuality, OneTetIsMeasured) {
  const TetReport r = report_of(kCorner);
  EXPECT_EQ(r.vertices, 4);
  EXPECT_EQ(r.tets, 1);
  EXPECT_EQ(r.boundary_triangles, 4);
  EXPECT_EQ(r.components, 1);
  EXPECT_DOUBLE_EQ(r.volume, 1.0 / 6);
  EXPECT_NEAR(r.area, 1.5 + std::sqrt(3.0) / 2, 1e-15);
  EXPECT_NEAR(r.smallest_angle, std::acos(1 / std::sqrt(3.0)) * 180 / std::numbers::pi, 1e-12);
  EXPECT_NEAR(r.largest_angle, 90, 1e-12);
  EXPECT_EQ(std::accumulate(r.angles.begin(), r.angles.end(), std::int64_t{0}), 6);
  EXPECT_EQ(r.angles[5], 3);
  EXPECT_DOUBLE_EQ(r.edge_lengths.smallest, 1);
  EXPECT_DOUBLE_EQ(r.edge_lengths.largest, std::sqrt(2.0));
  for (const DefectList& list : r.defects) EXPECT_EQ(list.count, 0);
}

TEST(TetQuality, DihedralAnglesOfARegularTetAreEqual) {
  const auto angles = dihedral_angles({{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}});
  for (const double angle : angles) EXPECT_NEAR(angle, std::acos(1.0 / 3), 1e-14);
}

TEST(TetQuality, InvertedFlatAndSliverTetsAreToldApart) {
  TetMesh mesh = kCorner;
  mesh.positions.insert(mesh.positions.end(), {{5, 5, 5}, {1, 1, 0}, {0.3, 0.3, 0.01}});
  mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 6}, {0, 1, 2, 5}, {0, 1, 2, 6}};
  const TetReport r = report_of(mesh);
  EXPECT_EQ(r[TetDefect::Inverted].count, 1);
  EXPECT_EQ(r[TetDefect::Inverted].first[0].indices[0], 1);
  EXPECT_EQ(r[TetDefect::Flat].count, 1);
  EXPECT_EQ(r[TetDefect::Flat].first[0].indices[0], 2);
  EXPECT_EQ(r[TetDefect::Sliver].count, 1);
  EXPECT_EQ(r[TetDefect::Sliver].first[0].indices[0], 3);
  EXPECT_EQ(r[TetDefect::UnusedVertex].first[0].indices[0], 4);
  EXPECT_EQ(r[TetDefect::CrowdedFace].count, 1);
  const Error error = files::error_of([&] { refuse_unusable_tets(r, "body"); });
  EXPECT_EQ(error.place(), "body");
  EXPECT_EQ(error.problem().find("1 inverted and 1 flat tets of 4, one of them tet 1"), 0u)
      << error.problem();
  EXPECT_NO_THROW(refuse_unusable_tets(report_of(kCorner), "body"));
}

TEST(TetQuality, FoldedFacesAndPartsAreFound) {
  TetMesh mesh = kCorner;
  mesh.positions.push_back({0.2, 0.2, 0.5});
  mesh.tets = {{0, 1, 2, 3}, {0, 1, 2, 4}};  // both above the same face
  EXPECT_EQ(report_of(mesh)[TetDefect::FoldedFace].count, 1);
  EXPECT_EQ(report_of(mesh).components, 1);
  // Two tets that share an edge only.
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, -1}};
  mesh.tets = {{0, 1, 2, 3}, {0, 1, 4, 5}};
  mesh.regions = {0, 1};
  const TetReport r = report_of(mesh);
  EXPECT_EQ(r.components, 2);
  EXPECT_EQ(r[TetDefect::NonManifoldEdge].count, 1);
  EXPECT_EQ(r[TetDefect::NonManifoldEdge].first[0].indices, (std::array<std::int32_t, 2>{0, 1}));
  ASSERT_EQ(r.region_volumes.size(), 2u);
  EXPECT_DOUBLE_EQ(r.region_volumes[1], 1.0 / 6);
}

}  // namespace
}  // namespace isochor::geometry
