#pragma once

#include <vector>

#include "isochor/base/context.h"
#include "isochor/lattice/flat.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/lattice/state.h"
#include "isochor/solve/conjugate_gradient.h"
#include "isochor/solve/stationary.h"

namespace isochor::lattice {

/// Ways to solve K step = load, among the motions that holds leave free; the load is in
/// scratch.krylov.r, the step goes to scratch.step. apply(v, out): out = K v on all nodes;
/// keep_free(v): takes out what holds do not leave.
template <class Apply, class KeepFree>
class LinearSolves {
 public:
  LinearSolves(const Model& model, Scratch& scratch, Context& context, Apply apply,
               KeepFree keep_free)
      : model_(model), scratch_(scratch), context_(context), apply_(apply), keep_free_(keep_free) {}

  /// Conjugate gradients with one cycle per iteration. Where the cycle is not definite although the
  /// matrix is, with the diagonal. `exact`: the matrix may be indefinite itself.
  solve::KrylovReport with_cycles(Multigrid& multigrid, double tolerance, bool exact,
                                  bool touching) {
    std::vector<double> load;
    if (touching) load = scratch_.krylov.r;
    solve::KrylovReport report = conjugate_gradient(
        tolerance, [&](std::span<const Vec3d> r, std::span<Vec3d> z) { multigrid.apply(r, z); });
    report.operator_applications += report.iterations * multigrid.applications();
    if (!report.unfit || exact || (report.iterations > 1 && !touching)) return report;
    // Single precision has little to spare beside contacts that are stiff.
    if (touching) scratch_.krylov.r = load;
    return after(report, "a cycle was not definite", with_diagonal(tolerance));
  }

  /// Cycles alone, as published. Where they diverge or get slow, which weakly held and irregular
  /// bodies do to them, conjugate gradients take over: with the cycle, and where that is not
  /// definite, with the diagonal.
  solve::KrylovReport by_cycles(Multigrid& multigrid, double tolerance, bool exact, bool touching) {
    const std::span<double> b = flat(std::span<Vec3d>(scratch_.load));
    solve::copy(context_.arena, scratch_.krylov.r, b);
    const solve::StationaryReport cycles = solve::stationary_iteration(
        context_.arena, [&](std::span<const double> p, std::span<double> q) { apply_free(p, q); },
        [&](std::span<const double> r, std::span<double> z) {
          multigrid.apply(vectors(r), vectors(z));
          keep_free_(vectors(z));
        },
        [&] { return bool(context_.cancelled); }, b, flat(std::span<Vec3d>(scratch_.step)),
        tolerance, model_.params.newton.max_krylov_iterations, scratch_.krylov);
    solve::KrylovReport report{
        .iterations = cycles.cycles,
        .operator_applications = cycles.cycles * (1 + multigrid.applications()),
        .relative_residual = cycles.residual(),
        .converged = cycles.end == solve::StationaryEnd::Converged};
    if (report.converged || context_.cancelled) return report;
    solve::copy(context_.arena, b, scratch_.krylov.r);
    report = after(report, text(cycles.end), with_cycles(multigrid, tolerance, exact, touching));
    if (!report.indefinite && !report.unfit) return report;
    solve::copy(context_.arena, b, scratch_.krylov.r);
    return after(report, text(cycles.end), with_diagonal(tolerance));
  }

  solve::KrylovReport with_diagonal(double tolerance) {
    return conjugate_gradient(tolerance, [&](std::span<const Vec3d> r, std::span<Vec3d> z) {
      parallel_for(context_.arena, r.size(), solve::kVectorGrain, [&](std::size_t i) {
        for (int a = 0; a < 3; ++a) {
          const double d = scratch_.diagonal[i][a];
          z[i][a] = d > 0 ? r[i][a] / d : 0.0;
        }
      });
    });
  }

 private:
  /// What one method did, and another one after it.
  static solve::KrylovReport after(const solve::KrylovReport& first, std::string_view reason,
                                   solve::KrylovReport then) {
    then.iterations += first.iterations;
    then.operator_applications += first.operator_applications;
    then.fallback = reason;
    return then;
  }

  /// q = K p among the motions that holds leave free.
  void apply_free(std::span<const double> p, std::span<double> q) {
    apply_(vectors(p), vectors(q));
    keep_free_(vectors(q));
  }

  template <class Precondition>
  solve::KrylovReport conjugate_gradient(double tolerance, Precondition&& precondition) {
    return solve::conjugate_gradient(
        context_.arena, [&](std::span<const double> p, std::span<double> q) { apply_free(p, q); },
        [&](std::span<const double> r, std::span<double> z) {
          precondition(vectors(r), vectors(z));
          keep_free_(vectors(z));
        },
        [&] { return bool(context_.cancelled); }, scratch_.krylov.r,
        flat(std::span<Vec3d>(scratch_.step)), tolerance,
        model_.params.newton.max_krylov_iterations, scratch_.krylov);
  }

  const Model& model_;
  Scratch& scratch_;
  Context& context_;
  Apply apply_;
  KeepFree keep_free_;
};

}  // namespace isochor::lattice
