#include "isochor/solve/dense_cholesky.h"

#include <gtest/gtest.h>
#include <random>

namespace isochor::solve {
namespace {

TEST(DenseCholesky, SolvesAndLeavesWhatHasNoStiffness) {
  constexpr std::size_t kSize = 23, kFree = 5;  // row kFree is empty
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> B(kSize * kSize), A(kSize * kSize, 0), x(kSize), b(kSize, 0);
  for (double& v : B) v = normal(random);
  for (double& v : x) v = normal(random);
  x[kFree] = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      for (std::size_t k = 0; i != kFree && j != kFree && k < kSize; ++k) {
        A[i * kSize + j] += B[i * kSize + k] * B[j * kSize + k];
      }
    }
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) b[i] += A[i * kSize + j] * x[j];
  }
  DenseCholesky cholesky(kSize);
  cholesky.entries() = A;
  cholesky.factorise();
  b[kFree] = 7;  // nothing to answer it with
  cholesky.solve(b);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(b[i], x[i], 1e-8);
}

}  // namespace
}  // namespace isochor::solve
