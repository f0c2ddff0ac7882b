#include "isochor/staggered/dynamics.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/stresses.h"

namespace isochor::staggered {
namespace {

template <int D>
void check_inertia(const Model<D>& model, const TimeStep& step) {
  const double inertia = step.inertia();
  if (!(std::abs(model.material.inertia - inertia) <= 1e-12 * inertia)) {
    throw Error(Fault::Input, "time step", "the model was built for another step in time",
                "build it with the inertia of this one");
  }
}

}  // namespace

template <int D>
SolveReport advance(const Model<D>& model, const TimeStep& step, std::span<const double> load,
                    std::span<const double> given, double tolerance, int most, Motion<D>& motion,
                    MotionMemory<D>& memory, Context& context) {
  const double inertia = step.inertia();
  check_inertia(model, step);
  const double c = inertia / model.material.mu;
  const double damped = step.damping / (step.dt + step.damping);
  // rho (u' - u - dt v) / dt^2 = L u' + damping L (u' - u) / dt + f, so that with
  // c = rho / (dt (dt + damping)):  L u' - c u' = -c (u + dt v) + damped L u - (1 - damped) f.
  // Loads are -f already. L u is minus the residual without load, and inertia, which it has too.
  std::ranges::fill(memory.b, 0.0);
  if (damped > 0) {
    find_residual<D>(model, motion.u, memory.b, memory.image, context.arena);
  }
  for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    memory.b[place] = (1 - damped) * load[place];
    if (k == D) return;
    const double mass = c * mass_fraction(model, cell, k);
    memory.b[place] -= mass * (motion.u[place] + step.dt * motion.v[place]);
    if (damped > 0) {
      memory.b[place] += damped * (mass * motion.u[place] - memory.image[place]);
    }
  });
  // From where it would fly to; pressures change little.
  memory.next = motion.u;
  if (!given.empty()) std::ranges::copy(given, memory.next.begin());
  for_each_unknown<D>(model, [&](const Index<D>&, int k, std::size_t place) {
    memory.next[place] = motion.u[place] + (k < D ? step.dt * motion.v[place] : 0);
  });
  // Against all that acts: a body at rest has nothing left to reduce.
  find_residual<D>(model, memory.next, memory.b, memory.image, context.arena);
  const auto norm = [&](std::span<const double> x) {
    return std::sqrt(solve::dot(context.arena, x, x));
  };
  const double rest = norm(memory.image), all = std::max(norm(memory.b), rest);
  SolveReport report{.relative_residual = all > 0 ? rest / all : 0, .converged = true};
  if (rest > tolerance * all) {
    report = staggered::solve<D>(model, memory.b, memory.next, tolerance * all / rest, most,
                                 memory.solver, context);
    report.relative_residual *= rest / all;
  }
  if (!report.converged) return report;
  for (std::size_t i = 0; i < motion.u.size(); ++i) {
    motion.v[i] = (memory.next[i] - motion.u[i]) / step.dt;
  }
  std::swap(motion.u, memory.next);
  return report;
}

template <int D>
SolveReport advance_corotated(const Model<D>& model, const TimeStep& step,
                              std::span<const double> load, std::span<const double> given,
                              double tolerance, int most, Motion<D>& motion, StepWork<D>& work,
                              CorotatedMemory<D>& memory, Context& context) {
  check_inertia(model, step);
  const double c = step.inertia() / model.material.mu;
  const double damped = step.damping / (step.dt + step.damping);
  // As above, with the whole force in place of L u.
  std::ranges::fill(work.b, 0.0);
  std::ranges::fill(work.image, 0.0);
  if (damped > 0) {
    find_turns<D>(model, motion.u, memory.turns, context.arena);
    find_turned_residual<D>(model, memory.turns, motion.u, work.b, work.image, context.arena);
  }
  work.next = motion.u;
  if (!given.empty()) std::ranges::copy(given, work.next.begin());
  for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    work.b[place] = (1 - damped) * load[place];
    work.next[place] = motion.u[place];
    if (k == D) return;
    const double mass = c * mass_fraction(model, cell, k);
    work.b[place] -= mass * (motion.u[place] + step.dt * motion.v[place]);
    work.b[place] += damped * (mass * motion.u[place] - work.image[place]);
    work.next[place] += step.dt * motion.v[place];
  });
  // Inertia would count as much as the body has moved: what acts is the rest of it.
  find_turns<D>(model, work.next, memory.turns, context.arena);
  find_turned_residual<D>(model, memory.turns, work.next, work.b, work.image, context.arena);
  const double scale =
      std::max({residual_norm<D>(model, work.image, context.arena),
                residual_norm<D>(model, load, context.arena),
                Stresses<D>(model, work.next, &memory.turns).scale(context.arena)});
  SolveReport report{.relative_residual = 0, .converged = true};
  if (scale > 0) {
    report = solve_corotated<D>(model, work.b, work.next, tolerance, scale, most, memory, context);
  }
  if (!report.converged) return report;
  for (std::size_t i = 0; i < motion.u.size(); ++i) {
    motion.v[i] = (work.next[i] - motion.u[i]) / step.dt;
  }
  std::swap(motion.u, work.next);
  return report;
}

template SolveReport advance<2>(const Model<2>&, const TimeStep&, std::span<const double>,
                                std::span<const double>, double, int, Motion<2>&, MotionMemory<2>&,
                                Context&);
template SolveReport advance<3>(const Model<3>&, const TimeStep&, std::span<const double>,
                                std::span<const double>, double, int, Motion<3>&, MotionMemory<3>&,
                                Context&);
template SolveReport advance_corotated<2>(const Model<2>&, const TimeStep&, std::span<const double>,
                                          std::span<const double>, double, int, Motion<2>&,
                                          StepWork<2>&, CorotatedMemory<2>&, Context&);
template SolveReport advance_corotated<3>(const Model<3>&, const TimeStep&, std::span<const double>,
                                          std::span<const double>, double, int, Motion<3>&,
                                          StepWork<3>&, CorotatedMemory<3>&, Context&);

}  // namespace isochor::staggered
