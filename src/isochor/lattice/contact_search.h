#pragma once

#include "isochor/lattice/contacts.h"
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

/// What a search may take: less where surfaces have to come apart first.
inline solve::NewtonParams patience(const Contacts* contacts, solve::NewtonParams params) {
  if (!contacts || !contacts->untangles()) return params;
  return {.tolerance = std::max(params.tolerance, 1e-2),
          .max_iterations = std::min(params.max_iterations, 20),
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

}  // namespace isochor::lattice
