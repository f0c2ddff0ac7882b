#include "isochor/solve/conjugate_gradient.h"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "tests/math/random_matrix.h"

namespace isochor::solve {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Vector random_vector(Random& random, int size) {
  Vector v(size);
  for (double& x : v) x = random.uniform(-1, 1);
  return v;
}

/// A symmetric matrix with the given eigenvalues, turned by random reflections.
Dense with_eigenvalues(Random& random, const Vector& eigenvalues) {
  Dense A = eigenvalues.asDiagonal();
  for (int reflection = 0; reflection < 4; ++reflection) {
    const Vector v = random_vector(random, int(eigenvalues.size())).normalized();
    const Dense H = Dense::Identity(A.rows(), A.cols()) - 2 * v * v.transpose();
    A = H * A * H;
  }
  return A;
}

struct Solved {
  KrylovReport report;
  Vector x;
  int applications = 0, preconditionings = 0;
};

/// Solves A x = b with a diagonal preconditioner and counts the calls.
Solved solve_with(const Dense& A, const Vector& b, const Accuracy& accuracy, int max_iterations,
                  const Vector& inverse_diagonal, int stop_after = 1 << 30) {
  Solved out{.x = Vector::Constant(b.size(), 77)};  // must not matter: CG starts at zero
  ThreadArena arena(1);
  const auto size = std::size_t(b.size());
  KrylovScratch scratch(size);
  const auto view = [&](auto* data) { return Eigen::Map<Vector>(data, b.size()); };
  const auto apply = [&](std::span<const double> p, std::span<double> q) {
    ++out.applications;
    view(q.data()) = A * Eigen::Map<const Vector>(p.data(), b.size());
  };
  const auto precondition = [&](std::span<const double> r, std::span<double> z) {
    ++out.preconditionings;
    for (std::size_t i = 0; i < size; ++i) z[i] = r[i] * inverse_diagonal[Eigen::Index(i)];
  };
  out.report = conjugate_gradient(
      arena, apply, precondition, [&] { return out.preconditionings >= stop_after; },
      std::span(b.data(), size), std::span(out.x.data(), size), accuracy, max_iterations, scratch);
  return out;
}

Vector ones(int size) { return Vector::Ones(size); }

TEST(SolveConjugateGradient, AgreesWithCholesky) {
  Random random(1);
  for (const int size : {1, 2, 5, 20, 60}) {
    Vector eigenvalues(size);
    for (double& e : eigenvalues) e = random.uniform(1, 100);
    const Dense A = with_eigenvalues(random, eigenvalues);
    const Vector b = random_vector(random, size), exact = A.llt().solve(b);
    for (const Vector& preconditioner : {ones(size), Vector(A.diagonal().cwiseInverse())}) {
      const Solved got = solve_with(A, b, 1e-12, 10 * size, preconditioner);
      EXPECT_TRUE(got.report.converged);
      EXPECT_FALSE(got.report.indefinite);
      EXPECT_LE(got.report.relative_residual, 1e-12);
      // The error is at most the condition number times the residual.
      EXPECT_LT((got.x - exact).norm(), 100 * 2e-12 * exact.norm()) << size;
      EXPECT_LT((b - A * got.x).norm(), 2e-12 * b.norm()) << "the recurrence must tell the truth";
    }
  }
}

TEST(SolveConjugateGradient, EndsAfterAsManyStepsAsThereAreEigenvalues) {
  Random random(2);
  Vector eigenvalues(30);
  for (int i = 0; i < 30; ++i) eigenvalues[i] = 1 + i % 3;
  const Solved got = solve_with(with_eigenvalues(random, eigenvalues), random_vector(random, 30),
                                1e-10, 100, ones(30));
  EXPECT_TRUE(got.report.converged);
  EXPECT_EQ(got.report.iterations, 3);
}

TEST(SolveConjugateGradient, TheExactPreconditionerNeedsOneIteration) {
  Random random(3);
  Vector diagonal(20);
  for (double& d : diagonal) d = std::pow(10.0, random.uniform(-6, 6));
  const Solved got = solve_with(diagonal.asDiagonal(), random_vector(random, 20), 1e-10, 100,
                                diagonal.cwiseInverse());
  EXPECT_TRUE(got.report.converged);
  EXPECT_EQ(got.report.iterations, 1);
}

TEST(SolveConjugateGradient, CountsWhatItCalls) {
  Random random(4);
  Vector eigenvalues(40);
  for (int i = 0; i < 40; ++i) eigenvalues[i] = 1 + i;
  const Dense A = with_eigenvalues(random, eigenvalues);
  const Vector b = random_vector(random, 40);
  for (const int most : {0, 1, 2, 7, 500}) {
    const Solved got = solve_with(A, b, 1e-10, most, ones(40));
    EXPECT_EQ(got.report.iterations, got.preconditionings);
    EXPECT_EQ(got.report.operator_applications, got.applications);
    EXPECT_LE(got.report.iterations, most);
    EXPECT_EQ(got.report.converged, most == 500);
  }
}

TEST(SolveConjugateGradient, EveryIterateLowersTheEnergy) {
  Random random(5);
  Vector eigenvalues(30);
  for (double& e : eigenvalues) e = std::pow(10.0, random.uniform(-2, 2));
  const Dense A = with_eigenvalues(random, eigenvalues);
  const Vector b = random_vector(random, 30);
  double last = 0;
  for (int most = 1; most < 15; ++most) {
    const Solved got = solve_with(A, b, 1e-14, most, ones(30));
    const double energy = 0.5 * got.x.dot(A * got.x) - b.dot(got.x);
    EXPECT_LT(energy, last) << most;
    EXPECT_GT(b.dot(got.x), 0) << "a descent direction";
    last = energy;
  }
}

TEST(SolveConjugateGradient, NoRightHandSideNeedsNoIteration) {
  const Solved got = solve_with(Dense::Identity(5, 5), Vector::Zero(5), 1e-10, 100, ones(5));
  EXPECT_TRUE(got.report.converged);
  EXPECT_EQ(got.report.relative_residual, 0);
  EXPECT_EQ(got.preconditionings + got.applications, 0);
  EXPECT_EQ(got.x.norm(), 0);
}

TEST(SolveConjugateGradient, AnIndefiniteMatrixIsReported) {
  Random random(6);
  Vector eigenvalues = Vector::LinSpaced(20, 1, 20);
  eigenvalues[7] = -5;
  const Solved got = solve_with(with_eigenvalues(random, eigenvalues), random_vector(random, 20),
                                1e-12, 100, ones(20));
  EXPECT_TRUE(got.report.indefinite);
  EXPECT_FALSE(got.report.converged);
  EXPECT_TRUE(got.x.allFinite());
  const Solved at_once = solve_with(-Dense::Identity(5, 5), Vector::Ones(5), 1e-12, 100, ones(5));
  EXPECT_TRUE(at_once.report.indefinite);
  // The first direction, which leads down whatever the curvature.
  EXPECT_EQ((at_once.x - Vector::Ones(5)).norm(), 0);
  const Solved singular = solve_with(Dense::Zero(5, 5), Vector::Ones(5), 1e-12, 100, ones(5));
  EXPECT_TRUE(singular.report.indefinite);
}

TEST(SolveConjugateGradient, NanEndsTheSolve) {
  Dense A = Dense::Identity(4, 4);
  A(2, 2) = std::numeric_limits<double>::quiet_NaN();
  const Solved got = solve_with(A, Vector::Ones(4), 1e-12, 100, ones(4));
  EXPECT_FALSE(got.report.converged);
  EXPECT_LE(got.report.iterations, 2);
}

TEST(SolveConjugateGradient, StopsWhenToldTo) {
  Random random(7);
  const Dense A = with_eigenvalues(random, Vector::LinSpaced(30, 1, 30));
  const Vector b = random_vector(random, 30);
  for (const int after : {0, 1, 4}) {
    const Solved got = solve_with(A, b, 1e-12, 100, ones(30), after);
    EXPECT_FALSE(got.report.converged);
    EXPECT_FALSE(got.report.indefinite);
    EXPECT_EQ(got.report.iterations, after);
  }
}

TEST(SolveConjugateGradient, HasTheSameBitsForAnyThreads) {
  // A chain of springs, long enough that every vector operation is split.
  constexpr std::size_t kSize = 50001;
  Random random(8);
  std::vector<double> b(kSize);
  for (double& value : b) value = random.uniform(-1, 1);
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 5}) {
    ThreadArena arena(threads);
    KrylovScratch scratch(kSize);
    std::vector<double> x(kSize);
    const auto apply = [&](std::span<const double> p, std::span<double> q) {
      parallel_for(arena, kSize, 1000, [&](std::size_t i) {
        q[i] = 2.1 * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < kSize ? p[i + 1] : 0);
      });
    };
    const auto precondition = [&](std::span<const double> r, std::span<double> z) {
      copy(arena, r, z);
    };
    conjugate_gradient(
        arena, apply, precondition, [] { return false; }, b, x, 1e-12, 25, scratch);
    if (first.empty()) first = x;
    EXPECT_EQ(x, first) << threads;
  }
}

