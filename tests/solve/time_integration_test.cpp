#include "isochor/solve/time_integration.h"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace isochor::solve {
namespace {

/// A mass on a spring with a damper, x'' + c x' + w^2 x = 0, stepped as TimeStep says.
struct Oscillator {
  Integrator integrator;
  double w = 1, c = 0;
  double x = 1, v = 0;
  double last_x = 0, last_v = 0, last_dt = 0;

  void step(double dt) {
    const TimeStep t = make_time_step(integrator, dt, last_dt);
    const double origin = t.origin(x, last_x), v_origin = t.origin(v, last_v);
    // rate (rate (y - origin) - v_origin) + c rate (y - origin) + w^2 y = 0
    const double y =
        (t.rate * (t.rate + c) * origin + t.rate * v_origin) / (t.rate * (t.rate + c) + w * w);
    const double v_y = t.rate * (y - origin);
    last_x = x, last_v = v, last_dt = dt;
    x += t.reach * (y - x);
    v += t.reach * (v_y - v);
  }
  double energy() const { return 0.5 * (v * v + w * w * x * x); }
};

/// Where it is after a time in steps of equal length, or of lengths that change from one to the
/// next; against the exact solution.
double error_after(Integrator integrator, int steps, bool equal) {
  constexpr double kTime = 2;
  Oscillator o{integrator, 3, 0.4};
  const double pattern[] = {1, 2, 0.5, 1, 0.25, 0.5};
  double whole = 0;
  for (int k = 0; k < steps; ++k) whole += equal ? 1 : pattern[k % 6];
  for (int k = 0; k < steps; ++k) o.step(kTime / whole * (equal ? 1 : pattern[k % 6]));
  const double decay = 0.2, w = std::sqrt(9 - decay * decay);
  const double exact =
      std::exp(-decay * kTime) * (std::cos(w * kTime) + decay / w * std::sin(w * kTime));
  return std::abs(o.x - exact);
}

TEST(TimeIntegration, OrdersOfAccuracyAreOneTwoAndTwoWithSteadyAndWithChangingSteps) {
  for (const bool equal : {true, false}) {
    const auto order = [&](Integrator integrator) {
      return std::log2(error_after(integrator, 1536, equal) / error_after(integrator, 3072, equal));
    };
    EXPECT_NEAR(order(Integrator::BackwardEuler), 1, 0.02);
    EXPECT_NEAR(order(Integrator::Bdf2), 2, 0.02);
    EXPECT_NEAR(order(Integrator::Midpoint), 2, 0.02);
  }
}

TEST(TimeIntegration, BackwardEulerLosesTheClosedFormOfEnergy) {
  Oscillator o{Integrator::BackwardEuler, 5};
  const double dt = 0.1;
  for (int k = 0; k < 20; ++k) {
    const double before = o.energy();
    o.step(dt);
    EXPECT_NEAR(o.energy(), before / (1 + o.w * o.w * dt * dt), 1e-14 * before);
  }
}

TEST(TimeIntegration, MidpointKeepsEnergyAndTurnsByTwiceTheArcTangent) {
  Oscillator o{Integrator::Midpoint, 5};
  const double dt = 0.1, angle = 2 * std::atan(o.w * dt / 2);
  for (int k = 1; k <= 200; ++k) {
    o.step(dt);
    EXPECT_NEAR(o.energy(), 12.5, 1e-12);
    EXPECT_NEAR(o.x, std::cos(k * angle), 1e-12);
  }
}

TEST(TimeIntegration, Bdf2LosesTheClosedFormOfEnergyAtEachStep) {
  // The root of (3/2 - i w dt) z^2 - 2 z + 1/2 that goes with the solution.
  const std::complex<double> wdt(0, 0.5);
  const auto z = (2.0 + std::sqrt(1.0 + 2.0 * wdt)) / (3.0 - 2.0 * wdt);
  Oscillator o{Integrator::Bdf2, 5};
  for (int k = 0; k < 60; ++k) o.step(0.1);
  const double before = o.energy();
  o.step(0.1);
  EXPECT_NEAR(o.energy() / before, std::norm(z), 1e-9);
}

TEST(TimeIntegration, Bdf2HasTheSlopeOfTheParabolaForAnyStep) {
  const auto parabola = [](double t) { return 0.3 - 2 * t + 5 * t * t; };
  for (const double dt : {0.1, 0.2, 0.4, 0.45}) {
    const TimeStep t = make_time_step(Integrator::Bdf2, dt, 0.2);
    const double origin = t.origin(parabola(1), parabola(0.8));
    EXPECT_NEAR(t.rate * (parabola(1 + dt) - origin), -2 + 10 * (1 + dt), 1e-12);
  }
}

TEST(TimeIntegration, Bdf2IsBackwardEulerWithoutHistoryOrAfterAMuchShorterStep) {
  for (const TimeStep t :
       {make_time_step(Integrator::Bdf2, 0.1, 0), make_time_step(Integrator::Bdf2, 0.1, 0.04)}) {
    EXPECT_EQ(t.rate, 10);
    EXPECT_EQ(t.now, 1);
    EXPECT_EQ(t.before, 0);
  }
  EXPECT_NE(make_time_step(Integrator::Bdf2, 0.1, 0.05).before, 0) << "twice as long";
}

}  // namespace
}  // namespace isochor::solve
