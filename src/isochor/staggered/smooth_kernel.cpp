#include "isochor/staggered/passes.h"
#include "isochor/staggered/rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

template <int D, class T>
void residual_row(const ResidualPass<D, T>& pass, const typename Layout<D>::Row& row) {
  const Around<D, T> around(pass.view, row.number);
  const T* __restrict u = pass.u;
  const T* __restrict b = pass.b;
  T* __restrict r = pass.r;
  const std::int64_t length = pass.view.length, own = around.start[2][2];
  const Shift here;
  const int bit = pass.bit;
#pragma GCC ivdep
  for (std::int64_t x = row.begin; x < row.end; ++x) {
    for (int i = 0; i < D; ++i) {
      const std::int64_t n = i * length + own + x;
      r[n] = around.flag(bit + i, here, x) * (b[n] - around.force(u, i, here, x));
    }
    const std::int64_t n = D * length + own + x;
    r[n] = around.flag(bit + D, here, x) * (b[n] - around.dilation(u, here, x));
  }
}

/// A red-black sweep over A v = r from zero, A having `diagonal` and minus `beside[k]` next to it:
/// what v is in one place.
template <int D, class T>
struct RedBlack {
  T by_diagonal;  ///< relaxation / diagonal
  T beside[D];

  ISOCHOR_KERNEL T at(const Around<D, T>& around, const T* r, int component, int bit, T black,
                      const Shift& s, std::int64_t x) const {
    T neighbours(0);
    for (int k = 0; k < D; ++k) {
      neighbours = neighbours + beside[k] * (around.number(r, component, s.plus(k, 1), x) +
                                             around.number(r, component, s.plus(k, -1), x));
    }
    const T residual = around.number(r, component, s, x) + black * by_diagonal * neighbours;
    return around.flag(bit, s, x) * (by_diagonal * residual);
  }
};

/// Of mu Laplace - c, and of -(1 + 2 mu/lambda) mu Laplace + (mu/lambda) c: the first with its sign
/// turned [Zhu10 (7), sec 8].
template <int D, class T>
ISOCHOR_KERNEL RedBlack<D, T> laplacian(const Coefficients<D, T>& k, T factor, T shift) {
  RedBlack<D, T> sweep;
  T diagonal = shift;
  for (int i = 0; i < D; ++i) {
    sweep.beside[i] = factor * k.per_h[i] * k.per_h[i];
    diagonal = diagonal + T(2) * sweep.beside[i];
  }
  sweep.by_diagonal = k.relaxation / diagonal;
  return sweep;
}

template <int D>
ISOCHOR_KERNEL int parity(const View<D, float>& view, std::int64_t row) {
  return int((row % view.across + row / view.across) & 1);
}

template <int D, class T>
void displacements_row(const DistributePass<D, T>& pass, const typename Layout<D>::Row& row) {
  const Around<D, T> around(pass.view, row.number);
  const Coefficients<D, T>& k = pass.view.k;
  const RedBlack<D, T> sweep = laplacian<D, T>(k, T(1), k.inertia);
  const T* r = pass.r;
  T* __restrict u = pass.u;
  T* pressure_residual = pass.r + D * pass.view.length + around.start[2][2];
  const std::int64_t length = pass.view.length, own = around.start[2][2];
  const T by_dilation = T(1) + k.compressibility;
  const int first = parity<D>(pass.view, row.number);
  const Shift here;
#pragma GCC ivdep
  for (std::int64_t x = row.begin; x < row.end; ++x) {
    const T black = T((first + int(x)) & 1), red = T(1) - black;
    T dilation(0);
    for (int i = 0; i < D; ++i) {
      // The sign of the Laplacian is turned.
      const T lower = -sweep.at(around, r, i, kPlain + i, black, here, x);
      const T upper = -sweep.at(around, r, i, kPlain + i, red, here.plus(i, 1), x);
      dilation = dilation + (upper - lower) * k.per_h[i];
      u[i * length + own + x] += lower;
    }
    u[D * length + own + x] += dilation;
    pressure_residual[x] -= around.flag(kPlain + D, here, x) * by_dilation * dilation;
  }
}

template <int D, class T>
void pressures_row(const DistributePass<D, T>& pass, const typename Layout<D>::Row& row) {
  const Around<D, T> around(pass.view, row.number);
  const Coefficients<D, T>& k = pass.view.k;
  const RedBlack<D, T> sweep =
      laplacian<D, T>(k, T(1) + T(2) * k.compressibility, k.compressibility * k.inertia);
  const T* __restrict r = pass.r;
  T* __restrict u = pass.u;
  const std::int64_t length = pass.view.length, own = around.start[2][2];
  const int first = parity<D>(pass.view, row.number);
  const Shift here;
#pragma GCC ivdep
  for (std::int64_t x = row.begin; x < row.end; ++x) {
    const T black = T((first + int(x)) & 1), red = T(1) - black;
    const T q = sweep.at(around, r, D, kPlain + D, black, here, x);
    T pressure = k.inertia * q;
    for (int i = 0; i < D; ++i) {
      const T lower = sweep.at(around, r, D, kPlain + D, red, here.plus(i, -1), x);
      const T upper = sweep.at(around, r, D, kPlain + D, red, here.plus(i, 1), x);
      pressure = pressure - T(2) * k.per_h[i] * k.per_h[i] * ((upper - q) - (q - lower));
      u[i * length + own + x] -= (q - lower) * k.per_h[i];
    }
    u[D * length + own + x] += pressure;
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
template void distribute_displacements_kernel(const DistributePass<2, float>&, const RowRange&);
template void distribute_displacements_kernel(const DistributePass<3, float>&, const RowRange&);
template void distribute_pressures_kernel(const DistributePass<2, float>&, const RowRange&);
template void distribute_pressures_kernel(const DistributePass<3, float>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
