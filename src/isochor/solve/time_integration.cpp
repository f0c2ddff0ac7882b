#include "isochor/solve/time_integration.h"

namespace isochor::solve {

TimeStep make_time_step(Integrator integrator, double dt, double last_dt) {
  constexpr double kLargestGrowth = 2.414;
  if (integrator == Integrator::Midpoint) return {.dt = dt, .rate = 2 / dt, .reach = 2};
  const bool has_history = last_dt > 0 && dt <= kLargestGrowth * last_dt;
  if (integrator != Integrator::Bdf2 || !has_history) return {.dt = dt, .rate = 1 / dt};
  // The derivative at the end of a parabola through three points,
  // (a x_(n+1) - (1 + w) x_n + w^2 / (1 + w) x_(n-1)) / dt, solved for what a multiplies.
  const double w = dt / last_dt;
  const double a = (1 + 2 * w) / (1 + w);
  return {.dt = dt, .rate = a / dt, .now = (1 + w) / a, .before = -w * w / ((1 + w) * a)};
}

double evaluation_point(Integrator integrator) {
  return integrator == Integrator::Midpoint ? 0.5 : 1;
}

}  // namespace isochor::solve
