#pragma once

#include "isochor/staggered/lanes_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {

/// The cells of a range of patches, group by group: `solve(cells, changes)` finds `kCount` changes
/// of as many cells as there are lanes, lanes fastest; when those of the whole group are known,
/// `change(cell, its changes)` makes them.
template <int kCount, int D, class Solve, class Change>
ISOCHOR_KERNEL void smooth_patches(const TurnedBandPass<D>& pass, const RowRange& range,
                                   Solve&& solve, Change&& change) {
  constexpr std::uint32_t kWidth = kLanes<float>;
  alignas(64) float changes[kCount * kLargestGroup<D>];
  const std::uint32_t end = pass.patches[range.end];
  for (std::uint32_t g = pass.patches[range.begin]; g < end; ++g) {
    const BandGroup& group = pass.groups[g];
    const BandCell* cells = pass.cells + group.first;
    for (std::uint32_t n = 0; n < group.count; n += kWidth) {
      solve(cells + n, changes + n * kCount);
    }
    for (std::uint32_t n = 0; n < group.count; ++n) {
      change(cells[n], changes + n / kWidth * kWidth * kCount + n % kWidth);
    }
  }
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
