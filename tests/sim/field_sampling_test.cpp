#include "isochor/sim/field_sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "tests/files/temporary_folder.h"

namespace isochor::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One cell of each kind of volume, side by side along x: each fills the unit cube or the part of
/// it that `inside` says.
struct Solids {
  files::FieldFile file;
  void add(std::uint8_t type, const std::vector<Vec3d>& corners) {
    const double x = 2.0 * double(file.cells.count());
    for (const Vec3d& p : corners) {
      file.cells.corners.push_back(std::int32_t(file.points.size()));
      file.points.push_back(p + Vec3d{x, 0, 0});
    }
    file.cells.starts.push_back(std::int64_t(file.cells.corners.size()));
    file.cells.types.push_back(type);
  }
};

TEST(FieldSampling, EveryKindOfCellContainsItsInside) {
  Solids s;
  s.file.place = "s.vtu";
  const Vec3d o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  s.add(10, {o, x, y, z});
  s.add(11, {o, x, y, x + y, z, x + z, y + z, x + y + z});
  s.add(12, {o, x, x + y, y, z, x + z, x + y + z, y + z});
  s.add(13, {o, x, y, z, x + z, y + z});
  s.add(14, {o, x, x + y, y, z});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0.01, 0.99);
  std::vector<Vec3d> places;
  std::vector<std::int32_t> expected;
  for (int k = 0; k < 2000; ++k) {
    const Vec3d p{unit(random), unit(random), unit(random)};
    const bool inside[] = {p[0] + p[1] + p[2] < 1, true, true, p[0] + p[1] < 1,
                           p[0] + p[2] < 1 && p[1] + p[2] < 1};
    for (int c = 0; c < 5; ++c) {
      if (!inside[c]) continue;
      places.push_back(p + Vec3d{2.0 * c, 0, 0});
      expected.push_back(c);
    }
  }
  // All cells again, moved by less than a cell: what contains a place goes before what is near.
  const std::size_t points = s.file.points.size();
  for (std::int32_t c = 0; c < 5; ++c) {
    const auto first = s.file.cells.starts[c], last = s.file.cells.starts[c + 1];
    for (auto k = first; k < last; ++k) {
      s.file.points.push_back(s.file.points[s.file.cells.corners[k]] + Vec3d{0, -1.001, 0});
      s.file.cells.corners.push_back(std::int32_t(s.file.points.size() - 1));
    }
    s.file.cells.starts.push_back(std::int64_t(s.file.cells.corners.size()));
    s.file.cells.types.push_back(s.file.cells.types[c]);
  }
  ASSERT_EQ(s.file.points.size(), 2 * points);
  ThreadArena arena(2);
  EXPECT_EQ(nearest_cells(s.file, s.file.points, places, arena), expected);
}

TEST(FieldSampling, OutsideTheNearestCellCounts) {
  Solids s;
  const Vec3d o{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  s.add(10, {o, x, y, z});
  s.add(5, {o, x, y});
  s.add(7, {o, x, x + y, y});
  ThreadArena arena(1);
  const std::vector<Vec3d> places{{-5, 0, 0}, {2.2, 0.2, -1}, {9, 0.5, 0.1}, {1.4, 0.1, 0}};
  EXPECT_THAT(nearest_cells(s.file, s.file.points, places, arena), ElementsAre(0, 1, 2, 0));
}

TEST(FieldSampling, ThePointNearestCountsAndTheFirstOfEquals) {
  ThreadArena arena(1);
  const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {3, 0, 0}};
  const std::vector<Vec3d> places{{0.4, 9, 0}, {0.9, 0, 0}, {2, 0, 0}, {8, 8, 8}};
  EXPECT_THAT(nearest_points(points, places, arena), ElementsAre(0, 1, 1, 3));
}

TEST(FieldSampling, CellsThatAreNotKnownAreRefused) {
  ThreadArena arena(1);
  const std::vector<Vec3d> places{{0, 0, 0}};
  Solids s;
  s.file.place = "s.vtu";
  s.add(42, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const Error error = files::error_of([&] { nearest_cells(s.file, s.file.points, places, arena); });
  EXPECT_EQ(error.problem(), "cell 0 has the type 42 of VTK");
  EXPECT_THAT(error.remedy(), HasSubstr("hexahedra (12)"));
  s.file.cells.types[0] = 12;
  EXPECT_EQ(files::error_of([&] { nearest_cells(s.file, s.file.points, places, arena); }).problem(),
            "cell 0 of type 12 has 4 corners");
}

}  // namespace
}  // namespace isochor::sim
