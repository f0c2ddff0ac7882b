#pragma once

#include "isochor/base/context.h"
#include "isochor/lattice/mixed_state.h"

namespace isochor::bench {

/// A mixed system that solvers are compared on: a body in some state, a load on all nodes that are
/// not held. One thread.
class MixedCase {
 public:
  MixedCase(lattice::mixed::Model model, lattice::mixed::State state);
  MixedCase(const MixedCase&) = delete;  // parts of it refer to each other
  MixedCase& operator=(const MixedCase&) = delete;

  struct Solve {
    int iterations = 0;
    double set_up = 0, solve = 0;  ///< s
    double residual = 1;           ///< recomputed in double
  };
  /// GMRES with a cycle, to 1e-6, the fastest of some.
  Solve best(int repeats);
  /// Symmetric QMR without a preconditioner.
  Solve published();
  /// How far the displacements of the last solve are from those of one to 1e-11, relative.
  double displacement_error();

  double cells() const { return double(model_.base.cells.size()); }
  double unknowns() const { return 3.0 * double(free_.size()) + cells(); }
  const lattice::mixed::Model& model() const { return model_; }
  /// Nodes that are not held.
  std::span<const std::int32_t> free() const { return free_; }
  /// All unknowns, held nodes included.
  std::span<const double> load() const { return b_; }
  const lattice::mixed::Tangents& linearise();

 private:
  template <class Krylov>
  Solve measure(int repeats, bool cycles, Krylov&& krylov);
  solve::KrylovReport gmres(double tolerance, solve::GmresScratch& scratch);
  lattice::mixed::Configuration at() const { return {state_.positions, state_.pressure, {}}; }

  ThreadArena arena_{1};
  lattice::mixed::Model model_;
  lattice::mixed::LinearMemory memory_;
  lattice::mixed::State state_;
  lattice::mixed::LinearSystem system_;
  std::vector<std::int32_t> free_;
  std::vector<double> b_, x_;
};

/// A unit cube at rest of N^3 cells, neo-Hookean, volume measured by J - 1, two opposite faces
/// held; jumps as in lattice::mixed::Params.
MixedCase cube_at_rest(int n, double poisson, double jumps, Context& context);

}  // namespace isochor::bench
