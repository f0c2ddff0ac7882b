#include "isochor/solve/pivoted_cholesky.h"

#include <gtest/gtest.h>

namespace isochor::solve {
namespace {

/// Rows of A^T A for vectors of which the third is the sum of the others.
std::vector<double> dependent_gram() {
  const double a[4][3] = {{1, 0, 2}, {0, 3, 1}, {1, 3, 3}, {5, 0, 0}};
  std::vector<double> gram(16, 0);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 3; ++k) gram[4 * i + j] += a[i][k] * a[j][k];
    }
  }
  return gram;
}

TEST(PivotedCholesky, SolvesOnTheRowsThatDoNotDepend) {
  const std::vector<double> gram = dependent_gram();
  const PivotedCholesky factor(gram, 4, 1e-12);
  EXPECT_EQ(factor.size(), 4u);
  ASSERT_EQ(factor.rank(), 3u);
  // What some x gives: consistent.
  const double x[4] = {1, -2, 0.5, 3};
  std::vector<double> b(4, 0), q(4), y(4);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) b[i] += gram[4 * i + j] * x[j];
  }
  factor.forward(b, q);
  factor.dependent(b, q, [](std::size_t, double difference) { EXPECT_NEAR(difference, 0, 1e-12); });
  factor.backward(q, y);
  for (int i = 0; i < 4; ++i) {
    double sum = 0;
    for (int j = 0; j < 4; ++j) sum += gram[4 * i + j] * y[j];
    EXPECT_NEAR(sum, b[i], 1e-11);
  }
}

TEST(PivotedCholesky, TellsWhatADependentRowMayNotBe) {
  const PivotedCholesky factor(dependent_gram(), 4, 1e-12);
  // Row 2 is the sum of rows 0 and 1, but is asked for 1 more.
  const std::vector<double> b{1, 1, 3, 0};
  std::vector<double> q(4);
  factor.forward(b, q);
  int rows = 0;
  factor.dependent(b, q, [&](std::size_t, double difference) {
    ++rows;
    EXPECT_NEAR(std::abs(difference), 1, 1e-12);
  });
  EXPECT_EQ(rows, 1);
}

TEST(PivotedCholesky, TurnsTheMatrixIntoTheIdentity) {
  const std::vector<double> a{4, 2, 1, 2, 5, 3, 1, 3, 6};
  const PivotedCholesky factor(a, 3, 1e-12);
  ASSERT_EQ(factor.rank(), 3u);
  for (int k = 0; k < 3; ++k) {
    std::vector<double> unit(3, 0), x(3), Ax(3, 0), back(3);
    unit[k] = 1;
    factor.backward(unit, x);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) Ax[i] += a[3 * i + j] * x[j];
    }
    factor.forward(Ax, back);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(back[i], i == k, 1e-14);
  }
}

}  // namespace
}  // namespace isochor::solve
