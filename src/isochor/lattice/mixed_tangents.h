#pragma once

#include "isochor/lattice/mixed_model.h"
#include "isochor/lattice/tangents.h"

namespace isochor::lattice::mixed {

/// dM/dF of the cells of a group times alpha h^2/4 and what they have of material, so that a kernel
/// multiplies plain sums of edges, N/m. Three numbers in the frame of a principal tangent, or a
/// whole matrix, by columns, beside a dense one.
template <int Numbers>
struct alignas(64) GroupGradient {
  float number[8][Numbers][kGroupBlocks];
};

/// What linearising writes and applying reads.
struct Tangents {
  explicit Tangents(const Model& model)
      : system(model.base),
        cycle(model.base),
        principal(system.principal.size()),
        dense(system.dense.size()),
        cut(system.cut.size()),
        softness(model.base.bodies.size()),
        positions(model.node_count()) {}

  lattice::Tangents system;  ///< of Psi0 + p M, with the fix asked for
  lattice::Tangents cycle;   ///< the same for cycles of multigrid
  std::vector<GroupGradient<3>> principal;
  std::vector<GroupGradient<9>> dense;
  std::vector<CutGradient> cut;  ///< at CutGroup::matrix
  std::vector<double> softness;  ///< per body, a factor of C
  std::vector<Vec3d> positions;  ///< what resists hourglass modes is linearised about, m
  bool exact = true;             ///< no fix was asked for
};

/// What stands for the Schur complement of pressures: per block and region
///     S p = p / inverse - mean (volume-weighted mean of p).
/// All zero for cells that are not there.
struct GroupSchur {
  double inverse[8][kGroupBlocks];
  double mean[8][kGroupBlocks];
};

/// kappa* of the definiteness fix in multiples of mu: Poisson's ratio 0.35 [Patterson12 sec 5].
inline constexpr double kThreshold = 7.0 / 3;

/// gamma in multiples of mu: what cycles of multigrid resist a change of volume with, see
/// LinearSystem. Counts of iterations are the same within one from 1.5 to 2.5.
inline constexpr double kAugmentation = 1.5;

/// What is done about negative curvature of the system.
enum class Fix {
  None,         ///< nothing: Newton's method as it is
  Thresholded,  ///< T + kappa* Q Q^T is made semi-definite, T about the pressure of the state
  Published,    ///< [Patterson12 sec 5]: the same correction about p = kappa* M
};

}  // namespace isochor::lattice::mixed
