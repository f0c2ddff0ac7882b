#include "isochor/lattice/mixed_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "isochor/lattice/contact_search.h"
#include "isochor/lattice/holds.h"
#include "isochor/lattice/surface_operator.h"
#include "isochor/solve/sums.h"

namespace isochor::lattice::mixed {
namespace {

/// A step may shrink no cell to less than this part of its volume ratio.
constexpr double kMostCrushed = 0.1;
/// Penalty of the merit function in multiples of mu.
constexpr double kPenalty = 5;
/// Iterations that a solve with the definiteness fix may take, relative to one without.
constexpr int kPatience = 3;
/// With contact, a linear system whose residual fell to this is of use, whatever was asked for:
/// Newton's method gains as much by it, and by the fix often a tenth.
constexpr double kOfUse = 0.15;

double square(const Vec3d& v) { return dot(v, v); }

/// A step as a search for the saddle point of the energy, that of inertia and damping included
/// where it is one in time.
class Saddle {
 public:
  Saddle(const Model& model, const State& start, const StepInput& input, Motion* motion,
         Scratch& scratch, Context& context)
      : model_(model),
        start_(start),
        input_(input),
        motion_(motion),
        reach_(motion ? motion->inertia.time().reach : 1),
        scratch_(scratch),
        context_(context),
        // Symmetric QMR needs a symmetric matrix.
        volume_weight_(motion && model.params.variant == Variant::Best ? motion->history.weight()
                                                                       : 1),
        system_(model, scratch.slides, scratch.linear, context.arena,
                motion ? &motion->inertia : nullptr, volume_weight_, input.contacts),
        contacts_(input.contacts),
        rounding_force_(rounding_force(model.base, start.positions)) {}

  StepReport solve() {
    collect_slides(model_.base, input_, start_.positions, reach_, scratch_.slides);
    copy_start();
    if (contacts_) contacts_->begin(start_.positions, input_.dt);
    const bool rest = holds_rest(model_.base, input_, start_.positions, scratch_.slides);
    if (rest && !motion_) evaluate();
    const bool solved = rest && !motion_ && now_.residual <= model_.params.tolerance;
    bool begun = true;
    if (contacts_ && contacts_->apart()) {
      begun = start_apart(*this, *contacts_, rest);
    } else if (!solved && (!rest || surfaces_move())) {
      begun = follow_holds();
    } else if (motion_) {
      take_flight();
    } else if (!solved) {
      expect();
    }
    if (!begun) {
      report_.end = stuck();
      return report_;
    }
    if (contacts_) evaluate();
    report_.end = find_saddle();
    while (contacts_ && !context_.cancelled) {
      const bool roughly = contacts_->roughly();
      if (!report_.converged() && !roughly) break;
      const bool goes_on = contacts_->goes_on(scratch_.positions);
      if (!goes_on && !roughly) break;
      evaluate();
      report_.end = find_saddle(!goes_on);
      if (!goes_on) break;
    }
    report_.least_j = now_.least_j;
    return report_;
  }

 private:
  SurfaceConfiguration surface_configuration() const {
    return {.positions = scratch_.positions,
            .activations = input_.activations,
            .demands = input_.surfaces,
            .mixed = &model_,
            .cell_pressure = scratch_.pressure,
            .linear = small_gaps_};
  }

  /// Whether a held surface is away from where it has to be by more than a solved state is.
  bool surfaces_move() {
    constexpr double kStrain = 0.05;
    return add_surface_forces(model_.base, surface_configuration(), {}, {},
                              scratch_.linear.surfaces, context_.arena)
               .strain > kStrain;
  }

  Configuration configuration() const {
    return {scratch_.positions, scratch_.pressure, input_.activations,
            motion_ ? motion_->history.softness() : std::span<const double>()};
  }

  /// What gravity and loads push a node with, N.
  Vec3d outer_force(std::size_t i) const {
    const Vec3d weight = model_.base.mass[i] * input_.gravity;
    return input_.loads.empty() ? weight : weight + input_.loads[i];
  }
  template <class F>
  double sum_nodes(F&& f) {
    return sum(model_.node_count(), f);
  }
  template <class F>
  double sum(std::size_t count, F&& f) {
    return solve::sum_of(context_.arena, count, f);
  }
  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, model_.node_count(), solve::kVectorGrain, f);
  }

