#include "isochor/lattice/solver.h"

#include <algorithm>
#include <cmath>

#include "isochor/lattice/elasticity.h"
#include "isochor/lattice/fas.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/solve/nonlinear_cycles.h"
#include "isochor/solve/stationary.h"

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

/// Calls f(node, hold, its place among the positions of held nodes).
template <class F>
void for_each_held(const Model& model, F&& f) {
  std::size_t next = 0;
  for (std::size_t h = 0; h < model.holds.size(); ++h) {
    for (const std::int32_t n : model.holds[h].nodes) f(n, h, next++);
  }
}

/// Adds to what a node must not do. A direction within those that it has already says nothing new.
void hold_along(SlideFrame& frame, Vec3d direction, const Vec3d& target) {
  constexpr double kNothingNew = 1e-6;
  for (int k = 0; k < frame.count; ++k) {
    direction -= dot(frame.direction[k], direction) * frame.direction[k];
  }
  const double length = norm(direction);
  if (length < kNothingNew) return;
  direction *= 1 / length;
  frame.direction[frame.count] = direction;
  frame.place[frame.count++] = dot(direction, target);
}

/// What holds ask of the nodes that slide, in `slides`.
void collect_slides(const Model& model, const StepInput& input, std::span<SlideFrame> slides) {
  for (SlideFrame& frame : slides) frame.count = 0;
  for_each_held(model, [&](std::int32_t n, std::size_t hold, std::size_t k) {
    if (model.freedom[n] != Freedom::Sliding) return;
    const auto place = std::ranges::lower_bound(model.sliding, n) - model.sliding.begin();
    const Vec3d& direction = input.slide_directions[hold];
    if (model.holds[hold].slide == Slide::InPlane) {
      hold_along(slides[place], direction, input.held_positions[k]);
      return;
    }
    for (int a = 0; a < 3; ++a) {
      Vec3d axis{0, 0, 0};
      axis[a] = 1;
      const Vec3d across = axis - dot(axis, direction) * direction;
      if (norm(across) > 0.5) {
        hold_along(slides[place], (1 / norm(across)) * across, input.held_positions[k]);
      }
    }
  });
}

/// The way from where a node is to where it may be.
Vec3d way_back(const SlideFrame& frame, const Vec3d& position) {
  Vec3d way{0, 0, 0};
  for (int k = 0; k < frame.count; ++k) {
    way += (frame.place[k] - dot(frame.direction[k], position)) * frame.direction[k];
  }
  return way;
}

/// Static equilibrium as a problem for solve::newton.
class Equilibrium {
 public:
  Equilibrium(const Model& model, const StepInput& input, Scratch& scratch, Context& context)
      : model_(model),
        input_(input),
        scratch_(scratch),
        context_(context),
        stiffness_(model, scratch.tangents) {}

  solve::Evaluation evaluate() {
    solve::Evaluation result;
    const double elastic = compute_force();
    const double gravity = gravity_energy();
    result.energy = elastic + gravity;
    result.energy_scale = std::abs(elastic) + std::abs(gravity);
    // Forces are judged against what holds the body and what loads it. At rest both vanish, and
    // what rounding leaves is as good as nothing, whatever the tolerance.
    load_free([&](std::size_t i) { return scratch_.force[i]; });
    const double reaction =
        sum_nodes([&](std::size_t i) { return square(scratch_.force[i] - load()[i]); });
    const double residual = sum_nodes([&](std::size_t i) { return square(load()[i]); });
    double weight =
        sum_nodes([&](std::size_t i) { return square(model_.mass[i] * input_.gravity); });
    for (const Vec3d& pull : scratch_.pull) weight += square(pull);
    const double rounding = model_.rounding_force * std::sqrt(double(model_.node_count())) /
                            model_.params.newton.tolerance;
    result.residual = std::sqrt(residual) / (std::sqrt(reaction) + std::sqrt(weight) + rounding);
    return result;
  }

