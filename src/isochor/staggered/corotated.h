#pragma once

#include "isochor/staggered/solver.h"

/// Corotated elasticity [Zhu10 sec 7].
namespace isochor::staggered {

struct CorotatedParams {
  /// Cycles about rotations that stand, for forces as for cycles, before these are found anew: at
  /// first with cells that turn on to first order, and where that is too far with frozen rotations.
  /// Nothing else brings cells that walls have torn apart together again.
  int window = 3;
  /// Then steps are taken with the true residual, and so many of them are combined for the least
  /// one, as GMRES does where nothing turns any more. 0: windows with frozen rotations alone.
  int history = 8;
  /// Cycles get new rotations every so often. They cost some cycles of a small body, as the
  /// coarsest level is factorised again.
  int refresh = 4;

  static CorotatedParams published() { return {.window = 5, .history = 0}; }
};

/// Memory of solves.
template <int D>
struct CorotatedMemory {
  CorotatedMemory(const Model<D>& model, const CorotatedParams& params);
  CorotatedParams params;
  MultigridMemory<D> cycles;
  Turns<D> turns;
  std::vector<double> residual, step, tried, next;
  std::vector<double> start, turned, spins;  ///< of the first window
  /// Steps and how the residual changed by each, the last `history` of them.
  std::vector<std::vector<float>> steps, changes;
  std::vector<double> rates;  ///< by which the residual fell with each cycle of the last solve
};

/// Solves A(u) = b from what stands in u, and with it all displacements that are given; `from` is
/// the state before these moved, whose rotations are the first ones. Residuals are relative to
/// `scale`, or to that of the start where it is zero. Not converged: u is the best so far.
template <int D>
SolveReport solve_corotated(const Model<D>& model, std::span<const double> b,
                            std::span<const double> from, std::span<double> u, double tolerance,
                            double scale, int most, CorotatedMemory<D>& memory, Context& context);

/// The norm that residuals are measured in: those of pressures count as those of displacements do.
template <int D>
double residual_norm(const Model<D>& model, std::span<const double> r, ThreadArena& arena);

}  // namespace isochor::staggered
