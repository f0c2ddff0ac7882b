#pragma once

#include <algorithm>
#include <limits>

#include "isochor/tets/solver.h"

/// How a step finds positions and pressures of zones. Problem is one for solve::newton, with
///   void begin()                                 the first guess, in Scratch::positions
///   void begin_zones(method, pressures)
///   ZonalSystem& zones()
namespace isochor::tets {

inline constexpr std::string_view kVolumesLeastWrong =
    "zones cannot all have their volumes: they have those that are least wrong";

inline void add_work(solve::NewtonReport& sum, const solve::NewtonReport& part) {
  sum.end = part.end;
  sum.residual = part.residual;
  sum.iterations += part.iterations;
  sum.krylov_iterations += part.krylov_iterations;
  sum.operator_applications += part.operator_applications;
}

/// Newton's method on positions and pressures, for so many iterations at most.
template <class Problem>
solve::NewtonReport seek_both(Problem& problem, const Model& model, int iterations) {
  solve::NewtonParams params = model.params.newton;
  params.max_iterations = std::min(params.max_iterations, iterations);
  return solve::newton(problem, params);
}

/// The same from where multipliers came to; whether it arrived. Else all is as before.
template <class Problem>
bool finish_exactly(Problem& problem, const Model& model, Scratch& scratch,
                    solve::NewtonReport& sum) {
  constexpr int kMostIterations = 15;
  problem.zones().keep(scratch.positions);
  problem.begin_zones(ZoneMethod::Exact, scratch.zonal.kept_pressures);
  add_work(sum, seek_both(problem, model, kMostIterations));
  if (sum.converged()) return true;
  problem.zones().go_back(scratch.positions);
  problem.begin_zones(ZoneMethod::Multiplier, scratch.zonal.kept_pressures);
  return false;
}

/// Minimises, moves multipliers, and again, until volumes are right; or, where what is missing does
/// not become less, least wrong. Goes over to Newton's method on both where that is the model's way
/// and volumes are near.
template <class Problem>
solve::NewtonReport seek_multipliers(Problem& problem, const Model& model, Scratch& scratch) {
  constexpr int kMostRounds = 40;
  constexpr double kStuck = 0.9, kNearer = 0.1, kStricter = 0.1, kStrictest = 1e-4;
  const bool exact = model.params.zones.method != ZoneMethod::Multiplier;
  solve::NewtonParams params = model.params.newton;
  solve::NewtonReport sum;
  double last = std::numeric_limits<double>::infinity(), near = 1e-2;
  for (int round = 0; round < kMostRounds; ++round) {
    const solve::NewtonReport report = solve::newton(problem, params);
    add_work(sum, report);
    if (!report.converged()) return sum;
    const double violation = problem.zones().measure(scratch.positions).violation;
    problem.zones().move_multipliers();
    if (violation <= model.params.zones.tolerance) return sum;
    if (exact && violation <= near) {
      if (finish_exactly(problem, model, scratch, sum)) return sum;
      near = kNearer * violation;
    }
    if (violation > kStuck * last) {
      // It may be that forces are not balanced as well as volumes are to be right.
      if (params.tolerance < kStrictest * model.params.newton.tolerance) break;
      params.tolerance *= kStricter;
    }
    last = std::min(last, violation);
  }
  sum.end = solve::NewtonEnd::Converged;
  ++sum.fallbacks;
  sum.fallback = kVolumesLeastWrong;
  return sum;
}

/// Newton's method; where it does not arrive, multipliers; where zones cannot have their volumes,
/// what comes closest to them.
template <class Problem>
solve::NewtonReport seek(Problem& problem, const Model& model, const State& state, Scratch& scratch,
                         const Context& context) {
  if (model.zones.count() == 0) return solve::newton(problem, model.params.newton);
  constexpr int kMostIterations = 25;
  solve::NewtonReport first{.end = solve::NewtonEnd::Stalled};
  if (problem.zones().method() != ZoneMethod::Multiplier) {
    first = seek_both(problem, model, kMostIterations);
    if (first.converged() || context.cancelled) return first;
    problem.begin();
    problem.begin_zones(ZoneMethod::Multiplier, state.pressures);
  }
  solve::NewtonReport second = seek_multipliers(problem, model, scratch);
  second.iterations += first.iterations;
  second.krylov_iterations += first.krylov_iterations;
  second.operator_applications += first.operator_applications;
  return second;
}

}  // namespace isochor::tets
