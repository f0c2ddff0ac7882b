#include "isochor/lattice/mixed_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "isochor/lattice/contact_search.h"
#include "isochor/lattice/holds.h"
#include "isochor/lattice/mixed_saddle.h"

namespace isochor::lattice::mixed {
namespace {

/// Iterations that a solve with the definiteness fix may take, relative to one without.
constexpr int kPatience = 3;
/// A linear system whose residual fell to this is of use, whatever was asked for: Newton's method
/// gains as much by it, and by the fix often a tenth. With contact, even to the second.
constexpr double kOfUse = 0.03, kOfUseTouching = 0.15;
/// One whose residual is above this, with the fix too, is not solved, and leads nowhere.
constexpr double kUnsolved = 0.9;
/// Where the exact tangent led nowhere, far from equilibrium, it hardly does so at the next iterate
/// either: it is tried again after 1, 2, 4, ... systems with the fix, no more than this.
constexpr int kLongestPause = 16;
/// Below this residual an equilibrium is close.
constexpr double kClose = 0.01;

/// A step as a search for the saddle point of the energy.
class Search : Saddle {
 public:
  Search(const Model& model, const State& start, const StepInput& input, Motion* motion,
         Scratch& scratch, Context& context)
      : Saddle(model, start, input, motion, scratch, context) {}

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
      const int fixes = report_.fallbacks;
      if (!step()) return stuck();
      // Close to an equilibrium whose exact tangent is hard to solve with, the fix converges
      // linearly, by a few per cent a system: it is worth its iterations then.
      slow_ = report_.fallbacks > fixes && now_.residual < kClose && now_.residual > 0.5 * before;
    }
  }

  solve::NewtonEnd stuck() const {
    return context_.cancelled ? solve::NewtonEnd::Cancelled : solve::NewtonEnd::Stalled;
  }

  void progress() {
    context_.status.newton_iterations = report_.iterations;
    context_.status.krylov_iterations = report_.krylov_iterations;
    context_.status.residual = report_.residual;
    context_.report();
  }

  /// One linear system, or a second one with the fix where the first leads nowhere. Where the first
  /// leads uphill, to an unstable equilibrium, the other way: the energy curves down along it.
  /// Where nothing leads down, up to that equilibrium.
  bool step() {
    if (published()) {
      solve_linear(Fix::Published);
      return search(false);
    }
    if (pause_ > 0 && now_.residual > kClose && !contacts_) {
      --pause_;
      if (step_definite()) return true;
      if (context_.cancelled) return false;
      evaluate();
    }
    uphill_ = false;
    const bool solved = solve_linear(Fix::None);
    if (solved && search(false)) {
      if (!shortened_) longest_pause_ = 1;
      return true;
    }
    if (context_.cancelled) return false;
    if (solved && !uphill_ && !contacts_ && forcing_ > model_.params.krylov_tolerance) {
      forcing_ = model_.params.krylov_tolerance;
      evaluate();
      if (solve_linear(Fix::None) && search(false)) return true;
      if (context_.cancelled) return false;
    }
    if (uphill_) {
      evaluate();
      for (double& s : scratch_.step) s = -s;
      if (search(true)) return true;
    }
    evaluate();
    if (!step_definite())
      return !contacts_ && !context_.cancelled && left_ <= kUnsolved && close_in();
    if (now_.residual > kClose) {
      pause_ = longest_pause_;
      longest_pause_ = std::min(2 * longest_pause_, kLongestPause);
    }
    return true;
  }

  /// One with the fix.
  bool step_definite() {
    ++report_.fallbacks;
    report_.fallback = "the exact tangent led nowhere";
    solve_linear(Fix::Thresholded);
    return (left_ <= kUnsolved || contacts_) && search(true);
  }

