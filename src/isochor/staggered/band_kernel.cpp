#include "isochor/staggered/passes.h"
#include "isochor/staggered/rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {


namespace {

template <int D>
void solve_cell(const BandPass<D>& pass, std::int64_t n) {
  constexpr int kCount = kCellUnknowns<D>;
  const BandCell& cell = pass.cells[n];
  const Around<D, float> around(pass.view, cell.row);
  const std::int64_t x = cell.x;
  const Shift here;
  float r[kCount];
  for (int i = 0; i < D; ++i) {
    for (int side = 0; side < 2; ++side) {
      const Shift face = here.plus(i, side);
      r[2 * i + side] = around.number(pass.b, i, face, x) - around.force(pass.u, i, face, x);
    }
  }
  r[2 * D] = around.number(pass.b, D, here, x) - around.dilation(pass.u, here, x);
  const float* inverse = pass.inverses + std::int64_t(cell.inverse) * kInverseSize<D>;
  float* change = pass.change + n * kCount;
  for (int k = 0; k < kCount; ++k) change[k] = 0;
  for (int l = 0; l < kCount; ++l) {
    for (int k = 0; k < kCount; ++k) change[k] += inverse[kCount * l + k] * r[l];
  }
}

template <int D>
void change_cell(const BandPass<D>& pass, std::int64_t n) {
  const BandCell& cell = pass.cells[n];
  const std::int64_t* base = pass.view.base + cell.row;
  const std::int64_t rows[3] = {0, 1, pass.view.across};
  const float* change = pass.change + n * kCellUnknowns<D>;
  for (int i = 0; i < D; ++i) {
    float* u = pass.u + i * pass.view.length + cell.x;
    u[base[0]] += change[2 * i];
    u[base[rows[i]] + (i == 0)] += change[2 * i + 1];
  }
  pass.u[D * pass.view.length + base[0] + cell.x] += change[2 * D];
}

}  // namespace

template <class Pass>
void solve_cells_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) solve_cell(pass, n);
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
