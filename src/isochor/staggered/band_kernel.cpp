#include "isochor/staggered/patches_kernel.h"
#include "isochor/staggered/rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

/// The changes of as many cells as there are lanes.
template <int D>
void solve_cells(const BandPass<D>& pass, const BandCell* cells, float* changes) {
  using V = Lanes<float>;
  constexpr int kCount = kCellUnknowns<D>, kWidth = kLanes<float>;
  const Around<D, float, Anywhere<D>> at{pass.view, {pass.view, cells}};
  V r[kCount];
#pragma GCC unroll 8
  for (int i = 0; i < D; ++i) {
#pragma GCC unroll 8
    for (int side = 0; side < 2; ++side) {
      const Shift face = Shift{}.plus(i, side);
      r[2 * i + side] = at.number(pass.b, i, face) - at.force(pass.u, i, face);
    }
  }
  r[2 * D] = at.number(pass.b, D, {}) - at.dilation(pass.u, {});

  const auto multiply = [&](auto&& entry) {
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) {
      V change(0);
#pragma GCC unroll 8
      for (int l = 0; l < kCount; ++l) change = change + entry(kCount * k + l) * r[l];
      change.store(changes + k * kWidth);
    }
  };
  std::int32_t inverses[kWidth];
  bool same = true;
  for (int i = 0; i < kWidth; ++i) {
    inverses[i] = std::int32_t(cells[i].inverse);
    same = same && cells[i].inverse == cells[0].inverse;
  }
  // Along a flat wall all have one, which is faster to read.
  if (same) {
    const float* inverse = pass.inverses + std::int64_t(inverses[0]) * kInverseSize<D>;
    multiply([&](int n) { return V(inverse[n]); });
  } else {
    const Integers first = product(load_integers(inverses), kInverseSize<D>);
    multiply([&](int n) { return gathered(pass.inverses + n, first); });
  }
}

template <int D>
void change_cell(const BandPass<D>& pass, const BandCell& cell, const float* change) {
  constexpr int kWidth = kLanes<float>;
  const std::int64_t* base = pass.view.base + cell.row;
  const std::int64_t rows[3] = {0, 1, pass.view.across};
  for (int i = 0; i < D; ++i) {
    float* u = pass.u + i * pass.view.length + cell.x;
    u[base[0]] += change[2 * i * kWidth];
    u[base[rows[i]] + (i == 0)] += change[(2 * i + 1) * kWidth];
  }
  pass.u[D * pass.view.length + base[0] + cell.x] += change[2 * D * kWidth];
}

}  // namespace

template <class Pass>
void smooth_patches_kernel(const Pass& pass, const RowRange& range) {
  constexpr int D = sizeof(pass.view.k.per_h) / sizeof(pass.view.k.per_h[0]);
  smooth_patches<kCellUnknowns<D>>(
      pass, range,
      [&](const BandCell* cells, float* changes) { solve_cells(pass, cells, changes); },
      [&](const BandCell& cell, const float* change) { change_cell(pass, cell, change); });
}

template void smooth_patches_kernel(const BandPass<2>&, const RowRange&);
template void smooth_patches_kernel(const BandPass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
