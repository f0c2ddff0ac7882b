#include "isochor/geometry/orientation.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/files/surface_file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/winding_number.h"
#include "tests/geometry/surface_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::geometry {
namespace {

Orientation orient(const SurfaceMesh& mesh, Cavities cavities = Cavities::Keep) {
  ThreadArena arena(2);
  return oriented_outward(mesh.positions, triangulate(mesh), arena, cavities);
}

/// Triangles with every one turned for which `which` says so.
template <class F>
SurfaceMesh turned_where(const SurfaceMesh& mesh, F&& which) {
  SurfaceMesh turned{.positions = mesh.positions};
  for (Triangle t : triangulate(mesh)) {
    if (which(t)) std::swap(t[1], t[2]);
    turned.add_face(t);
  }
  return turned;
}

/// As an STL has it: every triangle with vertices of its own.
SurfaceMesh torn(const SurfaceMesh& mesh) {
  SurfaceMesh apart;
  for (const Triangle& t : triangulate(mesh)) {
    const auto first = static_cast<std::int32_t>(apart.positions.size());
    for (const std::int32_t v : t) apart.positions.push_back(mesh.positions[v]);
    apart.add_face(Triangle{first, first + 1, first + 2});
  }
  return apart;
}

TEST(Orientation, WhatFacesOutwardStaysAsItIs) {
  const SurfaceMesh sphere = make_sphere({1, 2, 3}, 1, 0.2);
  const Orientation result = orient(sphere);
  EXPECT_EQ(result.triangles, triangulate(sphere));
  EXPECT_EQ(result.turned, 0);
  EXPECT_EQ(result.patches, 1);
  EXPECT_EQ(result.one_sided, 0);
}

TEST(Orientation, AnInsideOutBodyIsTurned) {
  const SurfaceMesh sphere = make_sphere({5, 0, 0}, 1, 0.2);
  const Orientation result = orient(turned_inside_out(sphere));
  EXPECT_EQ(result.turned, static_cast<std::int64_t>(result.triangles.size()));
  EXPECT_GT(enclosed_volume(sphere.positions, result.triangles), 3.9);
}

TEST(Orientation, RandomlyTurnedFacesComeToAgreeAlsoAcrossSeams) {
  Random random(1);
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  const SurfaceMesh shuffled =
      turned_where(torn(sphere), [&](const Triangle&) { return random.uniform(0, 1) < 0.6; });
  const Orientation result = orient(shuffled);
  EXPECT_EQ(result.patches, 1);
  EXPECT_NEAR(enclosed_volume(shuffled.positions, result.triangles), enclosed_volume(sphere),
              1e-12);
  // Only the order of corners may change.
  const std::vector<Triangle> given = triangulate(shuffled);
  std::int64_t turned = 0;
  for (std::size_t t = 0; t < given.size(); ++t) {
    EXPECT_EQ(result.triangles[t][0], given[t][0]);
    turned += result.triangles[t] != given[t];
  }
  EXPECT_EQ(result.turned, turned);
}

TEST(Orientation, CavitiesStayUnlessAskedToBeFilled) {
  const SurfaceMesh outer = make_sphere({0, 0, 0}, 2, 0.3);
  const SurfaceMesh inner = turned_inside_out(make_sphere({0.3, 0, 0}, 1, 0.2));
  const SurfaceMesh hollow = joined(outer, inner);
  const double shell = enclosed_volume(outer) + enclosed_volume(inner);
  const double both = enclosed_volume(outer) - enclosed_volume(inner);
  const auto volume = [&](const Orientation& o) {
    return enclosed_volume(hollow.positions, o.triangles);
  };
  EXPECT_NEAR(volume(orient(hollow)), shell, 1e-9);
  EXPECT_NEAR(volume(orient(turned_inside_out(hollow))), shell, 1e-9) << "all of it inside out";
  EXPECT_NEAR(volume(orient(hollow, Cavities::Fill)), both, 1e-9);
}

TEST(Orientation, BodiesBesideEachOtherAreTurnedOneByOne) {
  const SurfaceMesh pair = joined(make_sphere({0, 0, 0}, 1, 0.2),
                                  turned_inside_out(make_box({3, 0, 0}, {1, 1, 1}, 0.5)));
  const Orientation result = orient(pair);
  EXPECT_EQ(result.patches, 2);
  EXPECT_EQ(result.turned, 48);
  EXPECT_GT(enclosed_volume(pair.positions, result.triangles), 4.9);
}

TEST(Orientation, OpenBodiesAreTurnedByTheRaysThatLeaveThem) {
  const SurfaceMesh sphere = make_sphere({0, 0, 0}, 1, 0.1);
  // Without its cap, and without half of it, where rays straight inward leave as well.
  for (const double rim : {0.7, 0.0}) {
    SurfaceMesh open{.positions = sphere.positions};
    for (Triangle t : triangulate(sphere)) {
      if (sphere.positions[t[0]][2] > rim) continue;
      std::swap(t[1], t[2]);
      open.add_face(t);
    }
    const Orientation result = orient(open);
    EXPECT_EQ(result.turned, static_cast<std::int64_t>(result.triangles.size())) << rim;
    const WindingNumber winding(open.positions, result.triangles);
    EXPECT_GT(winding({0, 0, -0.6}), 0.5);
  }
}

TEST(Orientation, PatchesThatMeetInANonManifoldEdgeAreTurnedOneByOne) {
  // Two cubes that share an edge, one of them inside out.
  const SurfaceMesh cubes = joined(make_box({0, 0, 0}, {1, 1, 1}, 1),
                                   turned_inside_out(make_box({1, 1, 0}, {1, 1, 1}, 1)));
  const Orientation result = orient(cubes);
  EXPECT_EQ(result.patches, 2);
  EXPECT_EQ(result.turned, 12);
  EXPECT_NEAR(enclosed_volume(cubes.positions, result.triangles), 2, 1e-12);
}

TEST(Orientation, AMoebiusStripIsFoundOneSided) {
  SurfaceMesh strip;
  constexpr int kPieces = 24;
  for (int i = 0; i < kPieces; ++i) {
    const double angle = 2 * std::numbers::pi * i / kPieces;
    for (const double side : {-0.3, 0.3}) {
      const double r = 1 + side * std::cos(angle / 2);
      strip.positions.push_back(
          {r * std::cos(angle), r * std::sin(angle), side * std::sin(angle / 2)});
    }
  }
  for (int i = 0; i < kPieces; ++i) {
    const bool last = i + 1 == kPieces;
    const int next = last ? 0 : 2 * i + 2;
    // The ends are joined crosswise.
    strip.add_face(
        std::array<std::int32_t, 4>{2 * i, last ? 1 : next, last ? 0 : next + 1, 2 * i + 1});
  }
  const Orientation result = orient(strip);
  EXPECT_EQ(result.patches, 1);
  EXPECT_EQ(result.one_sided, 1);
}

TEST(Orientation, NothingAndNeedlesAreNoProblem) {
  EXPECT_TRUE(orient({}).triangles.empty());
  const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  SurfaceMesh needles{.positions = points};
  needles.add_face(Triangle{0, 1, 2});
  needles.add_face(Triangle{0, 0, 1});
  EXPECT_EQ(orient(needles).turned, 0);
}

TEST(Orientation, AShuffledSurfaceOfAFileBecomesASolid) {
  const std::filesystem::path file = ISOCHOR_SOURCE_DIR "/../shared/data/bad/blobby_shuffled.off";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  const SurfaceMesh mesh = files::read_surface(file).mesh;
  const Orientation result = orient(mesh);
  EXPECT_EQ(result.patches, 1);
  const double volume = enclosed_volume(mesh.positions, result.triangles);
  EXPECT_GT(volume, 0.05);
  // The share of points inside agrees with the volume, which it did not before.
  const WindingNumber after(mesh.positions, result.triangles);
  const WindingNumber before(mesh.positions, triangulate(mesh));
  const Bounds box = bounds_of(mesh.positions);
  const Vec3d size = box.size();
  Random random(7);
  int inside = 0, inside_before = 0;
  constexpr int kSamples = 4000;
  for (int i = 0; i < kSamples; ++i) {
    const Vec3d r = random.vector(0, 1);
    const Vec3d p = box.low + Vec3d{r[0] * size[0], r[1] * size[1], r[2] * size[2]};
    inside += after(p) > 0.5;
    inside_before += std::abs(before(p)) > 0.5;
  }
  EXPECT_NEAR(size[0] * size[1] * size[2] * inside / kSamples, volume, 0.003);
  EXPECT_LT(inside_before, inside / 20);
}

}  // namespace
}  // namespace isochor::geometry
