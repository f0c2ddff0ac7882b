#include "isochor/geometry/mesh_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"

namespace isochor::geometry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MeshReport inspect(const SurfaceMesh& mesh, const InspectOptions& options = {}) {
  ThreadArena arena(2);
  return inspect_mesh(mesh, arena, options);
}

SurfaceMesh make_mesh(std::vector<Vec3d> positions, const std::vector<Triangle>& triangles) {
  SurfaceMesh mesh{.positions = std::move(positions)};
  for (const Triangle& t : triangles) mesh.add_face(t);
  return mesh;
}

SurfaceMesh make_torus(double ring, double tube, int pieces) {
  SurfaceMesh torus;
  const double step = 2 * std::numbers::pi / pieces;
  for (int i = 0; i < pieces; ++i) {
    for (int j = 0; j < pieces; ++j) {
      const double r = ring + tube * std::cos(step * j);
      torus.positions.push_back(
          {r * std::cos(step * i), r * std::sin(step * i), tube * std::sin(step * j)});
    }
  }
  const auto at = [&](int i, int j) { return i % pieces * pieces + j % pieces; };
  for (int i = 0; i < pieces; ++i) {
    for (int j = 0; j < pieces; ++j) {
      torus.add_face(
          std::array<std::int32_t, 4>{at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return torus;
}

/// No defects but those named.
void expect_only(const MeshReport& report, std::initializer_list<Defect> expected) {
  for (std::size_t d = 0; d < kDefectKinds; ++d) {
    const bool wanted =
        std::find(expected.begin(), expected.end(), static_cast<Defect>(d)) != expected.end();
    EXPECT_EQ(report.defects[d].count > 0, wanted) << "defect " << d;
  }
}

TEST(MeshReport, OfABoxIsWhatABoxIs) {
  const MeshReport report = inspect(make_box({1, 2, 3}, {2, 1, 0.5}, 0.25));
  EXPECT_EQ(report.faces, 2 * (8 * 4 + 4 * 2 + 8 * 2));
  EXPECT_EQ(report.triangles, 2 * report.faces);
  EXPECT_TRUE(report.watertight);
  EXPECT_EQ(report.components, 1);
  EXPECT_EQ(report.euler_characteristic, 2);
  EXPECT_EQ(report.genus, 0);
  EXPECT_NEAR(report.volume, 1, 1e-14);
  EXPECT_NEAR(report.area, 7, 1e-13);
  EXPECT_THAT(report.bounds.low.e, ElementsAre(0, 1.5, 2.75));
  EXPECT_THAT(report.bounds.high.e, ElementsAre(2, 2.5, 3.25));
  EXPECT_NEAR(report.edge_lengths.smallest, 0.25, 1e-15);
  EXPECT_NEAR(report.edge_lengths.median, 0.25, 1e-15);
  EXPECT_NEAR(report.edge_lengths.largest, 0.25 * std::numbers::sqrt2, 1e-15);
  expect_only(report, {});
}

TEST(MeshReport, HandlesAreCounted) {
  const SurfaceMesh torus = make_torus(2, 0.5, 20);
  EXPECT_EQ(inspect(torus).genus, 1);
  EXPECT_EQ(inspect(torus).euler_characteristic, 0);
  const SurfaceMesh both = joined(torus, make_sphere({9, 0, 0}, 1, 0.4));
  EXPECT_EQ(inspect(both).genus, 1);
  EXPECT_EQ(inspect(both).components, 2);
}

TEST(MeshReport, BodiesThatTouchInAVertexHaveNoHandles) {
  const SurfaceMesh pair =
      joined(make_box({0, 0, 0}, {1, 1, 1}, 0.5), make_box({1, 1, 1}, {1, 1, 1}, 0.5));
  const MeshReport report = inspect(pair);
  EXPECT_TRUE(report.watertight);
  EXPECT_EQ(report.components, 1) << "by their vertex";
  EXPECT_EQ(report.euler_characteristic, 3);
  EXPECT_EQ(report.genus, 0);
  expect_only(report, {Defect::CoincidentVertex});
}

TEST(MeshReport, AHoleIsABoundaryLoopWithItsPlace) {
  SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  SurfaceMesh open{.positions = box.positions};
  for (std::size_t f = 1; f < box.face_count(); ++f) open.add_face(box.face(f));
  const MeshReport report = inspect(open, {.places = 3});
  EXPECT_FALSE(report.watertight);
  EXPECT_FALSE(report.genus.has_value());
  expect_only(report, {Defect::BoundaryEdge});
  EXPECT_EQ(report[Defect::BoundaryEdge].count, 4);
  ASSERT_EQ(report[Defect::BoundaryEdge].first.size(), 3u);
  EXPECT_EQ(report.boundary_loops, 1);
  ASSERT_EQ(report.longest_loops.size(), 1u);
  EXPECT_EQ(report.longest_loops[0].edges, 4);
  EXPECT_NEAR(report.longest_loops[0].length, 2, 1e-15);
  Vec3d missing{0, 0, 0};
  for (const std::int32_t v : box.face(0)) missing += 0.25 * box.positions[v];
  EXPECT_LT(norm(report.longest_loops[0].center - missing), 1e-15);
  for (const DefectPlace& place : report[Defect::BoundaryEdge].first) {
    const Vec3d &a = open.positions[place.indices[0]], &b = open.positions[place.indices[1]];
    EXPECT_LT(norm(place.position - 0.5 * (a + b)), 1e-15);
    EXPECT_NEAR(norm(place.position - missing), 0.25, 1e-15);
  }
}

TEST(MeshReport, NonManifoldEdgesAreFound) {
  const SurfaceMesh fins = make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}},
                                     {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
  const MeshReport report = inspect(fins);
  expect_only(report, {Defect::NonManifoldEdge, Defect::BoundaryEdge});
  ASSERT_EQ(report[Defect::NonManifoldEdge].count, 1);
  EXPECT_THAT(report[Defect::NonManifoldEdge].first[0].indices, ElementsAre(0, 1));
  EXPECT_THAT(report[Defect::NonManifoldEdge].first[0].position.e, ElementsAre(0.5, 0, 0));
  EXPECT_EQ(report[Defect::BoundaryEdge].count, 6);
}

TEST(MeshReport, ATurnedFaceHasFlippedEdges) {
  SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  const auto face = box.corners.begin() + box.face_starts[7];
  std::reverse(face, face + 4);
  const MeshReport report = inspect(box);
  expect_only(report, {Defect::FlippedEdge});
  EXPECT_EQ(report[Defect::FlippedEdge].count, 4);
  EXPECT_FALSE(report.watertight);
}

TEST(MeshReport, DegenerateAndDuplicateTrianglesNameTheirFaces) {
  const SurfaceMesh mesh =
      make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {1, 0, 0}, {5, 1e-11, 0}},
                {{0, 1, 2}, {2, 1, 0}, {0, 1, 3}, {1, 4, 2}, {4, 2, 0}, {0, 3, 5}});
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report[Defect::CoincidentVertex].count, 1);
  EXPECT_THAT(report[Defect::CoincidentVertex].first[0].indices, ElementsAre(4, 1));
  // In a line; two equal corners once vertices are merged; almost in a line.
  ASSERT_EQ(report[Defect::DegenerateTriangle].count, 3);
  EXPECT_EQ(report[Defect::DegenerateTriangle].first[0].indices[0], 2);
  EXPECT_EQ(report[Defect::DegenerateTriangle].first[1].indices[0], 3);
  EXPECT_EQ(report[Defect::DegenerateTriangle].first[2].indices[0], 5);
  // Turned round, or by way of the merged vertex.
  ASSERT_EQ(report[Defect::DuplicateTriangle].count, 2);
  EXPECT_THAT(report[Defect::DuplicateTriangle].first[0].indices, ElementsAre(1, 0));
  EXPECT_THAT(report[Defect::DuplicateTriangle].first[1].indices, ElementsAre(4, 0));
}