  /// With what the law of volumes has for its target at the iterate.
  const Iterate& evaluate() {
    if (motion_) motion_->history.retarget(start_, scratch_.positions);
    return evaluate_along();
  }

  /// With the target of the last evaluate(), as a line search must have it.
  const Iterate& evaluate_along() {
    const Evaluation elastic = mixed::evaluate(model_, configuration(), scratch_.force,
                                               scratch_.volume, scratch_.blocks, context_.arena);
    const lattice::Model& base = model_.base;
    each_node([&](std::size_t i) { scratch_.force[i] += outer_force(i); });
    const double springs = spring_pulls(base.springs, scratch_.positions, input_.spring_targets,
                                        scratch_.pull, context_.arena);
    add_pulls(base.springs, scratch_.pull, 1, scratch_.force, context_.arena);
    const SurfaceForces surfaces =
        add_surface_forces(base, surface_configuration(), scratch_.force, scratch_.volume,
                           scratch_.linear.surfaces, context_.arena);
    surface_square_ = surfaces.square;
    if (contacts_) {
      touching_ = contacts_->evaluate(scratch_.positions);
      contacts_->add_forces(scratch_.force);
    }
    // From the rest shape, or from where a body that moves is: of the size of what changes.
    const std::span<const Vec3d> zero = motion_ ? start_.positions : base.rest_positions;
    const double outer = pressure_energy_ - sum_nodes([&](std::size_t i) {
                           return dot(outer_force(i), scratch_.positions[i] - zero[i]);
                         });
    now_.energy = elastic.energy + springs + surfaces.energy + touching_.energy + outer;
    now_.scale = elastic.scale + springs + std::abs(surfaces.energy) + std::abs(outer);
    if (std::isfinite(touching_.energy)) now_.scale += touching_.energy;
    if (motion_) {
      const double inertia = motion_->inertia.add_force(scratch_.positions, scratch_.force);
      const double past = motion_->history.take_target(scratch_.pressure, scratch_.volume);
      now_.energy += inertia - past;
      now_.scale += inertia + std::abs(past);
    }
    now_.least_j = elastic.least_j;
    load_residual();
    judge();
    return now_;
  }

  /// [f; -g], what holds leave free of it.
  void load_residual() {
    const std::span<double> load = scratch_.load;
    const auto f = positions_of(model_, load);
    const auto g = pressures_of(model_, load);
    each_node([&](std::size_t i) { f[i] = scratch_.force[i]; });
    parallel_for(context_.arena, g.size(), solve::kVectorGrain,
                 [&](std::size_t i) { g[i] = -volume_weight_ * scratch_.volume[i]; });
    system_.keep_free(load);
  }

  /// Forces are judged against what holds the body and what loads it; at rest, against what
  /// rounding leaves.
  void judge() {
    const lattice::Model& base = model_.base;
    const std::span<const double> load = scratch_.load;
    const auto f = positions_of(model_, load);
    const double left = sum_nodes([&](std::size_t i) { return square(f[i]); });
    const double reaction =
        sum_nodes([&](std::size_t i) { return square(scratch_.force[i] - f[i]); });
    double weight = sum_nodes([&](std::size_t i) { return square(outer_force(i)); });
    for (const Vec3d& pull : scratch_.pull) weight += square(pull);
    weight += surface_square_ + touching_.force_squared;
    double lost = rounding_force_ * rounding_force_ * double(base.node_count());
    if (motion_) {
      weight += motion_->inertia.square_of_inertia(scratch_.positions);
      lost += motion_->inertia.square_of_rounding();
    }
    const double rounding = std::sqrt(lost) / model_.params.tolerance;
    const double force = std::sqrt(left) / (std::sqrt(reaction) + std::sqrt(weight) + rounding);
    const auto [error, whole] = volume_errors();
    now_.volume_residual = std::sqrt(error / whole);
    now_.residual = std::max(force, weighed(now_.volume_residual));
  }

