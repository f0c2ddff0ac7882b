#pragma once

#include <algorithm>
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
  std::size_t restart() const { return basis.size() - 1; }

  std::vector<std::vector<double>> basis;
  std::vector<std::vector<float>> preconditioned;  ///< what is made of each of them
  std::vector<double> z;                           ///< the last of these
  std::vector<double> column, again;               ///< of the Hessenberg matrix
  std::vector<double> cosine, sine;                ///< of the rotations that make it a triangle
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
    s.sums[begin / grain * width] = dot_of_chunk(w.data() + begin, w.data() + begin, end - begin);
  });
  return {before, std::sqrt(total(0))};
}

inline void scale(ThreadArena& arena, double factor, std::span<double> v) {
  parallel_for(arena, v.size(), kVectorGrain, [&](std::size_t i) { v[i] *= factor; });
}

/// Keeps what the preconditioner made of basis vector j, rounded, as that is applied.
inline void keep(ThreadArena& arena, GmresScratch& s, std::size_t j) {
  std::vector<float>& kept = s.preconditioned[j];
  parallel_for(arena, kept.size(), kVectorGrain, [&](std::size_t i) {
    kept[i] = static_cast<float>(s.z[i]);
    s.z[i] = kept[i];
  });
}

/// Makes basis vector j + 1 of the image of z that stands there, and a column of the Hessenberg
/// matrix. False where the image lies in what the basis spans already.
inline bool extend_basis(ThreadArena& arena, GmresScratch& s, std::size_t j) {
  // Gram and Schmidt once more where much of a vector went: "twice is enough" (Kahan).
  constexpr double kMuch = 0.5, kNothing = 1e-14;
  std::vector<double>& w = s.basis[j + 1];
  const int count = static_cast<int>(j) + 1;
  Norms norms = orthogonalise(arena, s, count, w, s.column);
  const double whole = norms.before;
  if (norms.after < kMuch * norms.before) {
    norms = orthogonalise(arena, s, count, w, s.again);
    for (std::size_t k = 0; k <= j; ++k) s.column[k] += s.again[k];
  }
  const bool more = norms.after > kNothing * whole;
  s.column[j + 1] = more ? norms.after : 0;
  if (more) scale(arena, 1 / norms.after, w);
  return more;
}

/// Turns column j of the Hessenberg matrix into one of the triangle, and the right-hand side with
/// it: the rotations so far, and one more that takes away what is below the diagonal. False where
/// nothing is left on the diagonal.
inline bool rotate_column(GmresScratch& s, std::size_t j) {
  std::vector<double>& column = s.column;
  for (std::size_t k = 0; k < j; ++k) {
    const double upper = column[k], lower = column[k + 1];
    column[k] = s.cosine[k] * upper + s.sine[k] * lower;
    column[k + 1] = s.cosine[k] * lower - s.sine[k] * upper;
  }
  const double length = std::hypot(column[j], column[j + 1]);
  if (!(length > 0)) return false;
  s.cosine[j] = column[j] / length;
  s.sine[j] = column[j + 1] / length;
  column[j] = length;
  s.rhs[j + 1] = -s.sine[j] * s.rhs[j];
  s.rhs[j] *= s.cosine[j];
  std::copy_n(column.begin(), j + 1, s.triangle.begin() + std::ptrdiff_t(j * s.restart()));
  return true;
}

/// x += Z y, y being what the triangle of `count` columns has for a solution.
inline void add_solution(ThreadArena& arena, GmresScratch& s, std::size_t count,
                         std::span<double> x) {
  const std::size_t stride = s.restart();
  for (std::size_t k = count; k-- > 0;) {
    double& y = s.rhs[k];
    for (std::size_t l = k + 1; l < count; ++l) y -= s.triangle[l * stride + k] * s.rhs[l];
    y /= s.triangle[k * stride + k];
  }
  arena.for_chunks(x.size(), kVectorGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < count; ++k) {
      const double y = s.rhs[k];
      const float* z = s.preconditioned[k].data();
      for (std::size_t i = begin; i < end; ++i) x[i] += y * double(z[i]);
    }
  });
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
  KrylovReport report;
  fill(arena, 0, x);
  const double b_norm = std::sqrt(dot(arena, b, b));
  if (b_norm == 0) return {.relative_residual = 0, .converged = true};
  const auto goes_on = [&] {
    return !report.converged && report.iterations < max_iterations && !stop();
  };
  const auto judge = [&](double r_norm) {
    report.relative_residual = r_norm / b_norm;
    report.converged = report.relative_residual <= tolerance;
  };

  double r_norm = b_norm;
  copy(arena, b, s.basis[0]);
  while (goes_on()) {
    detail::scale(arena, 1 / r_norm, s.basis[0]);
    s.rhs[0] = r_norm;
    std::size_t j = 0;
    for (bool more = true; more && j < s.restart() && goes_on();) {
      precondition(s.basis[j], s.z);
      detail::keep(arena, s, j);
      apply(s.z, s.basis[j + 1]);
      ++report.iterations;
      ++report.operator_applications;
      more = detail::extend_basis(arena, s, j);
      if (!detail::rotate_column(s, j)) break;
      judge(std::abs(s.rhs[++j]));
    }
    detail::add_solution(arena, s, j, x);
    if (report.converged || j < s.restart()) break;
    apply(x, s.basis[0]);
    ++report.operator_applications;
    xpby(arena, b, -1, s.basis[0]);
    r_norm = std::sqrt(dot(arena, s.basis[0], s.basis[0]));
    judge(r_norm);
  }
  return report;
}

}  // namespace isochor::solve
