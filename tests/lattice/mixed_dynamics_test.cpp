#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/lattice/mixed_fields.h"
#include "isochor/lattice/mixed_solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice::mixed {
namespace {

using solve::Integrator;
constexpr Integrator kIntegrators[] = {Integrator::BackwardEuler, Integrator::Bdf2,
                                       Integrator::Midpoint};
constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool same_bits(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3d)) == 0);
}
bool same_bits(const State& a, const State& b) {
  return same_bits(a.positions, b.positions) && same_bits(a.velocities, b.velocities) &&
         same_bits(a.last_positions, b.last_positions) &&
         same_bits(a.last_velocities, b.last_velocities) && same_bits(a.pushes, b.pushes) &&
         a.last_dt == b.last_dt && a.pressure == b.pressure;
}

/// Largest relative change of volume of a block.
double worst_block(const Model& model, const State& state) {
  ThreadArena arena(1);
  std::vector<double> M(model.pressure_count());
  measure(model, {state.positions, state.pressure, {}}, M, arena);
  double worst = 0;
  for (std::size_t b = 0; b < model.base.blocks.size(); ++b) {
    const std::size_t g = b / kGroupBlocks, at = b % kGroupBlocks;
    double whole = 0, change = 0;
    for (std::size_t c = 0; c < 8; ++c) {
      const double W = model.volumes[g].volume[c][at];
      whole += W;
      if (W > 0) change += W * M[g * kGroupCells + c * kGroupBlocks + at];
    }
    if (whole > 0) worst = std::max(worst, std::abs(change / whole));
  }
  return worst;
}

/// Mean over cells.
double mean_pressure(const Model& model, const State& state) {
  double sum = 0;
  for (const std::int32_t cell : model.base.cells) sum += state.pressure[Model::pressure_at(cell)];
  return sum / double(model.base.cells.size());
}

/// An incompressible box of unequal sides, stretched and tumbling.
struct Tumbler {
  Model model;
  State state;
  Context context{1};

  explicit Tumbler(Integrator integrator, double tolerance = 1e-6, double damping = 0) {
    BodySpec spec = box_spec(6, 4, 2, 0.1, 1e4, kInfinite);
    spec.law = materials::law_index("neo_hookean");
    spec.stiffness_damping = damping;
    model = build_model({spec}, {.integrator = integrator}, {.tolerance = tolerance});
    state = make_state(model);
    const double across = 1 / std::sqrt(1.1);
    for (std::size_t n = 0; n < model.node_count(); ++n) {
      const Vec3d& p = model.base.rest_positions[n];
      state.positions[n] = {1.1 * p[0], across * p[1], across * p[2]};
      state.velocities[n] = Vec3d{1, 2, -0.5} + cross(Vec3d{3, -2, 5}, p);
    }
  }
  Momenta momenta() { return lattice::momenta(model.base, state, context.arena); }
  double energy() {
    return momenta().kinetic_energy +
           stored_energy(model, {state.positions, state.pressure, {}}, context.arena);
  }
};

/// As in LatticeDynamics: the pressure, and the part of damping that goes by it, make the same
/// oscillator w^2 = (8 mu + 12 lambda) / (rho h^2) to all digits.
TEST(MixedDynamics, ABreathingCellIsTheDampedOscillatorOfEachScheme) {
  const double mu = 2e3, lambda = 3e3, h = 0.2, rho = 1000, mass = 0.8, stiffness = 2e-3;
  const double w = std::sqrt((8 * mu + 12 * lambda) / (rho * h * h));
  const double c = mass + stiffness * w * w;
  for (const Integrator integrator : kIntegrators) {
    BodySpec spec = box_spec(1, 1, 1, h);
    make_uniform(spec, mu, lambda);
    spec.density = rho;
    spec.mass_damping = mass;
    spec.stiffness_damping = stiffness;
    const Model model = build_model({spec}, {.integrator = integrator}, {.tolerance = 1e-12});
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
        const Vec3d arm = model.base.rest_positions[n] - middle;
        EXPECT_LT(norm(state.positions[n] - middle - (1 + x) * arm), 1e-8 * h);
        EXPECT_LT(norm(state.velocities[n] - v * arm), 1e-7 * w * h);
      }
    }
  }
}

