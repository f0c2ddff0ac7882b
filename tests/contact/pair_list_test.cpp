#include "isochor/contact/pair_list.h"

#include <gtest/gtest.h>

#include "tests/contact/contact_checks.h"

namespace isochor::contact {
namespace {

std::vector<Vec3d> moved(std::span<const Vec3d> x, double size, std::uint64_t seed) {
  Random random(seed);
  std::vector<Vec3d> out(x.begin(), x.end());
  for (Vec3d& v : out) v += random.vector(-size, size);
  return out;
}

TEST(PairList, AnswersAsTreesDoWithinItsRange) {
  ThreadArena arena(2);
  const TestBodies bodies = random_spheres(8, 0.3, 11);
  SurfaceBvh bvh(bodies.surface);
  constexpr double kReach = 0.06, kListed = 0.3;
  PairList list;
  EXPECT_LT(list.range(bodies.positions, 0, {}, arena), 0);
  list.make(bvh, bodies.positions, kListed, {}, arena);
  EXPECT_NEAR(list.range(bodies.positions, kReach, {}, arena), 0.5 * (kListed - kReach), 1e-3);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const std::vector<Vec3d> x = moved(bodies.positions, 0.01, seed);
    ASSERT_GE(list.range(x, kReach, {}, arena), 0);
    std::vector<Pair> ours, theirs;
    list.find_close(x, kReach, arena, ours);
    find_close_pairs(bvh, x, kReach, {}, arena, theirs);
    ASSERT_GT(theirs.size(), 0u);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].kind, theirs[i].kind);
      EXPECT_EQ(ours[i].points, theirs[i].points);
      EXPECT_EQ(ours[i].distance, theirs[i].distance);
    }
    // As far as the range allows: the longest way of a corner of a cube is sqrt(3) of its side.
    const std::vector<Vec3d> end = moved(x, 0.57 * list.range(x, 0, {}, arena), seed + 100);
    const double part = list.largest_step(x, end, {}, arena);
    EXPECT_EQ(part, largest_step(bvh, x, end, {}, {}, arena));
    EXPECT_LT(part, 1);
  }
  EXPECT_LT(list.range(moved(bodies.positions, 0.3, 7), kReach, {}, arena), 0);
  list.clear();
  EXPECT_LT(list.range(bodies.positions, 0, {}, arena), 0);
}

}  // namespace
}  // namespace isochor::contact
