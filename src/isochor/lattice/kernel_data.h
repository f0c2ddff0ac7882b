#pragma once

#include "isochor/lattice/state.h"

/// What operator.cpp and its kernels hand to each other.
namespace isochor::lattice {

struct GroupRange {
  std::int32_t begin = 0, end = 0;
  std::span<const NodeRun> next;  ///< nodes that are needed after these groups
};

/// Half a group: its cells go through a law together. Number e of cell c in block b is at
/// [e][kBatchBlocks c + b].
inline constexpr int kBatchBlocks = 8, kBatchCells = 8 * kBatchBlocks;

struct alignas(64) CellBatch {
  double F[9][kBatchCells];
  double mu[kBatchCells], lambda[kBatchCells];
  double weight[kBatchCells];          ///< the part of a cell that its centre stands for
  double energy[kBatchCells];          ///< of the law, J/m^3
  double stress[9][kBatchCells];       ///< first Piola-Kirchhoff, Pa
  double spread_energy[kBatchBlocks];  ///< of the stabilisation, J
};

/// Which half of which group, and how much it is stabilised: 0 to 1.
struct HalfGroup {
  const BlockGroup& group;
  const GroupModuli& moduli;
  int first_block = 0;
  double stabilise = 1;
};

}  // namespace isochor::lattice
