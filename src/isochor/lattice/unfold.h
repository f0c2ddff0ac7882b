#pragma once

#include <span>
#include <utility>

#include "isochor/base/parallel.h"
#include "isochor/lattice/contact_search.h"

namespace isochor::lattice {

/// A cell is folded where three edges at one of its corners are turned inside out. One point per
/// cell sees little of that: a corner pushed into the body can stay there, in an equilibrium that
/// is none of the body's.
///
/// How many free nodes have only folded cells. Allocates nothing where no cell is folded.
std::size_t count_folded(const Model& model, std::span<const Vec3d> positions, ThreadArena& arena);

/// Puts these nodes back to where the cells around say, from cells that are not folded outwards.
void unfold(const Model& model, std::span<Vec3d> positions);

/// Searches once more, from unfolded cells, where an equilibrium has folded ones; the one with
/// fewer of them is kept. search(state) leaves the state where it was unless its report has
/// converged.
template <class State, class Search, class Report>
void search_unfolded(const Model& model, State& state, Search&& search, Report& report,
                     ThreadArena& arena) {
  const std::size_t folded = count_folded(model, state.positions, arena);
  if (folded == 0) return;
  State unfolded = state;
  unfold(model, unfolded.positions);
  const Report again = search(unfolded);
  const bool better = again.converged() && count_folded(model, unfolded.positions, arena) < folded;
  solve::NewtonReport both = with(report, again);
  if (better) {
    state = std::move(unfolded);
  } else {
    both.end = report.end;
    both.residual = report.residual;
  }
  static_cast<solve::NewtonReport&>(report) = both;
}

}  // namespace isochor::lattice
