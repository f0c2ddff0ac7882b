#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/lattice/fields.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using solve::Integrator;
constexpr Integrator kIntegrators[] = {Integrator::BackwardEuler, Integrator::Bdf2,
                                       Integrator::Midpoint};

Params in_time(Integrator integrator, double tolerance = 1e-6) {
  return {.integrator = integrator, .newton = {.tolerance = tolerance}};
}
Params with_multigrid() {
  return {.preconditioner = Preconditioner::Multigrid, .integrator = Integrator::BackwardEuler};
}

bool same_bits(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3d)) == 0);
}
bool same_bits(const State& a, const State& b) {
  return same_bits(a.positions, b.positions) && same_bits(a.velocities, b.velocities) &&
         same_bits(a.last_positions, b.last_positions) &&
         same_bits(a.last_velocities, b.last_velocities) && same_bits(a.pushes, b.pushes) &&
         a.last_dt == b.last_dt;
}

Vec3d momentum(const Model& model, const State& state) {
  Vec3d sum{0, 0, 0};
  for (std::size_t n = 0; n < model.node_count(); ++n) sum += model.mass[n] * state.velocities[n];
  return sum;
}

Vec3d angular_momentum(const Model& model, const State& state) {
  Vec3d sum{0, 0, 0};
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    sum += model.mass[n] * cross(state.positions[n], state.velocities[n]);
  }
  return sum;
}

double kinetic_energy(const Model& model, const State& state) {
  double sum = 0;
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    sum += 0.5 * model.mass[n] * dot(state.velocities[n], state.velocities[n]);
  }
  return sum;
}

/// A box of unequal sides, stretched and tumbling.
struct Tumbler {
  Model model;
  State state;

  explicit Tumbler(Params params, double damping = 0) {
    BodySpec spec = box_spec(6, 4, 2, 0.1, 1e4, 2e4);
    spec.stiffness_damping = damping;
    model = build_model({spec}, params);
    state = make_state(model);
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      const Vec3d& p = model.rest_positions[n];
      state.positions[n] = {1.2 * p[0], 0.9 * p[1] + 0.2 * p[0] * p[0], p[2]};
      state.velocities[n] = Vec3d{1, 2, -0.5} + cross(Vec3d{3, -2, 5}, p);
    }
  }
};

/// One cell that swells and shrinks as a whole. Corotated energy is quadratic in the stretch, so
/// that it is a damped oscillator with w^2 = (8 mu + 12 lambda) / (rho h^2), to all digits.
TEST(LatticeDynamics, ABreathingCellIsTheDampedOscillatorOfEachScheme) {
  const double mu = 2e3, lambda = 3e3, h = 0.2, rho = 1000, mass = 0.8, stiffness = 2e-3;
  const double w = std::sqrt((8 * mu + 12 * lambda) / (rho * h * h));
  const double c = mass + stiffness * w * w;
  for (const Integrator integrator : kIntegrators) {
    BodySpec spec = box_spec(1, 1, 1, h);
    make_uniform(spec, mu, lambda);
    spec.density = rho;
    spec.mass_damping = mass;
    spec.stiffness_damping = stiffness;
    const Model model = build_model({spec}, in_time(integrator, 1e-12));
    State state = make_state(model);
    const Vec3d middle{h / 2, h / 2, h / 2};
    for (Vec3d& p : state.positions) p = middle + 1.1 * (p - middle);
    Scratch scratch(model);
    Context context(1);
    double x = 0.1, v = 0, last_x = 0, last_v = 0, last_dt = 0;
    for (const double dt : {0.01, 0.01, 0.02, 0.005, 0.01, 0.01}) {
      ASSERT_TRUE(advance(model, state, {.dt = dt}, scratch, context).converged());
      const solve::TimeStep t = solve::make_time_step(integrator, dt, last_dt);
      const double origin = t.origin(x, last_x), v_origin = t.origin(v, last_v);
      const double y =
          (t.rate * (t.rate + c) * origin + t.rate * v_origin) / (t.rate * (t.rate + c) + w * w);
      const double v_y = t.rate * (y - origin);
      last_x = x, last_v = v, last_dt = dt;
      x += t.reach * (y - x);
      v += t.reach * (v_y - v);
      for (std::size_t n = 0; n < model.node_count(); ++n) {
        const Vec3d arm = model.rest_positions[n] - middle;
        EXPECT_LT(norm(state.positions[n] - middle - (1 + x) * arm), 1e-8 * h);
        EXPECT_LT(norm(state.velocities[n] - v * arm), 1e-7 * w * h);
      }
    }
  }
}