TEST(MeshReport, UnusedVerticesDoNotCountAsBounds) {
  SurfaceMesh box = make_box({0, 0, 0}, {1, 1, 1}, 1);
  box.positions.push_back({9, 9, 9});
  const MeshReport report = inspect(box);
  expect_only(report, {Defect::UnusedVertex});
  EXPECT_THAT(report[Defect::UnusedVertex].first[0].indices, ElementsAre(8, -1));
  EXPECT_THAT(report.bounds.high.e, ElementsAre(0.5, 0.5, 0.5));
}

TEST(MeshReport, BodiesThatOverlapCrossEachOther) {
  const SurfaceMesh pair =
      joined(make_box({0, 0, 0}, {1, 1, 1}, 1), make_box({0.4, 0.3, 0.2}, {1, 1, 1}, 1));
  const MeshReport report = inspect(pair, {.places = 1000});
  expect_only(report, {Defect::SelfIntersection});
  const DefectList& crossings = report[Defect::SelfIntersection];
  EXPECT_EQ(static_cast<std::int64_t>(crossings.first.size()), crossings.count);
  EXPECT_GT(crossings.count, 6);
  for (const DefectPlace& place : crossings.first) {
    EXPECT_LT(place.indices[0], 6) << "one of the first box";
    EXPECT_GE(place.indices[1], 6) << "and one of the second";
    // Where both boxes are.
    for (int a = 0; a < 3; ++a) {
      EXPECT_GT(place.position[a], -0.31);
      EXPECT_LT(place.position[a], 0.71);
    }
  }
  EXPECT_TRUE(report.watertight) << "which it is, for all that";
  EXPECT_EQ(inspect(pair, {.places = 2})[Defect::SelfIntersection].count, crossings.count);
}