  /// With the exact tangent where that is definite: Newton then converges quadratically. Where
  /// conjugate gradients meet a direction of negative curvature, and always in the published
  /// variant, with the definite one [McAdams11 sec 5]. Cells that are clamped in all directions, as
  /// those of a body collapsed to a point, leave nothing to solve with: there eigenvalues change
  /// sign, which keeps their size. Without a fix, what conjugate gradients had found until then has
  /// to do.
  solve::KrylovReport solve(double tolerance) {
    const materials::Definiteness fix = model_.params.definiteness;
    const bool exact_first = !model_.params.always_definite;
    solve::KrylovReport report{.indefinite = true};
    const auto attempt = [&](materials::Definiteness with) {
      linearise(with);
      const solve::KrylovReport last = report;
      load_free([&](std::size_t i) { return scratch_.force[i]; });
      report = solve_linear(tolerance);
      report.iterations += last.iterations;
      report.operator_applications += last.operator_applications;
    };
    using materials::Definiteness;
    if (exact_first || fix == Definiteness::None) attempt(Definiteness::None);
    if (report.indefinite && fix != Definiteness::None) attempt(fix);
    if (report.indefinite && fix == Definiteness::Clamp && exact_first) {
      attempt(Definiteness::Absolute);
    }
    return report;
  }

  /// Where the line search fails on what solve() found: every negative eigenvalue with its size.
  /// The published variant has no such way out.
  solve::KrylovReport solve_cautiously(double tolerance) {
    using materials::Definiteness;
    const Definiteness fix = model_.params.definiteness;
    if (model_.params.always_definite || fix == Definiteness::None) {
      solve::fill(context_.arena, 0, flat(std::span<Vec3d>(scratch_.step)));
      return {};
    }
    linearise(Definiteness::Absolute);
    load_free([&](std::size_t i) { return scratch_.force[i]; });
    return solve_linear(tolerance);
  }

  /// A direction that smooths the error, about the definite tangent. Returns its operator
  /// applications.
  int smooth() {
    stiffness_.linearise(configuration(), materials::Definiteness::Clamp, context_.arena);
    find_diagonal();
    load_free([&](std::size_t i) { return scratch_.force[i]; });
    fas().smooth(scratch_.diagonal, load(), scratch_.step);
    return Fas::kSweeps - 1;
  }