  /// Errors of volume as they count, and no less than what rounding of positions leaves.
  double weighed(double error) const {
    if (!motion_) return error;
    const double weight = motion_->history.weight();
    const double lost = weight * motion_->history.rounding();
    return weight * error / std::max(1.0, lost / model_.params.tolerance);
  }

  /// Sums of W (g / W)^2, whose part of the merit is left behind, and of W.
  std::pair<double, double> volume_errors() {
    const std::span<const double> load = scratch_.load;
    const auto g = pressures_of(model_, load);
    const double unit = 1 / (model_.alpha * volume_weight_);
    const auto over_cells = [&](auto&& f) {
      return sum(model_.volumes.size(), [&](std::size_t group) {
        const GroupVolume& v = model_.volumes[group];
        const GroupModuli& m = model_.base.moduli[group];
        double total = 0;
        for (int i = 0; i < kGroupCells; ++i) {
          const int c = i / kGroupBlocks, b = i % kGroupBlocks;
          const double W = v.volume[c][b];
          if (W > 0) total += f(g[group * kGroupCells + std::size_t(i)] * unit, W, m.mu[c][b]);
        }
        return total;
      });
    };
    now_.penalty =
        over_cells([](double e, double W, double mu) { return kPenalty * mu * e * e / W; });
    return {over_cells([](double e, double W, double) { return e * e / W; }),
            over_cells([](double, double W, double) { return W; })};
  }

  /// Roughly where surfaces have to come apart first, unless it must be well.
  solve::NewtonEnd find_saddle(bool well = false) {
    const solve::NewtonParams params = patience(
        well ? nullptr : contacts_,
        {.tolerance = model_.params.tolerance, .max_iterations = model_.params.max_iterations});
    return iterate(params.tolerance, report_.iterations + params.max_iterations);
  }

  solve::NewtonEnd iterate(double tolerance, int most) {
    double before = 0;
    for (;;) {
      report_.residual = now_.residual;
      report_.volume_residual = now_.volume_residual;
      progress();
      if (!now_.is_finite()) return solve::NewtonEnd::NotFinite;
      if (now_.residual <= tolerance) return solve::NewtonEnd::Converged;
      if (report_.iterations >= most) return solve::NewtonEnd::TooManyIterations;
      if (context_.cancelled) return solve::NewtonEnd::Cancelled;
      // What follows a step that was shortened is solved well: errors of volume that a rough
      // solution leaves grow with the number of cells, and on 32^3 the search met nothing else.
      forcing_ = forcing_term(now_.residual, published() || shortened_ ? 0 : before, tolerance,
                              model_.params.krylov_tolerance);
      before = now_.residual;
      if (!step()) return stuck();
    }
  }

  solve::NewtonEnd stuck() const {
    return context_.cancelled ? solve::NewtonEnd::Cancelled : solve::NewtonEnd::Stalled;
  }

  bool published() const { return model_.params.variant == Variant::Published; }

  void progress() {
    context_.status.newton_iterations = report_.iterations;
    context_.status.krylov_iterations = report_.krylov_iterations;
    context_.status.residual = report_.residual;
    context_.report();
  }

  /// One linear system, or a second one with the fix where the first leads nowhere. With contact,
  /// where the first leads uphill, to a saddle, the other way: the energy curves down along it.
  bool step() {
    if (!published()) {
      uphill_ = false;
      if (solve_linear(Fix::None) && search(false)) return true;
      if (context_.cancelled) return false;
      if (!contacts_ && forcing_ > model_.params.krylov_tolerance) {
        forcing_ = model_.params.krylov_tolerance;
        evaluate();
        if (solve_linear(Fix::None) && search(false)) return true;
        if (context_.cancelled) return false;
      }
      if (contacts_ && uphill_) {
        evaluate();
        for (double& s : scratch_.step) s = -s;
        if (search(true)) return true;
      }
      ++report_.fallbacks;
      report_.fallback = "the exact tangent led nowhere";
      evaluate();
    }
    solve_linear(published() ? Fix::Published : Fix::Thresholded);
    return search(!published());
  }

