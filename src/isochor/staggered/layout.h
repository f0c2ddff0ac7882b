#pragma once

#include <cstddef>
#include <vector>

#include "isochor/staggered/domain.h"

namespace isochor::staggered {

/// How the fields of a level lie in memory: rows along x, each as long as the body is there, so
/// that memory follows the body and kernels run over contiguous numbers. Every field has one
/// number per cell: a component of the displacement at the cell's lower face along that axis, a
/// pressure at its centre.
///
/// Cells are counted from kMargin before the domain. Rows next to the body have memory of their
/// own where displacements are given; all others share one of zeros, which nobody writes.
template <int D>
struct Layout {
  static constexpr std::int32_t kMargin = 2;
  static constexpr std::int32_t kPack = 16;  ///< cells that kernels may take at once
  struct Row {
    std::int32_t number;      ///< among all rows of the box
    std::int32_t begin, end;  ///< cells along x from the first interior one to the last
  };

  /// All levels but the finest are interpolated from wherever anything is given.
  Layout(const Domain<D>& domain, bool finest);

  Index<D> size{};                 ///< cells of the box, with its margin
  std::vector<std::int64_t> base;  ///< per row of the box: cell x is number base + x of a field
  std::vector<Row> rows;           ///< with interior cells
  std::vector<Row> stored;         ///< with memory of their own, and from where to where
  std::size_t length = 0;          ///< numbers per field
  /// Per row of the box from where to where it has memory of its own; nowhere where it has none.
  std::vector<std::array<std::int32_t, 2>> extents;

  std::int64_t row_of(const Index<D>& at) const {
    std::int64_t row = 0;
    for (int k = D - 1; k > 0; --k) row = row * size[k] + at[k];
    return row;
  }
  std::size_t place(const Index<D>& at) const { return std::size_t(base[row_of(at)] + at[0]); }
  /// Whether a cell of the box has memory of its own: places of others are somebody else's.
  bool stores(const Index<D>& at) const {
    for (int k = 1; k < D; ++k) {
      if (at[k] < 0 || at[k] >= size[k]) return false;
    }
    const auto& [begin, end] = extents[std::size_t(row_of(at))];
    return at[0] >= begin && at[0] < end;
  }
  /// From a cell of the domain to one of the layout.
  static Index<D> inside(Index<D> at) {
    for (std::int32_t& a : at) a += kMargin;
    return at;
  }
  Index<D> coordinate(const Row& row, std::int32_t x) const {
    Index<D> at{x};
    std::int32_t rest = row.number;
    for (int k = 1; k < D; ++k) {
      at[k] = rest % size[k];
      rest /= size[k];
    }
    return at;
  }
  std::size_t bytes() const {
    return base.capacity() * sizeof(base[0]) + extents.capacity() * sizeof(extents[0]) +
           (rows.capacity() + stored.capacity()) * sizeof(Row);
  }
};

}  // namespace isochor::staggered
