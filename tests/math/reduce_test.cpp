#include "isochor/math/reduce.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/math/random_matrix.h"

namespace isochor {
namespace {

/// Numbers of both signs over sixteen decades: any other order of addition changes the last bits.
std::vector<double> mixed_numbers(std::size_t count) {
  Random random(count);
  std::vector<double> values(count);
  for (double& v : values) v = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-8, 8));
  return values;
}

double sum_with(int threads, const std::vector<double>& values) {
  ThreadArena arena(threads);
  return deterministic_sum(arena, values.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    return sum;
  });
}

TEST(MathDeterministicSum, HasTheSameBitsForAnyNumberOfThreads) {
  for (const std::size_t count : {1u, 2047u, 2048u, 2049u, 100000u, 700001u}) {
    const std::vector<double> values = mixed_numbers(count);
    const double one = sum_with(1, values);
    for (const int threads : {2, 3, 5, 8}) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        EXPECT_EQ(sum_with(threads, values), one) << count << " numbers, " << threads;
      }
    }
  }
}

TEST(MathDeterministicSum, AgreesWithLongDouble) {
  for (const std::size_t count : {0u, 1u, 3u, 2048u, 2049u, 100000u, 700001u}) {
    const std::vector<double> values = mixed_numbers(count);
    long double sum = 0, magnitude = 0;
    for (const double v : values) {
      sum += v;
      magnitude += std::abs(v);
    }
    // Errors of the longest chain of additions, at worst.
    const double chain = std::max<double>(2048, double(count) / 256) + 256;
    EXPECT_NEAR(sum_with(2, values), double(sum), chain * 0x1p-53 * double(magnitude)) << count;
  }
}

TEST(MathDeterministicSum, EveryNumberCountsOnce) {
  for (const std::size_t count : {0u, 1u, 255u, 2048u, 4096u, 524288u, 524289u, 1000003u}) {
    EXPECT_EQ(sum_with(3, std::vector<double>(count, 1)), double(count));
  }
}

}  // namespace
}  // namespace isochor
