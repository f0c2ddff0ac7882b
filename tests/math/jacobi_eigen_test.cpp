#include "isochor/math/jacobi_eigen.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace isochor {
namespace {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

template <class T>
void expect_eigen(const Matrix9& A, double tolerance) {
  const JacobiEigen<T, 9> f =
      jacobi_eigen<T, 9>([&](int i, int j) { return static_cast<T>(A(i, j)); });
  Matrix9 V;
  Eigen::Matrix<double, 9, 1> values;
  for (int k = 0; k < 9; ++k) {
    values[k] = f.values[k];
    for (int i = 0; i < 9; ++i) V(i, k) = f.vectors[k][i];
  }
  EXPECT_LT((V.transpose() * V - Matrix9::Identity()).norm(), tolerance);
  EXPECT_LT((V * values.asDiagonal() * V.transpose() - A).norm(), tolerance * A.norm());
}

Matrix9 random_symmetric(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix9 A;
  for (double& a : A.reshaped()) a = normal(random);
  return A + A.transpose();
}

TEST(JacobiEigen, DecomposesRandomMatrices) {
  std::mt19937 random(1);
  for (int sample = 0; sample < 200; ++sample) {
    const Matrix9 A = random_symmetric(random);
    expect_eigen<double>(A, 1e-14);
    expect_eigen<float>(A.cast<float>().cast<double>(), 1e-5);
  }
}

TEST(JacobiEigen, DecomposesRepeatedGradedAndScaledSpectra) {
  std::mt19937 random(2);
  for (const auto& spectrum : {std::array<double, 9>{1, 1, 1, 1, 1, 1, 1, 1, 1},
                               {0, 0, 0, 0, 0, 0, 0, 0, 0},
                               {5, 5, 5, -3, -3, 0, 0, 0, 0},
                               {1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16},
                               {1, 1 + 1e-9, 1 + 2e-9, 2, 2, 2, 1e6, 1e6, -1e6}}) {
    const Eigen::SelfAdjointEigenSolver<Matrix9> basis(random_symmetric(random));
    const Matrix9 V = basis.eigenvectors();
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> values(spectrum.data());
    const Matrix9 A = V * values.asDiagonal() * V.transpose();
    for (const double scale : {1e-100, 1.0, 1e100}) {
      const Matrix9 scaled = scale * (A + A.transpose()) / 2;
      const JacobiEigen<double, 9> f =
          jacobi_eigen<double, 9>([&](int i, int j) { return scaled(i, j); });
      std::array<double, 9> found, expected = spectrum;
      std::copy_n(f.values, 9, found.begin());
      std::ranges::sort(found);
      std::ranges::sort(expected);
      const double largest = std::max(std::abs(expected[0]), std::abs(expected[8]));
      for (int k = 0; k < 9; ++k) {
        EXPECT_NEAR(found[k] / scale, expected[k], 1e-14 * largest);
      }
    }
  }
}

}  // namespace
}  // namespace isochor
