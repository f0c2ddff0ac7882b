#include "isochor/contact/penetration.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::contact {
namespace {

/// Cubes of side 0.25 in a row of nx by ny by nz, each cut into six tetrahedra about a diagonal.
geometry::TetMesh block(const Vec3d& low, std::array<int, 3> n) {
  geometry::TetMesh mesh;
  const auto node = [&](int x, int y, int z) {
    return static_cast<std::int32_t>((z * (n[1] + 1) + y) * (n[0] + 1) + x);
  };
  for (int z = 0; z <= n[2]; ++z) {
    for (int y = 0; y <= n[1]; ++y) {
      for (int x = 0; x <= n[0]; ++x) {
        mesh.positions.push_back(low + 0.25 * Vec3d{double(x), double(y), double(z)});
      }
    }
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x) {
        for (const auto& order : kOrders) {
          std::array<int, 3> at{x, y, z};
          geometry::Tet tet{node(x, y, z)};
          for (int k = 0; k < 3; ++k) {
            ++at[order[k]];
            tet[k + 1] = node(at[0], at[1], at[2]);
          }
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  geometry::fix_winding(mesh);
  return mesh;
}

/// Two blocks, one above the other.
struct TwoBlocks {
  geometry::TetMesh mesh = block({0, 0, 0}, {4, 2, 4});
  std::vector<std::int32_t> bodies;
  std::vector<Triangle> triangles;

  TwoBlocks() {
    bodies.assign(mesh.positions.size(), 0);
    const geometry::TetMesh other = block({0.1, 1, 0.1}, {3, 2, 3});
    const auto first = static_cast<std::int32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
    bodies.resize(mesh.positions.size(), 1);
    for (geometry::Tet t : other.tets) {
      for (std::int32_t& v : t) v += first;
      mesh.tets.push_back(t);
    }
    triangles = geometry::boundary_triangles(mesh.tets);
  }
};

TEST(Penetration, OfTwoBlocksIsAsDeepAsTheyOverlap) {
  const TwoBlocks blocks;
  ThreadArena arena(1);
  PenetrationFinder finder(blocks.mesh.tets, blocks.mesh.positions, blocks.triangles,
                           blocks.mesh.positions, blocks.bodies, arena);
  std::vector<Penetration> found;
  finder.find(blocks.mesh.positions, blocks.mesh.positions, 0.3, arena, found);
  EXPECT_TRUE(found.empty()) << "apart at rest";
  // The upper one sinks in by 0.06.
  std::vector<Vec3d> x = blocks.mesh.positions;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (blocks.bodies[i] == 1) x[i][1] -= 0.56;
  }
  for (const int threads : {1, 2, 4}) {
    ThreadArena many(threads);
    finder.find(x, x, 0.3, many, found);
    int lower = 0, upper = 0;
    for (const Penetration& p : found) {
      ++(blocks.bodies[p.vertex] == 1 ? upper : lower);
      EXPECT_NE(blocks.bodies[p.triangle[0]], blocks.bodies[p.vertex]);
      EXPECT_LE(p.depth, 0.06 + 1e-12);
      EXPECT_NEAR(norm(x[p.vertex] + p.depth * p.normal - p.target), 0, 1e-14);
      if (blocks.bodies[p.vertex] == 1) {
        EXPECT_NEAR(p.normal[1], 1, 1e-12);
        EXPECT_NEAR(p.target[1], 0.5, 1e-12);
      }
    }
    EXPECT_EQ(upper, 16) << "all of its lower face";
    EXPECT_EQ(lower, 9) << "those below it";
    EXPECT_TRUE(std::ranges::is_sorted(found, {}, &Penetration::vertex));
  }
}

TEST(Penetration, OfABodyFoldedIntoItselfLeadsOutThroughTheNearestSurface) {
  // A long bar bent to a closed ring and a little further.
  const geometry::TetMesh bar = block({0, 0, 0}, {40, 2, 2});
  const std::vector<Triangle> triangles = geometry::boundary_triangles(bar.tets);
  const std::vector<std::int32_t> bodies(bar.positions.size(), 0);
  ThreadArena arena(2);
  PenetrationFinder finder(bar.tets, bar.positions, triangles, bar.positions, bodies, arena);
  std::vector<Penetration> found;
  const auto bent = [&](double turn) {
    std::vector<Vec3d> x = bar.positions;
    const double radius = 10 / turn;
    for (Vec3d& p : x) {
      const double angle = p[0] / radius, r = radius - p[1];
      p = {r * std::sin(angle), radius - r * std::cos(angle), p[2]};
    }
    return x;
  };
  std::vector<Vec3d> x = bent(6.0);
  finder.find(x, x, 0.6, arena, found);
  EXPECT_TRUE(found.empty()) << "not closed yet";
  x = bent(6.4);
  finder.find(x, x, 0.6, arena, found);
  ASSERT_GE(found.size(), 2u) << "what is inside, not on the side faces that coincide";
  for (const Penetration& p : found) {
    // Its ends pass through each other by 0.117 of a turn of about 1.56 m.
    EXPECT_LT(p.depth, 0.2);
    const double along = bar.positions[p.vertex][0], other = bar.positions[p.triangle[0]][0];
    EXPECT_GT(std::abs(along - other), 5) << "out through the other end";
  }
}

TEST(Penetration, SpringsPullAlongTheNormalAndHoldAsMuchAsTheyGrip) {
  const Vec3d n{0, 0.6, 0.8}, t{1, 0, 0};
  const Mat3d slides = penalty_stiffness(10, 0, n), grips = penalty_stiffness(10, 0.3, n);
  EXPECT_LT(norm(slides * n - 10.0 * n), 1e-14);
  EXPECT_LT(norm(slides * t), 1e-14);
  EXPECT_LT(norm(grips * n - 10.0 * n), 1e-14);
  EXPECT_LT(norm(grips * t - 3.0 * t), 1e-14);
  const ColliderContact contact{.point = 4, .distance = -0.1, .normal = n};
  const PointSpring spring = penalty_spring(contact, {1, 2, 3}, 10, 0, 0.05);
  EXPECT_EQ(spring.points[0], 4);
  EXPECT_LT(norm(spring.target - Vec3d{1, 2.09, 3.12}), 1e-15);
  EXPECT_LT(norm(spring.stiffness - slides), 1e-15);
  const Penetration found{.vertex = 5, .target = {1, 1, 1}, .normal = n, .depth = 0.2};
  EXPECT_LT(norm(penalty_spring(found, 10, 0.3, 0).stiffness - grips), 1e-15);
  // 0.15 along the normal from where it ends.
  const std::vector<Vec3d> x(5, Vec3d{1, 2, 3} + 0.05 * n);
  const Term term = spring_term(spring, x);
  EXPECT_NEAR(term.energy, 0.5 * 10 * 0.1 * 0.1, 1e-15);
  EXPECT_LT(norm(term.gradient[0] + 1.0 * n), 1e-14);
}

}  // namespace
}  // namespace isochor::contact
