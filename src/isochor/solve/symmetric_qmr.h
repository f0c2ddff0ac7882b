#pragma once

#include <cmath>
#include <vector>

#include "isochor/solve/conjugate_gradient.h"

namespace isochor::solve {

struct QmrScratch {
  explicit QmrScratch(std::size_t size = 0)
      : s(size), q(size), image(size), d(size), d_image(size), r(size) {}
  std::vector<double> s;           ///< residual of the conjugate gradients behind it
  std::vector<double> q, image;    ///< their direction, A q; in between M^-1 s
  std::vector<double> d, d_image;  ///< the last change of x, A d
  std::vector<double> r;           ///< b - A x
};

/// Symmetric QMR (Freund and Nachtigal 1994), the solver of [Patterson12 sec 4]: for a symmetric
/// operator that need not be definite, with a symmetric preconditioner that need not be either.
/// Six vectors, whatever the number of iterations; no look-ahead: where the process breaks down, it
/// ends as not converged. From x = 0. apply(p, q): q = A p.  precondition(r, z): z = M^-1 r.
/// stop(): give up early (cancelled).
template <class Apply, class Precondition, class Stop>
KrylovReport symmetric_qmr(ThreadArena& arena, Apply&& apply, Precondition&& precondition,
                           Stop&& stop, std::span<const double> b, std::span<double> x,
                           double tolerance, int max_iterations, QmrScratch& scratch) {
  auto& [s, q, image, d, d_image, r] = scratch;
  KrylovReport report;
  fill(arena, 0, x);
  fill(arena, 0, d);
  fill(arena, 0, d_image);
  copy(arena, b, s);
  copy(arena, b, r);
  const double b_norm = std::sqrt(dot(arena, b, b));
  if (b_norm == 0) return {.relative_residual = 0, .converged = true};

  precondition(s, q);
  double rho = dot(arena, s, q), tau = b_norm, last_theta = 0;
  while (report.iterations < max_iterations && !stop()) {
    apply(q, image);
    ++report.iterations;
    ++report.operator_applications;
    const double sigma = dot(arena, q, image);
    if (sigma == 0 || rho == 0 || !std::isfinite(rho / sigma)) break;  // breakdown
    const double alpha = rho / sigma;
    axpy(arena, -alpha, image, s);
    const double theta = std::sqrt(dot(arena, s, s)) / tau;
    const double c2 = 1 / (1 + theta * theta);
    tau *= theta * std::sqrt(c2);
    const double kept = c2 * last_theta * last_theta, gain = c2 * alpha;
    parallel_for(arena, x.size(), kVectorGrain, [&](std::size_t i) {
      d[i] = kept * d[i] + gain * q[i];
      d_image[i] = kept * d_image[i] + gain * image[i];
      x[i] += d[i];
      r[i] -= d_image[i];
    });
    last_theta = theta;
    report.relative_residual = std::sqrt(dot(arena, r, r)) / b_norm;
    report.converged = report.relative_residual <= tolerance;
    if (report.converged) break;
    precondition(s, image);
    const double next_rho = dot(arena, s, image);
    xpby(arena, image, next_rho / rho, q);
    rho = next_rho;
  }
  return report;
}

}  // namespace isochor::solve
