#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "isochor/base/fields.h"

namespace isochor::solve {

struct NewtonParams {
  double tolerance = 1e-6;
  int max_iterations = 100;
  int max_krylov_iterations = 2000;
};
void describe(FieldVisitor& visitor, NewtonParams& params);

enum class NewtonEnd { Converged, Stalled, TooManyIterations, NotFinite, Diverged, Cancelled };
std::string_view text(NewtonEnd end);

struct NewtonReport {
  NewtonEnd end = NewtonEnd::TooManyIterations;
  int iterations = 0;             ///< linear systems solved
  int krylov_iterations = 0;      ///< preconditioner applications, in all
  int operator_applications = 0;  ///< in all
  int cuts = 0;                   ///< of the step, in two, by who sought it
  double residual = std::numeric_limits<double>::infinity();  ///< relative, of the last iterate
  int fallbacks = 0;          ///< times that another method than the chosen one had to take over
  std::string_view fallback;  ///< why it last did
  bool converged() const { return end == NewtonEnd::Converged; }
};

/// What energy and forces say about an iterate.
struct Evaluation {
  double energy = 0;        ///< J
  double energy_scale = 0;  ///< sum of the magnitudes that were added up to `energy`
  double residual = 0;      ///< |force on free nodes| / force scale of the problem
};

/// Whether, and how, a search for the least energy ends at an iterate. Tells the problem of its
/// progress.
template <class Problem>
std::optional<NewtonEnd> end_of_search(Problem& problem, const NewtonParams& params,
                                       const Evaluation& now, NewtonReport& report) {
  report.residual = now.residual;
  problem.progress(report);
  if (!std::isfinite(now.energy) || !std::isfinite(now.residual)) return NewtonEnd::NotFinite;
  if (now.residual <= params.tolerance) return NewtonEnd::Converged;
  if (report.iterations >= params.max_iterations) return NewtonEnd::TooManyIterations;
  if (problem.cancelled()) return NewtonEnd::Cancelled;
  return std::nullopt;
}

/// Halves a step along the problem's direction until the energy falls enough, or, where it changes
/// no more than rounding may have done, until the slope does (Hager and Zhang 2005). Doubles a
/// whole one while it falls as fast as at its begin, which it does along negative curvature alone:
/// on a parabola a Newton step gains half of that. Nothing where no length will do, or the
/// direction does not descend; the problem is then where it was.
template <class Problem>
std::optional<Evaluation> line_search(Problem& problem, const Evaluation& now) {
  constexpr double kSufficientDecrease = 1e-4, kUnbent = 0.9;
  constexpr double kShortestStep = 1e-6, kLongestStep = 1e3, kRounding = 1e-14, kNoise = 1e-10;
  const double slope = problem.slope();
  if (!(slope < 0)) return std::nullopt;
  double longest = kLongestStep;
  if constexpr (requires { problem.longest_step(); }) longest = problem.longest_step();
  if (!(longest > 0)) return std::nullopt;
  double length = std::min(1.0, longest);
  const double shortest = kShortestStep * length;
  problem.move(length);
  Evaluation next = problem.evaluate();
  const auto falls = [&] {
    const double scale = std::max(now.energy_scale, next.energy_scale);
    const double change = next.energy - now.energy;
    return change <= kSufficientDecrease * length * slope + kRounding * scale ||
           (std::abs(change) <= kNoise * scale && std::abs(problem.slope()) <= -kUnbent * slope);
  };
  while (!falls()) {
    const double shorter = 0.5 * length;
    if (shorter < shortest) {
      problem.move(-length);
      return std::nullopt;
    }
    problem.move(shorter - length);
    length = shorter;
    next = problem.evaluate();
  }
  while (length >= 1 && 2 * length <= longest &&
         next.energy < now.energy + kUnbent * length * slope -
                           kRounding * std::max(now.energy_scale, next.energy_scale)) {
    problem.move(length);
    const Evaluation further = problem.evaluate();
    if (!(further.energy < next.energy)) {
      problem.move(-length);
      return problem.evaluate();
    }
    next = further;
    length *= 2;
  }
  return next;
}

/// Minimises an energy by Newton's method with a backtracking line search.
/// Problem offers, about an iterate x that it owns:
///   Evaluation evaluate()             energy, and forces kept for solve()
///   KrylovReport solve(double tol)    linearise at x and solve K dx = forces
///   double slope()                    -forces . dx at the last evaluation, negative for a descent
///   void move(double length)          x += length dx (negative to go back)
///   bool cancelled()
///   void progress(const NewtonReport&)
/// and it may offer
///   KrylovReport solve_cautiously(double tol)
/// a direction for where the first one leads nowhere: slower, but with steps of the right size,
///   double longest_step()
/// how far along dx the problem may be moved at all (contact),
///   optional<Evaluation> settle()
/// the evaluation of an iterate that the problem has found by other means about the last one
/// evaluated, and
///   optional<Evaluation> renewed()
/// the evaluation of the same iterate, where solving changed the energy (multipliers of a
/// constraint).
/// Leaves the last iterate in the problem; the caller decides whether to keep it.
template <class Problem>
NewtonReport newton(Problem& problem, const NewtonParams& params) {
  NewtonReport report;
  Evaluation now = problem.evaluate();
  for (;;) {
    if (const auto end = end_of_search(problem, params, now, report)) {
      report.end = *end;
      return report;
    }
    if constexpr (requires { problem.settle(); }) {
      if (const auto settled = problem.settle()) {
        now = *settled;
        if (const auto end = end_of_search(problem, params, now, report)) {
          report.end = *end;
          return report;
        }
      }
    }
    const auto search = [&](const auto& linear) {
      ++report.iterations;
      report.krylov_iterations += linear.iterations;
      report.operator_applications += linear.operator_applications;
      if (!linear.fallback.empty()) {
        ++report.fallbacks;
        report.fallback = linear.fallback;
      }
      if constexpr (requires { problem.renewed(); }) {
        if (const auto changed = problem.renewed()) now = *changed;
      }
      return line_search(problem, now);
    };
    // Solve no better than this iterate deserves, superlinearly better towards the end.
    const double forcing = std::clamp(std::sqrt(now.residual), 1e-4, 0.1);
    std::optional<Evaluation> next = search(problem.solve(forcing));
    if constexpr (requires { problem.solve_cautiously(forcing); }) {
      if (!next && !problem.cancelled()) {
        problem.evaluate();
        next = search(problem.solve_cautiously(forcing));
      }
    }
    if (!next) {
      report.end = problem.cancelled() ? NewtonEnd::Cancelled : NewtonEnd::Stalled;
      return report;
    }
    now = *next;
  }
}

}  // namespace isochor::solve
