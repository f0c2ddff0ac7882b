#include "isochor/tets/ring_rows.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/math/dispatch.h"

namespace isochor::tets {

ISOCHOR_DECLARE_KERNEL(void round_numbers_kernel(const float*, float, std::size_t, Half*))
ISOCHOR_DECLARE_KERNEL(void widen_numbers_kernel(const Half*, std::size_t, float*))
ISOCHOR_DECLARE_KERNEL(void sum_pushes_kernel(const RingRows&, const float*, std::size_t,
                                              std::size_t, float*))
ISOCHOR_DECLARE_KERNEL(void sum_along_kernel(const RingRows&, const float*, std::size_t,
                                             std::size_t, float*))
namespace {

constexpr std::int32_t kRows = 9;

/// Rows of one to five entries: even and odd counts.
solve::BlockPattern ragged() {
  solve::BlockPattern pattern;
  for (std::int32_t i = 0; i < kRows; ++i) {
    for (std::int32_t j = i; j < std::min(kRows, i + 1 + i % 5); ++j) pattern.columns.push_back(j);
    pattern.first.push_back(std::int32_t(pattern.columns.size()));
  }
  return pattern;
}

TEST(RingRows, AreSumsToElevenBitsAndTheSameWithAnyInstructions) {
  const solve::BlockPattern pattern = ragged();
  const std::size_t count = 3 * pattern.columns.size();
  const std::size_t whole = (count + 15) / 16 * 16;
  ASSERT_NE(whole, count);
  std::vector<float> exact(whole), numbers(kRows), vectors(4 * kRows), widened(whole);
  for (std::size_t e = 0; e < count; ++e) exact[e] = 1e-6f * std::sin(1.0f + float(e));
  for (int i = 0; i < kRows; ++i) numbers[i] = std::cos(float(i));
  for (int i = 0; i < 4 * kRows; ++i) vectors[i] = i % 4 == 3 ? 0 : std::cos(0.3f * float(i));
  constexpr float kUnit = 1e-9f;
  std::vector<float> first_sums, first_along;
  for (const Isa isa : available_isas()) {
    std::vector<Half> entries(count + kMoreHalves, Half{0});
    std::vector<float> sums(4 * kRows), along(kRows);
    const RingRows rows{pattern, entries.data()};
    ISOCHOR_CALL_KERNEL(isa, round_numbers_kernel(exact.data(), 1 / kUnit, count, entries.data()));
    ISOCHOR_CALL_KERNEL(isa, widen_numbers_kernel(entries.data(), count, widened.data()));
    for (std::size_t e = 0; e < count; ++e) EXPECT_EQ(widened[e], to_float(entries[e]));
    ISOCHOR_CALL_KERNEL(isa, sum_pushes_kernel(rows, numbers.data(), 0, 4, sums.data()));
    ISOCHOR_CALL_KERNEL(isa, sum_pushes_kernel(rows, numbers.data(), 4, kRows, sums.data()));
    ISOCHOR_CALL_KERNEL(isa, sum_along_kernel(rows, vectors.data(), 0, kRows, along.data()));
    // At most five entries, each rounded by half a unit in the last place of 1e-6.
    constexpr double kRounding = 5 * 1e-6 / 2048;
    for (int i = 0; i < kRows; ++i) {
      double wanted[3] = {}, wanted_along = 0;
      for (std::int32_t k = pattern.first[i]; k < pattern.first[i + 1]; ++k) {
        const std::int32_t j = pattern.columns[k];
        for (int a = 0; a < 3; ++a) {
          wanted[a] += double(exact[3 * k + a]) * double(numbers[j]);
          wanted_along += double(exact[3 * k + a]) * double(vectors[4 * j + a]);
        }
      }
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(kUnit * sums[4 * i + a], wanted[a], kRounding);
      EXPECT_EQ(sums[4 * i + 3], 0);
      EXPECT_NEAR(kUnit * along[i], wanted_along, 3 * kRounding);
    }
    if (first_sums.empty()) first_sums = sums, first_along = along;
    EXPECT_EQ(sums, first_sums) << name(isa);
    EXPECT_EQ(along, first_along) << name(isa);
  }
}

}  // namespace
}  // namespace isochor::tets
