#include "isochor/staggered/sweeps_kernel.h"
#include "isochor/staggered/turned_rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

template <int D, class S>
using TurnedRow = InRow<D, S, TurnedAround<D, S, AlongRow<D, S>>>;

template <Part part, int D, class S>
void residual_row(const ResidualPass<D, S>& pass, const typename Layout<D>::Row& row) {
  TurnedRow<D, S> at(pass.view, row.number);
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<S>) {
    for (int i = 0; i < D && !pass.pressures_only; ++i) {
      const Lanes<S> image = at.template force<part>(pass.u, i, {});
      (at.flag(pass.bit + i) * (at.number(pass.b, i, {}) - image)).store(at.here(pass.r, i));
    }
    const Lanes<S> image = at.template dilation<part>(pass.u, {});
    (at.flag(pass.bit + D) * (at.number(pass.b, D, {}) - image)).store(at.here(pass.r, D));
  }
}

/// Components are Laplacians of their own [Zhu10 (16)], whatever the rotations.
template <int D>
void displacements_row(const DistributePass<D>& pass, const typename Layout<D>::Row& row) {
  TurnedRow<D, float> at(pass.view, row.number);
  const Coefficients<D, float>& k = pass.view.k;
  const RedBlack<D> sweep(k, 2, k.inertia);
  const Lanes<float> black = colours<D>(pass.view, row).black;
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<float>) {
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) add(-sweep.at(at, pass.r, i, black, {}), at.here(pass.u, i));
  }
}

/// What pressures are distributed by, into the first component of the residual, which nobody needs
/// any longer. Smooth rotations leave the Laplacian of linear elasticity.
template <int D>
void potentials_row(const DistributePass<D>& pass, const typename Layout<D>::Row& row) {
  TurnedRow<D, float> at(pass.view, row.number);
  const Coefficients<D, float>& k = pass.view.k;
  const RedBlack<D> sweep(k, 1 + 2 * k.compressibility, k.compressibility * k.inertia);
  const Lanes<float> black = colours<D>(pass.view, row).black;
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<float>) {
    sweep.at(at, pass.r, D, black, {}).store(at.here(pass.r, 0));
  }
}

/// Columns of M [Zhu10 (15)]: minus the divergence of q R for displacements, (c - 2 Laplace) q for
/// the pressure.
template <int D>
void distribute_row(const DistributePass<D>& pass, const typename Layout<D>::Row& row) {
  using V = Lanes<float>;
  TurnedRow<D, float> at(pass.view, row.number);
  const float inertia = pass.view.k.inertia;
  const auto q = [&](const Shift& s) { return at.number(pass.r, 0, s); };
  const auto shear = [&](int i, int j, const Shift& s) {
    V sum(0);
    const Shift around[4] = {s, s.plus(i, -1), s.plus(j, -1), s.plus(i, -1).plus(j, -1)};
#pragma GCC unroll 4
    for (const Shift& c : around) sum = sum + at.turn(i, j, c) * q(c);
    return V(0.25) * sum;
  };
  for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<float>) {
    V pressure = V(inertia) * q({});
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
      const Shift below = Shift{}.plus(i, -1);
      V change = (at.turn(i, i, below) * q(below) - at.turn(i, i, {}) * q({})) * at.per_h(i);
#pragma GCC unroll 4
      for (int j = 0; j < D; ++j) {
        if (j == i) continue;
        change = change + (shear(i, j, {}) - shear(i, j, Shift{}.plus(j, 1))) * at.per_h(j);
      }
      add(at.flag(kActive + i) * change, at.here(pass.u, i));
      const V beside = q(Shift{}.plus(i, 1)) + q(below);
      pressure = pressure + V(2) * at.per_h(i) * at.per_h(i) * (q({}) + q({}) - beside);
    }
    add(at.flag(kActive + D) * pressure, at.here(pass.u, D));
  }
}

}  // namespace

template <class Pass>
void turned_residual_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    residual_row<Part::Differential>(pass, pass.view.rows[n]);
  }
}
template <class Pass>
void turned_balance_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    residual_row<Part::Whole>(pass, pass.view.rows[n]);
  }
}
template <class Pass>
void turn_displacements_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) displacements_row(pass, pass.view.rows[n]);
}
template <class Pass>
void turn_potentials_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) potentials_row(pass, pass.view.rows[n]);
}
template <class Pass>
void turn_distribute_kernel(const Pass& pass, const RowRange& range) {
  for (std::int64_t n = range.begin; n < range.end; ++n) distribute_row(pass, pass.view.rows[n]);
}

template void turned_residual_kernel(const ResidualPass<2, float>&, const RowRange&);
template void turned_residual_kernel(const ResidualPass<3, float>&, const RowRange&);
template void turned_residual_kernel(const ResidualPass<2, double>&, const RowRange&);
template void turned_residual_kernel(const ResidualPass<3, double>&, const RowRange&);
template void turned_balance_kernel(const ResidualPass<2, double>&, const RowRange&);
template void turned_balance_kernel(const ResidualPass<3, double>&, const RowRange&);
template void turn_displacements_kernel(const DistributePass<2>&, const RowRange&);
template void turn_displacements_kernel(const DistributePass<3>&, const RowRange&);
template void turn_potentials_kernel(const DistributePass<2>&, const RowRange&);
template void turn_potentials_kernel(const DistributePass<3>&, const RowRange&);
template void turn_distribute_kernel(const DistributePass<2>&, const RowRange&);
template void turn_distribute_kernel(const DistributePass<3>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