TEST(LatticeDynamics, AModeDecaysByItsDampingRatio) {
  // Half by mass, half by stiffness: ratio (a / w + b w) / 2 of 5 %.
  const double mu = 2e3, lambda = 3e3, h = 0.2, rho = 1000, ratio = 0.05;
  const double w = std::sqrt((8 * mu + 12 * lambda) / (rho * h * h));
  BodySpec spec = box_spec(1, 1, 1, h);
  make_uniform(spec, mu, lambda);
  spec.density = rho;
  spec.mass_damping = ratio * w;
  spec.stiffness_damping = ratio / w;
  const Model model = build_model({spec}, in_time(Integrator::Midpoint, 1e-9));
  State state = make_state(model);
  const Vec3d middle{h / 2, h / 2, h / 2};
  for (Vec3d& p : state.positions) p = middle + 1.1 * (p - middle);
  Scratch scratch(model);
  Context context(1);
  // Three whole periods of the damped oscillation.
  constexpr int kSteps = 240;
  const double damped = w * std::sqrt(1 - ratio * ratio);
  const double time = 3 * 2 * std::numbers::pi / damped;
  double loss = 0;
  const double before = elastic_energy(model, state.positions);
  for (int k = 0; k < kSteps; ++k) {
    const StepReport report = advance(model, state, {.dt = time / kSteps}, scratch, context);
    ASSERT_TRUE(report.converged());
    loss += report.balance.damping_loss;
  }
  const double stretch = norm(state.positions[0] - middle) / norm(model.rest_positions[0] - middle);
  EXPECT_NEAR((stretch - 1) / 0.1, std::exp(-ratio * w * time), 1e-3);
  const double after = elastic_energy(model, state.positions) + kinetic_energy(model, state);
  EXPECT_NEAR(before - after, loss, 1e-7 * before) << "midpoint itself loses nothing";
}

TEST(LatticeDynamics, LinearMomentumFollowsGravityWithEveryScheme) {
  for (const Integrator integrator : kIntegrators) {
    Tumbler t(in_time(integrator, 1e-11), 1e-3);
    Scratch scratch(t.model);
    Context context(1);
    const Vec3d gravity{0, -9.81, 0}, start = momentum(t.model, t.state);
    double mass = 0, time = 0;
    for (const double m : t.model.mass) mass += m;
    for (const double dt : {0.01, 0.01, 0.02, 0.005, 0.01}) {
      const StepInput input{.gravity = gravity, .dt = dt};
      const StepReport report = advance(t.model, t.state, input, scratch, context);
      ASSERT_TRUE(report.converged()) << text(report.end) << " " << report.residual;
      time += dt;
      const Vec3d expected = start + mass * time * gravity;
      EXPECT_LT(norm(momentum(t.model, t.state) - expected), 1e-10 * norm(start));
    }
  }
}

TEST(LatticeDynamics, MidpointKeepsAngularMomentumOfATumblingBody) {
  Tumbler t(in_time(Integrator::Midpoint, 1e-11)), euler(in_time(Integrator::BackwardEuler, 1e-11));
  Scratch scratch(t.model);
  Context context(1);
  const Vec3d start = angular_momentum(t.model, t.state);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(advance(t.model, t.state, {.dt = 0.01}, scratch, context).converged());
    ASSERT_TRUE(advance(euler.model, euler.state, {.dt = 0.01}, scratch, context).converged());
  }
  EXPECT_LT(norm(angular_momentum(t.model, t.state) - start), 1e-9 * norm(start));
  EXPECT_GT(norm(angular_momentum(euler.model, euler.state) - start), 1e-3 * norm(start))
      << "backward Euler does not, so that the test can fail";
}

TEST(LatticeDynamics, StiffnessDampingLeavesASpinAlone) {
  for (const Integrator integrator : kIntegrators) {
    double left[2];
    for (const double damping : {0.0, 0.01}) {
      BodySpec spec = box_spec(2, 2, 2, 0.15, 1e6, 1e6);
      spec.stiffness_damping = damping;
      const Model model = build_model({spec}, in_time(integrator, 1e-8));
      State state = make_state(model);
      for (std::size_t n = 0; n < model.node_count(); ++n) {
        const Vec3d arm = model.rest_positions[n] - Vec3d{0.15, 0.15, 0.15};
        state.velocities[n] = cross(Vec3d{0, 0, 20}, arm);
      }
      Scratch scratch(model);
      Context context(1);
      const double start = angular_momentum(model, state)[2];
      for (int k = 0; k < 30; ++k) {
        ASSERT_TRUE(advance(model, state, {.dt = 0.01}, scratch, context).converged());
      }
      left[damping > 0] = angular_momentum(model, state)[2] / start;
    }
    // A turn in steps of 11 degrees. The tangent of the start would stop it at once.
    EXPECT_GT(left[1], left[0] - 0.01);
  }
}

