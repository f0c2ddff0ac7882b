#pragma once

#include "isochor/staggered/stencil.h"

/// What the kernels of a level are given, see kernels.h.
namespace isochor::staggered {

/// Lanes of the widest pack of floats. Rows have memory for whole packs.
inline constexpr int kWidestPack = Layout<3>::kPack;

struct RowRange {
  std::int64_t begin = 0, end = 0;
};

/// r = b - A u, zero but where `bit` of the flags (kActive or kPlain) is set.
template <int D, class T>
struct ResidualPass {
  View<D, T> view;
  const T *u, *b;
  T* r;
  int bit = kActive;
  bool pressures_only = false;  ///< for corotated elasticity: r of displacements stays as it is
};

/// One red-black sweep of the distributive smoother [Zhu10 alg 2], from residuals that are zero but
/// where kPlain is set. There L M is triangular, with Laplacians on its diagonal [Zhu10 (7)], so
/// that both colours of all components follow from the residuals that stand at the begin.
template <int D>
struct DistributePass {
  View<D, float> view;
  float *u, *r;
};

/// What spins are resisted with, of what the terms of a cell are short of: some have very few.
template <int D>
inline constexpr double kLeastSpin = D == 3 ? 1e-4 : 0;

/// How cells go on turning where their faces move by u, and what that does to the right-hand side
/// of rows whose rotations are frozen.
template <int D, class T>
struct SpinPass {
  View<D, T> view;
  const T* u;
  T* spins;  ///< kPairs<D> fields, zero where there is no material
  const T* b;
  T* turned;  ///< b with the stress that cells lose as they turn, D + 1 fields
};

/// Between two levels. Rows are those of the level that is written.
template <int D>
struct TransferPass {
  View<D, float> fine, coarse;
  const float* from;
  float* to;
  /// Coarse faces at a free boundary take all of what lies beyond them.
  bool folded = false;
};

/// A cell near the boundary, whose faces and pressure are solved for together.
struct BandCell {
  std::int32_t row, x;
  std::uint32_t inverse;  ///< which of the inverses
};
template <int D>
inline constexpr int kCellUnknowns = 2 * D + 1;
template <int D>
inline constexpr int kInverseSize = kCellUnknowns<D>* kCellUnknowns<D>;

/// Cells of one colour in a patch: no two have an unknown in common. Their list is filled up to
/// whole packs; what is beyond `count` is solved and not used.
struct BandGroup {
  std::uint32_t first, count;
};
/// Cells per axis of a patch of the band: few enough to stay in a cache for all of its colours.
inline constexpr int kPatch = 16;
template <int D>
inline constexpr int kLargestGroup = D == 3 ? kPatch* kPatch* kPatch / 8 : kPatch* kPatch / 4;

/// Unknowns of a cell are 2 i (lower face along i), 2 i + 1 (upper face) and 2 D (pressure).
template <int D>
struct BandPass {
  View<D, float> view;
  const BandCell* cells;
  const BandGroup* groups;
  const std::uint32_t* patches;  ///< patch n has the groups [n] to [n + 1]
  const float* inverses;         ///< by rows; symmetric
  float* u;
  const float* b;
};

/// A part of the smoother as published, for comparison.
enum class PublishedPart {
  Boundary,
  Interior,
  Everywhere,  ///< as the boundary: no pressures as unknowns, Gauss and Seidel
};
template <int D>
struct PublishedPass {
  View<D, float> view;
  std::int64_t rows;
  PublishedPart part;
  int sweeps;                ///< of the boundary
  const std::uint8_t* only;  ///< per cell the bits of relocated(), the faces to relax; null: all
  float* u;
  const float* b;
};

}  // namespace isochor::staggered