TEST(MeshReport, ComponentsAreListedFromTheLargest) {
  const SurfaceMesh three =
      joined(joined(make_box({0, 0, 0}, {1, 1, 1}, 1), make_box({5, 0, 0}, {2, 1, 1}, 0.25)),
             turned_inside_out(make_box({0, 5, 0}, {1, 2, 1}, 0.5)));
  const MeshReport report = inspect(three, {.listed = 2});
  EXPECT_EQ(report.components, 3);
  ASSERT_EQ(report.largest_components.size(), 2u);
  EXPECT_EQ(report.largest_components[0].triangles, 2 * 2 * (8 * 4 + 4 * 4 + 8 * 4));
  EXPECT_NEAR(report.largest_components[0].volume, 2, 1e-13);
  EXPECT_NEAR(report.largest_components[0].area, 10, 1e-13);
  EXPECT_THAT(report.largest_components[0].bounds.low.e, ElementsAre(4, -0.5, -0.5));
  EXPECT_NEAR(report.largest_components[1].volume, -2, 1e-13);
  EXPECT_NEAR(report.volume, 1, 1e-13);
}

TEST(MeshReport, ThicknessIsThatOfThePlate) {
  const MeshReport report = inspect(make_box({0, 0, 0}, {1, 1, 0.02}, 0.05), {.cell_size = 0.0101});
  const Thickness& t = report.thickness;
  EXPECT_EQ(t.rays, report.triangles);
  EXPECT_EQ(t.hits, t.rays);
  EXPECT_NEAR(t.smallest, 0.02, 1e-15);
  EXPECT_NEAR(t.median, 0.02, 1e-15);
  EXPECT_NEAR(std::abs(t.where[2]), 0.01, 1e-15);
  ASSERT_GE(t.thinnest, 0);
  // All but the narrow sides.
  EXPECT_NEAR(t.thin_share, 2 / 2.08, 1e-12);
  EXPECT_EQ(
      inspect(make_box({0, 0, 0}, {1, 1, 0.02}, 0.05), {.cell_size = 0.0099}).thickness.thin_share,
      0);
}