TEST(LatticeDynamics, StiffnessDampingTakesNextToNoAngularMomentumOfAStretchedBody) {
  BodySpec spec = box_spec(2, 2, 2, 0.15, 1e4, 1e4);
  spec.stiffness_damping = 0.02;
  const Model model = build_model({spec}, in_time(Integrator::Midpoint, 1e-10));
  State state = make_state(model);
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    const Vec3d arm = model.rest_positions[n] - Vec3d{0.15, 0.15, 0.15};
    state.positions[n] = {1.2 * arm[0], arm[1], arm[2]};
    state.velocities[n] = cross(Vec3d{0, 0, 8}, state.positions[n]);
  }
  Scratch scratch(model);
  Context context(1);
  const double start = angular_momentum(model, state)[2];
  double loss = 0;
  for (int k = 0; k < 40; ++k) {
    const StepReport report = advance(model, state, {.dt = 0.01}, scratch, context);
    ASSERT_TRUE(report.converged());
    loss += report.balance.damping_loss;
  }
  EXPECT_GT(loss, 1e-3 * kinetic_energy(model, state)) << "it swings before it settles";
  EXPECT_NEAR(angular_momentum(model, state)[2] / start, 1, 1e-3);
}

TEST(LatticeDynamics, BackwardEulerNeverGainsEnergy) {
  Tumbler t(in_time(Integrator::BackwardEuler));
  Scratch scratch(t.model);
  Context context(1);
  const auto energy = [&] {
    return elastic_energy(t.model, t.state.positions) + kinetic_energy(t.model, t.state);
  };
  double last = energy();
  for (int k = 0; k < 30; ++k) {
    ASSERT_TRUE(advance(t.model, t.state, {.dt = 0.01}, scratch, context).converged());
    EXPECT_LT(energy(), last);
    last = energy();
  }
}

TEST(LatticeDynamics, SameBitsForAnyThreadCountAfterACopyAndWithPoisonedScratch) {
  for (const Integrator integrator : kIntegrators) {
    State reference;
    for (const int threads : {1, 2, 5}) {
      Tumbler t(in_time(integrator), 1e-3);
      Context context(threads);
      const auto step = [&](State& state, Scratch& scratch, double dt) {
        if (threads == 2) scratch.poison();
        const StepInput input{.gravity = {0, -9.81, 0}, .dt = dt};
        ASSERT_TRUE(advance(t.model, state, input, scratch, context).converged());
      };
      Scratch scratch(t.model), other(t.model);
      for (const double dt : {0.01, 0.02, 0.01}) step(t.state, scratch, dt);
      State copy = t.state;
      step(t.state, scratch, 0.01);
      step(copy, other, 0.01);
      EXPECT_TRUE(same_bits(t.state, copy));
      if (threads == 1) reference = t.state;
      EXPECT_TRUE(same_bits(t.state, reference)) << threads << " threads";
    }
  }
}

TEST(LatticeDynamics, AStepThatFailsLeavesTheState) {
  for (const Integrator integrator : kIntegrators) {
    Params params = in_time(integrator);
    Tumbler t(params, 1e-3);
    Scratch scratch(t.model);
    Context context(1);
    ASSERT_TRUE(advance(t.model, t.state, {.dt = 0.01}, scratch, context).converged());
    const State before = t.state;
    t.model.params.newton = {.tolerance = 1e-300, .max_iterations = 2};
    EXPECT_FALSE(advance(t.model, t.state, {.dt = 0.01}, scratch, context).converged());
    EXPECT_TRUE(same_bits(t.state, before));
  }
}

TEST(LatticeDynamics, AStaticModelRefusesTime) {
  const Model model = bar();
  State state = make_state(model);
  Scratch scratch(model);
  Context context(1);
  const auto held = twisted(model, 0, 0);
  EXPECT_THROW(advance(model, state, {.held_positions = held, .dt = 0.1}, scratch, context), Error);
}

/// A bar whose left end is carried along, in the way of a parabola.
struct Carried {
  Model model;
  State state;
  double time = 0;