TEST(SolveConjugateGradient, AFlatDirectionCountsAsOneOfNoCurvature) {
  // b has a part that no x reaches. Left alone, x would grow along the flat direction for ever.
  Random random(9);
  Vector eigenvalues = Vector::LinSpaced(20, 1, 30);
  eigenvalues[7] = 0;
  const Dense A = with_eigenvalues(random, eigenvalues);
  const Vector b = random_vector(random, 20);
  const Solved got = solve_with(A, b, 1e-10, 1000, ones(20));
  EXPECT_FALSE(got.report.converged);
  EXPECT_TRUE(got.report.indefinite);
  EXPECT_LT(got.report.iterations, 60);
  EXPECT_GT(b.dot(got.x), 0) << "still a descent direction";
  EXPECT_TRUE(got.x.allFinite());
  // Soft is not flat.
  eigenvalues[7] = 1e-8;
  const Solved soft = solve_with(with_eigenvalues(random, eigenvalues), b, 1e-6, 1000, ones(20));
  EXPECT_TRUE(soft.report.converged);
  EXPECT_FALSE(soft.report.indefinite);
}

TEST(SolveConjugateGradient, GoesBeyondWhatIsNeededOnlyWithinFewIterations) {
  Random random(12);
  const Dense A = with_eigenvalues(random, Vector::LinSpaced(60, 1, 100));
  const Vector b = random_vector(random, 60);
  const auto end = [&](const Accuracy& accuracy) {
    return solve_with(A, b, accuracy, 1000, ones(60)).report;
  };
  const int needed = end(1e-2).iterations, wanted = end(1e-4).iterations;
  ASSERT_GT(wanted, needed + 4);
  EXPECT_EQ(end({1e-2, 1e-4, wanted + 1}).iterations, wanted);
  EXPECT_EQ(end({1e-2, 1e-4, needed + 2}).iterations, needed + 2);
  EXPECT_EQ(end({1e-2, 1e-4, 1}).iterations, needed);
  EXPECT_TRUE(end({1e-2, 1e-4, needed + 2}).converged);
}

/// It is not the matrix that is to blame.
TEST(SolveConjugateGradient, APreconditionerThatIsNotDefiniteIsCalledUnfit) {
  Random random(9);
  const Dense A = with_eigenvalues(random, Vector::LinSpaced(10, 1, 5));
  const Solved got = solve_with(A, random_vector(random, 10), 1e-10, 50, -ones(10));
  EXPECT_TRUE(got.report.unfit);
  EXPECT_FALSE(got.report.indefinite);
  EXPECT_FALSE(got.report.converged);
  EXPECT_EQ(got.applications, 0);
}

}  // namespace
}  // namespace isochor::solve
