#include "isochor/tets/solver.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/tets/equilibrium.h"
#include "isochor/tets/zonal_search.h"

namespace isochor::tets {
namespace {

constexpr std::string_view kHeldBack =
    "a sheet hangs loose or slides off: it is held back, and not in equilibrium; give it friction "
    "or make it tighter";

void add_counts(solve::NewtonReport& sum, const solve::NewtonReport& part) {
  sum.iterations += part.iterations;
  sum.krylov_iterations += part.krylov_iterations;
  sum.operator_applications += part.operator_applications;
}

/// Towards an equilibrium with flesh where it was last seen on bones: it slides on anyway.
solve::NewtonReport approach(Equilibrium& problem, const Model& model) {
  constexpr int kFew = 2;
  constexpr double kRough = 1e-2;
  solve::NewtonParams params = model.params.newton;
  params.tolerance = std::max(params.tolerance, kRough);
  params.max_iterations = std::min(params.max_iterations, kFew);
  return solve::newton(problem, params);
}

}  // namespace

StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context) {
  if (input.dt > 0 && !model.moves()) {
    throw Error(Fault::Input, "tets::advance", "a static model has no steps in time",
                "build the model with Params::integrator, or leave StepInput::dt at 0");
  }
  std::optional<solve::TimeStep> time;
  if (input.dt > 0) {
    time = solve::make_time_step(model.params.integrator, input.dt, state.last_dt);
  }
  if (input.contact && time && time->reach != 1) {
    throw Error(Fault::Input, "tets::advance", "contact needs forces at the end of a step",
                "choose backward Euler or BDF2");
  }
  Equilibrium problem(model, state, input, time, scratch, context);
  if (!problem.begin()) return {{.end = solve::NewtonEnd::Stalled}, {}};
  const solve::NewtonReport guess = problem.predict();
  const bool dragged = problem.hold_back(true);
  const auto search = [&] {
    solve::NewtonReport found;
    bool roughly = false;
    do {
      const solve::NewtonReport last = found;
      roughly = problem.slides();
      found = roughly ? approach(problem, model) : seek(problem, model, state, scratch, context);
      add_counts(found, last);
    } while ((roughly || found.converged()) && !context.cancelled && problem.slides_on());
    found.residual = problem.whole(found.residual);
    return found;
  };
  StepReport report{search(), {}};
  add_counts(report, guess);
  // What is let go stays so; what few rounds do not let go comes free in the next step.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds && report.converged() && problem.renew(round); ++round) {
    const solve::NewtonReport last = report;
    static_cast<solve::NewtonReport&>(report) = search();
    add_counts(report, last);
  }
  if (!report.converged() && dragged && !context.cancelled) {
    const solve::NewtonReport last = report;
    problem.begin();
    problem.hold_back(false);
    static_cast<solve::NewtonReport&>(report) = search();
    add_counts(report, last);
    ++report.fallbacks;
    report.fallback = kHeldBack;
  }
  if (!report.converged()) return report;
  report.balance = problem.finish();
  if (time && model.params.integrator == solve::Integrator::Bdf2) {
    std::swap(state.last_positions, state.positions);
    std::swap(state.last_velocities, state.velocities);
  }
  std::swap(state.positions, scratch.positions);
  if (time) {
    std::swap(state.velocities, scratch.force);
    std::swap(state.pushes, scratch.pushes);
    std::swap(state.contact_pushes, scratch.contact_pushes);
    state.contact_change = scratch.contact_change;
  } else {
    std::fill(state.velocities.begin(), state.velocities.end(), Vec3d{0, 0, 0});
  }
  state.last_dt = input.dt;
  std::ranges::copy(scratch.zonal.pressures, state.pressures.begin());
  return report;
}

}  // namespace isochor::tets
