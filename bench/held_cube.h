#pragma once

#include <optional>

#include "isochor/base/context.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/lattice/solver.h"

/// The linear system that solvers are compared on: a unit cube of corotated material, two opposite
/// faces held, a load on all other nodes.
namespace isochor::bench {

class HeldCube {
 public:
  /// As `params` say, N^3 cells, E = 1e5 Pa.
  HeldCube(int n, double poisson, const lattice::Params& params, Context& context);

  /// Tangents at rest, their diagonal, and all that cycles need. The arena does all that follows.
  void set_up(ThreadArena& arena);
  /// Conjugate gradients from zero, a cycle per iteration, to a relative residual.
  solve::KrylovReport solve(double tolerance);
  /// One cycle.
  void cycle();
  /// |b - K x| / |b|, in double.
  double true_residual();

  const lattice::Model& model() const { return model_; }
  const lattice::Tangents& tangents() const { return scratch_.tangents; }
  double cells() const { return double(model_.cells.size()); }
  double unknowns() const { return 3.0 * double(free_.size()); }
  std::span<const std::int32_t> free() const { return free_; }
  /// On free nodes, in their order.
  std::vector<double> load() const;
  /// Seconds that it took to make the coarser models: once in the life of a body.
  double hierarchy_seconds() const { return hierarchy_seconds_; }

 private:
  void apply(std::span<const double> x, std::span<double> y);

  double hierarchy_seconds_ = 0;  // set while the model is made
  lattice::Model model_;
  lattice::Scratch scratch_;
  std::vector<std::int32_t> free_;
  std::vector<double> load_, x_;
  ThreadArena* arena_ = nullptr;
  std::optional<lattice::Multigrid> multigrid_;
};

}  // namespace isochor::bench
