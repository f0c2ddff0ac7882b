#include "isochor/lattice/solver.h"

#include <cmath>

#include "isochor/lattice/operator.h"

namespace isochor::lattice {
namespace {

std::span<double> flat(std::span<Vec3d> v) { return {&v.data()->e[0], 3 * v.size()}; }
std::span<const double> flat(std::span<const Vec3d> v) { return {&v.data()->e[0], 3 * v.size()}; }
std::span<const Vec3d> vectors(std::span<const double> v) {
  return {reinterpret_cast<const Vec3d*>(v.data()), v.size() / 3};
}
std::span<Vec3d> vectors(std::span<double> v) {
  return {reinterpret_cast<Vec3d*>(v.data()), v.size() / 3};
}

/// Static equilibrium as a problem for solve::newton.
class Equilibrium {
 public:
  Equilibrium(const Model& model, const StepInput& input, Scratch& scratch, Context& context)
      : model_(model), input_(input), scratch_(scratch), context_(context) {}

  solve::Evaluation evaluate() {
    solve::Evaluation result;
    const double elastic = compute_force();
    const double gravity = gravity_energy();
    result.energy = elastic + gravity;
    result.energy_scale = std::abs(elastic) + std::abs(gravity);
    // Forces are judged against what holds the body and what loads it. At rest both vanish, and
    // what rounding leaves is as good as nothing, whatever the tolerance.
    const double reaction =
        sum_nodes([&](std::size_t i) { return model_.held[i] ? square(scratch_.force[i]) : 0.0; });
    const double residual =
        sum_nodes([&](std::size_t i) { return model_.held[i] ? 0.0 : square(scratch_.force[i]); });
    const double load =
        sum_nodes([&](std::size_t i) { return square(model_.mass[i] * input_.gravity); });
    const double rounding = model_.rounding_force * std::sqrt(double(model_.node_count())) /
                            model_.params.newton.tolerance;
    result.residual = std::sqrt(residual) / (std::sqrt(reaction) + std::sqrt(load) + rounding);
    return result;
  }

  /// With the exact tangent where that is definite: Newton then converges quadratically. Where
  /// conjugate gradients meet a direction of negative curvature, and always in the published
  /// variant, with the definite one [McAdams11 sec 5]. Without a fix, what conjugate gradients had
  /// found until then has to do.
  solve::KrylovReport solve(double tolerance) {
    solve::KrylovReport exact;
    const bool fixes = model_.params.definiteness != materials::Definiteness::None;
    if (!model_.params.always_definite || !fixes) {
      linearise(materials::Definiteness::None);
      load_free_nodes([&](std::size_t i) { return scratch_.force[i]; });
      exact = solve_linear(tolerance);
      if (!exact.indefinite || !fixes) return exact;
    }
    linearise(model_.params.definiteness);
    load_free_nodes([&](std::size_t i) { return scratch_.force[i]; });
    solve::KrylovReport definite = solve_linear(tolerance);
    definite.iterations += exact.iterations;
    definite.operator_applications += exact.operator_applications;
    return definite;
  }

  /// A first guess for a new position of held nodes: the linear response of all others. Kept only
  /// if its energy is below that of moving the held nodes alone.
  solve::KrylovReport predict(std::span<const Vec3d> start) {
    std::copy(start.begin(), start.end(), scratch_.positions.begin());
    compute_force();
    linearise(materials::Definiteness::Clamp);
    place_held(scratch_.positions);
    each_node([&](std::size_t i) { scratch_.step[i] = scratch_.positions[i] - start[i]; });
    const std::span<Vec3d> change = vectors(std::span(scratch_.krylov.image));
    apply_stiffness(model_, scratch_.tangents, scratch_.step, change, context_.arena);
    load_free_nodes([&](std::size_t i) { return scratch_.force[i] - change[i]; });
    const double before = total_energy();
    const solve::KrylovReport report = solve_linear(1e-2);
    move(1);
    const double after = total_energy();
    if (!(after <= before)) move(-1);
    return report;
  }

  double slope() {
    // Held nodes have a force, but no step.
    return -solve::dot(context_.arena, flat(std::span<const Vec3d>(scratch_.force)),
                       flat(std::span<const Vec3d>(scratch_.step)));
  }

  void move(double length) {
    solve::axpy(context_.arena, length, flat(std::span<const Vec3d>(scratch_.step)),
                flat(std::span<Vec3d>(scratch_.positions)));
  }

