#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "isochor/solve/vector_ops.h"

namespace isochor::solve {

/// How a Krylov solve ended. An iteration is one application of the preconditioner.
struct KrylovReport {
  int iterations = 0;
  int operator_applications = 0;
  double relative_residual = 1;  ///< |r| / |b|, by the recurrence
  bool converged = false;
  bool indefinite = false;    ///< a direction of non-positive curvature was met
  bool unfit = false;         ///< the preconditioner was found not to be positive definite
  std::string_view fallback;  ///< why another method had to take over; empty: none had
};

/// How far a Krylov solve goes: down to a relative residual that is needed, and on to one that is
/// wanted where that takes few iterations.
struct Accuracy {
  Accuracy(double tolerance) : needed(tolerance), wanted(tolerance) {}
  Accuracy(double need, double want, int within) : needed(need), wanted(want), few(within) {}
  bool reached(double residual, int iterations) const {
    return residual <= (iterations < few ? wanted : needed);
  }
  double needed, wanted;
  int few = 0;
};

struct KrylovScratch {
  explicit KrylovScratch(std::size_t size = 0) : r(size), p(size), image(size) {}
  std::vector<double> r, p;
  std::vector<double> image;  ///< M^-1 r, then A p: the one is done with when the other comes
};

/// Preconditioned conjugate gradients for a symmetric positive definite operator, from x = 0.
/// apply(p, q): q = A p.  precondition(r, z): z = M^-1 r.  stop(): give up early (cancelled).
/// Every iterate is a descent direction for the energy behind A, so that a solve that ran out of
/// iterations, or into negative curvature, is still of use to Newton. A preconditioner that is
/// unfit from the start leaves scratch.r = b. `scratch` vectors must have the size of b; b may be
/// scratch.r itself. Curvature is judged against p . M p, which has a recurrence of its own
/// (Steihaug 1983): a direction that A flattens to what rounding leaves counts as one of no
/// curvature, before it makes x as long as it likes.
template <class Apply, class Precondition, class Stop>
KrylovReport conjugate_gradient(ThreadArena& arena, Apply&& apply, Precondition&& precondition,
                                Stop&& stop, std::span<const double> b, std::span<double> x,
                                const Accuracy& accuracy, int max_iterations,
                                KrylovScratch& scratch) {
  constexpr double kFlat = 1e-12;
  auto& [r, p, image] = scratch;
  KrylovReport report;
  fill(arena, 0, x);
  copy(arena, b, r);
  const double b_norm = std::sqrt(dot(arena, b, b));
  if (b_norm == 0) return {.relative_residual = 0, .converged = true};

  double rho = 0, p_squared = 0;
  while (report.iterations < max_iterations && !stop()) {
    precondition(r, image);
    ++report.iterations;
    const double rho_last = rho;
    rho = dot(arena, r, image);
    if (!(rho > 0)) {
      report.unfit = true;
      break;
    }
    if (report.iterations == 1) {
      copy(arena, image, p);
      p_squared = rho;
    } else {
      const double beta = rho / rho_last;
      xpby(arena, image, beta, p);
      p_squared = rho + beta * beta * p_squared;
    }
    apply(p, image);
    ++report.operator_applications;
    const double curvature = dot(arena, p, image);
    if (!(curvature > kFlat * p_squared)) {
      if (report.iterations == 1) copy(arena, p, x);
      report.indefinite = true;
      break;
    }
    const double alpha = rho / curvature;
    axpy(arena, alpha, p, x);
    axpy(arena, -alpha, image, r);
    report.relative_residual = std::sqrt(dot(arena, r, r)) / b_norm;
    report.converged = accuracy.reached(report.relative_residual, report.iterations);
    if (report.converged) break;
  }
  return report;
}

}  // namespace isochor::solve
