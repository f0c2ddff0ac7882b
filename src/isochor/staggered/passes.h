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

/// Cells per axis of a patch of the band: few enough to stay in a cache for all of its colours.
inline constexpr int kPatch = 16;

/// Unknowns of a cell near the boundary, which are solved for together: 2 i (lower face along i),
/// 2 i + 1 (upper face) and 2 D (pressure).
template <int D>
inline constexpr int kCellUnknowns = 2 * D + 1;

/// The numbers that the rows of a cell's unknowns are made of, and the inverse of its matrix. Cells
/// with the same weights around them are a class, and share them. Cells `below`, its own and
/// `above` along an axis are 0, 1 and 2.
template <int D>
struct CellClass {
  static constexpr int stretch(int axis, int cell) { return 3 * axis + cell; }  ///< 2 a / h^2
  static constexpr int coupling(int axis, int cell) { return 3 * D + 3 * axis + cell; }  ///< / h
  /// At the edge of the cell that is upper along i (1) and along j (2), i < j.
  static constexpr int shear(int i, int j, int edge) { return 6 * D + 4 * (i + j - 1) + edge; }
  static constexpr int kPressure = 6 * D + 4 * kPairs<D>;  ///< diagonal
  static constexpr int mass(int face) { return kPressure + 1 + face; }
  /// Symmetric: row by row what is not below the diagonal.
  static constexpr int inverse(int row, int column) {
    const int i = row < column ? row : column, j = row < column ? column : row;
    return kPressure + 1 + 2 * D + i * kCellUnknowns<D> - i * (i + 1) / 2 + j;
  }
  static constexpr int kSize = inverse(2 * D, 2 * D) + 1;
};

/// A box of cells that has those of the band in a patch. Where it is smoothed, it is copied with
/// one cell before and two behind, every other cell along each axis together, so that cells of one
/// colour lie side by side.
template <int D>
struct BandPatch {
  Index<D> begin, end;                ///< cells
  std::uint32_t packs[(1 << D) + 1];  ///< the first one of each colour, and an end
  std::array<std::uint8_t, D> order;  ///< axes as they lie in the copy, the closest first
};

/// How the copy of a patch lies in memory.
template <int D>
struct BandCopy {
  Index<D> first;                ///< the cell it begins with, even
  std::int32_t stride[D], size;  ///< of cells of one colour
  static constexpr int kLargest =
      (D == 3 ? kPatch / 2 + 2 : 1) * (kPatch / 2 + 2) * (kPatch / 2 + 2);

  constexpr explicit BandCopy(const BandPatch<D>& patch) : first{}, stride{}, size(1) {
    for (const int k : patch.order) {
      first[k] = (patch.begin[k] - 1) & ~1;
      stride[k] = size;
      size *= (patch.end[k] + 1 - first[k]) / 2 + 1;
    }
  }
  /// Of a cell among those of its colour.
  constexpr std::int32_t place(const Index<D>& cell) const {
    std::int32_t sum = 0;
    for (int k = 0; k < D; ++k) sum += (cell[k] - first[k]) / 2 * stride[k];
    return sum;
  }
};

/// Cells of one colour side by side in the copy of a patch, of one class or of many.
struct BandPack {
  static constexpr std::uint32_t kMany = 1u << 31;
  std::uint16_t place;
  std::uint16_t members;  ///< bits of the cells that are meant
  std::uint32_t which;    ///< the class; with kMany where those of its cells are
};

template <int D>
struct BandPass {
  View<D, float> view;
  const std::array<std::int32_t, 2>* extents;  ///< of rows, as in Layout
  const BandPatch<D>* patches;
  const BandPack* packs;
  const std::uint32_t* many;  ///< classes of the cells of packs
  const float* classes;       ///< CellClass
  float* u;
  const float* b;
  int sweeps = 1;  ///< over a patch before the next
};

/// The same for corotated elasticity, whose cells are read where they are.
struct BandCell {
  std::int32_t row, x;
};
/// Cells of one colour in a patch: no two have an unknown in common. Their list is filled up to
/// whole packs; what is beyond `count` is solved and not used.
struct BandGroup {
  std::uint32_t first, count;
};
template <int D>
inline constexpr int kLargestGroup = D == 3 ? kPatch* kPatch* kPatch / 8 : kPatch* kPatch / 4;

template <int D>
struct TurnedBandPass {
  View<D, float> view;
  const BandCell* cells;
  const BandGroup* groups;
  const std::uint32_t* patches;  ///< patch n has the groups [n] to [n + 1]
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
