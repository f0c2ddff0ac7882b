#pragma once

#include <limits>
#include <span>
#include <vector>

#include "isochor/lattice/contacts.h"
#include "isochor/lattice/solver.h"
#include "isochor/solve/newton.h"

/// What searches for an equilibrium with contacts have in common.
namespace isochor::lattice {

/// A first guess where surfaces are kept apart: where inertia takes nodes, as far as they get; then
/// holds and colliders as far at a time as nothing meets, with all others following. False where
/// they get stuck. Problem offers
///   bool fly()        the step to where inertia takes nodes; false in statics
///   void respond()    the step that takes held nodes where they belong, all others by the linear
///                     response to that
///   void relieve()    a few iterations with holds and colliders where they are
///   double carry()    Contacts::carry along the step
///   void move(length)
///   bool cancelled()
template <class Problem>
bool start_apart(Problem& problem, const Contacts& contacts, bool holds_rest) {
  constexpr int kMostRounds = 50;
  if (problem.fly()) problem.move(problem.carry());
  if (holds_rest && !contacts.colliders_move()) return true;
  for (int round = 0; contacts.left() > 0; ++round) {
    if (round == kMostRounds || problem.cancelled()) return false;
    if (round > 0) problem.relieve();
    problem.respond();
    problem.move(problem.carry());
  }
  return true;
}

/// What a search with contact has met of negative curvature. Skin that is about to slide or to
/// buckle makes exact tangents indefinite for many iterations.
class Bends {
 public:
  /// At each iteration, with the residual of its iterate.
  void look(double residual) {
    stuck_ = residual > kSlow * last_;
    last_ = residual;
  }
  /// Whether the exact tangent had some.
  void found(bool bent, double residual) {
    bent_ = bent;
    if (bent) at_ = residual;
  }
  /// Not to be tried with the exact tangent again yet: it was indefinite, and the residual falls.
  bool definite_will_do(double residual) const {
    return bent_ && !stuck_ && residual > kNear * at_;
  }
  /// The last step did not gain much.
  bool stuck() const { return stuck_; }

 private:
  static constexpr double kSlow = 0.5, kNear = 0.1;
  bool bent_ = false, stuck_ = false;
  double last_ = std::numeric_limits<double>::infinity(), at_ = 0;
};

/// How much of a way is free, 1 being the whole. A step with a definite tangent is short along
/// negative curvature: of that more than the whole is asked for.
inline double free_part(Contacts& contacts, std::span<const Vec3d> nodes,
                        std::span<const Vec3d> way, bool definite) {
  if (!definite) return contacts.passable(nodes, way);
  const double most = contacts.worth_asking(way);
  std::vector<Vec3d> longer(way.begin(), way.end());
  for (Vec3d& w : longer) w *= most;
  return most * contacts.passable(nodes, longer);
}

/// What a search may take: less where surfaces have to come apart first, or flesh slides.
inline solve::NewtonParams patience(const Contacts* contacts, solve::NewtonParams params) {
  if (!contacts || !contacts->roughly()) return params;
  const bool looks_again = contacts->slides() || contacts->seeks();
  return {.tolerance = std::max(params.tolerance, 1e-2),
          .max_iterations = std::min(params.max_iterations, looks_again ? 2 : 20),
          .max_krylov_iterations = params.max_krylov_iterations};
}

/// A search that went on after another one.
inline solve::NewtonReport with(const solve::NewtonReport& before, solve::NewtonReport after) {
  after.iterations += before.iterations;
  after.krylov_iterations += before.krylov_iterations;
  after.operator_applications += before.operator_applications;
  after.fallbacks += before.fallbacks;
  if (after.fallback.empty()) after.fallback = before.fallback;
  return after;
}

/// Newton's method, again for as long as contacts ask for it.
template <class Problem>
solve::NewtonReport search_touching(Problem& problem, Contacts& contacts,
                                    std::span<const Vec3d> iterate,
                                    const solve::NewtonParams& params) {
  solve::NewtonReport report = solve::newton(problem, patience(&contacts, params));
  while ((report.converged() || contacts.roughly()) && !problem.cancelled()) {
    const bool roughly = contacts.roughly();
    const bool goes_on = contacts.goes_on(iterate);
    if (!goes_on && !roughly) break;
    report = with(report, solve::newton(problem, goes_on ? patience(&contacts, params) : params));
    if (!goes_on) break;
  }
  return report;
}

/// Whether a search has ended in a tangle although bodies touch nothing at rest.
inline bool worth_going_around(const Model& model, const StepInput& input) {
  if (!input.contacts || !input.contacts->untangles() || input.dt > 0) return false;
  if (!input.contacts->bones().empty()) return false;  // they do not go back to rest with holds
  const contact::ContactReport report =
      input.contacts->report(model.rest_positions, 0, input.contacts->reach());
  return report.crossings.count() == 0 && report.near_points == 0;
}

/// Another way to an equilibrium from which springs do not untangle a body: from rest on, holds
/// in equal parts of a straight way to where they have to be, and surfaces kept apart all along.
/// search(state, input) leaves the state where it was unless its report has converged.
template <class State, class Search>
auto go_around(const Model& model, State from_rest, State& state, StepInput input,
               Search&& search) {
  constexpr int kParts = 8;
  std::vector<Vec3d> held(input.held_positions.begin(), input.held_positions.end()), held_at_rest;
  std::vector<Vec3d> targets(input.spring_targets.begin(), input.spring_targets.end()), at_rest;
  for (const Hold& hold : model.holds) {
    for (const std::int32_t n : hold.nodes) held_at_rest.push_back(model.rest_positions[n]);
  }
  for (std::size_t s = 0; s < targets.size(); ++s) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t t = model.springs.first[s]; t < model.springs.first[s + 1]; ++t) {
      const solve::SpringTerm& term = model.springs.terms[t];
      sum += term.weight * model.rest_positions[term.index];
    }
    at_rest.push_back(sum);
  }
  const std::span<const Vec3d> last_held = input.held_positions, last = input.spring_targets;
  input.held_positions = held;
  input.spring_targets = targets;
  input.guess = {};
  auto report = decltype(search(state, input)){};
  for (int k = 1; k <= kParts; ++k) {
    const double part = double(k) / kParts;
    const auto go = [&](std::span<const Vec3d> from, std::span<const Vec3d> to,
                        std::vector<Vec3d>& at) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] = k == kParts ? to[i] : from[i] + part * (to[i] - from[i]);
      }
    };
    go(held_at_rest, last_held, held);
    go(at_rest, last, targets);
    const solve::NewtonReport before = report;
    report = search(from_rest, input);
    static_cast<solve::NewtonReport&>(report) = with(before, report);
    if (!report.converged()) return report;
  }
  state = std::move(from_rest);
  return report;
}

}  // namespace isochor::lattice
