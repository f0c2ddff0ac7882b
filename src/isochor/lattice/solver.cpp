#include "isochor/lattice/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/lattice/contact_search.h"
#include "isochor/lattice/elasticity.h"
#include "isochor/lattice/fas.h"
#include "isochor/lattice/flat.h"
#include "isochor/lattice/holds.h"
#include "isochor/lattice/inertia.h"
#include "isochor/lattice/linear_solves.h"
#include "isochor/lattice/surface_operator.h"
#include "isochor/lattice/unfold.h"
#include "isochor/solve/nonlinear_cycles.h"
#include "isochor/solve/sums.h"

namespace isochor::lattice {
namespace {

/// A step as a problem for solve::newton: the equilibrium of all forces, those of inertia and
/// damping among them where it is one in time.
class Equilibrium {
 public:
  Equilibrium(const Model& model, const State& start, const StepInput& input, Inertia* inertia,
              Scratch& scratch, Context& context)
      : model_(model),
        start_(start),
        input_(input),
        inertia_(inertia),
        contacts_(input.contacts),
        scratch_(scratch),
        context_(context),
        stiffness_(model, scratch.tangents) {}

  /// A first guess, in the iterate. Nothing where surfaces that are kept apart are in the way of
  /// holds or colliders.
  std::optional<solve::KrylovReport> begin() {
    if (contacts_) contacts_->begin(start_.positions, input_.dt);
    rounding_force_ = rounding_force(model_, start_.positions);
    const double reach = inertia_ ? inertia_->time().reach : 1;
    collect_slides(model_, input_, start_.positions, reach, scratch_.slides);
    solve::KrylovReport report;
    const bool rest = holds_rest(model_, input_, start_.positions, scratch_.slides);
    if (contacts_ && contacts_->apart()) {
      if (!start_apart(*this, *contacts_, rest)) return std::nullopt;
      place_held();
      report.iterations = start_iterations_;
    } else if (!rest || surfaces_move()) {
      report = predict();
    } else if (inertia_) {
      take_flight();
    } else if (!expect()) {
      copy_start();
    }
    pressure_energy_ = energy_of_pressures();
    return report;
  }

  solve::Evaluation evaluate() {
    solve::Evaluation result;
    // Nobody has looked what is beyond the end of a step.
    const double nowhere = std::numeric_limits<double>::infinity();
    if (travelled_ > longest_) return {.energy = nowhere, .residual = nowhere};
    const auto [elastic, inertia] = compute_force();
    const double outer = outer_energy() + pressure_energy_;
    result.energy = elastic + touching_.energy + outer + inertia;
    result.energy_scale = std::abs(elastic) + std::abs(outer) + inertia;
    if (std::isfinite(touching_.energy)) result.energy_scale += touching_.energy;
    // Forces are judged against what holds the body and what loads it. At rest both vanish, and
    // what rounding leaves is as good as nothing, whatever the tolerance.
    load_free([&](std::size_t i) { return scratch_.force[i]; });
    const double reaction =
        sum_nodes([&](std::size_t i) { return square(scratch_.force[i] - load()[i]); });
    const double residual = sum_nodes([&](std::size_t i) { return square(load()[i]); });
    double weight = sum_nodes([&](std::size_t i) { return square(outer_force(i)); });
    for (const Vec3d& pull : scratch_.pull) weight += square(pull);
    weight += surface_square_ + touching_.force_squared;
    if (inertia_) weight += inertia_->square_of_inertia(scratch_.positions);
    const double rounding = std::sqrt(square(rounding_force_) * double(model_.node_count()) +
                                      (inertia_ ? inertia_->square_of_rounding() : 0)) /
                            model_.params.newton.tolerance;
    result.residual = std::sqrt(residual) / (std::sqrt(reaction) + std::sqrt(weight) + rounding);
    residual_ = result.residual;
    return result;
  }

