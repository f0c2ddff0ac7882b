#include "isochor/solve/envelope_cholesky.h"

#include <gtest/gtest.h>
#include <random>

namespace isochor::solve {
namespace {

/// A random matrix B^T B with rows that begin at different columns; row kFree is empty.
constexpr std::size_t kSize = 40, kFree = 5;

std::vector<std::int32_t> envelope() {
  std::vector<std::int32_t> first;
  for (std::size_t i = 0; i < kSize; ++i) {
    first.push_back(std::max(0, int(i) - 3 - int(i * i % 7)));
  }
  return first;
}

std::vector<double> matrix(std::span<const std::int32_t> first) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> entry(-1, 1);
  std::vector<double> A(kSize * kSize, 0);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = first[i]; j <= i; ++j) {
      if (i == kFree || j == kFree) continue;
      A[i * kSize + j] = A[j * kSize + i] = i == j ? 10 : entry(random);
    }
  }
  return A;
}

TEST(EnvelopeCholesky, SolvesToSinglePrecisionAndLeavesWhatHasNoStiffness) {
  const auto first = envelope();
  const auto A = matrix(first);
  EnvelopeCholesky cholesky(first);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = first[i]; j <= i; ++j) cholesky.entry(i, j) = A[i * kSize + j];
  }
  std::vector<double> x(kSize), b(kSize, 0);
  for (std::size_t i = 0; i < kSize; ++i) x[i] = i == kFree ? 0 : std::sin(double(i));
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) b[i] += A[i * kSize + j] * x[j];
  }
  b[kFree] = 7;  // nothing to answer it with
  cholesky.factorise();
  cholesky.solve(b);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(b[i], x[i], 1e-7) << i;
}

TEST(EnvelopeCholesky, DropsPivotsThatRoundingMadeNegative) {
  const std::vector<std::int32_t> first{0, 0};
  EnvelopeCholesky cholesky(first);
  cholesky.entry(0, 0) = cholesky.entry(1, 0) = 1;
  cholesky.entry(1, 1) = 1 - 1e-5;  // a mode of no stiffness, rounded
  cholesky.factorise();
  std::vector<double> b{1, 2};
  cholesky.solve(b);
  EXPECT_EQ(b, (std::vector<double>{1, 0}));
}

TEST(EnvelopeCholesky, CostCountsTheEnvelope) {
  const std::vector<std::int32_t> first{0, 0, 0, 2};
  EXPECT_EQ(EnvelopeCholesky::cost(first), 0.5 * (0 + 1 + 4 + 1));
  EXPECT_EQ(EnvelopeCholesky::solve_cost(first), 2 * (1 + 2 + 3 + 2));
}

}  // namespace
}  // namespace isochor::solve