TEST(MixedDynamics, LinearMomentumFollowsGravityAndBlocksKeepTheirVolumeWithEveryScheme) {
  for (const Integrator integrator : kIntegrators) {
    Tumbler t(integrator, 1e-10, 1e-3);
    Scratch scratch(t.model);
    const Vec3d gravity{0, -9.81, 0};
    const Momenta start = t.momenta();
    double time = 0;
    for (const double dt : {0.01, 0.01, 0.02, 0.005, 0.01}) {
      const StepReport report =
          advance(t.model, t.state, {.gravity = gravity, .dt = dt}, scratch, t.context);
      ASSERT_TRUE(report.converged()) << text(report.end) << " " << report.residual;
      time += dt;
      const Vec3d expected = start.linear + start.mass * time * gravity;
      EXPECT_LT(norm(t.momenta().linear - expected), 1e-10 * norm(start.linear));
      EXPECT_LT(worst_block(t.model, t.state), 1e-9);
    }
  }
}

TEST(MixedDynamics, MidpointKeepsAngularMomentumAndEnergy) {
  Tumbler t(Integrator::Midpoint, 1e-10), euler(Integrator::BackwardEuler, 1e-10);
  Scratch scratch(t.model);
  const Momenta start = t.momenta();
  const double energy = t.energy(), euler_energy = euler.energy();
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(advance(t.model, t.state, {.dt = 0.01}, scratch, t.context).converged());
    ASSERT_TRUE(
        advance(euler.model, euler.state, {.dt = 0.01}, scratch, euler.context).converged());
    EXPECT_LT(std::abs(t.energy() - energy), 1e-3 * energy) << k;
  }
  EXPECT_LT(norm(t.momenta().angular - start.angular), 1e-9 * norm(start.angular));
  EXPECT_GT(norm(euler.momenta().angular - start.angular), 1e-3 * norm(start.angular))
      << "backward Euler does not, so that the test can fail";
  EXPECT_LT(euler.energy(), 0.98 * euler_energy);
}

/// Half way alone, volumes of a body that turns would swing from step to step, and pressures with
/// them more and more.
TEST(MixedDynamics, PressuresOfASpinAreSteadyWithTheMidpointRule) {
  BodySpec spec = box_spec(4, 4, 4, 0.1);
  make_uniform(spec, 1e7, kInfinite);
  spec.law = materials::law_index("neo_hookean");
  const Model model = build_model({spec}, {.integrator = Integrator::Midpoint}, {});
  State state = make_state(model);
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    const Vec3d arm = model.base.rest_positions[n] - Vec3d{0.2, 0.2, 0.2};
    state.velocities[n] = cross(Vec3d{0, 0, 20}, arm);
  }
  Scratch scratch(model);
  Context context(1);
  double least = kInfinite, most = 0, sum = 0;
  constexpr int kSteps = 30;
  for (int k = 0; k < kSteps; ++k) {
    ASSERT_TRUE(advance(model, state, {.dt = 0.01}, scratch, context).converged());
    const double mean = mean_pressure(model, state);
    sum += mean / kSteps;
    if (k < 5) continue;
    least = std::min(least, mean);
    most = std::max(most, mean);
  }
  // Of a rigid body rho w^2 times the mean of the square of half the distance from the axis, all
  // three directions of tension taken together.
  EXPECT_GT(sum, 0);
  EXPECT_LT(most - least, 0.25 * sum);
}

TEST(MixedDynamics, PressuresDoNotDependOnHowShortAStepIs) {
  double reference = 0;
  for (const double dt : {1e-3, 1e-4, 1e-5, 1e-6}) {
    Tumbler t(Integrator::Midpoint);
    Scratch scratch(t.model);
    for (int k = 0; k < 4; ++k) {
      const StepReport report = advance(t.model, t.state, {.dt = dt}, scratch, t.context);
      ASSERT_TRUE(report.converged()) << dt << " " << report.residual;
      EXPECT_LE(report.krylov_iterations, 20) << dt;
    }
    const double mean = mean_pressure(t.model, t.state);
    if (reference == 0) reference = mean;
    EXPECT_NEAR(mean, reference, 0.02 * std::abs(reference)) << dt;
  }
}