  explicit Carried(Integrator integrator, Slide slide = Slide::None) {
    BodySpec spec = box_spec(6, 2, 2, 0.1, 1e5, 1e5);
    spec.stiffness_damping = 1e-3;
    spec.holds = {hold_where(spec, "hand", [](const Vec3d& p) { return p[0] < 1e-9; })};
    spec.holds[0].slide = slide;
    model = build_model({spec}, in_time(integrator, 1e-10));
    state = make_state(model);
  }
  static Vec3d way(double t) { return {0.5 * 3 * t * t, 0, 0}; }

  StepReport step(double dt, Scratch& scratch, Context& context, const Vec3d& gravity) {
    time += dt;
    const auto held =
        targets(model, [&](const std::string&, const Vec3d& p) { return p + way(time); });
    const std::vector<Vec3d> directions{{1, 0, 0}};
    return advance(
        model, state,
        {.gravity = gravity, .held_positions = held, .slide_directions = directions, .dt = dt},
        scratch, context);
  }
};

TEST(LatticeDynamics, HeldNodesHaveTheVelocityOfTheirMotionAndArePushedByTheRateOfMomentum) {
  for (const Integrator integrator : kIntegrators) {
    Carried c(integrator);
    Scratch scratch(c.model);
    Context context(1);
    const Vec3d gravity{0, 0, -2};
    double mass = 0;
    for (const double m : c.model.mass) mass += m;
    const double dt = 0.01;
    for (int k = 0; k < 20; ++k) {
      const Vec3d before = momentum(c.model, c.state);
      ASSERT_TRUE(c.step(dt, scratch, context, gravity).converged());
      Vec3d push{0, 0, 0};
      for (const Vec3d& p : c.state.pushes) push += p;
      const Vec3d rate = (momentum(c.model, c.state) - before) * (1 / dt);
      // BDF2 has another formula for the rate, which agrees as steps get short.
      if (integrator != Integrator::Bdf2) {
        EXPECT_LT(norm(push + mass * gravity - rate), 1e-6 * norm(push)) << k;
      }
      for (const std::int32_t n : c.model.holds[0].nodes) {
        EXPECT_LT(norm(c.state.velocities[n] - Vec3d{3 * c.time, 0, 0}), 1.6 * 3 * dt / 2);
        EXPECT_EQ(c.state.positions[n][0], c.model.rest_positions[n][0] + Carried::way(c.time)[0]);
      }
    }
    const auto reaction = reactions(c.model, c.state.positions, {}, context.arena, c.state.pushes);
    Vec3d push{0, 0, 0};
    for (const Vec3d& p : c.state.pushes) push += p;
    EXPECT_LT(norm(reaction[0].force - push), 1e-12 * norm(push));
  }
}

TEST(LatticeDynamics, WorkOfHoldsIsEnergyPlusDampingWithTheMidpointRule) {
  for (const Slide slide : {Slide::None, Slide::InPlane}) {
    double errors[2];
    for (const int fine : {0, 1}) {
      Carried c(Integrator::Midpoint, slide);
      Scratch scratch(c.model);
      Context context(1);
      double work = 0, loss = 0;
      const int steps = fine ? 80 : 40;
      for (int k = 0; k < steps; ++k) {
        const StepReport report = c.step(0.4 / steps, scratch, context, {0, 0, 0});
        ASSERT_TRUE(report.converged());
        work += report.balance.hold_work;
        loss += report.balance.damping_loss;
      }
      const double energy =
          elastic_energy(c.model, c.state.positions) + kinetic_energy(c.model, c.state);
      EXPECT_GT(loss, 0);
      errors[fine] = std::abs(work - loss - energy) / energy;
    }
    EXPECT_LT(errors[1], 1e-4);
  }
}

