#include <type_traits>

#include "isochor/staggered/sweeps_kernel.h"
#include "isochor/staggered/turned_rows_kernel.h"

/// What frozen rotations leave out of the differential of the force. Cells whose faces move turn
/// on, by R [w]x with the spin w of least energy: with the weights W of the terms of a cell,
///   sum_ij W_ij (dF_ij - (R [w]x)_ij)^2  is least for  H w = g,
///   H_ab = sum_ij W_ij (R [e_a]x)_ij (R [e_b]x)_ij,  g_a = sum_ij W_ij (R [e_a]x)_ij dF_ij,
/// where edges count a quarter for each cell around. Stretched cells and those under pressure turn
/// by a little more or less, which is left out: so the matrix stays definite.
namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

template <int D, class S>
struct Spinning : InRow<D, S, TurnedAround<D, S, AlongRow<D, S>>> {
  using V = Lanes<S>;
  using InRow<D, S, TurnedAround<D, S, AlongRow<D, S>>>::InRow;

  /// Sums of the terms (i, j) of a cell: of weights, and of changes of F times these.
  struct Sums {
    V weight, change;
  };
  ISOCHOR_KERNEL Sums sums(const S* u, int i, int j) const {
    if (i == j) {
      const V w = this->weight(stretch_kind<D>(i), {});
      return {w, w * this->stretch(u, i, {})};
    }
    Sums sum{V(0), V(0)};
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const Shift edge = Shift{}.plus(i, c & 1).plus(j, c >> 1);
      const V w = V(0.25) * this->weight(shear_kind<D>(i, j), edge);
      sum.weight = sum.weight + w;
      sum.change = sum.change + w * this->slope(u, i, j, edge);
    }
    return sum;
  }
  ISOCHOR_KERNEL V inverse(const V& a) const {
    return select(V(0) < a, V(1) / select(V(0) < a, a, V(1)), V(0));
  }

  ISOCHOR_KERNEL void find(const SpinPass<D, S>& pass) const {
    V H[D][D], g[D];
    for (int a = 0; a < D; ++a) {
      g[a] = V(0);
      for (int b = 0; b < D; ++b) H[a][b] = V(0);
    }
    // In the plane, spins are about the normal: R [w]x has columns w R_1 and -w R_0.
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
      Sums row[D];
      V R[D];
#pragma GCC unroll 4
      for (int j = 0; j < D; ++j) {
        row[j] = sums(pass.u, i, j);
        R[j] = this->turn(i, j, {});
      }
      if constexpr (D == 2) {
        H[0][0] = H[0][0] + row[0].weight * R[1] * R[1] + row[1].weight * R[0] * R[0];
        g[0] = g[0] + R[1] * row[0].change - R[0] * row[1].change;
      } else {
#pragma GCC unroll 4
        for (int a = 0; a < 3; ++a) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          g[a] = g[a] + R[c] * row[b].change - R[b] * row[c].change;
          H[a][a] = H[a][a] + row[b].weight * R[c] * R[c] + row[c].weight * R[b] * R[b];
          H[a][b] = H[a][b] - row[c].weight * R[a] * R[b];
        }
      }
    }
    const V here = this->flag(kActive + D);
    if constexpr (D == 2) {
      (here * inverse(H[0][0]) * g[0]).store(this->here(pass.spins, 0));
    } else {
      const V missing = V(6) * this->weight(0, {}) - (H[0][0] + H[1][1] + H[2][2]);
      const V more = V(kLeastSpin<D>) * max(missing, -missing);
      const V A = H[0][0] + more, B = H[1][1] + more, C = H[2][2] + more;
      const V ab = H[0][1], bc = H[1][2], ca = H[2][0];
      const V minors[3][3] = {{B * C - bc * bc, ca * bc - ab * C, ab * bc - ca * B},
                              {ca * bc - ab * C, A * C - ca * ca, ab * ca - A * bc},
                              {ab * bc - ca * B, ab * ca - A * bc, A * B - ab * ab}};
      const V by = here * inverse(A * minors[0][0] + ab * minors[0][1] + ca * minors[0][2]);
#pragma GCC unroll 4
      for (int a = 0; a < 3; ++a) {
        const V sum = minors[a][0] * g[0] + minors[a][1] * g[1] + minors[a][2] * g[2];
        (by * sum).store(this->here(pass.spins, a));
      }
    }
  }

  /// (R [w]x)_ij of a cell.
  ISOCHOR_KERNEL V turning(const S* spins, int i, int j, const Shift& s) const {
    if constexpr (D == 2) {
      const V by = this->turn(i, 1 - j, s) * this->number(spins, 0, s);
      return j == 0 ? by : -by;
    }
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    return this->turn(i, k, s) * this->number(spins, l, s) -
           this->turn(i, l, s) * this->number(spins, k, s);
  }
  ISOCHOR_KERNEL V normal(const S* spins, int i, const Shift& s) const {
    return this->weight(stretch_kind<D>(i), s) * turning(spins, i, i, s);
  }
  ISOCHOR_KERNEL V shear(const S* spins, int i, int j, const Shift& s) const {
    const V sum = turning(spins, i, j, s) + turning(spins, i, j, s.plus(i, -1)) +
                  turning(spins, i, j, s.plus(j, -1)) +
                  turning(spins, i, j, s.plus(i, -1).plus(j, -1));
    return V(0.25) * this->weight(shear_kind<D>(i, j), s) * sum;
  }
  ISOCHOR_KERNEL void apply(const SpinPass<D, S>& pass) const {
#pragma GCC unroll 4
    for (int i = 0; i < D; ++i) {
      V sum =
          (normal(pass.spins, i, {}) - normal(pass.spins, i, Shift{}.plus(i, -1))) * this->per_h(i);
#pragma GCC unroll 4
      for (int j = 0; j < D; ++j) {
        if (j == i) continue;
        sum = sum + (shear(pass.spins, i, j, Shift{}.plus(j, 1)) - shear(pass.spins, i, j, {})) *
                        this->per_h(j);
      }
      (this->number(pass.b, i, {}) + this->flag(kActive + i) * V(2) * sum)
          .store(this->here(pass.turned, i));
    }
    this->number(pass.b, D, {}).store(this->here(pass.turned, D));
  }
};

