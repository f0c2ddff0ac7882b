#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "isochor/base/fields.h"

namespace isochor::solve {

struct NewtonParams {
  double tolerance = 1e-6;
  int max_iterations = 100;
  int max_krylov_iterations = 2000;
};
void describe(FieldVisitor& visitor, NewtonParams& params);

enum class NewtonEnd { Converged, Stalled, TooManyIterations, NotFinite, Cancelled };
std::string_view text(NewtonEnd end);

struct NewtonReport {
  NewtonEnd end = NewtonEnd::TooManyIterations;
  int iterations = 0;             ///< linear systems solved
  int krylov_iterations = 0;      ///< preconditioner applications, in all
  int operator_applications = 0;  ///< in all
  double residual = std::numeric_limits<double>::infinity();  ///< relative, of the last iterate
  bool converged() const { return end == NewtonEnd::Converged; }
};

/// What energy and forces say about an iterate.
struct Evaluation {
  double energy = 0;        ///< J
  double energy_scale = 0;  ///< sum of the magnitudes that were added up to `energy`
  double residual = 0;      ///< |force on free nodes| / force scale of the problem
};

/// Minimises an energy by Newton's method with a backtracking line search.
/// Problem offers, about an iterate x that it owns:
///   Evaluation evaluate()             energy, and forces kept for solve()
///   KrylovReport solve(double tol)    linearise at x and solve K dx = forces
///   double slope()                    -forces . dx, negative for a descent direction
///   void move(double length)          x += length dx (negative to go back)
///   bool cancelled()
///   void progress(const NewtonReport&)
/// Leaves the last iterate in the problem; the caller decides whether to keep it.
template <class Problem>
NewtonReport newton(Problem& problem, const NewtonParams& params) {
  constexpr double kSufficientDecrease = 1e-4, kShortestStep = 1e-6, kRounding = 1e-14;
  NewtonReport report;
  Evaluation now = problem.evaluate();
  for (;;) {
    report.residual = now.residual;
    problem.progress(report);
    const auto ended = [&](NewtonEnd end) {
      report.end = end;
      return report;
    };
    if (!std::isfinite(now.energy) || !std::isfinite(now.residual)) {
      return ended(NewtonEnd::NotFinite);
    }
    if (now.residual <= params.tolerance) return ended(NewtonEnd::Converged);
    if (report.iterations >= params.max_iterations) return ended(NewtonEnd::TooManyIterations);
    if (problem.cancelled()) return ended(NewtonEnd::Cancelled);

    // Solve no better than this iterate deserves, superlinearly better towards the end.
    const double forcing = std::clamp(std::sqrt(now.residual), 1e-4, 0.1);
    const auto linear = problem.solve(forcing);
    ++report.iterations;
    report.krylov_iterations += linear.iterations;
    report.operator_applications += linear.operator_applications;

    // No descent direction (the solve gave up at once, or met NaN): no length of it would help.
    const double slope = problem.slope();
    if (!(slope < 0)) {
      return ended(problem.cancelled() ? NewtonEnd::Cancelled : NewtonEnd::Stalled);
    }
    double length = 1;
    problem.move(length);
    for (;;) {
      const Evaluation next = problem.evaluate();
      const double rounding = kRounding * std::max(now.energy_scale, next.energy_scale);
      if (next.energy <= now.energy + kSufficientDecrease * length * slope + rounding) {
        now = next;
        break;
      }
      const double shorter = 0.5 * length;
      if (shorter < kShortestStep) {
        problem.move(-length);
        report.residual = now.residual;
        return ended(NewtonEnd::Stalled);
      }
      problem.move(shorter - length);
      length = shorter;
    }
  }
}

}  // namespace isochor::solve
