#include "isochor/solve/split_cholesky.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace isochor::solve {
namespace {

/// A chain of springs of which each node feels three more on either side, cut in the middle: halves
/// from both ends, and a joint of three. `ground` holds the ends.
constexpr std::size_t kOwn = 40, kReach = 3, kSize = 2 * kOwn + kReach;

SplitEnvelope chain_envelope() {
  SplitEnvelope envelope{.joint = kReach};
  for (auto& half : envelope.halves) {
    for (std::size_t i = 0; i < kOwn + kReach; ++i) {
      half.push_back(std::int32_t(std::clamp<std::size_t>(i, kReach, kOwn) - kReach));
    }
  }
  return envelope;
}

/// Where a node of the chain is numbered: the second half from its far end on.
std::size_t place(std::size_t node) {
  if (node < kOwn) return node;
  if (node < kOwn + kReach) return 2 * kOwn + (node - kOwn);
  return kOwn + (kSize - 1 - node);
}

double stiffness(std::size_t a, std::size_t b) { return 1 + std::sin(double(a * b)) / 2; }

std::vector<double> chain_matrix(double ground) {
  std::vector<double> A(kSize * kSize, 0);
  for (std::size_t a = 0; a < kSize; ++a) {
    for (std::size_t b = a + 1; b <= std::min(a + kReach, kSize - 1); ++b) {
      const std::size_t i = place(a), j = place(b);
      const double k = stiffness(a, b);
      A[i * kSize + i] += k, A[j * kSize + j] += k;
      A[i * kSize + j] -= k, A[j * kSize + i] -= k;
    }
  }
  A[place(0) * (kSize + 1)] += ground;
  A[place(kSize - 1) * (kSize + 1)] += ground;
  return A;
}

std::vector<double> solve(const std::vector<double>& A, std::vector<double> b, int threads) {
  ThreadArena arena(threads);
  const SplitEnvelope envelope = chain_envelope();
  SplitCholesky cholesky(envelope);
  EXPECT_EQ(cholesky.size(), kSize);
  for (int again = 0; again < 2; ++again) {  // nothing stays from the first time
    cholesky.fill(0);
    for (std::size_t i = 0; i < kSize; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (A[i * kSize + j] != 0) cholesky.entry(i, j) = A[i * kSize + j];
      }
    }
    cholesky.factorise(arena);
  }
  cholesky.solve(b, arena);
  return b;
}

std::vector<double> times(const std::vector<double>& A, const std::vector<double>& x) {
  std::vector<double> b(kSize, 0);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) b[i] += A[i * kSize + j] * x[j];
  }
  return b;
}

TEST(SplitCholesky, SolvesToSinglePrecisionWithTheSameBitsForAnyThreads) {
  const std::vector<double> A = chain_matrix(1);
  std::vector<double> x(kSize);
  for (std::size_t i = 0; i < kSize; ++i) x[i] = std::cos(double(i));
  const std::vector<double> found = solve(A, times(A, x), 1);
  // A chain of 83 held softly at its ends has a condition of about a thousand, L is in single.
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(found[i], x[i], 2e-4) << i;
  EXPECT_EQ(solve(A, times(A, x), 2), found);
}

TEST(SplitCholesky, ADirectionWithoutStiffnessIsLeftAlone) {
  const std::vector<double> A = chain_matrix(0);  // the chain floats
  std::vector<double> x(kSize);
  for (std::size_t i = 0; i < kSize; ++i) x[i] = std::cos(double(i));
  const std::vector<double> found = solve(A, times(A, x), 1);
  const double shift = found[0] - x[0];
  EXPECT_NEAR(found[kSize - 1], 0, 1e-12) << "the last unknown of the joint";
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(found[i] - x[i], shift, 1e-3) << i;
}

TEST(SplitCholesky, CostCountsBothHalvesAndTheJoint) {
  const SplitEnvelope envelope{.halves = {{{0, 0, 0, 0}, {0, 0, 0}}}, .joint = 2};
  EXPECT_EQ(envelope.size(), 5u);
  EXPECT_EQ(envelope.cost(), 0.5 * (1 + 4 + 9) + 0.5 * (1 + 4) - 0.5 * 1);
  EXPECT_EQ(envelope.solve_cost(), 2 * (1 + 2 + 3 + 4) + 2 * (1 + 2 + 3) - 2 * (1 + 2));
}

}  // namespace
}  // namespace isochor::solve