template <class Pass, class F>
void for_packs(const Pass& pass, const RowRange& range, F&& f) {
  constexpr int D = std::extent_v<decltype(pass.view.k.per_h)>;
  using S = std::remove_const_t<std::remove_reference_t<decltype(*pass.spins)>>;
  for (std::int64_t n = range.begin; n < range.end; ++n) {
    const auto& row = pass.view.rows[n];
    Spinning<D, S> at(pass.view, row.number);
    for (at.cells.x = row.begin; at.cells.x < row.end; at.cells.x += kLanes<S>) f(at);
  }
}

}  // namespace

template <class Pass>
void find_spins_kernel(const Pass& pass, const RowRange& range) {
  for_packs(pass, range, [&](const auto& at) { at.find(pass); });
}
template <class Pass>
void apply_spins_kernel(const Pass& pass, const RowRange& range) {
  for_packs(pass, range, [&](const auto& at) { at.apply(pass); });
}

template void find_spins_kernel(const SpinPass<2, float>&, const RowRange&);
template void find_spins_kernel(const SpinPass<3, float>&, const RowRange&);
template void find_spins_kernel(const SpinPass<2, double>&, const RowRange&);
template void find_spins_kernel(const SpinPass<3, double>&, const RowRange&);
template void apply_spins_kernel(const SpinPass<2, float>&, const RowRange&);
template void apply_spins_kernel(const SpinPass<3, float>&, const RowRange&);
template void apply_spins_kernel(const SpinPass<2, double>&, const RowRange&);
template void apply_spins_kernel(const SpinPass<3, double>&, const RowRange&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