  /// The direction that coarser levels ask for.
  void correct() {
    load_free([&](std::size_t i) { return scratch_.force[i]; });
    fas().correct(configuration(), load(), scratch_.step);
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
    apply(scratch_.step, change);
    load_free([&](std::size_t i) { return scratch_.force[i] - change[i]; });
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
    for_each_held(model_, [&](std::int32_t n, std::size_t, std::size_t k) {
      if (model_.freedom[n] == Freedom::Held) positions[n] = input_.held_positions[k];
    });
    for (std::size_t k = 0; k < model_.sliding.size(); ++k) {
      Vec3d& position = positions[model_.sliding[k]];
      position += way_back(scratch_.slides[k], position);
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

  bool has_cycles() const {
    return model_.hierarchy && model_.params.preconditioner == Preconditioner::Multigrid;
  }

  Configuration configuration() const { return {scratch_.positions, input_.activations}; }

  void linearise(materials::Definiteness fix) {
    stiffness_.linearise(configuration(), fix, context_.arena);
    if (!has_cycles()) return;
    Multigrid(model_, scratch_.slides, scratch_.multigrid, context_.arena)
        .linearise(configuration());
  }

  double total_energy() {
    return gravity_energy() + spring_energy() +
           integrated_energy(model_, configuration(), scratch_.block_energy, context_.arena);
  }

  /// Leaves in scratch what every spring pulls with.
  double spring_energy() {
    return spring_pulls(model_.springs, scratch_.positions, input_.spring_targets, scratch_.pull,
                        context_.arena);
  }

  /// Measured from the rest shape, so that it is of the size of what changes.
  double gravity_energy() {
    return sum_nodes([&](std::size_t i) {
      return -model_.mass[i] *
             dot(input_.gravity, scratch_.positions[i] - model_.rest_positions[i]);
    });
  }

  /// All forces on all nodes; returns the energy of cells and springs.
  double compute_force() {
    const double elastic = integrated_force(model_, configuration(), scratch_.force,
                                            scratch_.block_energy, context_.arena);
    each_node([&](std::size_t i) { scratch_.force[i] += model_.mass[i] * input_.gravity; });
    const double springs = spring_energy();
    add_pulls(model_.springs, scratch_.pull, 1, scratch_.force, context_.arena);
    return elastic + springs;
  }

  /// out = K v, on all nodes.
  void apply(std::span<const Vec3d> v, std::span<Vec3d> out) {
    stiffness_.apply(v, out, context_.arena);
    add_spring_stiffness(model_.springs, v, scratch_.pull, out, context_.arena);
  }

  void keep_free(std::span<Vec3d> v) {
    lattice::keep_free(model_, scratch_.slides, v, context_.arena);
  }

  /// The right-hand side, which is where conjugate gradients will keep their residual.
  std::span<Vec3d> load() { return vectors(std::span(scratch_.krylov.r)); }

  /// Sets it to what holds leave free of f(node).
  template <class F>
  void load_free(F&& f) {
    each_node([&](std::size_t i) { load()[i] = f(i); });
    keep_free(load());
  }

  void find_diagonal() {
    stiffness_.diagonal(scratch_.diagonal, context_.arena);
    add_spring_diagonal(model_.springs, scratch_.diagonal, context_.arena);
  }

  Fas fas() { return {model_, scratch_.slides, scratch_, context_.arena}; }

  /// K step = what was loaded, among the motions that holds leave free.
  solve::KrylovReport solve_linear(double tolerance) {
    find_diagonal();
    if (!has_cycles()) return solve_with_diagonal(tolerance);
    Multigrid multigrid(model_, scratch_.slides, scratch_.multigrid, context_.arena);
    multigrid.prepare(scratch_.tangents, scratch_.diagonal);
    if (model_.params.cycle == Cycle::Published) return solve_by_cycles(multigrid, tolerance);
    return solve_with_cycles(multigrid, tolerance);
  }

  /// Conjugate gradients with one cycle per iteration.
  solve::KrylovReport solve_with_cycles(Multigrid& multigrid, double tolerance) {
    solve::KrylovReport report = conjugate_gradient(
        tolerance, [&](std::span<const Vec3d> r, std::span<Vec3d> z) { multigrid.apply(r, z); });
    report.operator_applications += report.iterations * multigrid.applications();
    return report;
  }

  /// Cycles alone, as published. Where they diverge or get slow, which weakly held and irregular
  /// bodies do to them, conjugate gradients take over: with the cycle, and where that is not
  /// definite, with the diagonal.
  solve::KrylovReport solve_by_cycles(Multigrid& multigrid, double tolerance) {
    const std::span<double> b = flat(std::span<Vec3d>(scratch_.load));
    solve::copy(context_.arena, scratch_.krylov.r, b);
    const solve::StationaryReport cycles = solve::stationary_iteration(
        context_.arena, [&](std::span<const double> p, std::span<double> q) { apply_free(p, q); },
        [&](std::span<const double> r, std::span<double> z) {
          multigrid.apply(vectors(r), vectors(z));
          keep_free(vectors(z));
        },
        [&] { return bool(context_.cancelled); }, b, flat(std::span<Vec3d>(scratch_.step)),
        tolerance, model_.params.newton.max_krylov_iterations, scratch_.krylov);
    solve::KrylovReport report{
        .iterations = cycles.cycles,
        .operator_applications = cycles.cycles * (1 + multigrid.applications()),
        .relative_residual = cycles.residual(),
        .converged = cycles.end == solve::StationaryEnd::Converged};
    if (report.converged || context_.cancelled) return report;
    const auto take_over = [&](auto&& solve_again) {
      solve::copy(context_.arena, b, scratch_.krylov.r);
      const solve::KrylovReport last = report;
      report = solve_again();
      report.iterations += last.iterations;
      report.operator_applications += last.operator_applications;
      report.fallback = text(cycles.end);
    };
    take_over([&] { return solve_with_cycles(multigrid, tolerance); });
    if (report.indefinite) take_over([&] { return solve_with_diagonal(tolerance); });
    return report;
  }

  solve::KrylovReport solve_with_diagonal(double tolerance) {
    return conjugate_gradient(
        tolerance, [&](std::span<const Vec3d> r, std::span<Vec3d> z) { divide_by_diagonal(r, z); });
  }

  /// q = K p among the motions that holds leave free.
  void apply_free(std::span<const double> p, std::span<double> q) {
    apply(vectors(p), vectors(q));
    keep_free(vectors(q));
  }

  template <class Precondition>
  solve::KrylovReport conjugate_gradient(double tolerance, Precondition&& precondition) {
    return solve::conjugate_gradient(
        context_.arena, [&](std::span<const double> p, std::span<double> q) { apply_free(p, q); },
        [&](std::span<const double> r, std::span<double> z) {
          precondition(vectors(r), vectors(z));
          keep_free(vectors(z));
        },
        [&] { return bool(context_.cancelled); }, scratch_.krylov.r,
        flat(std::span<Vec3d>(scratch_.step)), tolerance,
        model_.params.newton.max_krylov_iterations, scratch_.krylov);
  }

  void divide_by_diagonal(std::span<const Vec3d> r, std::span<Vec3d> z) {
    each_node([&](std::size_t i) {
      for (int a = 0; a < 3; ++a) {
        const double d = scratch_.diagonal[i][a];
        z[i][a] = d > 0 ? r[i][a] / d : 0.0;
      }
    });
  }

  const Model& model_;
  const StepInput& input_;
  Scratch& scratch_;
  Context& context_;
  Stiffness stiffness_;
};

/// Whether no hold moves; of nodes that slide, up to rounding.
bool holds_rest(const Model& model, const State& state, const StepInput& input,
                std::span<const SlideFrame> slides) {
  constexpr double kRounding = 1e-15;
  bool rest = true;
  for_each_held(model, [&](std::int32_t n, std::size_t, std::size_t k) {
    const Vec3d gap = state.positions[n] - input.held_positions[k];
    rest = rest && (model.freedom[n] != Freedom::Held || dot(gap, gap) == 0);
  });
  for (std::size_t k = 0; k < model.sliding.size(); ++k) {
    const Vec3d& position = state.positions[model.sliding[k]];
    rest = rest && norm(way_back(slides[k], position)) <= kRounding * norm(position);
  }
  return rest;
}

}  // namespace

StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context) {
  Equilibrium problem(model, input, scratch, context);
  solve::KrylovReport prediction;
  collect_slides(model, input, scratch.slides);
  if (holds_rest(model, state, input, scratch.slides)) {
    std::copy(state.positions.begin(), state.positions.end(), scratch.positions.begin());
  } else {
    prediction = problem.predict(state.positions);
  }
  StepReport report = model.params.solver == Solver::Fas && model.hierarchy
                          ? solve::nonlinear_cycles(problem, model.params.newton)
                          : solve::newton(problem, model.params.newton);
  report.krylov_iterations += prediction.iterations;
  report.operator_applications += prediction.operator_applications;
  if (!prediction.fallback.empty()) {
    ++report.fallbacks;
    if (report.fallback.empty()) report.fallback = prediction.fallback;
  }
  if (report.converged()) std::swap(state.positions, scratch.positions);
  return report;
}

}  // namespace isochor::lattice
