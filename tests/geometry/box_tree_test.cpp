#include "isochor/geometry/box_tree.h"

#include <gtest/gtest.h>
#include <random>

namespace isochor::geometry {
namespace {

TEST(BoxTree, FindsWhatLookingAtAllBoxesFinds) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-1, 1), size(0, 0.2);
  std::vector<Bounds> boxes;
  for (int i = 0; i < 500; ++i) {
    const Vec3d low{coordinate(random), coordinate(random), coordinate(random)};
    boxes.push_back({low, low + Vec3d{size(random), size(random), size(random)}});
    if (i % 10 == 0) boxes.push_back(boxes.back());  // equals, of which the first counts
  }
  const BoxTree tree(boxes);
  int visits = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3d point{2 * coordinate(random), coordinate(random), coordinate(random)};
    std::int32_t expected = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (squared_distance(boxes[i], point) < squared_distance(boxes[expected], point)) {
        expected = std::int32_t(i);
      }
    }
    EXPECT_EQ(tree.nearest(point,
                           [&](std::int32_t i) {
                             ++visits;
                             return squared_distance(boxes[i], point);
                           }),
              expected);
  }
  EXPECT_LT(visits, 300 * 60) << "of 550 boxes each";
}

TEST(BoxTree, NothingIsFoundWhereThereIsNothing) {
  EXPECT_EQ(BoxTree({}).nearest({0, 0, 0}, [](std::int32_t) { return 0.0; }), -1);
}

TEST(BoxTree, DistanceToABoxIsZeroInside) {
  const Bounds box{{0, 0, 0}, {1, 2, 3}};
  EXPECT_EQ(squared_distance(box, {0.5, 1, 3}), 0);
  EXPECT_EQ(squared_distance(box, {-1, 1, 5}), 5);
}

}  // namespace
}  // namespace isochor::geometry