TEST(MeshReport, ThicknessOfASphereIsItsDiameterWhicheverWayItFaces) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  for (const SurfaceMesh& mesh : {sphere, turned_inside_out(sphere)}) {
    const Thickness t = inspect(mesh).thickness;
    EXPECT_NEAR(t.median, 2, 0.01);
    EXPECT_NEAR(t.smallest, 2, 0.02);
    EXPECT_LE(t.smallest, t.first_percentile);
    EXPECT_LE(t.first_percentile, t.median);
  }
}

TEST(MeshReport, FewRaysStillSeeTheWholeSurface) {
  const Thickness t =
      inspect(make_box({0, 0, 0}, {1, 1, 1}, 0.1), {.thickness_rays = 60}).thickness;
  EXPECT_EQ(t.rays, 60);
  EXPECT_NEAR(t.median, 1, 1e-15);
  EXPECT_EQ(inspect(make_box({0, 0, 0}, {1, 1, 1}, 1), {.thickness_rays = 0}).thickness.rays, 0);
}

TEST(MeshReport, IsTheSameForAnyNumberOfThreads) {
  // Enough of everything for many chunks.
  SurfaceMesh mesh = joined(make_sphere({0, 0, 0}, 1, 0.04), make_sphere({0.4, 0.3, 0}, 1, 0.04));
  for (std::size_t f = 0; f < mesh.face_count(); f += 7) {
    std::reverse(mesh.corners.begin() + mesh.face_starts[f],
                 mesh.corners.begin() + mesh.face_starts[f + 1]);
  }
  ThreadArena one(1), four(4);
  const MeshReport a = inspect_mesh(mesh, one), b = inspect_mesh(mesh, four);
  EXPECT_EQ(a.triangle_defects, b.triangle_defects);
  EXPECT_EQ(a.thickness.median, b.thickness.median);
  for (std::size_t d = 0; d < kDefectKinds; ++d) {
    EXPECT_EQ(a.defects[d].count, b.defects[d].count);
    ASSERT_EQ(a.defects[d].first.size(), b.defects[d].first.size());
    for (std::size_t i = 0; i < a.defects[d].first.size(); ++i) {
      EXPECT_EQ(a.defects[d].first[i].indices, b.defects[d].first[i].indices);
    }
  }
  EXPECT_GT(a[Defect::SelfIntersection].count, 100);
  EXPECT_GT(a[Defect::FlippedEdge].count, 100);
}

TEST(MeshReport, OfNothingIsNothing) {
  const MeshReport nothing = inspect({});
  EXPECT_EQ(nothing.triangles, 0);
  EXPECT_FALSE(nothing.watertight);
  const MeshReport points = inspect({.positions = {{1, 2, 3}, {4, 5, 6}}});
  EXPECT_EQ(points[Defect::UnusedVertex].count, 2);
  EXPECT_FALSE(points.watertight);
}

TEST(MeshReport, UnitsAreGuessedFromTheSize) {
  const auto guess = [](double length) {
    return guess_units({{0, 0, 0}, {0.1 * length, length, 0}});
  };
  EXPECT_EQ(guess(1.79), "metres (1.79 m long)");
  EXPECT_THAT(guess(0.18), HasSubstr("metres"));
  EXPECT_EQ(guess(1790), "millimetres (1.79 m long)");
  EXPECT_EQ(guess(179), "centimetres (1.79 m long) or millimetres (0.179 m long)");
  EXPECT_EQ(guess(30), "centimetres (0.3 m long)");
  EXPECT_EQ(guess(1e-3), "unknown");
  EXPECT_EQ(guess(5), "unknown");
  EXPECT_EQ(guess(1e5), "unknown");
  EXPECT_EQ(guess(0), "unknown");
}

}  // namespace
}  // namespace isochor::geometry