  bool cancelled() const { return context_.cancelled; }

  void progress(const solve::NewtonReport& report) {
    context_.status.newton_iterations = report.iterations;
    context_.status.krylov_iterations = report.krylov_iterations;
    context_.status.residual = report.residual;
    context_.report();
  }

  void place_held(std::span<Vec3d> positions) {
    std::size_t next = 0;
    for (const Hold& hold : model_.holds) {
      for (const std::int32_t n : hold.nodes) positions[n] = input_.held_positions[next++];
    }
  }

 private:
  static double square(const Vec3d& v) { return dot(v, v); }

  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, f);
  }

  template <class F>
  double sum_nodes(F&& f) {
    return deterministic_sum(context_.arena, model_.node_count(),
                             [&](std::size_t begin, std::size_t end) {
                               double sum = 0;
                               for (std::size_t i = begin; i < end; ++i) sum += f(i);
                               return sum;
                             });
  }

  Configuration configuration() const { return {scratch_.positions, input_.activations}; }

  void linearise(materials::Definiteness fix) {
    lattice::linearise(model_, configuration(), fix, scratch_.tangents, context_.arena);
  }

  double total_energy() {
    return gravity_energy() +
           elastic_energy(model_, configuration(), scratch_.block_energy, context_.arena);
  }

  /// Measured from the rest shape, so that it is of the size of what changes.
  double gravity_energy() {
    return sum_nodes([&](std::size_t i) {
      return -model_.mass[i] *
             dot(input_.gravity, scratch_.positions[i] - model_.rest_positions[i]);
    });
  }

  /// All forces on all nodes; returns the elastic energy.
  double compute_force() {
    const double elastic = elastic_force(model_, configuration(), scratch_.force,
                                         scratch_.block_energy, context_.arena);
    each_node([&](std::size_t i) { scratch_.force[i] += model_.mass[i] * input_.gravity; });
    return elastic;
  }

  /// Sets the right-hand side, which is where conjugate gradients will keep their residual.
  template <class F>
  void load_free_nodes(F&& load) {
    each_node([&](std::size_t i) {
      vectors(std::span(scratch_.krylov.r))[i] = model_.held[i] ? Vec3d{0, 0, 0} : load(i);
    });
  }

  /// K step = what was loaded; held nodes stay.
  solve::KrylovReport solve_linear(double tolerance) {
    stiffness_diagonal(model_, scratch_.tangents, scratch_.diagonal, context_.arena);
    const auto apply = [&](std::span<const double> p, std::span<double> q) {
      apply_stiffness(model_, scratch_.tangents, vectors(p), vectors(q), context_.arena);
      each_node([&](std::size_t i) {
        if (model_.held[i]) vectors(q)[i] = {0, 0, 0};
      });
    };
    const auto precondition = [&](std::span<const double> r, std::span<double> z) {
      each_node([&](std::size_t i) {
        for (int a = 0; a < 3; ++a) {
          const double d = scratch_.diagonal[i][a];
          z[3 * i + a] = d > 0 ? r[3 * i + a] / d : 0.0;
        }
      });
    };
    return solve::conjugate_gradient(
        context_.arena, apply, precondition, [&] { return bool(context_.cancelled); },
        scratch_.krylov.r, flat(std::span<Vec3d>(scratch_.step)), tolerance,
        model_.params.newton.max_krylov_iterations, scratch_.krylov);
  }

  const Model& model_;
  const StepInput& input_;
  Scratch& scratch_;
  Context& context_;
};

bool all_equal(const Model& model, const State& state, const StepInput& input) {
  std::size_t next = 0;
  for (const Hold& hold : model.holds) {
    for (const std::int32_t n : hold.nodes) {
      const Vec3d gap = state.positions[n] - input.held_positions[next++];
      if (dot(gap, gap) != 0) return false;
    }
  }
  return true;
}

}  // namespace

StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context) {
  Equilibrium problem(model, input, scratch, context);
  solve::KrylovReport prediction;
  if (all_equal(model, state, input)) {
    std::copy(state.positions.begin(), state.positions.end(), scratch.positions.begin());
  } else {
    prediction = problem.predict(state.positions);
  }
  StepReport report = solve::newton(problem, model.params.newton);
  report.krylov_iterations += prediction.iterations;
  report.operator_applications += prediction.operator_applications;
  if (report.converged()) std::swap(state.positions, scratch.positions);
  return report;
}

}  // namespace isochor::lattice
