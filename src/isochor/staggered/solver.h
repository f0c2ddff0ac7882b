#pragma once

#include "isochor/base/context.h"
#include "isochor/solve/gmres.h"
#include "isochor/staggered/multigrid.h"

namespace isochor::staggered {

/// How a solve ended.
struct SolveReport {
  int iterations = 0;            ///< cycles
  double relative_residual = 1;  ///< recomputed in double, against that of the start
  bool converged = false;
};

/// Memory of solves: right-hand side and correction in double, cycles in single precision.
template <int D>
struct SolverMemory {
  /// `restart` vectors are kept by GMRES; 0 for cycles alone, which need none.
  SolverMemory(const Model<D>& model, int restart);
  MultigridMemory<D> cycles;
  std::vector<double> residual, correction;
  solve::GmresScratch krylov;
};

/// Solves A u = b, D + 1 fields each. What stands in u is the start, and with it all displacements
/// that are given. A cycle per iteration of GMRES, which thin and weakly held bodies want; with
/// restart 0 cycles alone. Not converged: u is the best so far.
template <int D>
SolveReport solve(const Model<D>& model, std::span<const double> b, std::span<double> u,
                  double tolerance, int most, SolverMemory<D>& memory, Context& context);

}  // namespace isochor::staggered