/// Iterations until the residual of (K + shift) u = b is a millionth.
int iterations(const Model& model, double shift_per_mass) {
  Context context(1);
  Scratch scratch(model);
  const std::span<const SlideFrame> slides = scratch.slides;
  const Configuration at(model.rest_positions);
  linearise(model, at, materials::Definiteness::Clamp, scratch.tangents, context.arena);
  stiffness_diagonal(model, scratch.tangents, std::span(scratch.diagonal), context.arena);
  std::vector<float> shift(model.node_count());
  for (std::size_t n = 0; n < shift.size(); ++n) {
    shift[n] = static_cast<float>(shift_per_mass * model.mass[n]);
    scratch.diagonal[n] += Vec3f{shift[n], shift[n], shift[n]};
  }
  Multigrid multigrid(model, slides, scratch.multigrid, context.arena);
  multigrid.linearise(at);
  multigrid.prepare(scratch.tangents, scratch.diagonal, shift);
  const auto vectors = [](std::span<double> v) {
    return std::span<Vec3d>(reinterpret_cast<Vec3d*>(v.data()), v.size() / 3);
  };
  const auto constant = [](std::span<const double> v) {
    return std::span<const Vec3d>(reinterpret_cast<const Vec3d*>(v.data()), v.size() / 3);
  };
  std::vector<double> b(3 * model.node_count()), u(b.size());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    vectors(b)[n] = model.mass[n] * Vec3d{normal(random), -1 + normal(random), 0.3};
  }
  keep_free(model, slides, vectors(b), context.arena);
  const auto report = solve::conjugate_gradient(
      context.arena,
      [&](std::span<const double> p, std::span<double> q) {
        apply_stiffness(model, scratch.tangents, constant(p), vectors(q), context.arena);
        for (std::size_t n = 0; n < shift.size(); ++n) {
          vectors(q)[n] += double(shift[n]) * constant(p)[n];
        }
        keep_free(model, slides, vectors(q), context.arena);
      },
      [&](std::span<const double> r, std::span<double> z) {
        multigrid.apply(constant(r), vectors(z));
        keep_free(model, slides, vectors(z), context.arena);
      },
      [] { return false; }, b, u, 1e-6, 100, scratch.krylov);
  EXPECT_TRUE(report.converged);
  return report.iterations;
}

TEST(LatticeDynamics, MultigridNeedsNoMoreIterationsWithInertiaAndNoHolds) {
  BodySpec held = box_spec(12, 12, 12, 1.0 / 12, 1e4, 2e4);
  BodySpec loose = held;
  held.holds = {hold_where(held, "end", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const Model a = build_model({held}, with_multigrid()), b = build_model({loose}, with_multigrid());
  const int still = iterations(a, 0);
  for (const double dt : {1.0, 1 / 24.0, 1e-3, 1e-5}) {
    EXPECT_LE(iterations(a, 1 / (dt * dt)), still) << dt;
    EXPECT_LE(iterations(b, 1 / (dt * dt)), still) << dt;
  }
}

TEST(LatticeDynamics, HeavyDampingTakesNoMoreIterations) {
  int iterations[2];
  for (const bool heavy : {false, true}) {
    BodySpec spec = box_spec(12, 6, 6, 0.05, 1e4, 2e4);
    spec.mass_damping = heavy ? 5 : 0;
    spec.stiffness_damping = heavy ? 1 : 0;
    const Model model = build_model({spec}, with_multigrid());
    State state = make_state(model);
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      state.velocities[n] = {std::sin(7 * model.rest_positions[n][1]), 0, 0};
    }
    Scratch scratch(model);
    Context context(1);
    const StepReport report = advance(model, state, {.dt = 1 / 24.0}, scratch, context);
    ASSERT_TRUE(report.converged());
    iterations[heavy] = report.krylov_iterations / std::max(1, report.iterations);
  }
  EXPECT_LE(iterations[true], iterations[false] + 1);
}

TEST(LatticeDynamics, AStiffBodyThatNothingHoldsIsSolvedToo) {
  BodySpec spec = box_spec(8, 8, 8, 0.01, 1e9, 2e9);
  const Model model = build_model({spec}, with_multigrid());
  State state = make_state(model);
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    state.velocities[n] = cross(Vec3d{0, 0, 20}, model.rest_positions[n]);
  }
  Scratch scratch(model);
  Context context(1);
  for (int k = 0; k < 3; ++k) {
    const StepReport report =
        advance(model, state, {.gravity = {0, -9.81, 0}, .dt = 1 / 24.0}, scratch, context);
    ASSERT_TRUE(report.converged()) << text(report.end) << " " << report.residual;
    EXPECT_LT(report.krylov_iterations, 200);
  }
}

TEST(LatticeDynamics, WithoutVelocityAndForceNothingMoves) {
  Tumbler t(in_time(Integrator::Bdf2));
  t.state = make_state(t.model);
  Scratch scratch(t.model);
  Context context(1);
  for (int k = 0; k < 3; ++k) {
    const StepReport report = advance(t.model, t.state, {.dt = 0.01}, scratch, context);
    ASSERT_TRUE(report.converged());
    EXPECT_EQ(report.iterations, 0);
  }
  for (std::size_t n = 0; n < t.model.node_count(); ++n) {
    EXPECT_LT(norm(t.state.positions[n] - t.model.rest_positions[n]), 1e-14);
  }
}

}  // namespace
}  // namespace isochor::lattice
