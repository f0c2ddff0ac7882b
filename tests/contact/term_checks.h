#pragma once

#include <gtest/gtest.h>

#include "isochor/contact/term.h"
#include "isochor/math/jacobi_eigen.h"
#include "tests/math/random_matrix.h"

/// Derivatives of energies of four points against differences.
namespace isochor::contact {

inline double entry(const Term& term, int i, int j) {
  return term.hessian[4 * (i / 3) + j / 3](i % 3, j % 3);
}

/// The least and the largest eigenvalue of a Hessian.
inline std::pair<double, double> eigenvalue_range(const Term& term) {
  const auto eigen = jacobi_eigen<double, 12>([&](int i, int j) { return entry(term, i, j); });
  const auto [low, high] = std::minmax_element(std::begin(eigen.values), std::end(eigen.values));
  return {*low, *high};
}

/// Central differences along a random direction must come near gradient and Hessian, with an error
/// that falls with the square of the step until rounding is reached. `unit` is the length over
/// which the energy changes.
template <class F>
void check_derivatives(F&& energy, const FourVectors& x, double unit, std::uint64_t seed) {
  Random random(seed);
  FourVectors way;
  for (Vec3d& w : way) w = random.vector();
  const auto moved = [&](double step) {
    FourVectors y = x;
    for (int i = 0; i < 4; ++i) y[i] += step * way[i];
    return energy(y);
  };
  const Term at = energy(x);
  double slope = 0, curvature = 0, scale = 0;
  FourVectors change{};
  for (int i = 0; i < 4; ++i) {
    slope += dot(at.gradient[i], way[i]);
    for (int j = 0; j < 4; ++j) change[i] += at.hessian[4 * i + j] * way[j];
    curvature += dot(change[i], change[i]);
    scale += dot(at.gradient[i], at.gradient[i]);
  }
  std::vector<double> first, second;
  for (const double step : {1e-2 * unit, 1e-3 * unit, 1e-4 * unit}) {
    const Term above = moved(step), below = moved(-step);
    first.push_back(std::abs((above.energy - below.energy) / (2 * step) - slope));
    double error = 0;
    for (int i = 0; i < 4; ++i) {
      const Vec3d d = (above.gradient[i] - below.gradient[i]) * (0.5 / step) - change[i];
      error += dot(d, d);
    }
    second.push_back(std::sqrt(error));
  }
  const double force = std::sqrt(scale), stiffness = std::sqrt(curvature);
  ASSERT_GT(stiffness, 0);
  EXPECT_LT(first.back(), 1e-6 * force) << "gradient";
  EXPECT_LT(second.back(), 1e-6 * stiffness) << "Hessian";
  // Slopes, where the larger error is far from rounding.
  for (int i = 0; i < 2; ++i) {
    if (first[i] > 1e-5 * force) {
      EXPECT_NEAR(std::log10(first[i] / first[i + 1]), 2, 0.2);
    }
    if (second[i] > 1e-5 * stiffness) {
      EXPECT_NEAR(std::log10(second[i] / second[i + 1]), 2, 0.2);
    }
  }
}

/// No force and no moment on all four points together.
inline void expect_balance(const Term& term, const FourVectors& x, double tolerance) {
  Vec3d force{0, 0, 0}, moment{0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    force += term.gradient[i];
    moment += cross(x[i], term.gradient[i]);
  }
  EXPECT_LT(norm(force), tolerance);
  EXPECT_LT(norm(moment), tolerance);
}

}  // namespace isochor::contact