  /// With the exact tangent where that is definite: Newton then converges quadratically. Where
  /// conjugate gradients meet a direction of negative curvature, and always in the published
  /// variant, with the definite one [McAdams11 sec 5]. Cells that are clamped in all directions, as
  /// those of a body collapsed to a point, leave nothing to solve with: there eigenvalues change
  /// sign, which keeps their size. Without a fix, what conjugate gradients had found until then has
  /// to do. Where surfaces touch, see also Bends.
  solve::KrylovReport solve(double tolerance) {
    const materials::Definiteness fix = model_.params.definiteness;
    const bool exact_first = !model_.params.always_definite;
    if (exact_first && has_cycles() && !inertia_ && !contacts_)
      tolerance = std::min(tolerance, kLoosest);
    // No better than the end of the search asks for.
    const double enough = kEnough * model_.params.newton.tolerance / residual_;
    if (contacts_) tolerance = std::clamp(enough, tolerance, std::max(tolerance, kRoughest));
    solve::KrylovReport report;
    const auto attempt = [&](materials::Definiteness with) {
      linearise(with);
      const solve::KrylovReport last = report;
      load_free([&](std::size_t i) { return scratch_.force[i]; });
      report = solve_linear(tolerance);
      report.iterations += last.iterations;
      report.operator_applications += last.operator_applications;
    };
    using materials::Definiteness;
    const auto failed = [&] { return report.indefinite || report.unfit; };
    const bool may_fix = fix != Definiteness::None;
    bends_.look(residual_);
    const bool exact =
        !may_fix || (exact_first && !(contacts_ && bends_.definite_will_do(residual_)));
    if (exact) {
      attempt(Definiteness::None);
      bends_.found(failed(), residual_);
      if (contacts_ && report.indefinite && report.iterations > 1 && bends_.stuck()) {
        follow_bend();
        return report;
      }
    }
    if (may_fix && (!exact || failed())) attempt(fix);
    if (fix == Definiteness::Clamp && exact_first && failed()) attempt(Definiteness::Absolute);
    stay_apart();
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
    const solve::KrylovReport report = solve_linear(tolerance);
    stay_apart();
    return report;
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

  double slope() {
    // Held nodes have a force, but no step.
    return -solve::dot(context_.arena, flat(std::span<const Vec3d>(scratch_.force)),
                       flat(std::span<const Vec3d>(scratch_.step)));
  }

  /// How much of the step nobody is in the way of.
  double longest_step() const { return longest_; }

  void move(double length) {
    if (contacts_) travelled_ += length;
    pressure_energy_ -=
        pressure_work(model_, input_.surfaces.pressures, scratch_.positions, scratch_.step, length,
                      scratch_.surfaces.energy, context_.arena);
    solve::axpy(context_.arena, length, flat(std::span<const Vec3d>(scratch_.step)),
                flat(std::span<Vec3d>(scratch_.positions)));
  }

  // For start_apart.
  bool fly() {
    const bool flies = inertia_ || expect();
    if (inertia_) take_flight();
    each_node(
        [&](std::size_t i) { scratch_.step[i] = scratch_.positions[i] - start_.positions[i]; });
    copy_start();
    return flies;
  }
  double carry() {
    travelled_ = 0;
    longest_ = 1;
    return contacts_->carry(scratch_.positions, scratch_.step);
  }
  void relieve() { solve::newton(*this, {.tolerance = 0.1, .max_iterations = 3}); }
  void respond() {
    compute_force();
    linearise(materials::Definiteness::Clamp);
    std::vector<Vec3d> lift(scratch_.positions);
    place_held();
    each_node([&](std::size_t i) {
      const Vec3d now = lift[i];
      lift[i] = scratch_.positions[i] - now;
      scratch_.positions[i] = now;
    });
    contacts_->add_carried(scratch_.force);
    const std::span<Vec3d> change = vectors(std::span(scratch_.krylov.image));
    apply(lift, change);
    load_free([&](std::size_t i) { return scratch_.force[i] - change[i]; });
    const solve::KrylovReport report = solve_linear(1e-2);
    start_iterations_ += report.iterations;
    each_node([&](std::size_t i) { scratch_.step[i] += lift[i]; });
  }
  bool cancelled() const { return context_.cancelled; }

  void progress(const solve::NewtonReport& report) {
    context_.status.newton_iterations = report.iterations;
    context_.status.krylov_iterations = report.krylov_iterations;
    context_.status.residual = report.residual;
    context_.report();
  }

 private:
  static constexpr double kLongest = 1e3;
  static constexpr double kLoosest = 0.005;  ///< of linear systems: tangents cost more than cycles
  /// Of them where surfaces touch: what the last one leaves, of what the search may leave; and the
  /// most that it may.
  static constexpr double kEnough = 0.5, kRoughest = 0.1;
  static double square(double x) { return x * x; }
  static double square(const Vec3d& v) { return dot(v, v); }

  void copy_start() {
    std::copy(start_.positions.begin(), start_.positions.end(), scratch_.positions.begin());
  }

  void place_held() {
    lattice::place_held(model_, input_, start_.positions, inertia_ ? inertia_->time().reach : 1,
                        scratch_.slides, scratch_.positions);
  }

  /// Nodes go where they are expected; false where that has more energy than the start.
  bool expect() {
    if (input_.guess.empty()) return false;
    const auto energy_at = [&](std::span<const Vec3d> positions) {
      std::ranges::copy(positions, scratch_.positions.begin());
      place_held();
      pressure_energy_ = energy_of_pressures();
      return total_energy();
    };
    const double before = energy_at(start_.positions);
    return energy_at(input_.guess) < before;
  }

  /// Nodes go where inertia takes them, each by itself, or, where forces would turn that back
  /// within the step, together.
  void take_flight() {
    inertia_->rigid_flight(start_, input_.gravity, scratch_.positions);
    place_held();
    pressure_energy_ = energy_of_pressures();
    const double together = total_energy();
    inertia_->free_flight(input_.gravity, scratch_.positions);
    place_held();
    pressure_energy_ = energy_of_pressures();
    if (total_energy() < together) return;
    inertia_->rigid_flight(start_, input_.gravity, scratch_.positions);
    place_held();
  }

  /// A first guess for a new position of held nodes: the linear response of all others. Kept only
  /// if its energy is below that of moving the held nodes alone.
  solve::KrylovReport predict() {
    const std::span<const Vec3d> start = start_.positions;
    copy_start();
    small_gaps_ = true;
    compute_force();
    linearise(materials::Definiteness::Clamp);
    small_gaps_ = false;
    place_held();
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

  /// What conjugate gradients had found, and as far again along the direction of negative curvature
  /// that they met, downhill (Steihaug 1983 goes along it to the edge of a trusted region): out of
  /// a saddle, where the definite tangent takes many small steps.
  void follow_bend() {
    const std::span<double> step = flat(std::span<Vec3d>(scratch_.step));
    const std::span<const double> bend = scratch_.krylov.p;
    const double squared = solve::dot(context_.arena, bend, bend);
    const double size = std::sqrt(solve::dot(context_.arena, step, step) / squared);
    const double downhill =
        solve::dot(context_.arena, flat(std::span<const Vec3d>(scratch_.force)), bend);
    if (squared > 0) solve::axpy(context_.arena, downhill < 0 ? -size : size, bend, step);
    exact_ = false;
    stay_apart();
  }

  /// Shortens a step to what is free of it, or lets the line search go on for longer than that.
  void stay_apart() {
    if (!contacts_) return;
    travelled_ = 0;
    const double part = free_part(*contacts_, scratch_.positions, scratch_.step, !exact_);
    if (part < 1) each_node([&](std::size_t i) { scratch_.step[i] *= part; });
    longest_ = std::max(1.0, part);
  }

  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, f);
  }
  template <class F>
  double sum_nodes(F&& f) {
    return solve::sum_of(context_.arena, model_.node_count(), f);
  }

