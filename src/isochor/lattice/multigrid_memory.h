#pragma once

#include <vector>

#include "isochor/lattice/freedom.h"
#include "isochor/lattice/tangents.h"
#include "isochor/solve/split_cholesky.h"

namespace isochor::lattice {

/// What multigrid works with. Part of Scratch.
struct MultigridMemory {
  explicit MultigridMemory(const Model& model);

  /// Single precision throughout: a preconditioner needs no more.
  struct Level {
    explicit Level(std::size_t nodes)
        : x(nodes), b(nodes), image(nodes), direction(nodes), inverse_diagonal(nodes) {}
    std::vector<Vec3f> x, b;
    std::vector<Vec3f> image;             ///< A x
    std::vector<Vec3f> direction;         ///< while the largest eigenvalue is looked for
    std::vector<Vec3f> inverse_diagonal;  ///< zero where nothing may move
    std::vector<Vec3f> anchors;           ///< what holds of the finest level add
    std::vector<std::int32_t> anchored;   ///< nodes for which that is not zero
    double largest_eigenvalue = 0;        ///< of D^-1 A, from above
  };
  std::vector<Level> levels;                  ///< the finest first
  std::vector<HalfTangents> halves;           ///< of all levels but the last
  std::vector<Tangents> tangents;             ///< of coarse levels
  std::vector<std::vector<Mat3d>> gradients;  ///< of coarse levels: F at block * 8 + lane
  std::vector<Vec3f> pull;                    ///< per spring
  solve::SplitCholesky coarsest;  ///< empty where the coarsest level is too large for it
  std::vector<double> coarsest_solution;

  std::size_t bytes() const;
  void poison();
};

}  // namespace isochor::lattice
