#include "reproduce/variants/poisson_cycles.h"

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace isochor::reproduce {
namespace {

/// A field on a periodic cube of a power of two points per axis.
struct Field {
  int n;
  std::vector<double> values;

  explicit Field(int points) : n(points), values(std::size_t(points) * points * points) {}
  double& at(int x, int y, int z) {
    const int mask = n - 1;
    return values[(std::size_t(z & mask) * n + std::size_t(y & mask)) * n + std::size_t(x & mask)];
  }
  template <class F>
  void for_each(F&& f) {
    for (int z = 0; z < n; ++z) {
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) f(x, y, z);
      }
    }
  }
  /// Constants are no solution that the equation could tell.
  void centre() {
    double sum = 0;
    for (const double v : values) sum += v;
    for (double& v : values) v -= sum / double(values.size());
  }
  double norm() const {
    double sum = 0;
    for (const double v : values) sum += v * v;
    return std::sqrt(sum);
  }
};

/// Sum of the six neighbours.
double around(Field& u, int x, int y, int z) {
  return u.at(x - 1, y, z) + u.at(x + 1, y, z) + u.at(x, y - 1, z) + u.at(x, y + 1, z) +
         u.at(x, y, z - 1) + u.at(x, y, z + 1);
}

/// Spacing one on every level: the right-hand side carries the factor.
void smooth(Field& u, Field& b) {
  u.for_each(
      [&](int x, int y, int z) { u.at(x, y, z) = (b.at(x, y, z) + around(u, x, y, z)) / 6; });
}

Field residual(Field& u, Field& b) {
  Field r(u.n);
  u.for_each([&](int x, int y, int z) {
    r.at(x, y, z) = b.at(x, y, z) + around(u, x, y, z) - 6 * u.at(x, y, z);
  });
  return r;
}

/// Weights of fine points about 2 x, from 2 x - 1 on: those of a face along its axis, and across.
constexpr double kMeans[2][4] = {{0.25, 0.5, 0.25, 0}, {0, 0.5, 0.5, 0}};
constexpr double kLinear[2][4] = {{0.5, 1, 0.5, 0}, {0.25, 0.75, 0.75, 0.25}};

/// Calls f(fine point, weight) for all that belong to a coarse one: the transfers of u_1.
template <class F>
void for_each_fine(const double (&weights)[2][4], int x, int y, int z, F&& f) {
  for (int n = 0; n < 64; ++n) {
    const int d[3] = {n % 4, n / 4 % 4, n / 16};
    const double weight = weights[0][d[0]] * weights[1][d[1]] * weights[1][d[2]];
    if (weight != 0) f(2 * x + d[0] - 1, 2 * y + d[1] - 1, 2 * z + d[2] - 1, weight);
  }
}

void cycle(Field& u, Field& b) {
  if (u.n <= 4) {
    for (int sweep = 0; sweep < 40; ++sweep) smooth(u, b);
    u.centre();
    return;
  }
  smooth(u, b);
  Field r = residual(u, b), coarse_b(u.n / 2), coarse(u.n / 2);
  coarse.for_each([&](int x, int y, int z) {
    for_each_fine(kMeans, x, y, z, [&](int i, int j, int k, double weight) {
      coarse_b.at(x, y, z) += 4 * weight * r.at(i, j, k);
    });
  });
  coarse_b.centre();
  cycle(coarse, coarse_b);
  coarse.for_each([&](int x, int y, int z) {
    for_each_fine(kLinear, x, y, z, [&](int i, int j, int k, double weight) {
      u.at(i, j, k) += weight * coarse.at(x, y, z);
    });
  });
  smooth(u, b);
}

}  // namespace

double poisson_factor(int n, int cycles) {
  constexpr int kLast = 10;
  Field u(n), b(n);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> any(-1, 1);
  for (double& v : u.values) v = any(generator);
  double product = 1, before = residual(u, b).norm();
  for (int c = 0; c < cycles; ++c) {
    cycle(u, b);
    u.centre();
    const double now = residual(u, b).norm();
    if (c >= cycles - kLast) product *= now / before;
    before = now;
  }
  return std::pow(product, 1.0 / kLast);
}

}  // namespace isochor::reproduce