  bool has_cycles() const {
    return model_.hierarchy && model_.params.preconditioner == Preconditioner::Multigrid;
  }

  Configuration configuration() const { return {scratch_.positions, input_.activations}; }

  void linearise(materials::Definiteness fix) {
    exact_ = fix == materials::Definiteness::None;
    stiffness_.linearise(configuration(), fix, context_.arena);
    linearise_surfaces(model_, surface_configuration(), fix, scratch_.surfaces, context_.arena);
    if (contacts_) {
      contacts_->linearise(exact_ ? contact::Curvature::Exact : contact::Curvature::Definite);
    }
    if (!has_cycles()) return;
    Multigrid(model_, scratch_.slides, scratch_.multigrid, context_.arena)
        .linearise(configuration());
  }

  SurfaceConfiguration surface_configuration() const {
    return {.positions = scratch_.positions,
            .activations = input_.activations,
            .demands = input_.surfaces,
            .linear = small_gaps_};
  }

  /// Whether a held surface is away from where it has to be by more than a solved state is.
  bool surfaces_move() {
    copy_start();
    constexpr double kStrain = 0.05;
    return add_surface_forces(model_, surface_configuration(), {}, {}, scratch_.surfaces,
                              context_.arena)
               .strain > kStrain;
  }

  /// Minus the work of pressures on the straight way from the start to the iterate, J.
  double energy_of_pressures() {
    each_node(
        [&](std::size_t i) { scratch_.step[i] = scratch_.positions[i] - start_.positions[i]; });
    return -pressure_work(model_, input_.surfaces.pressures, start_.positions, scratch_.step, 1,
                          scratch_.surfaces.energy, context_.arena);
  }

