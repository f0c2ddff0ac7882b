#pragma once

#include <cmath>
#include <vector>

#include "isochor/solve/conjugate_gradient.h"

namespace isochor::solve {

struct GmresScratch {
  explicit GmresScratch(std::size_t size = 0, int restart = 0)
      : basis(std::size_t(restart + 1), std::vector<double>(size)),
        preconditioned(std::size_t(restart), std::vector<float>(size)),
        z(size),
        column(std::size_t(restart + 2)),
        again(std::size_t(restart + 2)),
        cosine(std::size_t(restart)),
        sine(std::size_t(restart)),
        rhs(std::size_t(restart + 1)),
        triangle(std::size_t(restart) * std::size_t(restart)),
        sums(kMaxChunks * std::size_t(restart + 2)) {}

  static constexpr std::size_t kMaxChunks = 256;
  int restart() const { return static_cast<int>(basis.size()) - 1; }

  std::vector<std::vector<double>> basis;
  std::vector<std::vector<float>> preconditioned;  ///< what is made of each of them
  std::vector<double> z;                           ///< the last of these
  std::vector<double> column, again;  ///< of the Hessenberg matrix
  std::vector<double> cosine, sine;   ///< of the rotations that make it a triangle
  std::vector<double> rhs;
  std::vector<double> triangle;  ///< column j at [restart j]
  std::vector<double> sums;      ///< per chunk of the vectors
};

namespace detail {

inline double dot_of_chunk(const double* a, const double* b, std::size_t count) {
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += a[i + l] * b[i + l];
  }
  double sum = 0;
  for (; i < count; ++i) sum += a[i] * b[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Takes from w what lies along the first `count` vectors of the basis and leaves how much that was
/// in `column`; |w| before and after. Every chunk of w is read once for all vectors. Chunks depend
/// on the size only: the same bits for any number of threads.
struct Norms {
  double before, after;
};
inline Norms orthogonalise(ThreadArena& arena, GmresScratch& s, int count, std::span<double> w,
                           std::vector<double>& column) {
  constexpr std::size_t kSmallest = 2048;
  const std::size_t size = w.size(), width = std::size_t(count) + 1;
  const std::size_t grain =
      std::max(kSmallest, (size + GmresScratch::kMaxChunks - 1) / GmresScratch::kMaxChunks);
  const auto total = [&](std::size_t k) {
    double sum = 0;
    for (std::size_t c = 0; c * grain < size; ++c) sum += s.sums[c * width + k];
    return sum;
  };
  arena.for_chunks(size, grain, [&](std::size_t begin, std::size_t end) {
    double* sums = s.sums.data() + begin / grain * width;
    for (int k = 0; k < count; ++k) {
      sums[k] = dot_of_chunk(s.basis[std::size_t(k)].data() + begin, w.data() + begin, end - begin);
    }
    sums[count] = dot_of_chunk(w.data() + begin, w.data() + begin, end - begin);
  });
  for (int k = 0; k < count; ++k) column[std::size_t(k)] = total(std::size_t(k));
  const double before = std::sqrt(total(std::size_t(count)));
  arena.for_chunks(size, grain, [&](std::size_t begin, std::size_t end) {
    for (int k = 0; k < count; ++k) {
      const double h = column[std::size_t(k)];
      const double* v = s.basis[std::size_t(k)].data();
      for (std::size_t i = begin; i < end; ++i) w[i] -= h * v[i];
    }
    s.sums[begin / grain * width] =
        dot_of_chunk(w.data() + begin, w.data() + begin, end - begin);
  });
  return {before, std::sqrt(total(0))};
}

}  // namespace detail

/// Restarted GMRES (Saad and Schultz 1986) for any regular operator, preconditioned from the right,
/// so that the residual that it makes small is the true one. From x = 0. apply(p, q): q = A p.
/// precondition(r, z): z = M^-1 r.  stop(): give up early (cancelled). An iteration is one of each.
///
/// What the preconditioner made is kept (Saad 1993), in single precision, and applied as kept. With
/// a preconditioner in single precision, which is linear up to its roundings only, the other way,
/// to precondition the sum at the end, ends far above the residual of the recurrence: those
/// roundings are rough, and an operator of second order magnifies them. b must not be in `scratch`.
template <class Apply, class Precondition, class Stop>
KrylovReport gmres(ThreadArena& arena, Apply&& apply, Precondition&& precondition, Stop&& stop,
                   std::span<const double> b, std::span<double> x, double tolerance,
                   int max_iterations, GmresScratch& s) {
  // Gram and Schmidt once more where much of a vector went: "twice is enough" (Kahan).
  constexpr double kMuch = 0.5, kNothing = 1e-14;
  const int restart = s.restart();
  KrylovReport report;
  fill(arena, 0, x);
  const double b_norm = std::sqrt(dot(arena, b, b));
  if (b_norm == 0) return {.relative_residual = 0, .converged = true};

  double r_norm = b_norm;
  copy(arena, b, s.basis[0]);
  while (!report.converged && report.iterations < max_iterations && !stop()) {
    const auto scaled = [&](double factor, std::vector<double>& v) {
      parallel_for(arena, v.size(), kVectorGrain, [&](std::size_t i) { v[i] *= factor; });
    };
    scaled(1 / r_norm, s.basis[0]);
    s.rhs.assign(s.rhs.size(), 0.0);
    s.rhs[0] = r_norm;
    int j = 0;
    bool exhausted = false;
    while (j < restart && !exhausted && !report.converged && report.iterations < max_iterations &&
           !stop()) {
      std::vector<double>& w = s.basis[std::size_t(j) + 1];
      precondition(s.basis[std::size_t(j)], s.z);
      std::vector<float>& kept = s.preconditioned[std::size_t(j)];
      parallel_for(arena, kept.size(), kVectorGrain, [&](std::size_t i) {
        kept[i] = static_cast<float>(s.z[i]);
        s.z[i] = kept[i];
      });
      apply(s.z, w);
      ++report.iterations;
      ++report.operator_applications;
      detail::Norms norms = detail::orthogonalise(arena, s, j + 1, w, s.column);
      const double whole = norms.before;
      if (norms.after < kMuch * norms.before) {
        norms = detail::orthogonalise(arena, s, j + 1, w, s.again);
        for (int k = 0; k <= j; ++k) s.column[std::size_t(k)] += s.again[std::size_t(k)];
      }
      exhausted = !(norms.after > kNothing * whole);
      if (!exhausted) scaled(1 / norms.after, w);

      // The rotations so far, and one more that takes away what is below the diagonal.
      double* const column = s.column.data();
      column[j + 1] = exhausted ? 0 : norms.after;
      for (int k = 0; k < j; ++k) {
        const double c = s.cosine[std::size_t(k)], d = s.sine[std::size_t(k)];
        const double upper = column[k], lower = column[k + 1];
        column[k] = c * upper + d * lower;
        column[k + 1] = c * lower - d * upper;
      }
      const double length = std::hypot(column[j], column[j + 1]);
      if (!(length > 0)) break;  // A M^-1 is singular: this direction is of no use
      const double c = s.cosine[std::size_t(j)] = column[j] / length;
      const double d = s.sine[std::size_t(j)] = column[j + 1] / length;
      column[j] = length;
      s.rhs[std::size_t(j) + 1] = -d * s.rhs[std::size_t(j)];
      s.rhs[std::size_t(j)] *= c;
      for (int k = 0; k <= j; ++k) s.triangle[std::size_t(j * restart + k)] = column[k];
      ++j;
      report.relative_residual = std::abs(s.rhs[std::size_t(j)]) / b_norm;
      report.converged = report.relative_residual <= tolerance;
    }

    // x += Z y, with y of the triangle, back to front.
    for (int k = j - 1; k >= 0; --k) {
      double& y = s.rhs[std::size_t(k)];
      for (int l = k + 1; l < j; ++l) {
        y -= s.triangle[std::size_t(l * restart + k)] * s.rhs[std::size_t(l)];
      }
      y /= s.triangle[std::size_t(k * restart + k)];
    }
    arena.for_chunks(x.size(), kVectorGrain, [&](std::size_t begin, std::size_t end) {
      for (int k = 0; k < j; ++k) {
        const double y = s.rhs[std::size_t(k)];
        const float* z = s.preconditioned[std::size_t(k)].data();
        for (std::size_t i = begin; i < end; ++i) x[i] += y * double(z[i]);
      }
    });
    if (report.converged || j < restart) break;
    apply(x, s.basis[0]);
    ++report.operator_applications;
    xpby(arena, b, -1, s.basis[0]);
    r_norm = std::sqrt(dot(arena, s.basis[0], s.basis[0]));
    report.relative_residual = r_norm / b_norm;
    report.converged = report.relative_residual <= tolerance;
  }
  return report;
}

}  // namespace isochor::solve
