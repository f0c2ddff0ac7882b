#pragma once

#include <vector>

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// What nonlinear cycles work with beside the memory of linear ones. Part of Scratch; empty where
/// Newton's method is the solver.
struct FasMemory {
  explicit FasMemory(const Model& model);

  struct Level {
    std::vector<Vec3d> u;      ///< correction of the offset, m
    std::vector<Vec3d> load;   ///< what balances forces at the offset, and the finer residual
    std::vector<Vec3d> force;  ///< all of them
    std::vector<Vec3d> step;   ///< a direction to search along
    std::vector<double> block_energy;
  };
  std::vector<Level> levels;  ///< coarse ones, the finest of them first

  std::size_t bytes() const;
  void poison();
};

}  // namespace isochor::lattice