  double total_energy() {
    return outer_energy() + pressure_energy_ + spring_energy() + surface_energy() +
           integrated_energy(model_, configuration(), scratch_.block_energy, context_.arena) +
           (contacts_ ? contacts_->sliding_energy(scratch_.positions) : 0) +
           (inertia_ ? inertia_->energy(scratch_.positions) : 0);
  }

  double surface_energy() {
    return add_surface_forces(model_, surface_configuration(), {}, {}, scratch_.surfaces,
                              context_.arena)
        .energy;
  }

  /// Leaves in scratch what every spring pulls with.
  double spring_energy() {
    return spring_pulls(model_.springs, scratch_.positions, input_.spring_targets, scratch_.pull,
                        context_.arena);
  }

  /// What gravity and loads push a node with, N.
  Vec3d outer_force(std::size_t i) const {
    const Vec3d weight = model_.mass[i] * input_.gravity;
    return input_.loads.empty() ? weight : weight + input_.loads[i];
  }

  /// Of gravity and loads. Measured from the rest shape, or from where a body that moves is, so
  /// that it is of the size of what changes.
  double outer_energy() {
    const std::span<const Vec3d> zero = inertia_ ? start_.positions : model_.rest_positions;
    return sum_nodes([&](std::size_t i) {
      const Vec3d way = scratch_.positions[i] - zero[i];
      const double weight = -model_.mass[i] * dot(input_.gravity, way);
      return input_.loads.empty() ? weight : weight - dot(input_.loads[i], way);
    });
  }

  struct Energies {
    double elastic;  ///< of cells, springs and held surfaces, J
    double inertia;
  };
  /// All forces on all nodes.
  Energies compute_force() {
    const double elastic = integrated_force(model_, configuration(), scratch_.force,
                                            scratch_.block_energy, context_.arena);
    each_node([&](std::size_t i) { scratch_.force[i] += outer_force(i); });
    const double springs = spring_energy();
    add_pulls(model_.springs, scratch_.pull, 1, scratch_.force, context_.arena);
    const SurfaceForces surfaces = add_surface_forces(
        model_, surface_configuration(), scratch_.force, {}, scratch_.surfaces, context_.arena);
    surface_square_ = surfaces.square;
    if (contacts_) {
      touching_ = contacts_->evaluate(scratch_.positions);
      contacts_->add_forces(scratch_.force);
    }
    const double inertia = inertia_ ? inertia_->add_force(scratch_.positions, scratch_.force) : 0;
    return {elastic + springs + surfaces.energy, inertia};
  }

  /// out = K v, on all nodes, K being the matrix of the whole problem.
  void apply(std::span<const Vec3d> v, std::span<Vec3d> out) {
    stiffness_.apply(v, out, context_.arena);
    add_spring_stiffness(model_.springs, v, scratch_.pull, out, context_.arena);
    apply_surfaces(model_, scratch_.surfaces, v, {}, out, {}, context_.arena);
    if (contacts_) contacts_->apply(v, out);
    if (inertia_) inertia_->apply(v, out);
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
    add_spring_diagonal(model_.surfaces.springs, scratch_.diagonal, context_.arena);
    if (contacts_) contacts_->add_diagonal(scratch_.diagonal);
  }

  Fas fas() { return {model_, scratch_.slides, scratch_, context_.arena}; }

