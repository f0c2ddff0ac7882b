#pragma once

#include "isochor/staggered/rows_kernel.h"

/// What the smoothers of linear and of corotated elasticity have in common: packs of a row, and
/// red-black sweeps over Laplacians.
namespace isochor::staggered {
inline namespace ISOCHOR_ISA {

/// `Rows` is Around, or what knows more of the operator.
template <int D, class S, class Rows = Around<D, S, AlongRow<D, S>>>
struct InRow : Rows {
  using V = Lanes<S>;
  const std::int64_t own;

  ISOCHOR_KERNEL InRow(const View<D, S>& level, std::int64_t row)
      : Rows{level, {level, row}}, own(this->cells.start[2][2]) {}
  ISOCHOR_KERNEL V flag(int bit, const Shift& s = {}) const {
    return this->cells.bit(this->view.flags, bit, s);
  }
  ISOCHOR_KERNEL S* here(S* field, int component) const {
    return field + component * this->view.length + own + this->cells.x;
  }
};

ISOCHOR_KERNEL void add(const Lanes<float>& value, float* to) {
  (Lanes<float>::load(to) + value).store(to);
}

/// What one red-black sweep over A v = r from zero makes of r, in one place. A has a diagonal, and
/// minus `beside` next to it.
template <int D>
struct RedBlack {
  using V = Lanes<float>;
  float by_diagonal;  ///< relaxation / diagonal
  float beside[D];

  /// Of (shift - factor Laplace).
  ISOCHOR_KERNEL RedBlack(const Coefficients<D, float>& k, float factor, float shift) {
    float diagonal = shift;
    for (int i = 0; i < D; ++i) {
      beside[i] = factor * k.per_h[i] * k.per_h[i];
      diagonal += 2 * beside[i];
    }
    by_diagonal = k.relaxation / diagonal;
  }
  template <class Row>
  ISOCHOR_KERNEL V at(const Row& cells, const float* r, int component, const V& black,
                      const Shift& s) const {
    V neighbours(0);
#pragma GCC unroll 8
    for (int k = 0; k < D; ++k) {
      const V both =
          cells.number(r, component, s.plus(k, 1)) + cells.number(r, component, s.plus(k, -1));
      neighbours = neighbours + V(beside[k]) * both;
    }
    const V residual = cells.number(r, component, s) + black * (V(by_diagonal) * neighbours);
    return cells.flag(kPlain + component, s) * (V(by_diagonal) * residual);
  }
};

/// One in every other lane.
struct Colours {
  Lanes<float> red, black;
};
template <int D>
ISOCHOR_KERNEL Colours colours(const View<D, float>& view, const typename Layout<D>::Row& row) {
  const std::int64_t first = row.number % view.across + row.number / view.across + row.begin;
  const Lanes<float> black = from_each<float>([&](int i) { return (first + i) & 1; });
  return {Lanes<float>(1) - black, black};
}

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
