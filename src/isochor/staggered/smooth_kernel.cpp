#include "isochor/staggered/sweeps_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

template <int D, class S>
void residual_row(const ResidualPass<D, S>& pass, const typename Layout<D>::Row& row) {
  InRow<D, S> at(pass.view, row.number);
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<S>) {
#pragma GCC unroll 8
    for (int i = 0; i < D; ++i) {
      const Lanes<S> image = at.force(pass.u, i, {});
      (at.flag(pass.bit + i) * (at.number(pass.b, i, {}) - image)).store(at.here(pass.r, i));
    }
    const Lanes<S> image = at.dilation(pass.u, {});
    (at.flag(pass.bit + D) * (at.number(pass.b, D, {}) - image)).store(at.here(pass.r, D));
  }
}

template <int D>
void displacements_row(const DistributePass<D>& pass, const typename Layout<D>::Row& row) {
  using V = Lanes<float>;
  InRow<D, float> at(pass.view, row.number);
  const Coefficients<D, float>& k = pass.view.k;
  // Minus the operator of the components, see [Zhu10 (7)].
  const RedBlack<D> sweep(k, 1, k.inertia);
  const auto [red, black] = colours<D>(pass.view, row);
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<float>) {
    V dilation(0);
#pragma GCC unroll 8
    for (int i = 0; i < D; ++i) {
      const V lower = -sweep.at(at, pass.r, i, black, {});
      const V upper = -sweep.at(at, pass.r, i, red, Shift{}.plus(i, 1));
      dilation = dilation + (upper - lower) * at.per_h(i);
      add(lower, at.here(pass.u, i));
    }
    add(dilation, at.here(pass.u, D));
    add(-(at.flag(kPlain + D) * V(1 + k.compressibility) * dilation), at.here(pass.r, D));
  }
}

template <int D>
void pressures_row(const DistributePass<D>& pass, const typename Layout<D>::Row& row) {
  using V = Lanes<float>;
  InRow<D, float> at(pass.view, row.number);
  const Coefficients<D, float>& k = pass.view.k;
  const RedBlack<D> sweep(k, 1 + 2 * k.compressibility, k.compressibility * k.inertia);
  const auto [red, black] = colours<D>(pass.view, row);
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<float>) {
    const V q = sweep.at(at, pass.r, D, black, {});
    V pressure = V(k.inertia) * q;
#pragma GCC unroll 8
    for (int i = 0; i < D; ++i) {
      const V below = (q - sweep.at(at, pass.r, D, red, Shift{}.plus(i, -1))) * at.per_h(i);
      const V above = (sweep.at(at, pass.r, D, red, Shift{}.plus(i, 1)) - q) * at.per_h(i);
      pressure = pressure - V(2) * at.per_h(i) * (above - below);
      add(-below, at.here(pass.u, i));
    }
    add(pressure, at.here(pass.u, D));
  }
}

}  // namespace

template <class Pass>
void residual_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) residual_row(pass, pass.view.rows[n]);
}
template <class Pass>
void distribute_displacements_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) displacements_row(pass, pass.view.rows[n]);
}
template <class Pass>
void distribute_pressures_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) pressures_row(pass, pass.view.rows[n]);
}

template void residual_kernel(const ResidualPass<2, float>&, const RowRange&);
template void residual_kernel(const ResidualPass<3, float>&, const RowRange&);
template void residual_kernel(const ResidualPass<2, double>&, const RowRange&);
template void residual_kernel(const ResidualPass<3, double>&, const RowRange&);
template void distribute_displacements_kernel(const DistributePass<2>&, const RowRange&);
template void distribute_displacements_kernel(const DistributePass<3>&, const RowRange&);
template void distribute_pressures_kernel(const DistributePass<2>&, const RowRange&);
template void distribute_pressures_kernel(const DistributePass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
