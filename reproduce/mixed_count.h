#pragma once

#include "isochor/base/context.h"
#include "isochor/lattice/mixed_state.h"

/// How many iterations a linear system of the mixed lattice takes.
namespace isochor::reproduce {

/// Of the relative residual.
inline constexpr double kCountTolerance = 1e-6;

struct Count {
  int iterations = 0;
  double residual = 1;  ///< recomputed in double
  bool solved() const { return residual <= 2 * kCountTolerance; }
};

/// A body force about a state: our GMRES, block-triangular with a cycle of multigrid.
Count count_gmres(const lattice::mixed::Model& model, const lattice::mixed::State& state,
                  lattice::mixed::Fix fix, lattice::mixed::Scratch& scratch, Context& context);
/// The same by the published symmetric QMR without a preconditioner, on the published matrix.
Count count_qmr(const lattice::mixed::Model& model, const lattice::mixed::State& state,
                lattice::mixed::Scratch& scratch, Context& context);

}  // namespace isochor::reproduce
