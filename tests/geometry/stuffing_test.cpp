#include "isochor/geometry/stuffing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/tet_quality.h"
#include "tests/files/temporary_folder.h"

namespace isochor::geometry {
namespace {

/// Everything that stuffing promises but the place of the surface.
void expect_sound(const TetMesh& mesh, ThreadArena& arena) {
  const TetReport report = inspect_tets(mesh, arena);
  EXPECT_GT(report.smallest_angle, 10);
  EXPECT_LT(report.largest_angle, 165);
  EXPECT_GT(report.smallest_volume, 0);
  for (const TetDefect d :
       {TetDefect::Inverted, TetDefect::Flat, TetDefect::Sliver, TetDefect::CrowdedFace,
        TetDefect::FoldedFace, TetDefect::UnusedVertex}) {
    EXPECT_EQ(report[d].count, 0) << static_cast<int>(d);
  }
  // The boundary has no rim.
  std::vector<std::array<std::int32_t, 2>> edges;
  for (const Triangle& t : boundary_triangles(mesh.tets)) {
    for (int i = 0; i < 3; ++i) {
      const std::int32_t a = t[i], b = t[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::ranges::sort(edges);
  for (std::size_t i = 0, end; i < edges.size(); i = end) {
    for (end = i; end < edges.size() && edges[end] == edges[i];) ++end;
    ASSERT_EQ((end - i) % 2, 0u);
  }
}

TetMesh stuffed(const SurfaceMesh& mesh, const StuffingOptions& options, ThreadArena& arena) {
  return stuff(SignedDistance(mesh.positions, triangulate(mesh), arena), options, arena);
}

constexpr auto ball = [](const Vec3d& p) { return norm(p) - 1; };
constexpr Bounds kBallBox{{-1, -1, -1}, {1, 1, 1}};

TEST(Stuffing, VolumeOfABallConvergesWithSecondOrder) {
  ThreadArena arena(2);
  double previous = 0;
  for (const double h : {0.2, 0.1, 0.05}) {
    const TetMesh mesh = stuff(ImplicitBody(ball), kBallBox, {.spacing = h}, arena);
    if (h == 0.1) expect_sound(mesh, arena);
    const double error = 4 * std::numbers::pi / 3 - total_volume(mesh);
    EXPECT_GT(error, 0);
    if (previous > 0) {
      EXPECT_GT(previous / error, 3.6);
      EXPECT_LT(previous / error, 4.4);
    }
    previous = error;
  }
}

TEST(Stuffing, BoundaryVerticesLieOnTheSurface) {
  ThreadArena arena(2);
  const TetMesh mesh = stuff(ImplicitBody(ball), kBallBox, {.spacing = 0.15}, arena);
  for (const Triangle& t : boundary_triangles(mesh.tets)) {
    for (const std::int32_t v : t) EXPECT_NEAR(norm(mesh.positions[v]), 1, 1e-11);
  }
}

TEST(Stuffing, AnglesAreBoundedForSmoothBodies) {
  ThreadArena arena(2);
  expect_sound(stuffed(make_torus({0, 0, 0}, {1, 2, 3}, 1, 0.4, 0.1), {.spacing = 0.1}, arena),
               arena);
  expect_sound(stuffed(make_bow_tie({0, 0, 0}, {1, 0.5, 0.4}, 0.1, 0.1), {.spacing = 0.05}, arena),
               arena);
  expect_sound(stuffed(make_hand(0.004), {.spacing = 0.006, .grading = 2}, arena), arena);
}

/// Sides and cuts without any relation to each other, many of them where the rule changes.
TEST(Stuffing, AnglesAreBoundedWhateverTheSurfaceDoes) {
  ThreadArena arena(2);
  for (const int percent : {30, 60, 90}) {
    const auto draw = [&](const Vec3d& p, std::uint64_t salt) {
      std::uint64_t hash = salt + static_cast<std::uint64_t>(percent);
      for (const double x : p.e) {
        hash = (hash ^ static_cast<std::uint64_t>(std::llround(4 * x))) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 29;
      }
      hash *= 0x9e3779b97f4a7c15u;
      return static_cast<double>((hash >> 32) % 100'003) / 100'003;
    };
    const auto is_inside = [&](const Vec3d& p) {
      return norm(p) < 11 && 100 * draw(p, 1000) < percent;
    };
    const auto has_ball = [](const Vec3d& p, double radius) -> std::optional<bool> {
      if (norm(p) > 11 + radius) return false;
      return {};
    };
    const auto crossing = [&](const Vec3d& a, const Vec3d& b) {
      constexpr double kLong = 0.285, kShort = 0.398, kStep = 1e-9;
      constexpr double kSpecial[] = {kLong + kStep,
                                     kLong - kStep,
                                     1 - kLong - kStep,
                                     1 - kLong + kStep,
                                     kShort + kStep,
                                     kShort - kStep,
                                     1 - kShort - kStep,
                                     1 - kShort + kStep,
                                     0,
                                     1};
      const double place = draw(0.5 * (a + b), 2000) * 12;
      const int k = static_cast<int>(place);
      return k < 10 ? kSpecial[k] : place / 2 - 5;
    };
    const StuffedBody body{{{-11, -11, -11}, {11, 11, 11}}, is_inside, has_ball, crossing};
    const TetMesh mesh = stuff(body, {.spacing = 1}, arena);
    EXPECT_GT(mesh.tets.size(), 1000u);
    expect_sound(mesh, arena);
  }
}

TEST(Stuffing, GradingKeepsTheBoundaryAndTheVolume) {
  ThreadArena arena(2);
  const TetMesh even = stuff(ImplicitBody(ball), kBallBox, {.spacing = 0.07}, arena);
  std::size_t last = even.tets.size();
  for (int grading = 1; grading <= 2; ++grading) {
    const TetMesh graded =
        stuff(ImplicitBody(ball), kBallBox, {.spacing = 0.07, .grading = grading}, arena);
    expect_sound(graded, arena);
    EXPECT_LT(graded.tets.size(), last);
    last = graded.tets.size();
    EXPECT_NEAR(total_volume(graded), total_volume(even), 1e-10);
    EXPECT_EQ(boundary_triangles(graded.tets).size(), boundary_triangles(even.tets).size());
  }
}

TEST(Stuffing, ResultDoesNotDependOnThreads) {
  const SurfaceMesh torus = make_torus({0, 0, 0}, {1, 2, 3}, 1, 0.4, 0.1);
  ThreadArena one(1), two(2);
  const TetMesh a = stuffed(torus, {.spacing = 0.12, .grading = 2}, one);
  const TetMesh b = stuffed(torus, {.spacing = 0.12, .grading = 2}, two);
  EXPECT_EQ(a.tets, b.tets);
  ASSERT_EQ(a.positions.size(), b.positions.size());
  EXPECT_EQ(std::memcmp(a.positions.data(), b.positions.data(), a.positions.size() * sizeof(Vec3d)),
            0);
}

TEST(Stuffing, BoxInTheLatticeIsExact) {
  ThreadArena arena(2);
  const SurfaceMesh box = make_box({0, 0, 0}, {1, 0.5, 0.75}, 0.25);
  const TetMesh mesh = stuffed(box, {.spacing = 0.125}, arena);
  expect_sound(mesh, arena);
  EXPECT_NEAR(total_volume(mesh), 0.375, 1e-9);
}

/// A ball without its cap: the hole is closed where the winding number is a half.
TEST(Stuffing, HolesAreClosed) {
  ThreadArena arena(2);
  const SurfaceMesh whole = make_sphere({0, 0, 0}, 1, 0.1);
  std::vector<Triangle> open;
  for (const Triangle& t : triangulate(whole)) {
    if (whole.positions[t[0]][2] < 0.9) open.push_back(t);
  }
  const SignedDistance surface(whole.positions, open, arena);
  const TetMesh mesh = stuff(surface, {.spacing = 0.1}, arena);
  expect_sound(mesh, arena);
  const double cap = std::numbers::pi * 0.01 * (3 - 0.1) / 3;  // of height 0.1
  EXPECT_NEAR(total_volume(mesh), 4 * std::numbers::pi / 3 - cap, 0.06);
}

/// Two balls that overlap are one body, without a wall between them.
TEST(Stuffing, OverlapsBecomeOneBody) {
  ThreadArena arena(2);
  SurfaceMesh both = make_sphere({-0.5, 0, 0}, 1, 0.1);
  const SurfaceMesh right = make_sphere({0.5, 0, 0}, 1, 0.1);
  const auto offset = static_cast<std::int32_t>(both.positions.size());
  both.positions.insert(both.positions.end(), right.positions.begin(), right.positions.end());
  for (std::size_t f = 0; f < right.face_count(); ++f) {
    std::vector<std::int32_t> face(right.face(f).begin(), right.face(f).end());
    for (std::int32_t& v : face) v += offset;
    both.add_face(face);
  }
  const TetMesh mesh = stuffed(both, {.spacing = 0.12}, arena);
  expect_sound(mesh, arena);
  EXPECT_EQ(inspect_tets(mesh, arena).components, 1);
  const double lens = std::numbers::pi * 5 / 12;  // of two balls at distance 1
  EXPECT_NEAR(total_volume(mesh), 8 * std::numbers::pi / 3 - lens, 0.06);
}

TEST(Stuffing, WhatCannotBeMadeIsRefused) {
  ThreadArena arena(1);
  const auto refusal = [&](StuffingOptions options, Bounds box = kBallBox) {
    return files::error_of([&] { stuff(ImplicitBody(ball), box, options, arena); }).problem();
  };
  EXPECT_EQ(refusal({.spacing = 0}), "the spacing is 0 m");
  EXPECT_EQ(refusal({.spacing = 0.1, .grading = -1}), "the grading is -1");
  EXPECT_NE(refusal({.spacing = 1e-4}).find("more than"), std::string::npos);
  EXPECT_NE(refusal({.spacing = 7}).find("body"), std::string::npos);
  EXPECT_NE(refusal({.spacing = 0.1}, {{-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}}).find("border"),
            std::string::npos);
}

TEST(Stuffing, SlowClassicMeshesAreStuffed) {
  const std::filesystem::path folder = ISOCHOR_SOURCE_DIR "/../shared/data/classic";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  ThreadArena arena(2);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const SurfaceMesh surface = files::read_surface(entry.path()).mesh;
    const Vec3d size = bounds_of_faces(surface).size();
    const double spacing = std::max({size[0], size[1], size[2]}) / 30;
    const TetMesh mesh = stuffed(surface, {.spacing = spacing, .grading = 2}, arena);
    expect_sound(mesh, arena);
    const double volume = enclosed_volume(surface.positions, triangulate(surface));
    EXPECT_NEAR(total_volume(mesh) / volume, 1, 0.1);
  }
}

}  // namespace
}  // namespace isochor::geometry