  /// K step = load about the iterate. False where iterations ran out before it was of use.
  bool solve_linear(Fix fix) {
    linearise(fix);
    // Inertia makes the matrix definite, and short steps the Schur complement a rough guess.
    const bool in_doubt = fix == Fix::None && !motion_;
    const int most = model_.params.max_krylov * (in_doubt ? 1 : kPatience);
    return run_krylov(most);
  }

  void linearise(Fix fix) {
    system_.linearise(configuration(), fix);
    linearise_surfaces(
        model_.base, surface_configuration(),
        fix == Fix::None ? materials::Definiteness::None : materials::Definiteness::Clamp,
        scratch_.linear.surfaces, context_.arena);
    if (contacts_) {
      contacts_->linearise(fix == Fix::None ? contact::Curvature::Exact
                                            : contact::Curvature::Definite);
    }
    system_.prepare(configuration());
  }

  bool run_krylov(int most) {
    const auto apply = [&](std::span<const double> p, std::span<double> q) { system_.apply(p, q); };
    const auto stop = [&] { return bool(context_.cancelled); };
    const solve::KrylovReport linear =
        published()
            ? solve::symmetric_qmr(
                  context_.arena, apply,
                  [&](std::span<const double> r, std::span<double> z) {
                    solve::copy(context_.arena, r, z);
                  },
                  stop, scratch_.load, scratch_.step, forcing_, model_.params.max_qmr, scratch_.qmr)
            : solve::gmres(
                  context_.arena, apply,
                  [&](std::span<const double> r, std::span<double> z) {
                    system_.precondition(r, z);
                  },
                  stop, scratch_.load, scratch_.step, forcing_, most, scratch_.krylov);
    ++report_.iterations;
    report_.krylov_iterations += linear.iterations;
    report_.operator_applications += linear.operator_applications +
                                     (published() ? 0 : linear.iterations * system_.applications());
    return linear.converged || (contacts_ && linear.relative_residual < kOfUse);
  }

  void move(double positions, double pressures) {
    const std::span<const double> step = scratch_.step;
    const auto dx = positions_of(model_, step);
    const auto dp = pressures_of(model_, step);
    if (positions != 0) {
      pressure_energy_ -=
          pressure_work(model_.base, input_.surfaces.pressures, scratch_.positions, dx, positions,
                        scratch_.linear.surfaces.energy, context_.arena);
    }
    each_node([&](std::size_t i) { scratch_.positions[i] += positions * dx[i]; });
    parallel_for(context_.arena, dp.size(), solve::kVectorGrain,
                 [&](std::size_t i) { scratch_.pressure[i] += pressures * model_.alpha * dp[i]; });
  }

  /// Whether the iterate has crushed no cell, which `least_before` had the least volume ratio of.
  bool is_sound(double least_before) const {
    return now_.is_finite() && now_.least_j > kMostCrushed * std::min(1.0, least_before);
  }

  /// Shortens the step until it crushes no cell, then until the augmented Lagrangian falls:
  /// pressures at the end of the step, positions on the way. Its slope is that of the energy along
  /// dx less the penalty; where that is not negative the direction is one of negative curvature.
  /// False, and the iterate where it was, if no length will do.
  bool search(bool lengthens) {
    constexpr double kSufficientDecrease = 1e-4, kShortestStep = 1e-3, kRounding = 1e-12;
    const double least_before = now_.least_j;
    move(0, 1);
    const Iterate begin = evaluate_along();
    const auto dx = positions_of(model_, std::span<const double>(scratch_.step));
    const double slope =
        -sum_nodes([&](std::size_t i) { return dot(scratch_.force[i], dx[i]); }) - begin.penalty;
    const double longest =
        contacts_ ? free_part(*contacts_, scratch_.positions, dx, lengthens) : 1024;
    const double whole = std::min(1.0, longest);
    double length = 0;
    const auto falls = [&] {
      const double noise = kRounding * std::max(begin.merit_scale(), now_.merit_scale());
      return is_sound(least_before) &&
             now_.merit() - begin.merit() <= kSufficientDecrease * length * slope + noise;
    };
    uphill_ = !(slope < kRounding * begin.merit_scale());
    for (double next = uphill_ ? 0 : whole; next >= kShortestStep * whole && next > 0;
         next *= 0.5) {
      move(next - length, 0);
      length = next;
      evaluate_along();
      if (!falls()) continue;
      shortened_ = length < whole;
      if (length == 1 && lengthens) lengthen(slope, longest);
      if (length < 1) move(0, length - 1);
      if (length < 1 || (motion_ && motion_->history.moves())) evaluate();
      return true;
    }
    move(-length, -1);
    return false;
  }

