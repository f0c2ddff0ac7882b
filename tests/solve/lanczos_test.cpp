#include "isochor/solve/lanczos.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::solve {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Dense random_definite(Random& random, int size) {
  Dense B(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) B(i, j) = random.uniform(-1, 1);
  }
  return B * B.transpose() + Dense::Identity(size, size);
}

/// Conjugate gradients with the diagonal as the preconditioner.
Tridiagonal iterate(const Dense& A, int iterations, Random& random) {
  Vector r(A.rows());
  for (double& x : r) x = random.uniform(-1, 1);
  const Vector inverse = A.diagonal().cwiseInverse();
  Vector z = inverse.cwiseProduct(r), p = z;
  double rho = r.dot(z);
  Tridiagonal lanczos;
  for (int k = 0; k < iterations; ++k) {
    const double curvature = p.dot(A * p);
    r -= rho / curvature * (A * p);
    z = inverse.cwiseProduct(r);
    const double next = r.dot(z);
    lanczos.add(rho, curvature, next);
    p = z + next / rho * p;
    rho = next;
  }
  return lanczos;
}

double largest_of(const Dense& A) {
  const Vector scale = A.diagonal().cwiseInverse().cwiseSqrt();
  return Eigen::SelfAdjointEigenSolver<Dense>(scale.asDiagonal() * A * scale.asDiagonal())
      .eigenvalues()
      .maxCoeff();
}

TEST(SolveLanczos, AsManyIterationsAsUnknownsFindTheLargestEigenvalue) {
  Random random(3);
  for (const int size : {1, 2, 3, 6}) {
    const Dense A = random_definite(random, size);
    const auto [value, error] = iterate(A, size, random).largest();
    EXPECT_NEAR(value, largest_of(A), 1e-8 * largest_of(A));
    EXPECT_LT(error, 1e-6 * value);
  }
}

TEST(SolveLanczos, FewIterationsFindItFromBelowWithinTheirError) {
  Random random(4);
  for (int trial = 0; trial < 10; ++trial) {
    const Dense A = random_definite(random, 60);
    const double exact = largest_of(A);
    const auto [value, error] = iterate(A, 10, random).largest();
    EXPECT_LE(value, exact * (1 + 1e-9));
    EXPECT_GE(value + error, exact * 0.98);
    EXPECT_GE(value, 0.9 * exact);
  }
}

/// As inertia makes them: power iteration takes long to find the few that stand out.
TEST(SolveLanczos, EigenvaluesThatStandOutAreFound) {
  Random random(5);
  Dense A = Dense::Identity(300, 300);
  // Pairs of unknowns tied to each other, one stronger than the others.
  for (int i = 0; i + 1 < 300; i += 2) A(i, i + 1) = A(i + 1, i) = i == 100 ? 0.9 : 0.01;
  const auto [value, error] = iterate(A, 10, random).largest();
  EXPECT_NEAR(value, 1.9, 1e-3);
}

}  // namespace
}  // namespace isochor::solve
