#pragma once

#include "isochor/staggered/solver.h"

/// Corotated elasticity [Zhu10 sec 7].
namespace isochor::staggered {

struct CorotatedParams {
  /// Steps that are combined for the least residual, as GMRES does where nothing turns any more;
  /// 0: cycles alone.
  int history = 8;
  /// Cycles get new rotations every so often. They cost about a cycle, as the coarsest level is
  /// factorised again.
  int refresh = 4;
  /// As published: forces keep their rotations as long as cycles do.
  bool frozen = false;

  static CorotatedParams published() { return {.history = 0, .refresh = 5, .frozen = true}; }
};

/// Memory of solves.
template <int D>
struct CorotatedMemory {
  CorotatedMemory(const Model<D>& model, const CorotatedParams& params);
  CorotatedParams params;
  MultigridMemory<D> cycles;
  Turns<D> turns;
  std::vector<double> residual, step, tried, next;
  /// Steps and how the residual changed by each, the last `history` of them.
  std::vector<std::vector<float>> steps, changes;
  std::vector<double> rates;  ///< by which the residual fell with each cycle of the last solve
};

/// Solves A(u) = b from what stands in u, and with it all displacements that are given. Residuals
/// are relative to `scale`, or to that of the start where it is zero. Every cycle corrects the
/// true residual with frozen rotations; what is combined of the last steps follows how the body
/// turns. Not converged: u is the best so far.
template <int D>
SolveReport solve_corotated(const Model<D>& model, std::span<const double> b, std::span<double> u,
                            double tolerance, double scale, int most, CorotatedMemory<D>& memory,
                            Context& context);

/// The norm that residuals are measured in: those of pressures count as those of displacements do.
template <int D>
double residual_norm(const Model<D>& model, std::span<const double> r, ThreadArena& arena);

}  // namespace isochor::staggered