  /// As much of the exact step as brings a close equilibrium closer, whatever the energy does.
  /// Loads that follow a surface have no fix: where they outweigh what cells with little in them
  /// resist with, no direction may lead down.
  bool close_in() {
    constexpr double kLeast = 0.1, kShortest = 1.0 / 64;
    evaluate();
    const Iterate before = now_;
    if (before.residual > kClose) return false;
    forcing_ = model_.params.krylov_tolerance;
    linearise(Fix::None);
    run_krylov(kPatience * model_.params.max_krylov);
    double length = 0;
    for (double next = 1; next >= kShortest; next *= 0.5) {
      move(next - length, next - length);
      length = next;
      evaluate();
      shortened_ = length < 1;
      if (is_sound(before.least_j) && now_.residual < (1 - kLeast * length) * before.residual) {
        return true;
      }
    }
    move(-length, -length);
    return false;
  }

  /// K step = load about the iterate. False where iterations ran out before it was of use.
  bool solve_linear(Fix fix) {
    linearise(fix);
    // Inertia makes the matrix definite, and short steps the Schur complement a rough guess.
    const bool in_doubt = fix == Fix::None && !motion_;
    const int most = model_.params.max_krylov * (in_doubt && !slow_ ? 1 : kPatience);
    const solve::KrylovReport linear = run_krylov(most);
    left_ = linear.relative_residual;
    return linear.converged || left_ < (contacts_ ? kOfUseTouching : kOfUse);
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
  /// merit falls by a quarter of what its slope says, as on a parabola of which it went less than
  /// half the way. To leave an unstable equilibrium took hundreds of steps.
  void lengthen(double slope, double longest) {
    for (double length = 1; 2 * length <= longest; length *= 2) {
      const Iterate before = now_;
      move(length, 0);
      evaluate_along();
      const double fell = now_.merit() - before.merit();
      if (is_sound(before.least_j) && fell <= 0.25 * length * slope) continue;
      move(-length, 0);
      evaluate_along();
      break;
    }
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
  friend bool start_apart<Search>(Search&, const Contacts&, bool);
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
  using Saddle::move;
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

  /// Moves held nodes where they belong, and all others by what the linear response to that and to
  /// changed loads is; by the exact one first. Close to where a body buckles that is too much of a
  /// response, and under heavy loads any is: Newton's method has those left to it then.
  bool follow_holds() {
    if (published()) return predict(Fix::Published, true);
    if (predict(Fix::None, true)) return true;
    if (context_.cancelled) return false;
    if (!model_.base.surfaces.holds.empty()) {
      // Surfaces are held in cells with next to nothing in them, whose nodes a rough solution may
      // take anywhere: their forces hardly count in its residual.
      constexpr double kWell = 1e-3;
      copy_start();
      if (predict(Fix::None, true, kWell)) return true;
      if (context_.cancelled) return false;
    }
    ++report_.fallbacks;
    report_.fallback = "the exact response to moved holds crushed cells";
    copy_start();
    if (predict(Fix::Thresholded, true)) return true;
    copy_start();
    if (context_.cancelled || surfaces_move()) return false;
    return predict(Fix::Thresholded, false);
  }

  /// False where it crushes a cell. `well`: by what systems are solved better than others.
  bool predict(Fix fix, bool loads, double well = 1) {
    small_gaps_ = true;
    evaluate();
    const double least_before = now_.least_j;
    forcing_ = well * model_.params.krylov_tolerance;
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
    if (!loads) std::ranges::fill(scratch_.load, 0.0);
    solve::axpy(context_.arena, -1, image, scratch_.load);
    run_krylov(kPatience * model_.params.max_krylov);
    move(1, 1);
    evaluate();
    return is_sound(least_before);
  }

  bool uphill_ = false;                ///< the last direction that was searched along
  bool shortened_ = false;             ///< the last step that was taken
  bool slow_ = false;                  ///< the fix, close to an equilibrium
  double left_ = 0;                    ///< of the last linear system's residual
  int pause_ = 0, longest_pause_ = 1;  ///< systems until the exact tangent is tried again
};

StepReport find_equilibrium(const Model& model, State& state, const StepInput& input,
                            Scratch& scratch, Context& context) {
  std::optional<Motion> motion;
  if (input.dt > 0)
    motion.emplace(model, state, input.dt, scratch.motion, scratch.history, context.arena);
  StepReport report =
      Search(model, state, input, motion ? &*motion : nullptr, scratch, context).solve();
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
