#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "isochor/solve/conjugate_gradient.h"

namespace isochor::solve {

struct MinresScratch {
  explicit MinresScratch(std::size_t size = 0)
      : v(size), last_v(size), next_v(size), z(size), next_z(size), w(size), last_w(size) {}
  std::vector<double> v, last_v, next_v;  ///< of Lanczos' process
  std::vector<double> z, next_z;          ///< the same preconditioned
  std::vector<double> w, last_w;          ///< directions
};

/// MINRES (Paige and Saunders 1975) for a symmetric operator that need not be definite, with a
/// preconditioner that must be. From x = 0. apply(p, q): q = A p.  precondition(r, z): z = M^-1 r.
/// stop(): give up early (cancelled). The residual that it reports, and makes as small as it can,
/// is that in the norm of M^-1.
template <class Apply, class Precondition, class Stop>
KrylovReport minres(ThreadArena& arena, Apply&& apply, Precondition&& precondition, Stop&& stop,
                    std::span<const double> b, std::span<double> x, const Accuracy& accuracy,
                    int max_iterations, MinresScratch& s) {
  constexpr double kNothing = 1e-14;
  KrylovReport report;
  fill(arena, 0, x);
  fill(arena, 0, s.last_v);
  fill(arena, 0, s.w);
  fill(arena, 0, s.last_w);
  copy(arena, b, s.v);
  precondition(s.v, s.z);
  const double squared = dot(arena, s.z, s.v);
  if (squared == 0) return {.relative_residual = 0, .converged = true};
  if (!(squared > 0)) {
    report.unfit = true;
    return report;
  }
  const double first = std::sqrt(squared);
  double gamma = first, last_gamma = 1, eta = first;
  double cosine = 1, last_cosine = 1, sine = 0, last_sine = 0;
  while (report.iterations < max_iterations && !stop()) {
    apply(s.z, s.next_v);
    ++report.iterations;
    ++report.operator_applications;
    // Vectors stay as long as they come: in one pass what would be three, and one to scale z.
    const double delta = dot(arena, s.next_v, s.z) / (gamma * gamma);
    const double by_gamma = 1 / gamma, along_v = delta / gamma, along_last = gamma / last_gamma;
    parallel_for(arena, x.size(), kVectorGrain, [&](std::size_t i) {
      s.next_v[i] = by_gamma * s.next_v[i] - along_v * s.v[i] - along_last * s.last_v[i];
    });
    precondition(s.next_v, s.next_z);
    const double next_squared = dot(arena, s.next_z, s.next_v);
    if (!(next_squared >= -kNothing * squared)) {
      report.unfit = true;
      break;
    }
    const double next_gamma = std::sqrt(std::max(next_squared, 0.0));

    const double a0 = cosine * delta - last_cosine * sine * gamma;
    const double a1 = std::hypot(a0, next_gamma);
    const double a2 = sine * delta + last_cosine * cosine * gamma, a3 = last_sine * gamma;
    if (!(a1 > 0)) break;  // singular
    last_cosine = std::exchange(cosine, a0 / a1);
    last_sine = std::exchange(sine, next_gamma / a1);
    parallel_for(arena, x.size(), kVectorGrain, [&](std::size_t i) {
      const double next = (by_gamma * s.z[i] - a3 * s.last_w[i] - a2 * s.w[i]) / a1;
      s.last_w[i] = s.w[i];
      s.w[i] = next;
      x[i] += cosine * eta * next;
    });
    eta *= -sine;
    report.relative_residual = std::abs(eta) / first;
    report.converged = accuracy.reached(report.relative_residual, report.iterations);
    if (report.converged || !(next_gamma > kNothing * first)) break;
    last_gamma = std::exchange(gamma, next_gamma);
    std::swap(s.last_v, s.v);
    std::swap(s.v, s.next_v);
    std::swap(s.z, s.next_z);
  }
  return report;
}

}  // namespace isochor::solve