TEST(MixedDynamics, SameBitsForAnyThreadCountAfterACopyAndWithPoisonedScratch) {
  for (const Integrator integrator : kIntegrators) {
    State reference;
    for (const int threads : {1, 2, 5}) {
      Tumbler t(integrator, 1e-6, 1e-3);
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

TEST(MixedDynamics, AStepThatFailsLeavesTheState) {
  for (const Integrator integrator : kIntegrators) {
    Tumbler t(integrator, 1e-6, 1e-3);
    Scratch scratch(t.model);
    ASSERT_TRUE(advance(t.model, t.state, {.dt = 0.01}, scratch, t.context).converged());
    const State before = t.state;
    t.model.params.tolerance = 1e-300;
    t.model.params.max_iterations = 2;
    EXPECT_FALSE(advance(t.model, t.state, {.dt = 0.01}, scratch, t.context).converged());
    EXPECT_TRUE(same_bits(t.state, before));
  }
}

TEST(MixedDynamics, AStaticModelRefusesTime) {
  const Model model = build_model({box_spec(2, 2, 2, 0.1)}, {}, {});
  State state = make_state(model);
  Scratch scratch(model);
  Context context(1);
  EXPECT_THROW(advance(model, state, {.dt = 0.1}, scratch, context), Error);
}

/// An incompressible bar whose left end is carried along, in the way of a parabola.
struct Carried {
  Model model;
  State state;
  double time = 0;

  explicit Carried(Integrator integrator, Slide slide = Slide::None) {
    BodySpec spec = box_spec(6, 2, 2, 0.1, 1e5, kInfinite);
    spec.law = materials::law_index("neo_hookean");
    spec.stiffness_damping = 1e-3;
    spec.holds = {hold_where(spec, "hand", [](const Vec3d& p) { return p[0] < 1e-9; })};
    spec.holds[0].slide = slide;
    model = build_model({spec}, {.integrator = integrator}, {.tolerance = 1e-9});
    state = make_state(model);
  }

  StepReport step(double dt, Scratch& scratch, Context& context) {
    time += dt;
    const auto held = targets(model.base, [&](const std::string&, const Vec3d& p) {
      return p + Vec3d{1.5 * time * time, 0, 0};
    });
    const std::vector<Vec3d> directions{{1, 0, 0}};
    return advance(model, state, {.held_positions = held, .slide_directions = directions, .dt = dt},
                   scratch, context);
  }
};

TEST(MixedDynamics, HoldsPushByTheRateOfMomentum) {
  for (const Integrator integrator : {Integrator::BackwardEuler, Integrator::Midpoint}) {
    Carried c(integrator);
    Scratch scratch(c.model);
    Context context(1);
    const double dt = 0.01;
    for (int k = 0; k < 10; ++k) {
      const Vec3d before = momenta(c.model.base, c.state, context.arena).linear;
      ASSERT_TRUE(c.step(dt, scratch, context).converged());
      Vec3d push{0, 0, 0};
      for (const Vec3d& p : c.state.pushes) push += p;
      const Vec3d rate = (momenta(c.model.base, c.state, context.arena).linear - before) * (1 / dt);
      EXPECT_LT(norm(push - rate), 1e-6 * norm(push)) << k;
    }
    EXPECT_LT(worst_block(c.model, c.state), 1e-8);
  }
}

TEST(MixedDynamics, WorkOfHoldsIsEnergyPlusDampingWithTheMidpointRule) {
  for (const Slide slide : {Slide::None, Slide::InPlane}) {
    Carried c(Integrator::Midpoint, slide);
    Scratch scratch(c.model);
    Context context(1);
    double work = 0, loss = 0;
    for (int k = 0; k < 40; ++k) {
      const StepReport report = c.step(0.005, scratch, context);
      ASSERT_TRUE(report.converged());
      work += report.balance.hold_work;
      loss += report.balance.damping_loss;
    }
    const double energy =
        stored_energy(c.model, {c.state.positions, c.state.pressure, {}}, context.arena) +
        momenta(c.model.base, c.state, context.arena).kinetic_energy;
    EXPECT_GT(loss, 0);
    EXPECT_LT(std::abs(work - loss - energy), 1e-4 * energy);
  }
}

TEST(MixedDynamics, StoredEnergyIsThatOfTheSaddleAtAnEquilibrium) {
  for (const double lambda : {2e4, kInfinite}) {
    BodySpec spec = box_spec(6, 2, 2, 0.1, 1e4, lambda);
    spec.law = materials::law_index("neo_hookean");
    spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; }),
                  hold_where(spec, "right", [](const Vec3d& p) { return p[0] > 0.6 - 1e-9; })};
    const Model model = build_model({spec}, {}, {.tolerance = 1e-9});
    State state = make_state(model);
    Scratch scratch(model);
    Context context(1);
    const auto held = targets(model.base, [&](const std::string& name, const Vec3d& p) {
      return name == "box.right" ? p + Vec3d{0.2, 0.03, 0} : p;
    });
    ASSERT_TRUE(advance(model, state, {.held_positions = held}, scratch, context).converged());
    const Configuration at{state.positions, state.pressure, {}};
    const double saddle =
        evaluate(model, at, scratch.force, scratch.volume, scratch.blocks, context.arena).energy;
    EXPECT_NEAR(stored_energy(model, at, context.arena), saddle, 1e-7 * saddle);
  }
}

}  // namespace
}  // namespace isochor::lattice::mixed
