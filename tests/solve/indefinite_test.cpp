#include <Eigen/LU>
#include <gtest/gtest.h>

#include "isochor/solve/gmres.h"
#include "isochor/solve/minres.h"
#include "isochor/solve/symmetric_qmr.h"
#include "tests/math/random_matrix.h"

/// The Krylov methods for saddle points.
namespace isochor::solve {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Dense random_matrix(Random& random, int rows, int columns) {
  Dense A(rows, columns);
  for (double& a : A.reshaped()) a = random.uniform(-1, 1);
  return A;
}

/// [A B^T; B -C], A definite and C semi-definite.
Dense saddle(Random& random, int n, int m) {
  const Dense G = random_matrix(random, n, n), B = random_matrix(random, m, n);
  Dense K = Dense::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = G * G.transpose() + 0.5 * Dense::Identity(n, n);
  K.topRightCorner(n, m) = B.transpose();
  K.bottomLeftCorner(m, n) = B;
  K(n, n) = -1;
  return K;
}

struct Solved {
  KrylovReport report;
  Vector x;
  int applications = 0, preconditionings = 0;
  double residual(const Dense& A, const Vector& b) const { return (b - A * x).norm() / b.norm(); }
};

enum class Method { Gmres, Minres, Qmr };

/// The preconditioner is a diagonal matrix.
Solved solve_with(Method method, const Dense& A, const Vector& b, double tolerance, int most,
                  const Vector& inverse, int restart = 30, int stop_after = 1 << 30) {
  Solved out{.report = {}, .x = Vector::Constant(b.size(), 77)};
  ThreadArena arena(1);
  const auto size = std::size_t(b.size());
  const auto apply = [&](std::span<const double> p, std::span<double> q) {
    ++out.applications;
    Eigen::Map<Vector>(q.data(), b.size()) = A * Eigen::Map<const Vector>(p.data(), b.size());
  };
  const auto precondition = [&](std::span<const double> r, std::span<double> z) {
    ++out.preconditionings;
    for (std::size_t i = 0; i < size; ++i) z[i] = r[i] * inverse[Eigen::Index(i)];
  };
  const auto stop = [&] { return out.preconditionings >= stop_after; };
  const std::span<const double> load(b.data(), size);
  const std::span<double> x(out.x.data(), size);
  if (method == Method::Gmres) {
    GmresScratch scratch(size, restart);
    out.report = gmres(arena, apply, precondition, stop, load, x, tolerance, most, scratch);
  } else if (method == Method::Minres) {
    MinresScratch scratch(size);
    out.report = minres(arena, apply, precondition, stop, load, x, tolerance, most, scratch);
  } else {
    QmrScratch scratch(size);
    out.report = symmetric_qmr(arena, apply, precondition, stop, load, x, tolerance, most, scratch);
  }
  return out;
}

class Indefinite : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, Indefinite,
                         testing::Values(Method::Gmres, Method::Minres, Method::Qmr));

TEST_P(Indefinite, SolvesASaddlePoint) {
  Random random(1);
  const Dense K = saddle(random, 24, 8);
  const Vector b = random_matrix(random, 32, 1);
  const Solved solved = solve_with(GetParam(), K, b, 1e-9, 200, Vector::Ones(32), 40);
  EXPECT_TRUE(solved.report.converged);
  EXPECT_LT(solved.residual(K, b), 2e-9);
  EXPECT_EQ(solved.applications, solved.report.operator_applications);
}

TEST_P(Indefinite, EndsAfterAsManyIterationsAsThereAreEigenvalues) {
  Random random(2);
  Vector values(30);
  for (int i = 0; i < 30; ++i) values[i] = i % 3 == 0 ? -2 : i % 3 == 1 ? 1 : 5;
  const Vector b = random_matrix(random, 30, 1);
  const Solved solved =
      solve_with(GetParam(), values.asDiagonal().toDenseMatrix(), b, 1e-6, 30, Vector::Ones(30));
  EXPECT_TRUE(solved.report.converged);
  EXPECT_EQ(solved.report.iterations, 3);
}

