#include "reproduce/measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::reproduce {
namespace {

constexpr const char* kHead = "PARAMETER;INFO;URL;;\nSpeed (mm/min);450;;;\n";
constexpr const char* kColumns =
    "Time (s);True Strain;True Stress (MPa);Engineering Strain;Engineering Stress (MPa)\n";

TEST(Measurements, TensionOfASiliconeIsReadFromBelowItsHead) {
  const files::TemporaryFolder folder;
  make_directory(folder / "elastomer_tensile");
  write_file_atomic(folder / "elastomer_tensile/Soft.csv",
                    std::string(kHead) + kColumns + "0.2;0.04;-0.1;0.5;-0.25\n0.3;1;2;1;0.5\n");
  const MeasuredCurve curve = read_elastomer(folder / ".", "Soft");
  EXPECT_THAT(curve.stretch, testing::ElementsAre(1.5, 2));
  EXPECT_THAT(curve.stress, testing::ElementsAre(-0.25e6, 0.5e6));
  EXPECT_FALSE(curve.cauchy);
}

TEST(Measurements, AFileWithoutItsTableIsRefused) {
  const files::TemporaryFolder folder;
  make_directory(folder / "elastomer_tensile");
  write_file_atomic(folder / "elastomer_tensile/Soft.csv", kHead);
  EXPECT_THROW(read_elastomer(folder / ".", "Soft"), Error);
  EXPECT_THROW(read_elastomer(folder / ".", "Hard"), Error);
}

TEST(Measurements, PhantomModuliAreFoundByTheirLabel) {
  const files::TemporaryFolder folder;
  write_file_atomic(folder / "phantom_materials_table.csv",
                    "sr_no,sample_label,material,mean_kPa,std_kPa\n1,EF50_0T,\"a\",152.7,4.8\n"
                    "4,EF30_0T,\"b\",97.26,4.16\n");
  EXPECT_EQ(read_phantom_young(folder / ".", "EF30_0T"), 97.26e3);
  EXPECT_EQ(read_phantom_young(folder / ".", "EF10_0T"), std::nullopt);
}

TEST(Measurements, APartEndsAtItsStretchAndIsThinnedEvenly) {
  MeasuredCurve curve{.name = "a", .axis = 1, .cauchy = true};
  for (int i = 0; i < 100; ++i) {
    curve.stretch.push_back(1 + 0.1 * i);
    curve.stress.push_back(i);
  }
  const MeasuredCurve part = part_of(curve, 4.05, 10);
  EXPECT_THAT(part.stress, testing::ElementsAre(0, 4, 8, 12, 16, 20, 24, 28));
  EXPECT_EQ(part.axis, 1);
  EXPECT_TRUE(part.cauchy);
  EXPECT_EQ(part_of(curve, 4.05, 1000).stress.size(), 31u);
}

TEST(Measurements, StressBetweenPointsIsInterpolated) {
  const MeasuredCurve curve{.stretch = {1, 2, 4}, .stress = {0, 10, 50}};
  EXPECT_DOUBLE_EQ(stress_at(curve, 1.25), 2.5);
  EXPECT_DOUBLE_EQ(stress_at(curve, 3), 30);
  EXPECT_DOUBLE_EQ(stress_at(curve, 4), 50);
}

TEST(Measurements, TheRealFilesAreReadInTheirUnits) {
  const std::filesystem::path folder = ISOCHOR_SOURCE_DIR "/../shared/data/measurement";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no " << folder;
  EXPECT_EQ(read_elastomer(folder, "Ecoflex_00-30").stretch.size(), 705u);
  const std::vector<MeasuredCurve> skin = read_skin(folder), muscle = read_muscle(folder);
  EXPECT_NEAR(skin[0].stress.back(), 30.3e6, 0.1e6);
  EXPECT_NEAR(skin[1].stretch.back(), 1.5165, 1e-4);
  EXPECT_EQ(muscle[1].stretch.size(), 150u);
  EXPECT_NEAR(muscle[1].stress.front(), -899, 1);
}

}  // namespace
}  // namespace isochor::reproduce
