#include "isochor/solve/vector_ops.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/math/random_matrix.h"

namespace isochor::solve {
namespace {

std::vector<double> random_vector(Random& random, std::size_t size) {
  std::vector<double> v(size);
  for (double& x : v) x = random.uniform(-1, 1);
  return v;
}

TEST(SolveVectorOps, AgreeWithLoopsForAnySizeAndThreads) {
  Random random(1);
  for (const std::size_t size : {0u, 1u, 1000u, 8192u, 8193u, 50000u}) {
    const std::vector<double> x = random_vector(random, size), y = random_vector(random, size);
    for (const int threads : {1, 3}) {
      ThreadArena arena(threads);
      std::vector<double> added = y, mixed = y, copied(size), filled = y;
      axpy(arena, 0.7, x, added);
      xpby(arena, x, -0.3, mixed);
      copy(arena, x, copied);
      fill(arena, 2.5, filled);
      double sum = 0;
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(added[i], y[i] + 0.7 * x[i]);
        ASSERT_EQ(mixed[i], x[i] + -0.3 * y[i]);
        ASSERT_EQ(filled[i], 2.5);
        sum += x[i] * y[i];
      }
      EXPECT_EQ(copied, x);
      // Both sums round; neither by more than the size times the rounding of a term below 1.
      EXPECT_NEAR(dot(arena, x, y), sum, double(size) * 0x1p-52);
    }
  }
}

TEST(SolveVectorOps, DotHasTheSameBitsForAnyThreads) {
  Random random(2);
  const std::vector<double> x = random_vector(random, 100003), y = random_vector(random, 100003);
  ThreadArena one(1);
  const double expected = dot(one, x, y);
  for (const int threads : {2, 3, 5, 8}) {
    ThreadArena arena(threads);
    EXPECT_EQ(dot(arena, x, y), expected) << threads;
  }
}

}  // namespace
}  // namespace isochor::solve
