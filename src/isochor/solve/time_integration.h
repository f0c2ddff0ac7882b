#pragma once

namespace isochor::solve {

/// How a body gets from one time to the next.
enum class Integrator {
  Static,         ///< not at all: every step is an equilibrium
  BackwardEuler,  ///< first order, dissipates
  Bdf2,           ///< second order, dissipates fast vibrations only
  Midpoint,       ///< second order, dissipates nothing, keeps momenta
};

/// What an integrator asks of one step of  M dv/dt = f(x, v),  dx/dt = v. All of them have the same
/// form: forces are evaluated at positions y, which have the velocity
///     v_y = rate (y - origin),    origin = now x_n + before x_(n-1),
/// and balance
///     rate M (v_y - v_origin) = f(y, v_y),
/// with v_origin made of old velocities as origin is of old positions. What was found is
/// then carried on to the end of the step:
///     x_(n+1) = x_n + reach (y - x_n),    v_(n+1) = v_n + reach (v_y - v_n).
/// So y minimises  rate^2/2 |y - origin - v_origin/rate|_M^2 + potential(y), where f has one.
struct TimeStep {
  double dt = 0;               ///< s
  double rate = 0;             ///< 1/s
  double now = 1, before = 0;  ///< weights of the history; before = 0: there is none
  double reach = 1;            ///< 2 where forces are evaluated half way

  /// Of positions, or of velocities.
  template <class V>
  V origin(const V& at_now, const V& at_before) const {
    return now * at_now + before * at_before;
  }
};

/// `last_dt` is the length of the step before, 0 if there was none. BDF2 begins with a step of
/// backward Euler, and has one where a step is more than 1 + sqrt(2) times as long as the last:
/// beyond that it is unstable (Grigorieff 1983).
TimeStep make_time_step(Integrator integrator, double dt, double last_dt);

/// The part of a step after which forces are evaluated: where what changes with time is wanted.
double evaluation_point(Integrator integrator);

}  // namespace isochor::solve