  /// A step with the fix is short where the energy curves down: it is doubled for as long as the
  /// merit falls by what its slope says; with contact, by a quarter, as on a parabola of which it
  /// went less than half the way. To leave an unstable equilibrium took hundreds of steps.
  void lengthen(double slope, double longest) {
    for (double length = 1; 2 * length <= longest; length *= 2) {
      const Iterate before = now_;
      move(length, 0);
      evaluate_along();
      const double fell = now_.merit() - before.merit();
      if (is_sound(before.least_j) && fell <= (contacts_ ? 0.25 : 1) * length * slope) continue;
      move(-length, 0);
      evaluate_along();
      break;
    }
  }

  void copy_start() {
    std::copy(start_.positions.begin(), start_.positions.end(), scratch_.positions.begin());
    std::copy(start_.pressure.begin(), start_.pressure.end(), scratch_.pressure.begin());
    pressure_energy_ = 0;
  }

  /// Nodes go where inertia takes them, each by itself, or, where that costs more, together.
  void take_flight() {
    const Inertia& inertia = motion_->inertia;
    const auto fly = [&](bool together) {
      if (together) {
        inertia.rigid_flight(start_, input_.gravity, scratch_.positions);
      } else {
        inertia.free_flight(input_.gravity, scratch_.positions);
      }
      place_held(model_.base, input_, start_.positions, reach_, scratch_.slides,
                 scratch_.positions);
      evaluate();
      return now_.is_finite() ? now_.merit() : std::numeric_limits<double>::infinity();
    };
    const double together = fly(true);
    if (!(fly(false) < together)) fly(true);
  }

  /// Nodes go where they are expected, with the pressures of the start; not where that costs more.
  bool expect() {
    if (input_.guess.empty() || published()) return false;
    const Iterate before = evaluate();
    std::ranges::copy(input_.guess, scratch_.positions.begin());
    place_held(model_.base, input_, start_.positions, reach_, scratch_.slides, scratch_.positions);
    evaluate();
    if (is_sound(before.least_j) && now_.merit() < before.merit()) return true;
    copy_start();
    evaluate();
    return false;
  }

  // For start_apart.
  friend bool start_apart<Saddle>(Saddle&, const Contacts&, bool);
  bool fly() {
    if (motion_) take_flight();
    const bool flies = motion_ || expect();
    if (flies) {
      const auto dx = positions_of(model_, std::span(scratch_.step));
      each_node([&](std::size_t i) { dx[i] = scratch_.positions[i] - start_.positions[i]; });
      std::ranges::fill(pressures_of(model_, std::span(scratch_.step)), 0.0);
    }
    copy_start();
    return flies;
  }
  double carry() {
    return contacts_->carry(scratch_.positions,
                            positions_of(model_, std::span<const double>(scratch_.step)));
  }
  void move(double length) {
    move(length, length);
    evaluate();
  }
  void relieve() { iterate(0.1, report_.iterations + 3); }
  bool cancelled() const { return context_.cancelled; }
  void respond() {
    evaluate();
    forcing_ = model_.params.krylov_tolerance;
    linearise(published() ? Fix::Published : Fix::Thresholded);
    std::vector<double> lift(scratch_.step.size(), 0.0);
    const auto up = positions_of(model_, std::span(lift));
    each_node([&](std::size_t i) { up[i] = scratch_.positions[i]; });
    place_held(model_.base, input_, start_.positions, reach_, scratch_.slides, scratch_.positions);
    each_node([&](std::size_t i) {
      const Vec3d now = up[i];
      up[i] = scratch_.positions[i] - now;
      scratch_.positions[i] = now;
    });
    contacts_->add_carried(scratch_.force);
    load_residual();
    system_.apply_everywhere(lift, scratch_.image);
    system_.keep_free(scratch_.image);
    solve::axpy(context_.arena, -1, scratch_.image, scratch_.load);
    run_krylov(kPatience * model_.params.max_krylov);
    solve::axpy(context_.arena, 1, lift, scratch_.step);
  }

