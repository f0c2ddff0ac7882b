#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "isochor/solve/newton.h"

namespace isochor::solve {

/// Minimises an energy by cycles of nonlinear multigrid: smooth, correct, smooth, each with a
/// search for a lower energy along what it proposes. Problem offers what newton() wants, and
///   int smooth()      a direction that smooths the error; returns its operator applications
///   void correct()    the direction that coarser levels ask for
/// Where three cycles leave more than half of the residual, newton() takes over, and the report
/// says so. Iterations are those of both.
template <class Problem>
NewtonReport nonlinear_cycles(Problem& problem, const NewtonParams& params) {
  constexpr int kRounds = 2, kPatience = 3;
  NewtonReport report;
  Evaluation now = problem.evaluate();
  std::array<double, kPatience> before;
  before.fill(std::numeric_limits<double>::infinity());
  const auto search = [&] {
    const std::optional<Evaluation> next = line_search(problem, now);
    now = next ? *next : problem.evaluate();
  };
  const auto smooth = [&] {
    for (int round = 0; round < kRounds; ++round) {
      report.operator_applications += problem.smooth();
      search();
    }
  };
  for (;;) {
    if (const auto end = end_of_search(problem, params, now, report)) {
      report.end = *end;
      return report;
    }
    double& earlier = before[report.iterations % kPatience];
    if (!(now.residual <= 0.5 * earlier)) break;
    earlier = now.residual;
    ++report.iterations;
    smooth();
    problem.correct();
    search();
    smooth();
  }
  NewtonReport rest = newton(problem, params);
  rest.iterations += report.iterations;
  rest.operator_applications += report.operator_applications;
  ++rest.fallbacks;
  rest.fallback = "nonlinear cycles became slow";
  return rest;
}

}  // namespace isochor::solve
