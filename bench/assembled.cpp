#include "bench/assembled.h"

#include <algorithm>
#include <cmath>

#include "isochor/lattice/operator.h"
#include "isochor/solve/conjugate_gradient.h"

namespace isochor::bench {
namespace {

/// The class of a node: which of 27 it is in a cube of 3x3x3. Of the nodes around another, no two
/// have the same.
std::vector<std::uint8_t> classes_of(const lattice::Model& model) {
  const double h = model.blocks[0].h;
  std::vector<std::uint8_t> classes;
  classes.reserve(model.node_count());
  const Vec3d& origin = model.rest_positions[0];
  for (const Vec3d& p : model.rest_positions) {
    int code = 0;
    for (int a = 2; a >= 0; --a) {
      const auto place = std::lround((p[a] - origin[a]) / h);
      code = 3 * code + static_cast<int>((place % 3 + 3) % 3);
    }
    classes.push_back(static_cast<std::uint8_t>(code));
  }
  return classes;
}

}  // namespace

BlockRows assemble(const lattice::Model& model, const lattice::Tangents& tangents,
                   std::span<const std::int32_t> free, ThreadArena& arena) {
  const auto product = [&](std::span<const Vec3d> x, std::span<Vec3d> y) {
    lattice::apply_stiffness(model, tangents, x, y, arena);
  };
  return assemble(model, product, free, arena);
}

BlockRows assemble(const lattice::Model& model, Product product, std::span<const std::int32_t> free,
                   ThreadArena& arena) {
  const std::size_t nodes = model.node_count();
  const std::vector<std::uint8_t> classes = classes_of(model);
  // Per node its neighbours by class, itself among them.
  std::vector<std::array<std::int32_t, 27>> neighbours(nodes);
  for (auto& n : neighbours) n.fill(-1);
  for (const std::int32_t cell : model.cells) {
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 8; ++c) {
        const std::int32_t n = model.corner(cell, c);
        neighbours[model.corner(cell, r)][classes[n]] = n;
      }
    }
  }
  std::vector<std::int32_t> row_of(nodes, -1);
  for (std::size_t i = 0; i < free.size(); ++i) row_of[free[i]] = static_cast<std::int32_t>(i);

  BlockRows A;
  for (const std::int32_t n : free) {
    for (const std::int32_t m : neighbours[n]) {
      if (m >= 0 && row_of[m] >= 0) A.columns.push_back(row_of[m]);
    }
    std::sort(A.columns.begin() + A.first.back(), A.columns.end());
    A.first.push_back(static_cast<std::int64_t>(A.columns.size()));
  }
  A.blocks.resize(A.columns.size());
  std::vector<Vec3d> unit(nodes), column(nodes);
  for (int color = 0; color < 27; ++color) {
    for (int a = 0; a < 3; ++a) {
      for (std::size_t n = 0; n < nodes; ++n) {
        unit[n] = {0, 0, 0};
        if (classes[n] == color) unit[n][a] = 1;
      }
      product(unit, column);
      parallel_for(arena, free.size(), 256, [&](std::size_t i) {
        const std::int32_t m = neighbours[free[i]][color];
        if (m < 0 || row_of[m] < 0) return;
        const auto begin = A.columns.begin() + A.first[i], end = A.columns.begin() + A.first[i + 1];
        auto& block = A.blocks[std::lower_bound(begin, end, row_of[m]) - A.columns.begin()];
        for (int b = 0; b < 3; ++b) block[3 * b + a] = column[free[i]][b];
      });
    }
  }
  return A;
}

void multiply(const BlockRows& A, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < A.rows(); ++i) {
    double sum[3] = {0, 0, 0};
    for (std::int64_t k = A.first[i]; k < A.first[i + 1]; ++k) {
      const double* v = x.data() + 3 * std::size_t(A.columns[k]);
      const auto& block = A.blocks[k];
      for (int a = 0; a < 3; ++a) {
        sum[a] += block[3 * a] * v[0] + block[3 * a + 1] * v[1] + block[3 * a + 2] * v[2];
      }
    }
    for (int a = 0; a < 3; ++a) y[3 * i + a] = sum[a];
  }
}

JacobiSolve solve_with_diagonal(const BlockRows& A, std::span<const double> b, double tolerance,
                                int most) {
  ThreadArena one(1);
  std::vector<double> inverse(b.size()), x(b.size()), image(b.size());
  for (std::size_t i = 0; i < A.rows(); ++i) {
    for (std::int64_t k = A.first[i]; k < A.first[i + 1]; ++k) {
      if (A.columns[k] != std::int32_t(i)) continue;
      for (int a = 0; a < 3; ++a) inverse[3 * i + a] = 1 / A.blocks[k][4 * a];
    }
  }
  solve::KrylovScratch scratch(b.size());
  const solve::KrylovReport report = solve::conjugate_gradient(
      one, [&](std::span<const double> p, std::span<double> q) { multiply(A, p, q); },
      [&](std::span<const double> r, std::span<double> z) {
        for (std::size_t i = 0; i < r.size(); ++i) z[i] = inverse[i] * r[i];
      },
      [] { return false; }, b, x, tolerance, most, scratch);
  multiply(A, x, image);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += (b[i] - image[i]) * (b[i] - image[i]);
    size += b[i] * b[i];
  }
  return {report.iterations, std::sqrt(error / size)};
}

}  // namespace isochor::bench