  /// Moves held nodes where they belong, and all others by what the linear response to that is; by
  /// the exact one first. Close to where a body buckles that is too much of a response.
  bool follow_holds() {
    if (published()) return predict(Fix::Published);
    if (predict(Fix::None)) return true;
    if (context_.cancelled) return false;
    ++report_.fallbacks;
    report_.fallback = "the exact response to moved holds crushed cells";
    copy_start();
    return predict(Fix::Thresholded);
  }

  /// False where it crushes a cell.
  bool predict(Fix fix) {
    small_gaps_ = true;
    evaluate();
    const double least_before = now_.least_j;
    forcing_ = model_.params.krylov_tolerance;
    linearise(fix);
    small_gaps_ = false;
    // What holds ask for, as far as they have not got it yet.
    place_held(model_.base, input_, start_.positions, reach_, scratch_.slides, scratch_.positions);
    const std::span<double> lift = scratch_.step, image = scratch_.image;
    const auto dx = positions_of(model_, lift);
    each_node([&](std::size_t i) { dx[i] = scratch_.positions[i] - start_.positions[i]; });
    const auto dp = pressures_of(model_, lift);
    std::fill(dp.begin(), dp.end(), 0.0);
    system_.apply_everywhere(lift, image);
    system_.keep_free(image);
    solve::axpy(context_.arena, -1, image, scratch_.load);
    run_krylov(kPatience * model_.params.max_krylov);
    move(1, 1);
    evaluate();
    return is_sound(least_before);
  }

  const Model& model_;
  const State& start_;
  const StepInput& input_;
  Motion* motion_;  ///< none in a static step
  const double reach_;
  Scratch& scratch_;
  Context& context_;
  const double volume_weight_;  ///< of rows of linear systems
  LinearSystem system_;
  Contacts* contacts_;  ///< none where nothing touches
  StepReport report_;
  Iterate now_;
  contact::EnergyValue touching_;
  const double rounding_force_;  ///< what rounding leaves on a node, N
  bool small_gaps_ = false;      ///< held surfaces are linearised about no gap
  bool uphill_ = false;          ///< the last direction that was searched along
  bool shortened_ = false;       ///< the last step that was taken
  double forcing_ = 0;           ///< what residuals of linear systems fall to, relative
  double pressure_energy_ = 0;   ///< minus the work of pressures since the start, J
  double surface_square_ = 0;    ///< of forces of surfaces, N^2
};

StepReport find_equilibrium(const Model& model, State& state, const StepInput& input,
                            Scratch& scratch, Context& context) {
  std::optional<Motion> motion;
  if (input.dt > 0)
    motion.emplace(model, state, input.dt, scratch.motion, scratch.history, context.arena);
  StepReport report =
      Saddle(model, state, input, motion ? &*motion : nullptr, scratch, context).solve();
  if (!report.converged()) return report;
  if (motion) {
    report.balance =
        motion->inertia.finish(state, input, {scratch.positions, scratch.force, scratch.slides});
    report.balance.damping_loss += motion->history.damping_loss(state, scratch.positions);
  }
  accept(model.base, input.dt, scratch.positions, scratch.motion, state);
  std::swap(state.pressure, scratch.pressure);
  return report;
}

}  // namespace

StepReport advance(const Model& model, State& state, const StepInput& input, Scratch& scratch,
                   Context& context) {
  check_duration(model.base, input);
  const auto search = [&](State& from, const StepInput& to) {
    return find_equilibrium(model, from, to, scratch, context);
  };
  const StepReport report = search(state, input);
  if (!worth_going_around(model.base, input) || context.cancelled) return report;
  StepReport around = go_around(model.base, make_state(model), state, input, search);
  static_cast<solve::NewtonReport&>(around) = with(report, around);
  return around;
}

}  // namespace isochor::lattice::mixed
