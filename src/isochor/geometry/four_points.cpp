#include "isochor/geometry/four_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/math/symmetric_eigen.h"

namespace isochor::geometry {
namespace {

constexpr FourPoints kTetrahedron{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}};

/// Twelve modes: four functions times three directions.
constexpr int kModes = 12;
using ModeMatrix = std::array<std::array<double, kModes>, kModes>;

/// Gradients of yz, xz, xy and xyz about the middle of the cell, scaled so that their values at the
/// eight corners have norm one.
std::array<Vec3d, 4> mode_gradients(const Vec3d& point) {
  constexpr double kTwo = std::numbers::sqrt2, kThree = 2 * std::numbers::sqrt2;
  const double x = point[0] - 0.5, y = point[1] - 0.5, z = point[2] - 0.5;
  return {{{0, kTwo * z, kTwo * y},
           {kTwo * z, 0, kTwo * x},
           {kTwo * y, kTwo * x, 0},
           {kThree * y * z, kThree * x * z, kThree * x * y}}};
}

/// The energy of modes, less what an affine map can relax: that takes away the mean of strains.
ModeMatrix mode_stiffness(const FourPoints& points) {
  std::array<std::array<Vec3d, 4>, 4> gradients;  // [point][function]
  for (int q = 0; q < 4; ++q) gradients[q] = mode_gradients(points[q]);
  for (int a = 0; a < 4; ++a) {
    Vec3d mean{0, 0, 0};
    for (int q = 0; q < 4; ++q) mean += 0.25 * gradients[q][a];
    for (int q = 0; q < 4; ++q) gradients[q][a] -= mean;
  }
  ModeMatrix k{};
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b <= a; ++b) {
      // The product of the strains sym(e_i g_a) and sym(e_j g_b).
      for (int q = 0; q < 4; ++q) {
        const Vec3d &g = gradients[q][a], &h = gradients[q][b];
        const double both = dot(g, h);
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            k[3 * a + i][3 * b + j] += 0.125 * ((i == j ? both : 0) + g[j] * h[i]);
          }
        }
      }
    }
  }
  return k;
}

}  // namespace

Spread spread_of(const Moments& moments) {
  const Vec3d centroid = moments.first * (1 / moments.volume);
  Mat3d covariance;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      covariance(i, j) =
          moments.second[second_moment(i, j)] / moments.volume - centroid[i] * centroid[j];
    }
  }
  const auto [values, vectors] = symmetric_eigen(covariance);
  Mat3d scaled = vectors;
  for (int a = 0; a < 3; ++a) scaled.column[a] *= std::sqrt(std::max(0.0, values[a]));
  return {centroid, times_transpose(scaled, vectors)};
}

FourPoints four_points(const Spread& spread, const Mat3d& rotation) {
  const Mat3d map = spread.root * rotation;
  FourPoints points;
  for (int i = 0; i < 4; ++i) points[i] = spread.centroid + map * kTetrahedron[i];
  return points;
}

Moments moments_of(const FourPoints& points, double volume) {
  Moments m{.volume = volume};
  for (const Vec3d& p : points) {
    m.first += (volume / 4) * p;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) m.second[second_moment(i, j)] += volume / 4 * p[i] * p[j];
    }
  }
  return m;
}

double hourglass_stiffness(const FourPoints& points) {
  ModeMatrix k = mode_stiffness(points);
  // The lower triangle becomes the factor L, then its inverse; the trace of K^-1 is that one's
  // squared norm.
  constexpr double kNothing = 1e-13;
  for (int j = 0; j < kModes; ++j) {
    for (int m = 0; m < j; ++m) {
      for (int i = j; i < kModes; ++i) k[i][j] -= k[i][m] * k[j][m];
    }
    if (!(k[j][j] > kNothing)) return 0;
    const double pivot = std::sqrt(k[j][j]);
    for (int i = j; i < kModes; ++i) k[i][j] /= pivot;
  }
  double trace = 0;
  for (int j = 0; j < kModes; ++j) {
    std::array<double, kModes> column{};
    for (int i = j; i < kModes; ++i) {
      double sum = i == j ? 1 : 0;
      for (int m = j; m < i; ++m) sum -= k[i][m] * column[m];
      column[i] = sum / k[i][i];
      trace += column[i] * column[i];
    }
  }
  return kModes / trace;
}

}  // namespace isochor::geometry
