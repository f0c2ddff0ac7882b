#include "isochor/geometry/tet_mesh.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

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

/// Cubes of six tets each, plane by plane; regions number the cubes.
TetMesh many_tets(int size) {
  TetMesh mesh;
  const auto number = [&](int x, int y, int z) { return x + (size + 1) * (y + (size + 1) * z); };
  for (int z = 0; z <= size; ++z) {
    for (int y = 0; y <= size; ++y) {
      for (int x = 0; x <= size; ++x) mesh.positions.push_back({double(x), double(y), double(z)});
    }
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int cube = 0; cube < size * size * size; ++cube) {
    for (const auto& axes : kOrders) {
      int at[3] = {cube % size, cube / size % size, cube / size / size};
      Tet tet{number(at[0], at[1], at[2])};
      for (int k = 0; k < 3; ++k) {
        ++at[axes[k]];
        tet[k + 1] = number(at[0], at[1], at[2]);
      }
      mesh.tets.push_back(tet);
      mesh.regions.push_back(cube);
    }
  }
  fix_winding(mesh);
  return mesh;
}

/// How many tets there are around runs of so many nodes, the mean: what loops over nodes read.
double tets_at_once(const TetMesh& mesh, std::size_t run) {
  std::vector<std::set<std::size_t>> runs((mesh.positions.size() + run - 1) / run);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const std::int32_t n : mesh.tets[t]) runs[std::size_t(n) / run].insert(t);
  }
  double sum = 0;
  for (const auto& tets : runs) sum += double(tets.size());
  return sum / double(runs.size());
}

TEST(TetMesh, OrderedByPlaceItIsTheSameMeshWithNeighboursCloserTogether) {
  const TetMesh planes = many_tets(24);
  TetMesh cubes = planes;
  order_by_place(cubes, 8);
  const auto tets_of = [](const TetMesh& mesh) {
    std::vector<std::array<double, 13>> tets;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      tets.emplace_back();
      for (int e = 0; e < 12; ++e) {
        tets.back()[e] = mesh.positions[mesh.tets[t][e / 3]][e % 3];
      }
      tets.back()[12] = mesh.regions[t];
    }
    std::ranges::sort(tets);
    return tets;
  };
  EXPECT_EQ(tets_of(cubes), tets_of(planes));
  EXPECT_LT(tets_at_once(cubes, 512), 0.75 * tets_at_once(planes, 512));
  TetMesh again = cubes;
  order_by_place(again, 8);
  EXPECT_EQ(again.tets, cubes.tets);
}

}  // namespace
}  // namespace isochor::geometry