  /// K step = what was loaded, among the motions that holds leave free.
  solve::KrylovReport solve_linear(double tolerance) {
    find_diagonal();
    LinearSolves solves(
        model_, scratch_, context_, [&](auto v, auto out) { apply(v, out); },
        [&](auto v) { keep_free(v); });
    if (!has_cycles()) {
      if (inertia_) inertia_->add_diagonal(scratch_.diagonal);
      return solves.with_diagonal(tolerance);
    }
    Multigrid multigrid(model_, scratch_.slides, scratch_.multigrid, context_.arena);
    std::span<const float> shift;
    if (inertia_) {
      shift = inertia_->shift();
      each_node([&](std::size_t i) {
        scratch_.diagonal[i] += Vec3f{shift[i], shift[i], shift[i]};
      });
    }
    if (contacts_) multigrid.set_springs(&contacts_->springs());
    multigrid.prepare(scratch_.tangents, scratch_.diagonal, shift);
    const bool published = model_.params.cycle == Cycle::Published;
    return published ? solves.by_cycles(multigrid, tolerance, exact_, contacts_)
                     : solves.with_cycles(multigrid, tolerance, exact_, contacts_);
  }

  const Model& model_;
  const State& start_;
  const StepInput& input_;
  Inertia* inertia_;    ///< none in a static step
  Contacts* contacts_;  ///< none where nothing touches
  Scratch& scratch_;
  Context& context_;
  Stiffness stiffness_;
  double rounding_force_ = 0;   ///< what rounding leaves on a node, N
  bool exact_ = false;          ///< the tangent, which may then be indefinite
  bool small_gaps_ = false;     ///< held surfaces are linearised about no gap
  double pressure_energy_ = 0;  ///< minus the work of pressures since the start, J
  double surface_square_ = 0;   ///< of forces of surfaces, N^2
  contact::EnergyValue touching_;
  int start_iterations_ = 0;
  double residual_ = 1;  ///< of the iterate last evaluated
  Bends bends_;
  double travelled_ = 0;       ///< along the step, where something touches
  double longest_ = kLongest;  ///< of it that is free
};

StepReport find_equilibrium(const Model& model, State& state, const StepInput& input,
                            Scratch& scratch, Context& context) {
  std::optional<Inertia> inertia;
  if (input.dt > 0) {
    inertia.emplace(model, solve::make_time_step(model.params.integrator, input.dt, state.last_dt),
                    scratch.motion, context.arena);
    inertia->begin(state);
  }
  Equilibrium problem(model, state, input, inertia ? &*inertia : nullptr, scratch, context);
  const std::optional<solve::KrylovReport> prediction = problem.begin();
  StepReport report;
  if (!prediction) {
    report.end = context.cancelled ? solve::NewtonEnd::Cancelled : solve::NewtonEnd::Stalled;
    return report;
  }
  // Nonlinear cycles know neither inertia nor surfaces nor skin nor contact.
  const bool cycles = model.params.solver == Solver::Fas && model.hierarchy && !inertia &&
                      model.surfaces.empty() && model.skin.empty() && !input.contacts;
  const solve::NewtonParams& params = model.params.newton;
  static_cast<solve::NewtonReport&>(report) =
      cycles           ? solve::nonlinear_cycles(problem, params)
      : input.contacts ? search_touching(problem, *input.contacts, scratch.positions, params)
                       : solve::newton(problem, params);
  report.krylov_iterations += prediction->iterations;
  report.operator_applications += prediction->operator_applications;
  if (!prediction->fallback.empty()) {
    ++report.fallbacks;
    if (report.fallback.empty()) report.fallback = prediction->fallback;
  }
  if (!report.converged()) return report;
  if (inertia) {
    report.balance =
        inertia->finish(state, input, {scratch.positions, scratch.force, scratch.slides});
  }
  accept(model, input.dt, scratch.positions, scratch.motion, state);
  return report;
}

}  // namespace

void check_duration(const Model& model, const StepInput& input) {
  if (!(input.dt > 0) || model.moves()) return;
  throw Error(Fault::Input, "lattice::advance", "a static model has no steps in time",
              "build the model with Params::integrator, or leave StepInput::dt at 0");
}

StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context) {
  check_duration(model, input);
  const auto search = [&](State& from, const StepInput& to) {
    return find_equilibrium(model, from, to, scratch, context);
  };
  StepReport report = search(state, input);
  if (report.converged() && !(input.dt > 0) && !input.contacts) {
    search_unfolded(
        model, state, [&](State& from) { return search(from, input); }, report, context.arena);
  }
  if (!worth_going_around(model, input) || context.cancelled) return report;
  StepReport around = go_around(model, make_state(model), state, input, search);
  static_cast<solve::NewtonReport&>(around) = with(report, around);
  return around;
}

}  // namespace isochor::lattice