TEST_P(Indefinite, APreconditionerHelps) {
  Random random(3);
  Vector values(40);
  for (int i = 0; i < 40; ++i) values[i] = (i % 2 ? -1 : 1) * std::pow(1.4, i);
  const Dense A = values.asDiagonal();
  const Vector b = random_matrix(random, 40, 1);
  const Solved solved = solve_with(GetParam(), A, b, 1e-6, 40, values.cwiseAbs().cwiseInverse());
  EXPECT_TRUE(solved.report.converged);
  EXPECT_LE(solved.report.iterations, 3);
}

TEST_P(Indefinite, NothingToDoIsDone) {
  const Solved solved =
      solve_with(GetParam(), Dense::Identity(5, 5), Vector::Zero(5), 1e-6, 10, Vector::Ones(5));
  EXPECT_TRUE(solved.report.converged);
  EXPECT_EQ(solved.x.norm(), 0);
}

TEST_P(Indefinite, GivesUpWhenToldTo) {
  Random random(4);
  const Dense K = saddle(random, 24, 8);
  const Solved solved =
      solve_with(GetParam(), K, random_matrix(random, 32, 1), 1e-12, 100, Vector::Ones(32), 30, 3);
  EXPECT_FALSE(solved.report.converged);
  EXPECT_LE(solved.report.iterations, 3);
}

TEST(Gmres, RestartsWhereItsMemoryEnds) {
  Random random(5);
  Dense A = random_matrix(random, 40, 40) * 0.1;  // not symmetric
  A += 2 * Dense::Identity(40, 40);
  const Vector b = random_matrix(random, 40, 1);
  const Solved whole = solve_with(Method::Gmres, A, b, 1e-10, 100, Vector::Ones(40), 40);
  const Solved parts = solve_with(Method::Gmres, A, b, 1e-10, 100, Vector::Ones(40), 5);
  EXPECT_TRUE(whole.report.converged);
  EXPECT_TRUE(parts.report.converged);
  EXPECT_LT(parts.residual(A, b), 1.1e-10);
  EXPECT_GT(parts.report.iterations, 5);
  EXPECT_GE(parts.report.iterations, whole.report.iterations);
}

TEST(Gmres, ResidualsNeverGrow) {
  Random random(6);
  const Dense K = saddle(random, 30, 10);
  const Vector b = random_matrix(random, 40, 1);
  double last = 1;
  for (int most = 1; most < 40; ++most) {
    const Solved solved = solve_with(Method::Gmres, K, b, 1e-12, most, Vector::Ones(40), 40);
    EXPECT_NEAR(solved.report.relative_residual, solved.residual(K, b), 1e-8);
    EXPECT_LE(solved.report.relative_residual, last * (1 + 1e-12));
    last = solved.report.relative_residual;
  }
}

TEST(Minres, IsAsGoodAsGmres) {
  Random random(7);
  const Dense K = saddle(random, 20, 6);
  const Vector b = random_matrix(random, 26, 1);
  for (const int most : {1, 4, 9, 15}) {
    const double minimal =
        solve_with(Method::Gmres, K, b, 0, most, Vector::Ones(26)).report.relative_residual;
    const double found =
        solve_with(Method::Minres, K, b, 0, most, Vector::Ones(26)).report.relative_residual;
    EXPECT_NEAR(found, minimal, 1e-6);
  }
}

TEST(Minres, SaysThatAPreconditionerIsIndefinite) {
  Vector inverse = Vector::Ones(4);
  inverse[1] = -30;
  const Solved solved =
      solve_with(Method::Minres, Dense::Identity(4, 4), Vector::Ones(4), 1e-6, 10, inverse);
  EXPECT_FALSE(solved.report.converged);
  EXPECT_TRUE(solved.report.unfit);
}

TEST(SymmetricQmr, TakesAnIndefinitePreconditioner) {
  Vector values(12);
  for (int i = 0; i < 12; ++i) values[i] = (i % 2 ? -1 : 1) * (1 + i);
  Random random(8);
  const Vector b = random_matrix(random, 12, 1);
  const Solved solved = solve_with(Method::Qmr, values.asDiagonal().toDenseMatrix(), b, 1e-10, 12,
                                   values.cwiseInverse());
  EXPECT_TRUE(solved.report.converged);
  EXPECT_EQ(solved.report.iterations, 1);
}

}  // namespace
}  // namespace isochor::solve
