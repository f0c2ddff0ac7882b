#include "isochor/staggered/rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

/// As many cells as there are lanes, from number n on.
template <int D>
void solve_cells(const BandPass<D>& pass, std::int64_t n) {
  using V = Lanes<float>;
  constexpr int kCount = kCellUnknowns<D>, kWidth = kLanes<float>;
  const BandCell* cells = pass.cells + n;
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

  std::int32_t inverses[kWidth];
  for (int i = 0; i < kWidth; ++i) inverses[i] = std::int32_t(cells[i].inverse);
  const Integers first = product(load_integers(inverses), kInverseSize<D>);
#pragma GCC unroll 8
  for (int k = 0; k < kCount; ++k) {
    V change(0);
#pragma GCC unroll 8
    for (int l = 0; l < kCount; ++l) {
      change = change + gathered(pass.inverses + kCount * k + l, first) * r[l];
    }
    change.store(pass.change + n * kCount + k * kWidth);
  }
}

template <int D>
void change_cell(const BandPass<D>& pass, std::int64_t n) {
  constexpr int kWidth = kLanes<float>;
  const BandCell& cell = pass.cells[n];
  const std::int64_t* base = pass.view.base + cell.row;
  const std::int64_t rows[3] = {0, 1, pass.view.across};
  const float* change = pass.change + n / kWidth * kWidth * kCellUnknowns<D> + n % kWidth;
  for (int i = 0; i < D; ++i) {
    float* u = pass.u + i * pass.view.length + cell.x;
    u[base[0]] += change[2 * i * kWidth];
    u[base[rows[i]] + (i == 0)] += change[(2 * i + 1) * kWidth];
  }
  pass.u[D * pass.view.length + base[0] + cell.x] += change[2 * D * kWidth];
}

}  // namespace

template <class Pass>
void solve_cells_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; n += kLanes<float>) solve_cells(pass, n);
}
template <class Pass>
void change_cells_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) change_cell(pass, n);
}

template void solve_cells_kernel(const BandPass<2>&, const RowRange&);
template void solve_cells_kernel(const BandPass<3>&, const RowRange&);
template void change_cells_kernel(const BandPass<2>&, const RowRange&);
template void change_cells_kernel(const BandPass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
