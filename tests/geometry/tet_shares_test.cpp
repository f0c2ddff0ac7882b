#include "isochor/geometry/tet_shares.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/context.h"
#include "isochor/geometry/shapes.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::geometry {
namespace {

class TetShares : public ::testing::Test {
 protected:
  SignedDistance ball(const Vec3d& center, double radius) {
    const SurfaceMesh mesh = make_sphere(center, radius, 0.1 * radius);
    return {mesh.positions, triangulate(mesh), context_.arena};
  }
  static double volume(const SurfaceMesh& mesh) {
    return enclosed_volume(mesh.positions, triangulate(mesh));
  }
  Context context_{2};
  TetMesh mesh_ = tets::box_of_tets(8, 8, 0.125, 0.2);  ///< the unit cube
};

TEST_F(TetShares, AddUpToWhatASolidEncloses) {
  const Vec3d center{0.45, 0.5, 0.55};
  const std::vector<SignedDistance> solids{ball(center, 0.3)};
  const std::vector<SolidShares> shares = shares_in_tets(mesh_, solids, context_.arena);
  const double enclosed = volume(make_sphere(center, 0.3, 0.03));
  EXPECT_NEAR(shares[0].left, enclosed, 0.01 * enclosed) << "of the second order in tets";
  EXPECT_DOUBLE_EQ(shares[0].left, shares[0].alone);
  // So do their moments.
  Vec3d middle{0, 0, 0};
  double sum = 0;
  for (const TetShare& share : shares[0].tets) {
    const double part = share.fraction * signed_volume(mesh_, share.tet);
    middle += part * share.centroid;
    sum += part;
    EXPECT_GT(share.fraction, 0);
    EXPECT_LE(share.fraction, 1 + 1e-12);
  }
  EXPECT_NEAR(sum, shares[0].left, 1e-12);
  EXPECT_LT(norm(middle * (1 / sum) - center), 2e-3);
}

TEST_F(TetShares, AreExactWhereASurfaceIsAPlane) {
  const SurfaceMesh box = make_box({-2, 0.5, 0.5}, {2 * 2.4375, 9, 9}, 1);
  const std::vector<SignedDistance> solids{
      SignedDistance(box.positions, triangulate(box), context_.arena)};
  const std::vector<SolidShares> shares = shares_in_tets(mesh_, solids, context_.arena);
  EXPECT_NEAR(shares[0].left, 0.4375, 1e-9);
  Vec3d moment{0, 0, 0};
  for (const TetShare& share : shares[0].tets) {
    moment += share.fraction * signed_volume(mesh_, share.tet) * share.centroid;
  }
  EXPECT_NEAR(moment[0], 0.5 * 0.4375 * 0.4375, 1e-9);
}

TEST_F(TetShares, TheFirstSolidHasWhatBothWouldHave) {
  const std::vector<SignedDistance> solids{ball({0.4, 0.5, 0.5}, 0.2), ball({0.6, 0.5, 0.5}, 0.2),
                                           ball({5, 5, 5}, 0.2)};
  const std::vector<SolidShares> shares = shares_in_tets(mesh_, solids, context_.arena);
  EXPECT_DOUBLE_EQ(shares[0].left, shares[0].alone);
  // The lens of two balls whose middles are one radius apart.
  const double r = 0.2, lens = 5 * std::numbers::pi / 12 * r * r * r;
  EXPECT_NEAR(shares[1].alone - shares[1].left, lens, 0.02 * lens + 0.02 * shares[1].alone);
  EXPECT_TRUE(shares[2].tets.empty());
  EXPECT_EQ(shares[2].alone, 0);
  std::vector<double> filled(mesh_.tets.size(), 0);
  for (const SolidShares& solid : shares) {
    for (const TetShare& share : solid.tets) filled[share.tet] += share.fraction;
  }
  for (const double f : filled) EXPECT_LE(f, 1 + 1e-12);
}

TEST_F(TetShares, AreTheSameForAnyNumberOfThreads) {
  const std::vector<SignedDistance> solids{ball({0.4, 0.5, 0.5}, 0.25), ball({0.6, 0.5, 0.5}, 0.3)};
  Context one(1);
  const auto a = shares_in_tets(mesh_, solids, context_.arena);
  const auto b = shares_in_tets(mesh_, solids, one.arena);
  for (std::size_t s = 0; s < solids.size(); ++s) {
    EXPECT_EQ(a[s].left, b[s].left);
    ASSERT_EQ(a[s].tets.size(), b[s].tets.size());
    for (std::size_t k = 0; k < a[s].tets.size(); ++k) {
      EXPECT_EQ(a[s].tets[k].centroid[0], b[s].tets[k].centroid[0]);
    }
  }
}

}  // namespace
}  // namespace isochor::geometry
